/* SPDX-License-Identifier: MIT */
/* What error_log shows: the last wrong writes of an instance. */
#ifndef ULF_SERVER_ERROR_LOG_H
#define ULF_SERVER_ERROR_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct text;

#define ERROR_LOG_ENTRIES	8u

struct error_log {
	struct error_entry *entry[ERROR_LOG_ENTRIES];	/* or NULL */
	uint32_t next;			/* the oldest one's place */
};

/* @place: what was wrong, as "event filter parse error"; @pos: of the caret in
 * @command.  Without memory it is not logged. */
void error_log_add(struct instance *instance, const char *place,
		   const char *error, const char *command, uint32_t pos);
/* @near: a name that may have been meant, shown after @error; NULL: none. */
void error_log_add_near(struct instance *instance, const char *place,
			const char *error, const char *command, uint32_t pos,
			const char *near);
/* From now on entries of any instance are also appended to @to, without the time; NULL ends
 * that.  A request sets it around the work it does, so the entries are its own: the server
 * has one thread. */
void error_log_capture(struct text *to);
/* The write succeeds, as in the kernel, but has no effect: the client of the request gets its
 * entries all the same. */
void error_log_warn(void);
/* Was error_log_warn() called since error_log_capture()? */
bool error_log_is_warning(void);
void error_log_clear(struct instance *instance);
bool error_log_is_empty(const struct instance *instance);
void error_log_show(const struct instance *instance, struct text *out);

#endif
