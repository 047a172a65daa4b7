/* SPDX-License-Identifier: MIT */
/*
 * Names of a root that may have been meant by a wrong one, for error_log.  A root has a
 * budget for it: when that is spent the names looked at so far have to do.
 */
#ifndef ULF_SERVER_SUGGEST_H
#define ULF_SERVER_SUGGEST_H

#include <stddef.h>

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
/* The function whose name is near to the first @len bytes of @word. */
const char *suggest_function(struct root *root, const char *word, size_t len,
			     struct nearest *near);
/* As suggest_function(), but also among functions that cannot be traced. */
const char *suggest_symbol(struct root *root, const char *word, size_t len,
			   struct nearest *near);

#endif
