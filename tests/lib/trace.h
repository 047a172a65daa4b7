/* SPDX-License-Identifier: MIT */
/*
 * What a root recorded, for tests that look at values: records are read with
 * the formats that the program itself put into the root's memory.
 */
#ifndef ULF_TESTS_TRACE_H
#define ULF_TESTS_TRACE_H

#include <stdint.h>

#include "lib/driver.h"

/* Rings that are large enough for all that the tests record at a time. */
extern const struct driver_config trace_config;

/* The root of process @pid, with such rings.  Fails the test if it cannot. */
void trace_open(struct driver *d, pid_t pid);

struct trace_record {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t side;
	uint32_t kind;			/* enum abi_ring_kind */
	uint32_t row;			/* of its event */
	int pid;
	uint32_t bytes;
	uint8_t *data;			/* from struct trace_entry on */
};

/* Records of one reading, ring by ring, in the order of their writing. */
struct trace {
	struct trace_record *records;
	size_t nr;
	uint64_t lost;			/* overrun before they could be read */
};

/* Take all records out of the rings.  Fails the test if one is corrupt. */
void trace_read(struct driver *d, struct trace *trace);
void trace_free(struct trace *trace);
/* How many of @trace are of this event; of thread @pid, if that is not 0. */
size_t trace_count(struct driver *d, const struct trace *trace,
		   const char *system, const char *name, int pid);
/* Returns the @nth record of this event (from 0) by time: a thread that moves to another CPU
 * writes to another ring.  Fails the test if there is none. */
const struct trace_record *trace_find(struct driver *d,
				      const struct trace *trace,
				      const char *system, const char *name,
				      size_t nth);
/* Read, count, forget. */
size_t trace_drain(struct driver *d, const char *system, const char *name);

/* The text that the event's `format` file has, without the line of the ID; to
 * be freed. */
char *trace_format(struct driver *d, const char *system, const char *name);

/* A field of a record by name: a number, with its sign; the bytes of an array
 * or a dynamic field. */
int64_t trace_number(struct driver *d, const struct trace_record *record,
		     const char *field);
const void *trace_bytes(struct driver *d, const struct trace_record *record,
			const char *field, uint32_t *ret_bytes);
const char *trace_string(struct driver *d, const struct trace_record *record,
			 const char *field);

struct abi_buffer *trace_buffer(struct driver *d);
/* The slot of process @pid in the root; NULL if it has none. */
struct abi_process *trace_process(struct driver *d, pid_t pid);
/* Wait until @pid has a slot and its agent runs; fails the test if not. */
struct abi_process *trace_wait_agent(struct driver *d, pid_t pid);

#endif
