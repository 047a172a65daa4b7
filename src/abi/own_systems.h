/* SPDX-License-Identifier: MIT */
/*
 * libulf's own events, which every program has.  Lists of events should show the program's
 * events: so libulf's are listed only after one of the same system was switched on, and are
 * selected only by a name with that system.  The names of the systems begin with ulf_, because
 * a program or its USDT probes may have systems of any other name.
 */
#ifndef ULF_ABI_OWN_SYSTEMS_H
#define ULF_ABI_OWN_SYSTEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ABI_LATE_SYSTEM		"ulf_sched"	/* late events: docs/design/sched.md */
#define ABI_LIBC_SYSTEM		"ulf_libc"	/* calls of libc: docs/design/libc_events.md */

/* Returns true if the @len bytes at @text are the name of a system of events that libulf itself
 * has. */
static inline bool abi_is_own_system(const char *text, size_t len)
{
	return (len == strlen(ABI_LATE_SYSTEM) && !memcmp(text, ABI_LATE_SYSTEM, len)) ||
	       (len == strlen(ABI_LIBC_SYSTEM) && !memcmp(text, ABI_LIBC_SYSTEM, len));
}

#endif
