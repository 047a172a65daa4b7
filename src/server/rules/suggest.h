/* SPDX-License-Identifier: MIT */
/*
 * Names of a root that may have been meant by a wrong one, for error_log.  A root has a
 * budget for it: when that is spent the names looked at so far have to do.
 */
#ifndef ULF_SERVER_SUGGEST_H
#define ULF_SERVER_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/nearest.h"

struct instance;
struct root;

#define SUGGEST_WORD_MAX	1024u	/* bytes of a wrong name that are looked at */

/*
 * The event that @word means, SYSTEM:EVENT, or EVENT or SYSTEM alone.  @near is the
 * caller's memory for the answer.  NULL: there is none.
 */
const char *suggest_event(struct root *root, const char *word, struct nearest *near);
/*
 * Report in error_log that the @len bytes at @at, a part of @command, name no event.  The
 * caret stands under the event if there is such a system, else under the system.
 */
void suggest_log_event(struct instance *instance, const char *place,
		       const char *command, const char *at, size_t len);
/* Offer the names that @name_of returns for 0 ... @nr - 1 to @near; NULL is skipped.  Stops
 * when the root's budget is spent. */
void suggest_offer_all(struct root *root, struct nearest *near, uint32_t nr,
		       const char *(*name_of)(const struct root *root, uint32_t i));
/* The function whose name is near to the first @len bytes of @word, also among functions
 * that cannot be traced; NULL: there is none.  functions/function_suggest.h has the others. */
const char *suggest_symbol(struct root *root, const char *word, size_t len,
			   struct nearest *near);

#endif
