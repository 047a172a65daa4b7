/* SPDX-License-Identifier: MIT */
/* Reads the last text of trace_printk() back from the rings. */
#ifndef ULF_TESTS_SAID_H
#define ULF_TESTS_SAID_H

#include <stdint.h>

#include "lib/check.h"

#ifdef __cplusplus
extern "C" {
#endif

struct said {
	uint16_t type;			/* ABI_EVENT_ID_... */
	int pid;
	uint64_t ip, fmt;		/* fmt is not set for ftrace:print */
	char text[8192];
};

/* Open the root of this process and make rings for it. */
void said_start(void);
/* Take all records.  Returns their number, and the last one in *@ret_last. */
size_t said_take(struct said *ret_last);
/* Fail unless there is exactly one record, of this type and text. */
void said_is_(const char *file, int line, uint16_t type, const char *text);
#define said_is(type, text)	said_is_(__FILE__, __LINE__, type, text)
/* Fail if there is any record. */
void said_nothing_(const char *file, int line);
#define said_nothing()		said_nothing_(__FILE__, __LINE__)

struct abi_buffer *said_buffer(void);

#ifdef __cplusplus
}
#endif

#endif
