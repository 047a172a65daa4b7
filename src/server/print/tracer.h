/* SPDX-License-Identifier: MIT */
/* Tracers record data besides events.  This table says how a buffer with a tracer is
 * printed. */
#ifndef ULF_SERVER_TRACER_H
#define ULF_SERVER_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"

struct instance;
struct line;
struct text;

/* The methods of a tracer.  Both are optional, and run in the server's thread. */
struct tracer {
	/* Print the heads of the columns.  NULL: print the usual columns. */
	void (*print_header)(uint64_t options, struct text *out);
	/* Print a record in the tracer's own format.  line->place describes the records around
	 * it.  Returns false, and prints nothing, to have the record printed as usual.  NULL:
	 * print all records as usual. */
	bool (*print_line)(const struct line *line, struct text *out);
};

/* The tracers, by enum abi_tracer. */
extern const struct tracer tracers[ABI_TRACERS];

/* Return the tracer of the buffer; nop if the value in shared memory is invalid. */
const struct tracer *instance_tracer(const struct instance *instance);
/* Return the name of the buffer's tracer, as current_tracer shows it. */
const char *instance_tracer_name(const struct instance *instance);

#endif
