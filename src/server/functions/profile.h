/* SPDX-License-Identifier: MIT */
/*
 * The function profiler, with the files function_profile_enabled and
 * trace_stat/functionN.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_PROFILE_H
#define ULF_SERVER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct extent_list;
struct function_object;
struct root;
struct text;

/* Return true if the function profiler of @root is on. */
bool profile_is_on(const struct root *root);
/* Method root_part.list_blocks: list the profiler's blocks of figures. */
void profile_list_blocks(const struct root *root, struct extent_list *list);
/* Method root_part.has_recorded: return true if the profiler has blocks of figures. */
bool profile_is_there(const struct root *root);
/*
 * Switch the profiler on, and free the figures of its previous run.  The caller must
 * call functions_publish() and apply_start().  Processes begin to count calls when
 * they have applied these settings.
 */
void profile_start(struct root *root);
/*
 * Switch the profiler off.  The figures stay.  The caller must call functions_publish_off()
 * and apply_start().
 */
void profile_stop(struct root *root);

/*
 * Allocate memory for the figures of all objects with profiled functions.  Does nothing
 * while the profiler is off.  Returns 0 or -errno of arena_alloc().
 */
int profile_make_blocks(struct root *root);
/* Return the offset, in the root's memory, of the profiler's figures for @object; 0 if
 * there are none. */
uint64_t profile_figures(const struct function_object *object);

/*
 * Print the profiler's figures of @cpu as the kernel does.  Returns 0, -ENODEV (no such
 * CPU) or another -errno.
 */
int profile_print(const struct root *root, uint32_t cpu, struct text *out);

/*
 * Method root_part.load, which runs after functions_load(): find the figures that processes
 * have counted for the previous server.  Returns 0; -ERESTART if files are still being
 * parsed, so that the caller must call again later; or -ENOMEM.
 */
int profile_load(struct root *root);

#endif
