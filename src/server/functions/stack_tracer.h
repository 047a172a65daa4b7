/* SPDX-License-Identifier: MIT */
/* The stack tracer's piece of shared memory: abi/stack.h. */
#ifndef ULF_SERVER_STACK_TRACER_H
#define ULF_SERVER_STACK_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/stack.h"

struct root;

/* What the last server left behind. */
int stack_tracer_load(struct root *root);
void stack_tracer_done(struct root *root);
/* root_part.has_recorded */
bool stack_tracer_is_there(const struct root *root);
/* If there are threads of whose stacks it is not known where they end: look. */
void stack_tracer_tick(struct root *root);

/* stack_tracer_enabled.  The functions must be published then. */
int32_t stack_tracer_is_on(const struct root *root);
int stack_tracer_set(struct root *root, int32_t is_on);
/* stack_max_size; not more than ABI_STACK_DEPTH_MAX. */
uint64_t stack_tracer_max(const struct root *root);
int stack_tracer_reset(struct root *root, uint64_t max);

/* The deepest stack.  -EAGAIN: it is not the same for long enough. */
int stack_tracer_copy(const struct root *root, struct abi_stack_copy *ret_copy);
/* What is known of threads since the last reset: up to @room; returns how many. */
uint32_t stack_tracer_threads(const struct root *root,
			      struct abi_stack_thread *ret_threads, uint32_t room);

#endif
