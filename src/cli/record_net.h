/* SPDX-License-Identifier: MIT */
/*
 * Send the records of a root to `trace-cmd listen` on another machine, which writes them to a
 * file on that machine.  docs/design/record.md has the protocol.
 *
 *	record_net_new("host:port", &net);
 *	record_net_temp(net, &temp, cpu, nr_cpus, page_bytes);	for each CPU that has records;
 *						the first call connects
 *	record_net_writer(net, &writer);	for everything but the records
 *	record_net_finish(net);
 *	record_net_free(net);
 *
 * Functions that return int return 0 or -errno.
 */
#ifndef ULF_CLI_RECORD_NET_H
#define ULF_CLI_RECORD_NET_H

#include <stdint.h>

#include "cli/record_pack.h"
#include "datfile/dat_write.h"

struct record_net;

/* Return 0 if @address has the form host:port; else print an error and return -EINVAL. */
int record_net_check(const char *address);
/* Prepare a connection to @address without connecting yet. */
int record_net_new(const char *address, struct record_net **ret_net);
/* Connect to the listener's port for the CPU @cpu, and make @temp send its pages to this
 * port.  Prints an error if the listener cannot be reached.  Only the thread that reads rings
 * calls this. */
int record_net_temp(struct record_net *net, struct record_temp *temp, uint32_t cpu,
		    uint32_t nr_cpus, uint32_t page_bytes);
/* Get a writer for all parts of the trace.dat but the records: names, formats and options. */
int record_net_writer(struct record_net *net, struct datfile_writer **ret_writer);
/*
 * Send the data that the writer has written, and wait until the listener has written its
 * file.  Before, all pages must have been sent, and the writer must be finished.
 */
int record_net_finish(struct record_net *net);
/* Close all connections.  NULL is allowed. */
void record_net_free(struct record_net *net);

#endif
