/* SPDX-License-Identifier: MIT */
/* The triggers of ftrace:print, which run here: the server writes the markers. */
#ifndef ULF_SERVER_PRINT_TRIGGERS_H
#define ULF_SERVER_PRINT_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/rules.h"

struct event;
struct instance;

/* It has triggers as any event, but is in no root's table. */
extern const struct event print_event;

bool print_has_command(enum abi_command command);
/* Thread @tid has written the marker @rec, on @cpu; it is in the ring. */
void print_triggers_run(struct instance *instance, const void *rec, size_t bytes,
			pid_t tid, uint32_t cpu);

#endif
