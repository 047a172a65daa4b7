/* SPDX-License-Identifier: MIT */
/*
 * error_log: the latest wrong writes of an instance, each with the reason and a caret under
 * the mistake.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_ERROR_LOG_H
#define ULF_SERVER_ERROR_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct text;

#define ERROR_LOG_ENTRIES	8u	/* number of entries that error_log keeps, as in
					 * the kernel; older entries are dropped */

struct error_log {
	struct error_entry *entry[ERROR_LOG_ENTRIES];	/* entries of the log; NULL if the element
							 * is unused */
	uint32_t next;			/* index in @entry of the oldest entry, which the
					 * next new entry replaces */
};

/*
 * Add an entry to error_log.  Does nothing if there is no memory.
 * @place: file or area of the mistake, for example "event filter parse error"; it is copied
 * @error: the reason; a constant string
 * @command: the text that was written; it is copied
 * @pos: position of the caret in @command
 */
void error_log_add(struct instance *instance, const char *place,
		   const char *error, const char *command, uint32_t pos);
/*
 * Add an entry as error_log_add() does.  After the reason, the entry suggests @near, a
 * name that the user may have meant.  @near is copied; if it is NULL, no name is
 * suggested.
 */
void error_log_add_near(struct instance *instance, const char *place,
			const char *error, const char *command, uint32_t pos,
			const char *near);
/*
 * From now on also append new entries of error_log of any instance to @to, without their
 * time.  If @to is NULL, stop this.  A request calls the function before and after its
 * work.  So @to gets only the entries of this request, because the server has one thread.
 */
void error_log_capture(struct text *to);
/*
 * Record that the current write to a file succeeds but has no effect, or only a part of
 * it.  Then the client gets the entries of error_log that its write has caused, although
 * the write returns no error.
 */
void error_log_warn(void);
/* Return true if error_log_warn() was called since the last error_log_capture(). */
bool error_log_is_warning(void);
/* Remove all entries. */
void error_log_clear(struct instance *instance);
/* Return true if error_log of @instance has no entries. */
bool error_log_is_empty(const struct instance *instance);
/* Print all entries of error_log of @instance, oldest first. */
void error_log_show(const struct instance *instance, struct text *out);

#endif
