/* SPDX-License-Identifier: MIT */
/*
 * Wrap setuid(), seteuid(), setreuid() and setresuid(), for ULF_UNMAP_ON_SETUID: a child
 * that changes its user id leaves the root (leave.c).  Without that variable, and in the
 * process that created the root, these functions only call libc's.
 *
 * Only libulf.so has these functions.  A program that is linked with libulf.a, or that
 * makes the system call itself, must call ulf_leave().
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/arch.h"
#include "runtime/base/process.h"
#include "runtime/base/thread.h"
#include <ulf/tracing.h>

typedef int set_fn(uid_t a, uid_t b, uid_t c);

enum call { SETUID, SETEUID, SETREUID, SETRESUID, CALLS };

static const char *const names[CALLS] = { "setuid", "seteuid", "setreuid", "setresuid" };
static set_fn *next[CALLS];		/* libc's functions, in the order of names[];
					 * find_all() sets these pointers */
static bool is_wanted;			/* true: ULF_UNMAP_ON_SETUID is set to a value
					 * other than 0 */

/* Find libc's setuid() and so on.  This must be done early: in a child of fork(), the
 * lock of the dynamic linker may be held for ever by a thread that does not exist in
 * the child. */
__attribute__((constructor(101))) static void find_all(void)
{
	const char *value = getenv("ULF_UNMAP_ON_SETUID");

	is_wanted = value && *value && !(value[0] == '0' && !value[1]);
	for (int i = 0; i < CALLS; i++)
		*(void **)&next[i] = dlsym(RTLD_NEXT, names[i]);
}

struct ids {
	uint32_t real, effective, saved;
};

static struct ids get_ids(void)
{
	struct ids ids = { 0 };

	arch_syscall3(SYS_getresuid, &ids.real, &ids.effective, &ids.saved);
	return ids;
}

static int change_ids(enum call call, uid_t a, uid_t b, uid_t c)
{
	struct ids before, after;
	int r, saved;

	if (!next[call])
		find_all();
	if (!next[call]) {
		errno = ENOSYS;
		return -1;
	}
	if (!is_wanted)
		return next[call](a, b, c);
	before = get_ids();
	r = next[call](a, b, c);
	saved = errno;
	after = get_ids();
	if (process_is_child() && (before.real != after.real || before.saved != after.saved ||
				before.effective != after.effective))
		ulf_leave();
	errno = saved;
	return r;
}

/* Call libc's setuid() through change_ids(), which passes three arguments to each
 * function of libc.  This is correct for functions with fewer parameters, too: they do
 * not read the registers of the other arguments. */
__attribute__((visibility("default"))) int setuid(uid_t uid)
{
	return change_ids(SETUID, uid, 0, 0);
}

__attribute__((visibility("default"))) int seteuid(uid_t uid)
{
	return change_ids(SETEUID, uid, 0, 0);
}

__attribute__((visibility("default"))) int setreuid(uid_t real, uid_t effective)
{
	return change_ids(SETREUID, real, effective, 0);
}

__attribute__((visibility("default"))) int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return change_ids(SETRESUID, real, effective, saved);
}
