/* SPDX-License-Identifier: MIT */
/* Plans: to which buffers the records of an event go.  The caller of each function of
 * this file holds runtime_lock(). */
#ifndef ULF_RUNTIME_EVENT_PLAN_H
#define ULF_RUNTIME_EVENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct abi_rule;
struct rules;
struct ulf_event;

/* Make a plan by which the records of @event go to the buffers of @wanted, as the rules
 * of each buffer say.  @wanted: one bit for each buffer, not 0.  Returns 0, -ENOMEM or
 * -EINVAL (an invalid rule); on failure the old plan stays. */
int plan_apply(struct ulf_event *event, uint32_t wanted);
/* Remove the plan of @event, so that its records go nowhere from now on. */
void plan_forget(struct ulf_event *event);
/* Update ulf_event.set, because the plan of @event or the set of rings of its buffer
 * has changed. */
void plan_use_set(struct ulf_event *event);

/* Returns true if the program declares the field at offset @offset of the records as a
 * pointer.
 * @to_string: true: only a pointer to a string counts. */
bool event_has_pointer(const struct ulf_event *event, uint32_t offset, bool to_string);

/* A range of bytes in the block of a buffer's rules.  The bytes are not verified, and
 * another process can change them. */
struct rules_bytes {
	const void *at;
	uint32_t nr;			/* number of bytes at @at; 0: there are no
					 * bytes */
};
/* Find the rule of the event in row @row of the table of events, and copy the rule to
 * *@ret_rule.  Returns false if there is no rule; even then *@ret_rule is
 * overwritten. */
bool rules_has_row(const struct rules *rules, uint32_t row,
		   struct abi_rule *ret_rule);
/* Get the @nr bytes at offset @at of the block of rules.  If @at is 0 there are no
 * bytes, and *@ret_bytes is not changed.  Returns 0; or -EINVAL if the bytes are
 * outside of the block or not aligned. */
int rules_find(const struct rules *rules, uint32_t at, uint32_t nr,
	       struct rules_bytes *ret_bytes);
/* Returns true if the @nr bytes at @used, which are in private memory, are equal to
 * the bytes that @bytes describes. */
bool rules_is_same(const void *used, size_t nr, const struct rules_bytes *bytes);

#endif
