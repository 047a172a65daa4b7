/* SPDX-License-Identifier: MIT */
/* Start and exit of the traced program. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "abi/attach.h"
#include "arch/arch.h"
#include "base/dir.h"
#include "runtime/agent.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/part.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/boot.h"
#include "runtime/buffer/buffer.h"
#include "runtime/fork.h"
#include "runtime/init.h"
#include "runtime/parts.h"

#define EXIT_HANDLERS	64	/* maximum number of registered exit handlers; if
				 * there are more modules, one of the handlers still
				 * runs before the destructors, and one is enough */

/* How far the start is. */
enum start {
	START_NONE,
	START_RUNS,
	START_DONE,			/* the start of the runtime has ended, with or
					 * without a root */
};
static uint32_t start_state;		/* enum start; futex */
static bool is_ready;			/* true: there is a root, and its agent runs; written with
					 * runtime_lock() held */

/* Make process_is_exiting() return true.  Destructors of modules that run later then leave
 * their events described in the dead root. */
static void at_exit(void)
{
	const struct runtime_part *part;

	if (!process_set_exiting() || !root_control)
		return;
	for_each_runtime_part(part, exit)
		part->exit();
	root_remove_if_unused();
}

/*
 * Register an exit handler that must run before the destructors of the program and
 * its libraries.  exit() runs handlers in the reverse order of their registration.
 * One handler, which is libc's, runs the destructors; libc registers it just before
 * the program's own constructors run.  So a handler that a library's constructor
 * registers runs too late; a handler that the program's own constructors or later
 * code registers runs in time.
 */
void runtime_watch_exit(void)
{
	static uint32_t handlers;

	if (__atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED) < EXIT_HANDLERS)
		atexit(at_exit);
}

static bool is_wanted(const struct runtime_source *source)
{
	const char *disable;

	if (getauxval(AT_SECURE))
		return false;
	if (source)
		return true;
	disable = getenv("ULF_DISABLE");
	return !disable || !*disable || (disable[0] == '0' && !disable[1]);
}

/* Create the root with its boot settings, and wait until the server has applied them,
 * if there are any.  Returns 0 or -errno. */
static int create_root(const struct runtime_source *source)
{
	char dir[DIR_PATH_BYTES];
	int saved = errno, r;

	/* If dir_get() fails, do not connect to the socket in the directory, because
	 * the directory may belong to another user. */
	if (source)
		r = strlen(source->dir) < sizeof(dir) ? dir_check(strcpy(dir, source->dir)) :
							-ENAMETOOLONG;
	else
		r = dir_get(dir);
	if (r)
		goto restore_errno;
	r = root_create(dir);
	if (!r) {
		boot_fill(root_control, dir);
		r = root_publish(dir);
	}
	if (r) {
		boot_report_no_root(dir, r);
		goto restore_errno;
	}
	boot_root_made();
	boot_wait();
restore_errno:
	errno = saved;
	return r;
}

static void load_parts(void)
{
	static bool is_loaded;		/* true: an earlier start has loaded the parts
					 * and failed afterwards */
	const struct runtime_part *part;

	if (is_loaded)
		return;
	for_each_runtime_part(part, load)
		part->load();
	is_loaded = true;
}

static void init_parts(void)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, init)
		part->init();
}

/* Apply the settings that the server has stored while this program was held.  This
 * cannot be left to the agent, because the program may hit its first event or
 * function before the agent runs. */
static void start_parts(void)
{
	const struct runtime_part *part;

	runtime_lock();
	buffer_apply_all();
	runtime_unlock();
	for_each_runtime_part(part, start) {
		runtime_lock();
		part->start();
		runtime_unlock();
	}
}

/* Returns 0 if there is a root and this process has a slot in it, or -errno. */
static int start_runtime(const struct runtime_source *source)
{
	int r;

	runtime_parts = runtime_part_table;
	grace_init();
	arch_rseq_init();	/* rseq is needed without a root, too, because the
				 * program may have callbacks */
	fork_watch();
	if (!is_wanted(source))
		return -ECANCELED;
	if (source)
		boot_set_source(source);
	r = create_root(source);
	/* Call load_parts() here and not earlier.  The parts take locks, and TSan must
	 * see a call of libc before it sees a lock. */
	load_parts();
	if (r)
		return r;
	process_note_pid(false);
	buffer_get(0);		/* Set up the top buffer, because tracing_on() needs
				 * it. */
	r = process_claim(NULL);
	if (r)
		return r;
	runtime_watch_exit();
	init_parts();
	boot_wait_for_init();
	start_parts();
	agent_start();
	runtime_lock();
	is_ready = true;
	runtime_unlock();
	boot_wait_functions();
	return 0;
}

/* Returns true if this thread must do the start, because no other thread is doing it or has done
 * it. */
static bool start_begin(void)
{
	uint32_t none = START_NONE;

	return __atomic_compare_exchange_n(&start_state, &none, START_RUNS, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void start_end(enum start state)
{
	__atomic_store_n(&start_state, state, __ATOMIC_RELEASE);	/* [init.state] */
	arch_syscall3(SYS_futex, &start_state, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void runtime_init(void)
{
	if (!start_begin())
		return;
	start_runtime(NULL);
	start_end(START_DONE);
}

/* If an `ulf attach` was killed, the loader that it has left may still start the
 * runtime. */
int runtime_start(const struct runtime_source *source)
{
	int r;

	while (!start_begin()) {
		/* acquire: the other thread has made the root; mate: start_end()
		 * [init.state] */
		if (__atomic_load_n(&start_state, __ATOMIC_ACQUIRE) == START_DONE)
			return root_control ? 0 : -ECANCELED;
		arch_syscall4(SYS_futex, &start_state, FUTEX_WAIT_PRIVATE, START_RUNS, NULL);
	}
	r = start_runtime(source);
	start_end(r ? START_NONE : START_DONE);
	return r;
}

bool runtime_is_ready(void)
{
	return is_ready;
}

void runtime_forget_start(void)
{
	if (start_state == START_RUNS)
		start_state = START_NONE;
}

/* Returns true if this thread is the loader of `ulf attach`, which starts the runtime
 * later, when the dynamic linker has released its locks. */
static bool is_loader(void)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	return !strcmp(name, ABI_ATTACH_LOADER) &&
	       arch_syscall0(SYS_gettid) != arch_syscall0(SYS_getpid);
}

__attribute__((constructor(101))) static void library_coming(void)
{
	if (!is_loader())
		runtime_init();
}
