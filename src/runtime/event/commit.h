/* SPDX-License-Identifier: MIT */
/*
 * Write the record of an event by its plan.  All functions of this file may be called in
 * any context.
 */
#ifndef ULF_RUNTIME_EVENT_COMMIT_H
#define ULF_RUNTIME_EVENT_COMMIT_H

#include <stdbool.h>
#include <stddef.h>

struct filter_program;
struct ulf_event;

/* Returns true if the record passes @filter; NULL: every record passes.  Must be called in
 * a probe. */
bool filter_keeps(const struct filter_program *filter, const void *entry,
		  size_t bytes);
/* The part of ulf_event_commit() that is in C: write a record by the event's plan.  The
 * function is aligned because that saves a tenth of the cost of a filter. */
void event_commit_slowly(const struct ulf_event *event, void *entry, size_t bytes)
	__attribute__((visibility("hidden"), aligned(64)));

#endif
