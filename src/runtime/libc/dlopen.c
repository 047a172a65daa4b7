/* SPDX-License-Identifier: MIT */
/*
 * Notice libraries that dlopen() loads, so that their functions are traced from the
 * first constructor on.
 *
 * dlopen() cannot be wrapped: libc's dlopen() looks at its caller's address.  But
 * _init(), which linkers put before the constructors of a library (glibc's crti.o),
 * calls __gmon_start__() if that function exists.  This function is meant for gprof.
 * _init() runs in the thread that is in dlopen(), when all new objects are mapped and
 * relocated. libulf's __gmon_start__() notifies the server and waits for it, if there
 * is a setting for functions.  If not, __gmon_start__() only loads two words.
 *
 * Only libulf.so has this function.  If a program has its own __gmon_start__() (-pg),
 * or a library has no such _init(), the server finds the library at one of its regular
 * scans.
 */
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "arch/arch.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/boot.h"
#include "runtime/function/ftrace.h"
#include "runtime/unwind/object_file.h"
#include "runtime/usdt/usdt.h"
#include "runtime/unwind/image.h"

static uint32_t nr_first;		/* number of objects that were loaded before libulf's
					 * constructor ran */
static uint64_t seen;			/* value of dlpi_adds, the number of objects
					 * that were ever loaded, at the last call of
					 * has_come() */

struct look {
	uint64_t addr;			/* address in the object that is searched for */
	uint64_t adds;			/* number of objects that were ever loaded (dlpi_adds) */
	uint32_t nr;			/* number of objects that libc lists
					 * before the object that contains @addr
					 * */
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

/* Count the objects with which the program starts.  The server already knows these
 * objects, so has_come() skips them. */
__attribute__((constructor(101))) static void count_first_objects(void)
{
	struct look look = { .addr = 0 };

	dl_iterate_phdr(look_at, &look);
	nr_first = look.nr;
}

/*
 * Returns true if a dlopen() has loaded objects and this is the first call for them.
 * @caller: an address in the object whose constructors are about to run.  libc lists
 * objects in the order in which it loaded them, so the first nr_first objects were not
 * loaded by dlopen().
 * Example: dlopen("a.so") also loads b.so, on which it depends.  The call for b.so
 * returns true.  The call for a.so returns false, because it finds dlpi_adds unchanged.
 */
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

static __attribute__((noinline)) void load_is_coming(uint64_t caller)
{
	if (!process_slot || !has_come(caller))
		return;
	if (!boot_objects_coming() && !wants_objects())
		return;
	/* Add the objects to the table of objects in this thread, because the server
	 * cannot read /proc/PID/maps of a process that is not dumpable. */
	if (arch_syscall2(SYS_prctl, PR_GET_DUMPABLE, 0) != 1)
		image_report_all();
	ftrace_load_begin();
	ftrace_load_end(boot_wait_for_objects());
	usdt_objects_changed();
}

/* __gmon_start__() is not instrumented, because the _init() of a sanitizer's library
 * calls it before the sanitizer's data is set up. */
void __gmon_start__(void);
__attribute__((visibility("default"), no_sanitize_address, no_sanitize_thread))
void __gmon_start__(void)
{
	if (root_control && (wants_objects() || boot_is_later()))
		load_is_coming((uint64_t)__builtin_return_address(0));
}
