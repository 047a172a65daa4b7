/* SPDX-License-Identifier: MIT */
/*
 * The agent: one thread in each process of the root that makes the process
 * follow what the server wrote into the control block.  It waits on the
 * generation word and has all signals blocked.
 *
 *	server				agent
 *	wishes
 *	generation++ (release)  ----->	load (acquire) [agent.wish]
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
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "arch/arch.h"
#include "arch/x86_64/text.h"
#include "base/testpoint.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/profile.h"
#include "runtime/runtime.h"

#define SETTLE_MS	100
#define RUSH_TURNS	50
#define RUSH_PAUSE_NS	2000000
/* Ids that no account has.  Where a user namespace does not map the highest, two of
 * those that systemd leaves free. */
static const uint32_t strangers[] = { 0xfffffffcu, 65532 };	/* and the next one */

/* guard | stack | thread pointer's block */
#define GUARD_BYTES	4096
#define STACK_BYTES	65536
#define TLS_BYTES	4096		/* below the thread pointer */
#define AGENT_BYTES	(GUARD_BYTES + STACK_BYTES + TLS_BYTES + 4096)

/* They may take their time; all that needs none is done by now. */
static int make_calls(void)
{
	bool is_asked;
	int ret, r;

	is_asked = caller_ask(&ret);
	runtime_lock();
	if (!is_asked) {
		ret = -EAGAIN;
		event_give_up_calls(ret);
	}
	r = site_update_all();
	runtime_unlock();
	return ret ? ret : r;
}

/* The generation that is in force, but for functions of the program's that are to be
 * called, and for rings that somebody may still use: both can take their time. */
static uint32_t followed;		/* futex */
static bool is_calling;			/* such functions, since then */

bool agent_is_calling(void)
{
	return __atomic_load_n(&is_calling, __ATOMIC_RELAXED);
}

const uint32_t *agent_followed(void)
{
	return &followed;
}

static void set_followed(uint32_t generation)
{
	__atomic_store_n(&followed, generation, __ATOMIC_RELEASE); /* [agent.followed] */
	arch_syscall3(SYS_futex, &followed, FUTEX_WAKE, INT_MAX);
}

/* All but the calls. */
static int follow_wishes(bool *ret_has_calls)
{
	int ret = 0, r;

	*ret_has_calls = false;
	runtime_lock();
	if (root_is_left()) {
		runtime_unlock();
		return 0;
	}
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		r = buffer_follow(i);
		if (r && !ret)
			ret = r;
	}
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		r = event_follow(m);
		if (r && !ret)
			ret = r;
	}
	*ret_has_calls = event_has_calls_to_make();
	r = site_update_all();
	if (r && !ret)
		ret = r;
	r = ftrace_follow();
	if (r && !ret)
		ret = r;
	r = profile_follow();
	runtime_unlock();
	return ret ? ret : r;
}

static int apply(uint32_t generation)
{
	bool has_calls;
	int ret = follow_wishes(&has_calls), r;

	__atomic_store_n(&is_calling, has_calls, __ATOMIC_RELAXED);
	set_followed(generation);
	r = has_calls ? make_calls() : 0;
	__atomic_store_n(&is_calling, false, __ATOMIC_RELAXED);
	return ret ? ret : r;
}

static void answer(uint32_t generation, int error, bool is_settled)
{
	uint32_t flags = ABI_PROCESS_AGENT;

	if (!is_settled)
		flags |= ABI_PROCESS_UNSETTLED;
	__atomic_store_n(&process_slot->flags, flags, __ATOMIC_RELAXED);
	__atomic_store_n(&process_slot->error, (uint32_t)-error,
			 __ATOMIC_RELAXED);
	TESTPOINT("agent.applied");
	__atomic_store_n(&process_slot->applied, generation,
			 __ATOMIC_RELEASE);			/* [agent.ack] */
	arch_syscall3(SYS_futex, &process_slot->applied, FUTEX_WAKE, INT_MAX);
}

/* Wait for a wish, or while old rings are still in use only for a while.  0, or what a
 * filter of the program's (seccomp) says to that. */
static long wait_for_wish(uint32_t applied, bool is_settled)
{
	struct timespec again = { 0, SETTLE_MS * 1000000 };
	long r = arch_syscall4(SYS_futex, &root_control->generation, FUTEX_WAIT, applied,
			       is_settled ? NULL : &again);

	return r == -EAGAIN || r == -EINTR || r == -ETIMEDOUT ? 0 : r;
}

static void set_failed(long error)
{
	__atomic_store_n(&process_slot->error, (uint32_t)-error, __ATOMIC_RELAXED);
	__atomic_and_fetch(&process_slot->flags, ~ABI_PROCESS_AGENT, __ATOMIC_RELAXED);
}

/* Who may not wait would do nothing but look: better to be no more. */
static void give_up(long error)
{
	struct timespec hour = { 3600, 0 };

	set_failed(error);
	for (;;) {
		arch_syscall1(SYS_exit, 0);
		arch_syscall2(SYS_nanosleep, &hour, NULL);
	}
}

/* Another process that raises the generation all the time must not keep a CPU busy here:
 * beyond so many turns in a tenth of a second there is a pause after each. */
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

static void follow(void)
{
	uint32_t applied = process_slot->applied;
	bool is_settled = true;
	int error = 0;
	long r;

	__atomic_store_n(&is_calling, false, __ATOMIC_RELAXED);
	set_followed(applied);
	for (;;) {
		uint32_t wanted = __atomic_load_n(&root_control->generation,
						  __ATOMIC_ACQUIRE);
		/* mate: the server [agent.wish] */
		if (wanted != applied)
			error = apply(wanted);
		if (wanted != applied || !is_settled) {
			is_settled = !grace_wait(SETTLE_MS);
			answer(wanted, error, is_settled);
			applied = wanted;
			pause_if_rushed();
		}
		r = wait_for_wish(applied, is_settled);
		if (r || root_is_left())
			give_up(r);
	}
}

/*
 * A descriptor table of its own, so that nothing of ours ever has a number
 * in the program's; and /proc/self/mem in it, while there is a /proc and
 * we may open it.
 */
static void leave_descriptors(void)
{
	text_start(!arch_syscall3(SYS_close_range, 0, ~0u,
				  CLOSE_RANGE_UNSHARE));
}

/* Or can be again. */
static bool is_root(void)
{
	uint32_t real = 0, effective = 0, saved = 0;

	arch_syscall3(SYS_getresuid, &real, &effective, &saved);
	return !real || !effective || !saved;
}

/* Be left with these capabilities, all of them below 32. */
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

/* Those that it has; none if that is not to be known. */
static uint32_t get_caps(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return arch_syscall2(SYS_capget, &head, data) ? 0 : data[0].permitted;
}

/*
 * Become somebody of whom there is no other process.  As `nobody' the agent would belong
 * to each worker that the program has made nobody: the kernel would let it send the agent
 * SIGKILL, which ends the program, and write the memory that it shares with the program.
 * To look into another process one id must be equal to all three of the other's, which
 * are not equal here.
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
 * setuid() of libc changes the threads that it knows.  A thread that kept
 * root's rights in a program that gave them up would be a present for an
 * attacker, so it never has any, but for one, if it had that: the memory that
 * it takes in a program with mlockall(MCL_FUTURE) is locked, and must not be
 * more than RLIMIT_MEMLOCK without.
 */
static void leave_rights(void)
{
	uint32_t may_lock = 1u << CAP_IPC_LOCK;
	uint32_t may_change = 1u << CAP_SETGID | 1u << CAP_SETUID;
	uint32_t had = get_caps();
	long dumpable = arch_syscall2(SYS_prctl, PR_GET_DUMPABLE, 0);

	/* an ordinary user may have been given some of them */
	if (!is_root()) {
		set_caps(had & may_lock);
		return;
	}
	/* The change of user takes all, unless it is known that the rest can be given
	 * up after it. */
	arch_syscall2(SYS_prctl, PR_SET_KEEPCAPS,
		      had && set_caps(had & (may_lock | may_change)));
	arch_syscall2(SYS_setgroups, 0, NULL);
	become_stranger();
	set_caps(had & may_lock);
	/* the change has cleared it for the whole process */
	if (dumpable == 1)
		arch_syscall2(SYS_prctl, PR_SET_DUMPABLE, 1);
}

static uint32_t is_ready;		/* futex; 1: it has given up its rights */

static void agent(void)
{
	arch_syscall2(SYS_prctl, PR_SET_NAME, "ulf-agent");
	leave_descriptors();
	arch_syscall1(SYS_unshare, CLONE_FS);
	leave_rights();
	__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);	/* [agent.ready] */
	arch_syscall3(SYS_futex, &is_ready, FUTEX_WAKE_PRIVATE, 1);
	follow();
}

/* A root's program goes on only when that is done: if it gave up its own rights
 * meanwhile, we would make it dumpable again after the kernel has taken that
 * away for good reason. */
static void wait_until_ready(void)
{
	while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) /* [agent.ready] */
		arch_syscall4(SYS_futex, &is_ready, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void tell_agent(long tid)
{
	__atomic_store_n(&process_slot->agent, (uint32_t)tid, __ATOMIC_RELAXED);
}

static void *agent_of_libc(void *arg)
{
	(void)arg;
	arch_syscall2(SYS_prctl, PR_SET_NAME, "ulf-agent");
	tell_agent(arch_syscall0(SYS_gettid));
	text_start(false);
	follow();
	return NULL;
}

/* Sanitizers must know of every thread that runs instrumented code, and of
 * every one that calls what they intercept. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

bool agent_is_watched(void)
{
	return __asan_init || __tsan_init || __msan_init;
}

static bool was_alone;			/* at the last fork(); under the runtime's lock */

/* Threads of this process; 0: not known. */
static uint64_t count_threads(void)
{
	struct stat st;

	if (arch_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0))
		return 0;
	return st.st_nlink - 2;		/* of a directory */
}

/* Who forks, and the agent. */
void agent_before_fork(void)
{
	uint64_t nr = agent_is_watched() ? count_threads() : 0;

	was_alone = nr && nr <= 2;
}

/* TSan ends a child that starts a thread if its parent had several, as it has with an
 * agent.  ASan (of gcc 12) does not lock its list of threads at fork(): if one was just
 * coming or going, a child that starts another waits for ever. */
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

/* By the first process.  A child's agent has it where the parent's has it: what fork()
 * has copied would else be lost, and more with each generation. */
static char *memory;

static bool get_memory(void)
{
	long mem = arch_syscall6(SYS_mmap, 0, AGENT_BYTES,
				 PROT_READ | PROT_WRITE, MAP_PRIVATE |
				 MAP_ANONYMOUS | MAP_STACK, -1, 0);
	char *tls = (char *)mem + GUARD_BYTES + STACK_BYTES + TLS_BYTES;

	if (mem < 0 && mem > -4096)
		return false;
	arch_syscall3(SYS_mprotect, mem, GUARD_BYTES, PROT_NONE);
	*(void **)(void *)tls = tls;	/* as %fs:0 must be */
	memory = (char *)mem;
	return true;
}

static void catch_up(void)
{
	bool has_calls;

	follow_wishes(&has_calls);
}

/* Whoever forks may be a handler on a stack of a few kilobytes: here is the one that the
 * agent will have.  A signal would take the handler's stack for free. */
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
 * The agent is a thread of the kernel's, not of libc's: a program is as
 * single-threaded for libc as it was (malloc() without locks, fork() in a
 * handler), and it ends when its own last thread does.  So the agent calls
 * nothing in libc that uses thread-local words; what stands at its thread
 * pointer is there for the stack protector's.
 */
static int start_by_kernel(void)
{
	/* those that valgrind knows */
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES |
		CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
	char *stack, *tls;
	long r;

	r = arch_syscall3(SYS_futex, &is_ready, FUTEX_WAKE_PRIVATE, 1);
	if (r < 0)
		return (int)r;		/* it could not wait */
	if (!memory && !get_memory())
		return -ENOMEM;
	stack = memory + GUARD_BYTES + STACK_BYTES;
	tls = stack + TLS_BYTES;
	is_ready = 0;
	r = arch_clone_thread(flags, stack, tls, agent);
	if (r < 0)
		return (int)r;
	tell_agent(r);		/* here: the program may call exec() at once */
	if (is_root())
		wait_until_ready();
	return 0;
}

/* Signals are blocked before the thread exists, so that it never has one
 * unblocked. */
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
