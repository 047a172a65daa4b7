/* SPDX-License-Identifier: MIT */
/*
 * Load libulf into a running program: docs/design/attach.md, "How libulf gets in".
 *
 *	this process			a thread of the program		new threads
 *	stop it				mmap() block, stack, ...
 *	fill that memory		mmap() a page for code
 *	fill the page			clone()				starter: pthread_create()
 *	give it its registers		continues			loader: dlopen(),
 *	wait for the root						  ulf_attach()
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/posix_clock.h"
#include "base/testpoint.h"
#include "ptrace/hijack.h"
#include "ptrace/loader.h"
#include "ptrace/place.h"
#include "ptrace/remote.h"
#include "ptrace/starter.h"
#include "ptrace/stop.h"
#include "ptrace/target.h"
#include "ptrace/tasks.h"

#define TRIES_MAX	1000u		/* maximum number of stops to find a single-threaded
					 * program at a safe point, at which a second thread may
					 * start */
#define TRIES_FAST	20u		/* tries with short pauses */
#define PAUSE_NS	200000
#define PAUSE_LONG_NS	5000000
#define SINGLE_NS	100000000u	/* longest wait until pthread_create() makes libc use
					 * its locks, ns */
#define STARTER_NS	5000000000ull	/* longest wait until the starter (the thread that calls
					 * pthread_create()) has left the carrier, in which it
					 * begins, ns */
#define LOAD_NS		15000000000ull	/* longest wait until libulf has made its root, ns */
#define CLONE_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define NAME_BYTES	64
#define FOREIGN_MAX	64u		/* maximum number of threads that are left out because
					 * libc does not know them */
#define STALE_MAX	100u		/* maximum number of attempts to read the list of objects
					 * while the program changes it */

static_assert(sizeof(((struct abi_attach *)0)->words) == ABI_BOOT_BYTES, "boot settings");
static_assert(sizeof(struct abi_attach) <= ARCH_PAGE_BYTES, "the stack begins in the next page");

struct injection {
	const struct inject_request *request;
	struct target target;
	struct starter starter;
	uint64_t place;			/* address for the carrier */
	uint64_t memory;		/* address in the program of struct abi_attach, by
					 * which libulf reports its result */
	uint64_t code;			/* address in the program of the code that the new
					 * threads execute */
	bool is_started;		/* true: the starter, the thread that calls
					 * pthread_create(), was made */
	pid_t foreign[FOREIGN_MAX];	/* threads that libc does not know, which cannot be used */
	unsigned int nr_foreign;
};

static void pause_between(unsigned int tries)
{
	const struct timespec time = { 0, tries < TRIES_FAST ? PAUSE_NS : PAUSE_LONG_NS };

	nanosleep(&time, NULL);
}

/* ---- choose the thread that makes the system calls ---- */

/* Returns the number of the system call in which the thread sleeps, -1 if the thread runs, -2
 * if its state is not known. */
static long sleeping_call(pid_t pid, pid_t tid)
{
	char path[NAME_BYTES], text[NAME_BYTES] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return -2;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	return *text == 'r' ? -1 : *text >= '0' && *text <= '9' ? atol(text) : -2;
}

/* Returns true if the thread is libulf's agent, which exists in a child that was forked by a
 * program with libulf.  The agent was not made by libc, so it must not make the system calls. */
static bool is_agent(pid_t pid, pid_t tid)
{
	char path[NAME_BYTES], name[NAME_BYTES] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(name, sizeof(name), file))
		*name = '\0';
	fclose(file);
	return !strcmp(name, "ulf-agent\n");
}

/*
 * Rate how suitable a thread is to make the system calls; more is better.  A thread that
 * waits for a futex is best: the wait has no timeout that would start anew, and the thread
 * takes no CPU time.  The first thread of a process is bad, because other threads may get
 * EINTR while it is traced (stop.c).
 */
static int rate_thread(pid_t pid, pid_t tid)
{
	struct task_stat stat = task_stat_read(pid, tid);
	long call = sleeping_call(pid, tid);

	if (stat.state == 'D' || stat.is_of_kernel || task_has_ended(stat) || call == -2 ||
	    is_agent(pid, tid))
		return -1;
	if (tid == pid)
		return 0;
	switch (call) {
	case SYS_futex:
		return 4;
	case -1:
		return 2;
	case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_semtimedop: case SYS_rt_sigtimedwait:
	case SYS_io_getevents: case SYS_recvfrom: case SYS_recvmsg:
		return 1;
	default:
		return 3;
	}
}

static bool is_foreign(const struct injection *injection, pid_t tid)
{
	for (unsigned int i = 0; i < injection->nr_foreign; i++)
		if (injection->foreign[i] == tid)
			return true;
	return false;
}

/*
 * Returns true if libc has made the thread.  The thread pointer of such a thread is the address
 * of its control block, which has its own address in it twice.
 *
 * Other threads cannot make the starter, because its control block is made from theirs.  The
 * program may have such threads, and libulf's agent is one: until the agent has run for the first
 * time, it does not have its name (is_agent()).
 */
static bool is_of_libc(const struct injection *injection, const struct hijack *hijack)
{
	uint64_t tcb[ARCH_TCB_WORDS], tp = arch_tracee_tp(&hijack->tracee);

	return !remote_read(injection->target.pid, tp, tcb, sizeof(tcb)) &&
	       arch_tcb_is_at(tcb, tp);
}

/* Returns the thread with the highest rating, or 0.  @round: number of this attempt; among
 * threads of equal ratings each attempt chooses another thread. */
static pid_t choose_thread(const struct injection *injection, unsigned int round)
{
	pid_t pid = injection->target.pid, best = 0;
	struct task_list list = { 0 };
	int most = -1;

	if (!tasks_read(pid, &list)) {
		for (size_t i = 0; i < list.nr && most < 4; i++) {
			pid_t tid = list.tids[(i + round) % list.nr];
			int points = is_foreign(injection, tid) ? -1 : rate_thread(pid, tid);

			if (points > most) {
				most = points;
				best = tid;
			}
		}
	}
	tasks_done(&list);
	return best;
}

/* ---- the safe point ---- */

static bool is_in(uint64_t address, uint64_t start, uint64_t end)
{
	return address >= start && address < end;
}

/* Returns true if libc may, just before or after the system call @call, change data that all
 * threads share.  With one thread only, libc changes such data without a lock. */
static bool is_call_risky(long call)
{
	switch (call) {
	case -1: case SYS_brk: case SYS_mmap: case SYS_munmap: case SYS_mremap: case SYS_mprotect:
	case SYS_madvise: case SYS_futex: case SYS_clone: case SYS_clone3: case SYS_vfork:
	case SYS_fork: case SYS_execve: case SYS_execveat:
		return true;
	default:
		return false;
	}
}

/*
 * Returns true if a second thread can safely start now.  As long as libc knows of one thread
 * only, it uses no locks.  So the program's only thread must be outside of libc and of the
 * dynamic linker, or in a system call that is not about memory or threads.  The thread must
 * not be in a signal handler either, because the handler may have interrupted libc.
 */
static bool is_safe(const struct injection *injection, const struct hijack *hijack)
{
	const struct target *target = &injection->target;
	uint64_t ips[ARCH_TRACEE_IPS];

	arch_tracee_ips(&hijack->tracee, ips);
	if ((is_in(ips[0], target->libc.start, target->libc_end) ||
	     is_in(ips[0], target->ldso.start, target->ldso_end)) &&
	    is_call_risky(arch_tracee_call(&hijack->tracee)))
		return false;
	return !stack_has_frame(hijack->pid, arch_tracee_sp(&hijack->tracee));
}

/* ---- make the starter ---- */

static int map_memory(struct hijack *hijack, uint64_t bytes, int rights, uint64_t *ret_address)
{
	const long args[6] = { 0, (long)bytes, rights,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0 };
	long ret = 0;
	int r = hijack_call(hijack, SYS_mmap, args, &ret);

	if (r)
		return r;
	if (arch_is_error(ret))
		return (int)ret;
	*ret_address = (uint64_t)ret;
	return 0;
}

static int write_block(struct injection *injection)
{
	const struct inject_request *request = injection->request;
	const struct target *target = &injection->target;
	const struct starter *starter = &injection->starter;
	uint64_t top = injection->memory + starter->tls - sizeof(uint64_t);
	size_t bytes, loader;
	struct abi_attach attach = {
		.pthread_create = target->pthread_create, .dlopen = target->dlopen,
		.dlsym = target->dlsym, .dlerror = target->dlerror,
		.version = ABI_ATTACH_VERSION, .run_id = request->run_id, .starter_tid = 1,
		.code = injection->code, .code_bytes = ARCH_PAGE_BYTES,
		.stack = injection->memory + starter->stack,
		.stack_bytes = starter->tls - starter->stack, .entry = ABI_ATTACH_ENTRY,
	};
	int r;

	arch_starter_code(&bytes, &loader);
	attach.loader_code = injection->code + loader;
	snprintf(attach.libulf, sizeof(attach.libulf), "%s", request->libulf);
	snprintf(attach.dir, sizeof(attach.dir), "%s", request->dir);
	snprintf(attach.words, sizeof(attach.words), "%s", request->words);
	r = remote_write(injection->target.pid, injection->memory, &attach, sizeof(attach));
	/* The starter loads the address of struct abi_attach from the top of its stack. */
	return r ? r : remote_write(injection->target.pid, top, &injection->memory,
				    sizeof(injection->memory));
}

static int write_code(struct injection *injection)
{
	pid_t pid = injection->target.pid;
	uint64_t carrier = injection->place, single = injection->target.single;
	size_t bytes, loader;
	const void *code = arch_starter_code(&bytes, &loader);
	int r = remote_write(pid, injection->code, code, bytes);

	if (!r)
		r = remote_write(pid, carrier + arch_carrier_starter_offset(), &injection->code, 8);
	/* Store the address of libc's variable __libc_single_threaded in the carrier.  If
	 * this process dies, the carrier waits for that variable, because the program's
	 * thread must not continue before libc uses locks. */
	return r ? r : remote_write(pid, carrier + arch_carrier_wait_offset(), &single, 8);
}

static int make_starter(struct injection *injection, struct hijack *hijack)
{
	const struct starter *starter = &injection->starter;
	uint64_t tp, tid_at, clear_at;
	long args[6], ret = 0;
	int r;

	tp = injection->memory + starter->tp;
	tid_at = tp + injection->target.tid_offset;
	clear_at = injection->memory + offsetof(struct abi_attach, starter_tid);
	arch_clone_args(CLONE_FLAGS, injection->memory + starter->tls - sizeof(uint64_t), tid_at,
			clear_at, tp, args);
	r = hijack_call(hijack, SYS_clone, args, &ret);
	if (!r && ret < 0)
		r = (int)ret;
	injection->is_started = !r || r == -EINTR;
	return r;
}

/* Wait until pthread_create() has made libc use locks, or until pthread_create() has failed. */
static void wait_for_locks(const struct injection *injection)
{
	uint64_t until_ns = clock_monotonic_ns() + SINGLE_NS;
	struct abi_attach attach;
	uint8_t is_single = 1;

	do {
		sched_yield();
		if (remote_read(injection->target.pid, injection->target.single, &is_single, 1) ||
		    !is_single ||
		    remote_read(injection->target.pid, injection->memory, &attach, sizeof(attach)))
			return;
	} while (attach.starter != ABI_STARTER_DONE && clock_monotonic_ns() < until_ns);
}

/* Let the stopped thread map memory and make the starter.  @single: true if libc uses no
 * locks yet. */
static int use_thread(struct injection *injection, struct hijack *hijack, bool is_single)
{
	uint64_t tp = arch_tracee_tp(&hijack->tracee);
	int r = hijack_prepare(hijack, injection->place, 0);

	if (!r)
		r = map_memory(hijack, injection->starter.bytes, PROT_READ | PROT_WRITE,
			       &injection->memory);
	if (!r)
		r = map_memory(hijack, ARCH_PAGE_BYTES, PROT_READ | PROT_EXEC, &injection->code);
	if (!r)
		r = starter_write(&injection->target, &injection->starter, injection->memory, tp);
	if (!r)
		r = write_block(injection);
	if (!r)
		r = write_code(injection);
	TESTPOINT("inject.filled");
	if (!r)
		r = make_starter(injection, hijack);
	TESTPOINT("inject.started");
	if (!r && is_single)
		wait_for_locks(injection);
	TESTPOINT("inject.waited");
	return r;
}

/* Wait until the starter, which begins in the carrier, has left the carrier.  Returns false
 * if the starter gets no CPU time for too long.  Then the carrier must not be overwritten. */
static bool has_left_carrier(const struct injection *injection)
{
	uint64_t until_ns = clock_monotonic_ns() + STARTER_NS;
	struct abi_attach attach;

	do {
		if (remote_read(injection->target.pid, injection->memory, &attach, sizeof(attach)))
			return false;
		if (attach.starter != ABI_STARTER_NEW)
			return true;
		pause_between(0);
	} while (clock_monotonic_ns() < until_ns);
	return false;
}

/* Do not choose the thread @tid again. */
static int leave_out(struct injection *injection, pid_t tid)
{
	if (injection->nr_foreign == FOREIGN_MAX)
		return -E2BIG;
	injection->foreign[injection->nr_foreign++] = tid;
	return -EAGAIN;
}

/* Stop a thread of the program.  If the thread is at a safe point, at which a second thread may
 * start, let it make the starter.
 * Returns 0; -EAGAIN: try again; or another -errno. */
static int try_once(struct injection *injection, unsigned int round,
		    struct inject_result *result)
{
	pid_t pid = injection->target.pid, tid = choose_thread(injection, round);
	struct hijack hijack;
	bool is_single;
	uint64_t stopped_ns;
	int r = place_find(&injection->target, &injection->place);

	if (!r)
		r = tid ? hijack_start(pid, tid, &hijack) : -EAGAIN;
	if (r)
		return r == -ESRCH && !task_has_ended(task_stat_read(pid, pid)) ? -EAGAIN : r;
	is_single = target_is_single(&injection->target);
	if (!is_of_libc(injection, &hijack))
		r = leave_out(injection, tid);
	else if (!arch_tracee_is_64bit(&hijack.tracee) ||
		 (is_single && !is_safe(injection, &hijack)))
		r = -EAGAIN;
	else
		r = use_thread(injection, &hijack, is_single);
	stopped_ns = hijack_end(&hijack);
	if (!injection->is_started || has_left_carrier(injection))
		hijack_clean(&hijack);
	result->stopped_ns = max_u64(result->stopped_ns, stopped_ns);
	return r == -EINTR ? injection->is_started ? 0 : -EAGAIN : r;
}

static void print_failure(const struct injection *injection, int r, struct text *why)
{
	pid_t pid = injection->target.pid;

	if (r == -EPERM)
		target_print_eperm(pid, why);
	else if (r == -EAGAIN && injection->memory)
		text_puts(why, "it may have no further thread (ulimit -u, or pids.max of its "
			       "cgroup)");
	else if (r == -E2BIG)
		text_puts(why, "it has many threads that libc has not made, or too many "
			       "thread-local variables; start it with `ulf run`");
	else if (r == -EAGAIN)
		text_puts(why, "its only thread was never found outside of libc and of signal "
			       "handlers, where libulf may be loaded; try again, or start it with "
			       "`ulf run`");
	else if (r == -EBUSY)
		text_puts(why, "its thread does not stop, because it waits for a disk or for its "
			       "vfork() child; try again");
	else if (r == -ENOSPC)
		text_puts(why, "none of its objects has 320 free bytes after its code; start it "
			       "with `ulf run`");
	else if (r == -ENOMEM)
		text_puts(why, "it may map no more memory (ulimit -v)");
	else
		text_puts(why, strerror(-r));
}

/* Read the thread-local variables of the program's objects.  The list of objects changes while a
 * thread of the program is in dlopen() or dlclose(), for example the thread of an earlier `ulf
 * attach` that was killed.  So read the mappings and the list again if they do not match. */
static int read_variables(struct injection *injection)
{
	struct target *target = &injection->target;
	int r = starter_read(target, &injection->starter);

	for (unsigned int i = 0; i < STALE_MAX && (r == -EFAULT || r == -ENOEXEC); i++) {
		starter_done(&injection->starter);
		pause_between(i);
		r = remote_maps_read(target->pid, &target->maps);
		if (!r)
			r = starter_read(target, &injection->starter);
	}
	return r;
}

static bool start_loader(struct injection *injection, struct inject_result *result,
			 struct text *why)
{
	int r = read_variables(injection);

	for (result->tries = 1; !r || r == -EAGAIN; result->tries++) {
		r = try_once(injection, result->tries, result);
		if (r != -EAGAIN || injection->memory || result->tries == TRIES_MAX)
			break;
		pause_between(result->tries);
	}
	if (r)
		print_failure(injection, r, why);
	return !r;
}

/* ---- wait until libulf has made its root ---- */

static bool print_result(const struct abi_attach *attach, struct inject_result *result,
			 struct text *why)
{
	if (attach->starter == ABI_STARTER_DONE && attach->starter_error)
		text_printf(why, "pthread_create() has failed in it: %s",
			    strerror(attach->starter_error));
	else if (attach->loader == ABI_LOADER_FAILED)
		text_printf(why, "libulf cannot be loaded into it: %.*s",
			    (int)sizeof(attach->message), attach->message);
	else if (attach->loader == ABI_LOADER_REFUSED)
		text_printf(why, "it could not make its root in %.*s: %s",
			    (int)sizeof(attach->dir), attach->dir, strerror(-attach->error));
	else
		memcpy(result->root, attach->root, sizeof(result->root));
	return attach->loader == ABI_LOADER_DONE;
}

static bool is_finished(const struct abi_attach *attach)
{
	return (attach->starter == ABI_STARTER_DONE && attach->starter_error) ||
	       attach->loader == ABI_LOADER_FAILED || attach->loader >= ABI_LOADER_REFUSED;
}

/* Copy struct abi_attach, in which libulf reports its result, from the program.  Returns 0 or
 * -errno. */
static int read_block(const struct injection *injection, struct abi_attach *ret_attach)
{
	int r = remote_read(injection->target.pid, injection->memory, ret_attach,
			    sizeof(*ret_attach));

	/* Copy struct abi_attach again after its state was seen, because the first copy may
	 * have older results; mate: ulf_attach() [attach.loader] */
	if (!r && is_finished(ret_attach))
		r = remote_read(injection->target.pid, injection->memory, ret_attach,
				sizeof(*ret_attach));
	ret_attach->root[sizeof(ret_attach->root) - 1] = '\0';
	return r;
}

static bool wait_for_root(const struct injection *injection, struct inject_result *result,
			  struct text *why)
{
	uint64_t until_ns = clock_monotonic_ns() + LOAD_NS;
	struct abi_attach attach;

	do {
		if (read_block(injection, &attach)) {
			text_puts(why, "it has ended");
			return false;
		}
		if (is_finished(&attach))
			return print_result(&attach, result, why);
		pause_between(0);
	} while (clock_monotonic_ns() < until_ns);
	text_puts(why, attach.loader < ABI_LOADER_LOADED ?
		  "libulf is not loaded yet, because one of its threads holds a lock of malloc() "
		  "or dlopen(); when the lock is released, its root appears in `ulf ls`" :
		  "libulf is loaded, but has not made its root yet; it appears in `ulf ls`");
	return false;
}

bool inject(const struct inject_request *request, struct inject_result *ret_result,
	    struct text *ret_why)
{
	struct injection injection = { .request = request };
	struct inject_result result = { .tries = 0 };
	bool is_done = target_check(request->pid, request->libulf, request->dir, ret_why) &&
		       target_read(request->pid, &injection.target, ret_why) &&
		       start_loader(&injection, &result, ret_why) &&
		       wait_for_root(&injection, &result, ret_why);

	target_done(&injection.target);
	starter_done(&injection.starter);
	if (is_done)
		*ret_result = result;
	return is_done;
}
