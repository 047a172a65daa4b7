/* SPDX-License-Identifier: MIT */
/*
 * Reads the records of a root, for tests that check values.  Records are read with the
 * formats that the program itself has put into the root's memory.
 */
#ifndef ULF_TESTS_TRACE_H
#define ULF_TESTS_TRACE_H

#include <stdint.h>

#include "lib/driver.h"

/* Rings that are large enough for all records of a test. */
extern const struct driver_config trace_config;

/* Open the root of process @pid and place such rings.  Fails the test on an error. */
void trace_open(struct driver *d, pid_t pid);

struct trace_record {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t side;
	uint32_t kind;			/* enum abi_ring_kind */
	uint32_t row;			/* row of the record's event */
	int pid;
	uint32_t bytes;
	uint8_t *data;			/* begins with struct trace_entry */
};

/* The records of one reading: ring by ring, in the order in which they were written. */
struct trace {
	struct trace_record *records;
	size_t nr;
	uint64_t lost;			/* records that were overwritten before they could be
					 * read */
};

/* Take all records out of the rings.  Fails the test if a record is corrupt. */
void trace_read(struct driver *d, struct trace *trace);
void trace_free(struct trace *trace);
/* Returns how many records of @trace belong to this event, and to thread @pid if that is not
 * 0. */
size_t trace_count(struct driver *d, const struct trace *trace,
		   const char *system, const char *name, int pid);
/* Returns the @nth record of this event (from 0) by time: a thread that moves to another CPU
 * writes to another ring.  Fails the test if there is none. */
const struct trace_record *trace_find(struct driver *d,
				      const struct trace *trace,
				      const char *system, const char *name,
				      size_t nth);
/* Read all records, free them, and return how many belong to this event. */
size_t trace_drain(struct driver *d, const char *system, const char *name);

/* Returns the text of the event's `format` file, without the line of the ID.  The caller
 * frees the text. */
char *trace_format(struct driver *d, const char *system, const char *name);

/* Return a field of a record by name: a number with its sign, or the bytes of an array or of
 * a dynamic field. */
int64_t trace_number(struct driver *d, const struct trace_record *record,
		     const char *field);
const void *trace_bytes(struct driver *d, const struct trace_record *record,
			const char *field, uint32_t *ret_bytes);
const char *trace_string(struct driver *d, const struct trace_record *record,
			 const char *field);

struct abi_buffer *trace_buffer(struct driver *d);
/* Returns the slot of process @pid in the root, or NULL if it has none. */
struct abi_process *trace_process(struct driver *d, pid_t pid);
/* Wait until @pid has a slot and its agent runs.  Fails the test if this does not happen. */
struct abi_process *trace_wait_agent(struct driver *d, pid_t pid);

#endif
