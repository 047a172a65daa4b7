/* SPDX-License-Identifier: MIT */
/* A module that first overwrites the copy of its ELF header in memory.  Some modules are
 * linked so that there is no such copy. */
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#define CREATE_TRACE_POINTS
#include "mod_trace.h"

extern ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static void forget_header(void)
{
	if (!mprotect(&__ehdr_start, 4096, PROT_READ | PROT_WRITE))
		memset(&__ehdr_start, 0xff, sizeof(__ehdr_start));
}

/* runs before libulf's constructor, which has priority 101 */
__attribute__((section(".init_array.00001"), used))
static void (*const first)(void) = forget_header;

void mod_hit(long value);
void mod_hit(long value)
{
	trace_mod_hit(value);
}
