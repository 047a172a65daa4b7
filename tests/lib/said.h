/* SPDX-License-Identifier: MIT */
/* What trace_printk() said last, read back from the rings. */
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
	uint64_t ip, fmt;		/* fmt: not of ftrace:print */
	char text[8192];
};

/* Of this process; makes rings for it. */
void said_start(void);
/* How many records there are; the last of them. */
size_t said_take(struct said *ret_last);
/* One record, of that type and text. */
void said_is_(const char *file, int line, uint16_t type, const char *text);
#define said_is(type, text)	said_is_(__FILE__, __LINE__, type, text)
/* None. */
void said_nothing_(const char *file, int line);
#define said_nothing()		said_nothing_(__FILE__, __LINE__)

struct abi_buffer *said_buffer(void);

#ifdef __cplusplus
}
#endif

#endif
