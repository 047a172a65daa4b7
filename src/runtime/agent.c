/* SPDX-License-Identifier: MIT */
/*
 * The agent: one thread in each process of the root, which applies the settings that the
 * server stores in the shared memory.  It waits on the generation word and has all
 * signals blocked.
 *
 *	server				agent
 *	store settings
 *	generation++ (release)  ----->	load (acquire) [agent.setting]
 *	futex wake			apply
 *	wait for applied	<-----	applied = generation (release)
 *					futex wake	[agent.ack]
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/slice.h"
#include "base/testpoint.h"
#include "runtime/agent.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/part.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include <ulf/event.h>

#define SETTLE_MS	100		/* longest wait for probes that still use old
					 * rings, ms */
#define RUSH_TURNS	50		/* the agent pauses when it has applied this
					 * many generations in 100 ms */
#define RUSH_PAUSE_NS	2000000
/* Ids of users and groups that no account has.  Each number stands for two ids: the
 * number itself, and the number + 1.  The second pair is for user namespaces that
 * do not map the highest ids; systemd leaves its ids free. */
static const uint32_t strangers[] = { 0xfffffffcu, 65532 };	/* first of the two ids */

/* Layout of the agent's memory, from low to high addresses: guard page, stack, TLS
 * block.  The thread pointer points into the TLS block. */
#define GUARD_BYTES	ARCH_PAGE_BYTES
#define STACK_BYTES	65536
#define TLS_MORE	ARCH_PAGE_BYTES	/* libulf's thread-local variables lie within
					 * this many bytes of each other */

/* Returns true if some settings need calls of functions of the program.  Lock held. */
static bool has_calls_to_make(void)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, has_calls)
		if (part->has_calls())
			return true;
	return false;
}

/* Call functions of the program, as the settings require.  These calls may take long,
 * so the agent first applies all settings that need no such call.  Returns 0 or the
 * first -errno. */
static int make_calls(void)
{
	const struct runtime_part *part;
	int ret = 0, r;

	for_each_runtime_part(part, make_calls) {
		r = part->make_calls();
		if (r && !ret)
			ret = r;
	}
	return ret;
}

/* The newest generation that is in force, except for two things that can take long:
 * calls of functions of the program (make_calls()), and the wait for threads that
 * still use old rings. */
static uint32_t applied_generation;	/* futex word */
static bool is_calling;			/* true: functions of the program must be
					 * called, or are being called (make_calls()) */

bool agent_is_calling(void)
{
	return __atomic_load_n(&is_calling, __ATOMIC_RELAXED);
}

const uint32_t *agent_applied(void)
{
	return &applied_generation;
}

static void set_applied(uint32_t generation)
{
	__atomic_store_n(&applied_generation, generation, __ATOMIC_RELEASE); /* [agent.applied] */
	arch_syscall3(SYS_futex, &applied_generation, FUTEX_WAKE, INT_MAX);
}

/* Apply all settings except those that need calls of functions of the program.
 * *@ret_has_calls is true if there are settings that need such calls.  Returns 0 or the
 * first -errno. */
static int apply_settings(bool *ret_has_calls)
{
	const struct runtime_part *part;
	int ret, r;

	*ret_has_calls = false;
	runtime_lock();
	if (process_has_left()) {
		runtime_unlock();
		return 0;
	}
	ret = buffer_apply_all();
	for_each_runtime_part(part, apply) {
		r = part->apply();
		if (r && !ret)
			ret = r;
	}
	*ret_has_calls = has_calls_to_make();
	runtime_unlock();
	return ret;
}

static int apply_generation(uint32_t generation)
{
	bool has_calls;
	int ret = apply_settings(&has_calls), r;

	__atomic_store_n(&is_calling, has_calls, __ATOMIC_RELAXED);
	set_applied(generation);
	r = has_calls ? make_calls() : 0;
	__atomic_store_n(&is_calling, false, __ATOMIC_RELAXED);
	return ret ? ret : r;
}

static void report_applied(uint32_t generation, int error, bool is_settled)
{
	__atomic_or_fetch(&process_slot->flags,
			  ABI_PROCESS_AGENT | (is_settled ? 0 : ABI_PROCESS_UNSETTLED),
			  __ATOMIC_RELAXED);
	if (is_settled)
		__atomic_and_fetch(&process_slot->flags, ~ABI_PROCESS_UNSETTLED, __ATOMIC_RELAXED);
	__atomic_store_n(&process_slot->error, (uint32_t)-error,
			 __ATOMIC_RELAXED);
	TESTPOINT("agent.applied");
	__atomic_store_n(&process_slot->applied, generation,
			 __ATOMIC_RELEASE);			/* [agent.ack] */
	arch_syscall3(SYS_futex, &process_slot->applied, FUTEX_WAKE, INT_MAX);
}

/* Do the regular work of the parts.  Returns the time after which the next work is due, ms;
 * 0: no work is due. */
static uint32_t tick_parts(void)
{
	const struct runtime_part *part;
	uint32_t first_ms = 0;

	for_each_runtime_part(part, tick) {
		uint32_t ms = part->tick();

		if (ms && (!first_ms || ms < first_ms))
			first_ms = ms;
	}
	return first_ms;
}

/* Wait for a new generation, but no longer than @limit_ms; 0: no limit.  Returns 0, or the
 * error with which a seccomp filter of the program refuses the wait. */
static long wait_for_settings(uint32_t applied, uint32_t limit_ms)
{
	struct timespec limit = { limit_ms / 1000, limit_ms % 1000 * 1000000 };
	long r = arch_syscall4(SYS_futex, &root_control->generation, FUTEX_WAIT, applied,
			       limit_ms ? &limit : NULL);

	return r == -EAGAIN || r == -EINTR || r == -ETIMEDOUT ? 0 : r;
}

static void set_failed(long error)
{
	__atomic_store_n(&process_slot->error, (uint32_t)-error, __ATOMIC_RELAXED);
	__atomic_and_fetch(&process_slot->flags, ~ABI_PROCESS_AGENT, __ATOMIC_RELAXED);
}

/* End the agent.  This is called in two cases: seccomp forbids FUTEX_WAIT, without
 * which the agent would spin; or the process has left the root.  If seccomp forbids
 * exit, too, the agent sleeps for ever. */
static void give_up(long error)
{
	struct timespec hour = { 3600, 0 };

	set_failed(error);
	for (;;) {
		arch_syscall1(SYS_exit, 0);
		arch_syscall2(SYS_nanosleep, &hour, NULL);
	}
}

/* Limit the CPU time of the agent, because another process of the root may raise
 * the generation all the time.  After RUSH_TURNS generations in a tenth of a
 * second, the agent pauses after each further generation. */
static void pause_if_rushed(void)
{
	static const uint32_t never;
	static uint64_t window;
	static uint32_t turns;
	struct timespec now, pause = { 0, RUSH_PAUSE_NS };

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	if (window != (uint64_t)now.tv_sec * 10 + (uint64_t)now.tv_nsec / 100000000) {
		window = (uint64_t)now.tv_sec * 10 + (uint64_t)now.tv_nsec / 100000000;
		turns = 0;
	}
	if (++turns > RUSH_TURNS)
		arch_syscall4(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &pause);
}

/* Let the agent run soon after it was woken, also in a program that keeps all CPUs busy.  A seccomp
 * filter may end the program for a call that it does not expect, so do nothing if there is one.
 * Called when there is a first change to apply: before, the calls would only make fork() and the
 * start of a program slower. */
static void shorten_slices(void)
{
	struct slice_attr attr = { 0 };

	if (!arch_syscall2(SYS_prctl, PR_GET_SECCOMP, 0) &&
	    !arch_syscall4(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) &&
	    slice_shorten(&attr, false))
		arch_syscall3(SYS_sched_setattr, 0, &attr, 0);
}

static void apply_forever(void)
{
	uint32_t applied = process_slot->applied;
	bool is_settled = true, has_short_slices = false;
	uint32_t tick_ms;
	int error = 0;
	long r;

	__atomic_store_n(&is_calling, false, __ATOMIC_RELAXED);
	set_applied(applied);
	for (;;) {
		uint32_t wanted = __atomic_load_n(&root_control->generation,
						  __ATOMIC_ACQUIRE);
		/* acquire: the settings were stored before this generation; mate: the
		 * server [agent.setting] */
		if (wanted != applied && !has_short_slices) {
			shorten_slices();
			has_short_slices = true;
		}
		if (wanted != applied)
			error = apply_generation(wanted);
		if (wanted != applied || !is_settled) {
			is_settled = !grace_wait(SETTLE_MS);
			report_applied(wanted, error, is_settled);
			applied = wanted;
			pause_if_rushed();
		}
		tick_ms = tick_parts();
		r = wait_for_settings(applied, is_settled || tick_ms ? tick_ms : SETTLE_MS);
		if (r || process_has_left())
			give_up(r);
	}
}

static void start_parts(bool has_own_table)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, agent_start)
		part->agent_start(has_own_table);
}

/*
 * Give the agent its own descriptor table, so that no descriptor of libulf ever takes
 * a number in the program's table.  Also open /proc/self/mem in the agent's table now,
 * because later the program may have no /proc, or no right to open the file.
 */
static void leave_descriptors(void)
{
	bool has_own_table = !arch_syscall3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE);

	codemem_start(has_own_table);
	start_parts(has_own_table);
}

/* Returns true if the agent has user id 0, or can get it back. */
static bool is_root(void)
{
	uint32_t real = 0, effective = 0, saved = 0;

	arch_syscall3(SYS_getresuid, &real, &effective, &saved);
	return !real || !effective || !saved;
}

/* Give up all capabilities but those in @caps, which are all below 32.  Returns
 * false on failure. */
static bool set_caps(uint32_t caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .permitted = caps, .effective = caps },
	};

	return !arch_syscall2(SYS_capset, &head, data);
}

/* Returns the permitted capabilities of the agent; none if the kernel does not report them. */
static uint32_t get_caps(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return arch_syscall2(SYS_capget, &head, data) ? 0 : data[0].permitted;
}

/*
 * Change to user and group ids that no other process has.  If the agent ran as
 * `nobody', it would be the same user as every worker process that the program runs as
 * `nobody'.  The kernel would let such a worker send SIGKILL to the agent, which would
 * end the program, and write to the memory that the agent shares with the program.
 *
 * The kernel lets a process access another process only if one of its ids is equal to
 * all three ids of the other process.  The agent's three ids are not equal to each
 * other, so no process passes this check for the agent.
 */
static void become_stranger(void)
{
	for (uint32_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		uint32_t one = strangers[i], two = one + 1;

		if (!arch_syscall3(SYS_setresgid, one, one, two) &&
		    !arch_syscall3(SYS_setresuid, one, one, two))
			return;
	}
}

/*
 * Give up the agent's rights.  setuid() of libc changes only the threads that libc
 * knows, and the agent is none of them.  If the agent kept user id 0 in a program that
 * gives up its own rights, an attacker could use the agent to get these rights back.
 * So the agent gives up all rights but CAP_IPC_LOCK.  In a program that calls
 * mlockall(MCL_FUTURE), the memory that the agent maps is locked, and without
 * CAP_IPC_LOCK this memory would count against RLIMIT_MEMLOCK.
 */
static void leave_rights(void)
{
	uint32_t may_lock = 1u << CAP_IPC_LOCK;
	uint32_t may_change = 1u << CAP_SETGID | 1u << CAP_SETUID;
	uint32_t had = get_caps();
	long dumpable = arch_syscall2(SYS_prctl, PR_GET_DUMPABLE, 0);

	/* A program without user id 0 may have capabilities, too, so drop all of them
	 * except CAP_IPC_LOCK. */
	if (!is_root()) {
		set_caps(had & may_lock);
		return;
	}
	/* setresuid() drops all capabilities, unless KEEPCAPS is set.  So set KEEPCAPS,
	 * but only if set_caps() works: otherwise the agent could not drop the
	 * capabilities that it must not keep. */
	arch_syscall2(SYS_prctl, PR_SET_KEEPCAPS,
		      had && set_caps(had & (may_lock | may_change)));
	arch_syscall2(SYS_setgroups, 0, NULL);
	become_stranger();
	set_caps(had & may_lock);
	/* Make the process dumpable again: setresuid() has made the whole process
	 * undumpable. */
	if (dumpable == 1)
		arch_syscall2(SYS_prctl, PR_SET_DUMPABLE, 1);
}

static uint32_t is_ready;		/* futex; is 1 when the agent has given up its rights */

static void agent_main(void)
{
	arch_syscall2(SYS_prctl, PR_SET_NAME, "ulf-agent");
	leave_descriptors();
	arch_syscall1(SYS_unshare, CLONE_FS);
	leave_rights();
	__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);	/* [agent.ready] */
	arch_syscall3(SYS_futex, &is_ready, FUTEX_WAKE_PRIVATE, 1);
	apply_forever();
}

/* Wait until the agent has given up its rights, and the parts have done what they do at its
 * start.  Needed in a program that has user id 0.  Without the wait the program might give
 * up its own rights at the same moment.  Then the kernel makes the process undumpable, but
 * leave_rights() would wrongly make it dumpable again. */
static void wait_until_ready(void)
{
	while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) /* [agent.ready] */
		arch_syscall4(SYS_futex, &is_ready, FUTEX_WAIT_PRIVATE, 0, NULL);
}

/* Returns true if a part needs the agent before the program continues. */
static bool must_wait(void)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, must_wait)
		if (part->must_wait())
			return true;
	return false;
}

static void store_agent_tid(long tid)
{
	__atomic_store_n(&process_slot->agent, (uint32_t)tid, __ATOMIC_RELAXED);
}

static void *agent_of_libc(void *arg)
{
	(void)arg;
	arch_syscall2(SYS_prctl, PR_SET_NAME, "ulf-agent");
	store_agent_tid(arch_syscall0(SYS_gettid));
	codemem_start(false);
	start_parts(false);
	apply_forever();
	return NULL;
}

/* Functions of ASan, TSan and MSan, each of which exists only in a program that is
 * built with that sanitizer.  Sanitizers must know every thread that runs
 * instrumented code or calls a function that they intercept. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

bool agent_is_watched(void)
{
	return __asan_init || __tsan_init || __msan_init;
}

static bool was_alone;			/* true: at the last fork() the process had no
					 * threads but the agent and the caller of
					 * fork(); protected by the runtime's lock */

/* Returns the number of threads of this process, or 0 if it is not known. */
static uint64_t count_threads(void)
{
	struct stat st;

	if (arch_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0))
		return 0;
	return st.st_nlink - 2;		/* The link count of a directory is 2 and one
					 * more for each subdirectory; each thread has a
					 * subdirectory in /proc/self/task. */
}

/* Remember whether there are at most two threads: the one that forks, and the agent. */
void agent_before_fork(void)
{
	uint64_t nr = agent_is_watched() ? count_threads() : 0;

	was_alone = nr && nr <= 2;
}

/*
 * Returns false if a sanitizer possibly does not let the child start a thread.  TSan
 * ends a child that starts a thread if its parent had several threads, and a parent
 * with an agent always has several.  ASan (of gcc 12) does not lock its list of
 * threads in fork(): if another thread of the parent was just starting or ending, a
 * child that starts a thread waits for ever.
 */
bool agent_can_start_in_child(void)
{
	return !agent_is_watched() || (!__tsan_init && was_alone);
}

static int start_by_libc(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int saved = errno, r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, agent_of_libc, NULL);
	pthread_attr_destroy(&attr);
	errno = saved;
	return -r;
}

/* The agent's stack and TLS block, which the first process maps.  A child of fork() has
 * a copy of them at the same address, and the child's agent uses this copy.  If each
 * child mapped new memory instead, the child of a child would have one unused copy more
 * than its parent, and so on. */
static char *memory;
static size_t tls_bytes;		/* size of the part of the TLS block below the
					 * thread pointer, bytes */

/* Returns the offset from the thread pointer of the lowest of three things: of
 * libulf's thread-local variables, of the rseq area, and of the rseq area's
 * substitute. */
static ptrdiff_t lowest_offset(void)
{
	ptrdiff_t low = (char *)&ulf_this_thread - (char *)__builtin_thread_pointer();

	if (arch_no_rseq_offset() < low)
		low = arch_no_rseq_offset();
	return arch_rseq_offset < low ? arch_rseq_offset : low;
}

static bool get_memory(void)
{
	size_t bytes = ALIGN_UP((size_t)-lowest_offset() + TLS_MORE, ARCH_PAGE_BYTES);
	size_t all = GUARD_BYTES + STACK_BYTES + bytes + ARCH_PAGE_BYTES;
	long mem = arch_syscall6(SYS_mmap, 0, (long)all,
				 PROT_READ | PROT_WRITE, MAP_PRIVATE |
				 MAP_ANONYMOUS | MAP_STACK, -1, 0);
	char *tls = (char *)mem + GUARD_BYTES + STACK_BYTES + bytes;

	if (arch_is_error(mem))
		return false;
	tls_bytes = bytes;
	arch_syscall3(SYS_mprotect, mem, GUARD_BYTES, PROT_NONE);
	*(void **)(void *)tls = tls;	/* the ABI requires that the word at %fs:0
					 * contains its own address */
	memory = (char *)mem;
	return true;
}

static void catch_up(void)
{
	bool has_calls;

	apply_settings(&has_calls);
}

/*
 * Apply the settings in this thread, with the memory of the agent as the stack.  This thread's
 * own stack may be too small: fork() may have been called in a signal handler with a stack of a
 * few kilobytes.  Block signals meanwhile, because the kernel would take the handler's
 * alternate stack for unused, and a new signal would overwrite that stack.
 */
void agent_catch_up(void)
{
	uint64_t all = ~0ull, old;

	if (agent_is_watched() || (!memory && !get_memory())) {
		catch_up();
		return;
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	arch_call_on(memory + GUARD_BYTES + STACK_BYTES, catch_up);
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
}

/*
 * Start the agent as a thread that only the kernel knows, not libc.  So for libc a
 * single-threaded program stays single-threaded: malloc() takes no locks, and fork()
 * works in a signal handler.  Another advantage: the program ends when its own last
 * thread ends.  The price: the agent must not call functions of libc that use
 * thread-local variables.  The TLS block at the agent's thread pointer exists for the stack
 * protector, and for libulf's own thread-local variables, which are 0 at the agent's start.
 */
static int start_by_kernel(void)
{
	/* valgrind supports this set of flags of clone() */
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES |
		CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
	char *stack, *tls;
	long r;

	r = arch_syscall3(SYS_futex, &is_ready, FUTEX_WAKE_PRIVATE, 1);
	if (r < 0)
		return (int)r;		/* seccomp forbids futex(), without which the
					 * agent could not wait */
	if (!memory && !get_memory())
		return -ENOMEM;
	stack = memory + GUARD_BYTES + STACK_BYTES;
	tls = stack + tls_bytes;
	is_ready = 0;
	r = arch_clone_thread(flags, stack, tls, agent_main);
	if (r < 0)
		return (int)r;
	store_agent_tid(r);	/* This thread stores the agent's thread id, because
				 * the program may call exec() before the agent runs. */
	if (is_root() || must_wait())
		wait_until_ready();
	return 0;
}

/* Start the agent.  Block the signals of this thread before that: the agent inherits
 * the signal mask, so it never gets a signal. */
int agent_start(void)
{
	uint64_t all = ~0ull, old;
	int r;

	__atomic_store_n(&process_slot->flags, ABI_PROCESS_AGENT,
			 __ATOMIC_RELAXED);
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	if (agent_is_watched())
		r = start_by_libc();
	else
		r = start_by_kernel();
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
	if (r)
		set_failed(r);
	return r;
}
