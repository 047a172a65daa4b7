/* SPDX-License-Identifier: MIT */
/* Tracers: what records besides the events, and how a buffer with it is printed. */
#ifndef ULF_SERVER_TRACER_H
#define ULF_SERVER_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"

struct instance;
struct line;
struct text;

/* A row for each enum abi_tracer. */
struct tracer {
	/* The columns' heads; NULL: the usual ones. */
	void (*print_header)(uint64_t options, struct text *out);
	/* A record in its own way, knowing what is around it: struct line_place.
	 * False: as ever, so is NULL. */
	bool (*print_line)(const struct line *line, struct text *out);
};

extern const struct tracer tracers[ABI_TRACERS];

/* The buffer's; nop if its memory says nonsense. */
const struct tracer *instance_tracer(const struct instance *instance);
const char *instance_tracer_name(const struct instance *instance);

#endif
