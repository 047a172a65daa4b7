/* SPDX-License-Identifier: MIT */
/* The function profiler: function_profile_enabled, trace_stat/functionN. */
#ifndef ULF_SERVER_PROFILE_H
#define ULF_SERVER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct function_object;
struct root;
struct text;

bool profile_is_on(const struct root *root);
/* Are there figures? */
bool profile_is_there(const struct root *root);
/* On: what was counted before goes.  The lists of functions are to be published
 * then; the processes count when they have followed. */
void profile_start(struct root *root);
void profile_stop(struct root *root);

/* Room for the figures of all objects with profiled functions. */
int profile_make_room(struct root *root);
/* Where the figures of an object are, in the root's file; 0: it has none. */
uint64_t profile_figures(const struct function_object *object);

/* What was counted on a CPU, as the kernel prints it. */
int profile_print(const struct root *root, uint32_t cpu, struct text *out);

/* What the last server left behind.  After functions_load(). */
int profile_load(struct root *root);

#endif
