/* SPDX-License-Identifier: MIT */
/*
 * dlopen(), so that the functions of a library are traced from its first constructor
 * on.  It cannot be wrapped, as libc's goes by who has called it.  But what linkers
 * put before the constructors of a library (_init of glibc's crti.o) calls
 * __gmon_start__(), if there is one: meant for gprof, in the thread that is in
 * dlopen(), when all that is new is in its place.  Here the server is told, and
 * waited for, if somebody wants functions.  Else it is a look at a word.
 *
 * In libulf.so alone.  Where a program has a function of that name (-pg), or a library
 * no such _init, the server finds it as it looks around.
 */
#include <link.h>
#include <sys/prctl.h>

#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/unwind/image.h"
#include "runtime/function/object_file.h"
#include "runtime/runtime.h"

static uint32_t nr_first;		/* objects that were there when libulf came */
static uint64_t seen;			/* how many had come, the last time */

struct look {
	uint64_t addr;
	uint64_t adds;			/* how many have come so far */
	uint32_t nr;			/* that are before the one of @addr */
};

static int look_at(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct look *look = arg;
	uint64_t low, high;

	(void)bytes;
	look->adds = info->dlpi_adds;
	if (object_find_range(info, PF_X, &low, &high) && look->addr >= low &&
	    look->addr < high)
		return 1;
	look->nr++;
	return 0;
}

/* The server has seen what the program starts with. */
__attribute__((constructor(101))) static void look_early(void)
{
	struct look look = { .addr = 0 };

	dl_iterate_phdr(look_at, &look);
	nr_first = look.nr;
}

/* Is it for the first of those that a dlopen() brings?  They are listed in the order
 * in which they have come.  No dlopen() has brought what was there first. */
static bool has_come(uint64_t caller)
{
	struct look look = { .addr = caller };

	return dl_iterate_phdr(look_at, &look) && look.nr >= nr_first &&
	       __atomic_exchange_n(&seen, look.adds, __ATOMIC_RELAXED) != look.adds;
}

static bool wants_objects(void)
{
	return __atomic_load_n(&root_control->wants_objects, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void coming(uint64_t caller)
{
	if (!process_slot || !has_come(caller))
		return;
	if (!boot_objects_coming() && !wants_objects())
		return;
	/* Who lets nobody look tells it himself. */
	if (arch_syscall2(SYS_prctl, PR_GET_DUMPABLE, 0) != 1)
		image_tell_all();
	ftrace_load_begin();
	ftrace_load_end(boot_wait_for_objects());
}

/* In a sanitizer's library it comes before what code that is watched needs. */
void __gmon_start__(void);
__attribute__((visibility("default"), no_sanitize_address, no_sanitize_thread))
void __gmon_start__(void)
{
	if (root_control && (wants_objects() || boot_is_later()))
		coming((uint64_t)__builtin_return_address(0));
}
