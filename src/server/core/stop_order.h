/* SPDX-License-Identifier: MIT */
/*
 * Orders to stop the threads of a process while it patches its code (abi_process.stop_wanted).
 * The server has no right to trace processes, so another process, the stopper
 * (daemon/stopper.c), carries the orders out.  Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_STOP_ORDER_H
#define ULF_SERVER_STOP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct abi_process;
struct process;
struct root;

/* An order to stop the threads of a process.  A descriptor of the root's memory is sent
 * with the order. */
struct stop_order {
	uint32_t pid;
	uint32_t tid;			/* thread that must not be stopped, because it
					 * patches the code */
	uint64_t off;			/* offset of the process slot in the root's memory */
};

/* Use @socket to send orders to the stopper; -1 if there is no stopper. */
void stop_orders_init(int socket);
/* Log in error_log of the top instance how many functions the processes could not switch, and
 * why, unless error_log says so already. */
void stop_orders_log(struct root *root);
/* Return true if the process of @slot wants its threads stopped, or if the stopper still
 * keeps some of them stopped. */
bool stop_order_is_open(const struct abi_process *slot);
/* Send an order for each live process of @root that wants its threads stopped and for
 * which no order was sent yet. */
void stop_orders_send(const struct root *root);

#endif
