/* SPDX-License-Identifier: MIT */
/* The names of system calls, for .syscall.  syscall_names.sh makes the table. */
#include "hist/syscall_name.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "base/bits.h"

static const char *const names[] = {
#include "hist/syscall_names.h"
};

const char *hist_syscall_name(uint64_t nr)
{
	return nr < ARRAY_SIZE(names) ? names[nr] : NULL;
}
