/* SPDX-License-Identifier: MIT */
/*
 * The stopper: for each order of the server it forks a child.  The child stops the threads of
 * one process, stores the answer in the process, and lets the threads continue when the
 * process has written its code:
 *
 *	the process (runtime/function/still.c)		the child
 *	stop_given = 0
 *	stop_wanted = tid  [stop.ask]	server ----->	stops all threads but tid
 *							looks which code they may execute
 *							stores that in stop.inside
 *						<-----	stop.tid = tid  [stop.given]
 *	patches
 *	stop.tid = 0  [stop.end]
 *	stop_wanted = 0				----->	lets the threads continue
 *						<-----	stop_given = 0
 *
 * Any process of the root may write anything to stop_wanted and stop_given, at any time.  So
 * the answer goes to the private memory of the process that waits (struct abi_stop), whose
 * address is an argument of the system call in which its thread waits.  The process chooses
 * the addresses, but the child writes with the rights that it has over this process alone.
 *
 * Threads must not run while their code is written.  So they stay stopped as long as the
 * thread that writes has work and gets no CPU time, whatever the clock says.  They continue if
 * it sleeps, or has used CPU time, for HOLD_MS: then it does not write.  A process can keep
 * only its own threads stopped.  If the child dies, the kernel lets them continue.
 */
#include "daemon/stopper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "abi/control.h"
#include "abi/stop.h"
#include "arch/arch.h"
#include "base/slice.h"
#include "base/testpoint.h"
#include "base/title.h"
#include "daemon/confine.h"
#include "ptrace/stop.h"
#include "ptrace/tasks.h"
#include "server/core/stop_order.h"
#include "symbols/parse_impl.h"

static_assert(sizeof(struct code_range) == sizeof(struct abi_stop_range), "the same ranges");

#define STOP_MS		1000u		/* maximum time until all threads have stopped, ms */
#define HOLD_MS		3000u		/* limit for the thread that writes the code: when it
					 * has slept this long, or has used this much CPU
					 * time, the stopped threads continue, ms */
#define LIFE_SECONDS	10		/* maximum life of a child that has not stopped
					 * the threads yet; needed because PTRACE_SEIZE
					 * may wait for a thread in exec(); seconds */

#define FD_ORDERS	3		/* descriptor number, in the stopper, of the
					 * socket for orders */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Map the process slot at offset @off of the root's memory.  @fd: the file of this
 * memory.  Returns NULL on failure. */
static struct abi_process *map_slot(int fd, uint64_t off)
{
	uint64_t start = arch_page_start(off);
	uint64_t bytes = arch_page_end(off + sizeof(struct abi_process)) - start;
	char *mem;

	if (off % sizeof(uint64_t) || off > ABI_HEAP_OFF)
		return NULL;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)start);
	return mem == MAP_FAILED ? NULL : (void *)(mem + (off - start));
}

static bool is_wanted(struct abi_process *slot, uint32_t tid)
{
	return __atomic_load_n(&slot->stop_wanted, __ATOMIC_RELAXED) == tid;
}

static void answer_process(struct abi_process *slot, uint32_t value)
{
	__atomic_store_n(&slot->stop_given, value, __ATOMIC_RELAXED);
	syscall(SYS_futex, &slot->stop_given, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/*
 * Remove an order that came too late: the process did not wait for this stop any more when
 * the child started.  If the process has asked for another stop since, stop_given possibly
 * still has ABI_STOP_COMING, which the server has stored for the old order.  Clear this
 * value, so that the server sends an order for the new stop.
 */
static void forget_order(struct abi_process *slot)
{
	uint32_t coming = ABI_STOP_COMING;

	__atomic_compare_exchange_n(&slot->stop_given, &coming, 0, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	syscall(SYS_futex, &slot->applied, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- functions that access the private memory of the process ---- */

static int copy_from(pid_t pid, uint64_t addr, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)addr, bytes };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : -EFAULT;
}

static int copy_to(pid_t pid, uint64_t addr, const void *from, size_t bytes)
{
	struct iovec local = { (void *)from, bytes }, remote = { (void *)(uintptr_t)addr, bytes };

	return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : -EFAULT;
}

/*
 * Find the struct abi_stop of the thread that has asked for the stop.  The address of the
 * struct is an argument of the system call in which the thread waits, and
 * /proc/PID/task/TID/syscall shows the arguments.
 */
static int find_stop(const struct stop_order *order, uint64_t *ret_addr, struct abi_stop *ret_stop)
{
	unsigned long long args[ABI_STOP_ARGUMENT + 1];
	char path[64];
	int nr, error;
	long call;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/syscall", order->pid,
		 order->tid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	nr = fscanf(file, "%ld %llx %llx %llx %llx %llx", &call, &args[0], &args[1], &args[2],
		    &args[3], &args[ABI_STOP_ARGUMENT]);
	/* fscanf() has failed.  If Yama does not let this process trace the other one,
	 * the file can be opened, but not read. */
	error = nr == EOF && ferror(file) ? -errno : 0;
	fclose(file);
	if (error)
		return error;
	if (nr != 2 + ABI_STOP_ARGUMENT || call != SYS_futex ||
	    copy_from((pid_t)order->pid, args[ABI_STOP_ARGUMENT], ret_stop, sizeof(*ret_stop)) ||
	    ret_stop->magic != ABI_STOP_MAGIC || ret_stop->nr > ABI_STOP_RANGES_MAX)
		return -EAGAIN;		/* the thread does not wait in the system call by
					 * which it asks for the stop, or not yet */
	*ret_addr = args[ABI_STOP_ARGUMENT];
	return 0;
}

/* Store in stop.inside one bit for each range of code in stop.ranges: 1 if a stopped thread
 * may still execute code of this range. */
static int look_inside(const struct stop_order *order, const struct stopped *stopped,
		       const struct abi_stop *stop)
{
	size_t bytes = (stop->nr / 64 + 1) * sizeof(uint64_t);
	struct code_range *ranges = calloc(stop->nr + 1, sizeof(*ranges));
	uint64_t *inside = calloc(1, bytes);
	int r = ranges && inside ? 0 : -ENOMEM;

	if (!r)
		r = copy_from((pid_t)order->pid, stop->ranges, ranges,
			      stop->nr * sizeof(*ranges));
	if (!r)
		r = threads_inside(stopped, ranges, stop->nr, inside);
	return r < 0 ? r : copy_to((pid_t)order->pid, stop->inside, inside, bytes);
}

/* ---- functions that carry out an order ---- */

/* Wait until the thread that has asked for the stop waits in its system call.  Then get
 * the struct abi_stop. */
static int wait_for_stop(const struct stop_order *order, uint64_t *ret_addr,
			 struct abi_stop *ret_stop)
{
	const struct timespec pause = { 0, 100000 };
	uint64_t end_ms = now_ms() + STOP_MS;
	int r;

	while ((r = find_stop(order, ret_addr, ret_stop)) == -EAGAIN && now_ms() < end_ms)
		nanosleep(&pause, NULL);
	return r;
}

/* Return true if stopping has failed because a thread is traced already: by another child
 * of the stopper, or by a process that has ended since. */
static bool is_other_child(const struct stop_failure *failure)
{
	struct task_stat tracer;

	if (failure->error != -EPERM || !failure->tracer)
		return false;
	tracer = task_stat_read(failure->tracer, failure->tracer);
	return tracer.parent == getppid() || task_has_ended(tracer);
}

/*
 * Stop the threads.  If a thread is still traced by an earlier child, wait until that child
 * has exited.  Such a child exists if a thread did not stop in time: the child answers first,
 * and traces threads until it exits.  Returns -EBUSY if this takes too long.
 */
static int stop_when_free(const struct stop_order *order, const struct stop_request *request,
			  struct stopped **ret_stopped)
{
	const struct timespec pause = { 0, 1000000 };
	uint64_t end_ms = now_ms() + STOP_MS;
	struct stop_failure failure;
	bool was_free = false;
	int r;

	while ((r = threads_stop((pid_t)order->pid, request, ret_stopped, &failure)) == -EPERM &&
	       now_ms() < end_ms) {
		/*
		 * If the thread has no tracer, there are two possibilities: the tracer
		 * has ended since, or the kernel does not let this process trace the
		 * thread.
		 */
		if (!is_other_child(&failure) && (failure.tracer || was_free))
			break;
		was_free = !failure.tracer;
		nanosleep(&pause, NULL);
	}
	return r == -EPERM && is_other_child(&failure) ? -EBUSY : r;
}

/* Stop the threads of a process, and store the answer in the process.  Returns 0 or
 * -errno. */
static int stop_threads(const struct stop_order *order, struct abi_process *slot,
			struct stopped **ret_stopped, uint64_t *ret_addr)
{
	const pid_t running = (pid_t)order->tid;
	const struct stop_request request = {
		.running = &running, .nr_running = 1, .timeout_ms = STOP_MS,
	};
	const uint64_t tid = order->tid;
	struct abi_stop stop;
	uint64_t addr = 0;
	int r = wait_for_stop(order, &addr, &stop);

	if (!r && !is_wanted(slot, order->tid))
		r = -EAGAIN;
	if (!r)
		r = stop_when_free(order, &request, ret_stopped);
	if (r)
		return r;
	TESTPOINT("stopper.stopped");
	r = look_inside(order, *ret_stopped, &stop);
	/* Write stop.tid last, because it makes the answer valid.  A separate system call
	 * writes it, so that it is stored after the other members [stop.given] */
	if (!r)
		r = copy_to((pid_t)order->pid, addr + offsetof(struct abi_stop, tid), &tid,
			    sizeof(tid));
	if (r)
		threads_continue(*ret_stopped);
	*ret_addr = addr + offsetof(struct abi_stop, tid);
	return r;
}

/*
 * Return true if the process still patches its code: then the word at @addr, which is
 * stop.tid in the private memory of the process, contains the id of the thread that patches.
 * If the process gave up before the answer came, it has cleared the magic number of the
 * struct.
 */
static bool is_patching(const struct stop_order *order, uint64_t addr)
{
	struct abi_stop stop;

	/* The system call orders this read of stop.tid before the release of the threads
	 * [stop.end] */
	return !copy_from((pid_t)order->pid, addr - offsetof(struct abi_stop, tid), &stop,
			  sizeof(stop)) &&
	       stop.magic == ABI_STOP_MAGIC && stop.tid == order->tid;
}

/* Return the CPU time that the thread which patches the code has used, in ms; 0 if it is
 * unknown. */
static uint64_t used_ms(const struct stop_order *order)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/schedstat", order->pid,
		 order->tid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%llu", &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return ns / 1000000;
}

/* Return true if the thread that patches the code still has work: it runs, it waits for a CPU or
 * for the kernel, or SIGSTOP or a debugger has stopped it. */
static bool has_work(const struct stop_order *order)
{
	struct task_stat stat = task_stat_read((pid_t)order->pid, (pid_t)order->tid);

	return !task_has_ended(stat) && stat.state != 'S';
}

/*
 * Wait until the process has patched its code.  The agent takes no lock while it patches, so
 * if it sleeps, it has ended patching or given up. A change of stop_wanted is no proof, but
 * only a reason to check again, because every process of the root can write this word.
 */
static void wait_for_end(const struct stop_order *order, struct abi_process *slot, uint64_t addr)
{
	const struct timespec wait = { 0, 10000000 }, pause = { 0, 100000 };
	uint64_t used_end_ms = used_ms(order) + HOLD_MS, end_ms = now_ms() + HOLD_MS;

	while (now_ms() < end_ms && used_ms(order) < used_end_ms && is_patching(order, addr)) {
		if (has_work(order))
			end_ms = now_ms() + HOLD_MS;
		if (!is_wanted(slot, order->tid))
			nanosleep(&pause, NULL);
		else
			syscall(SYS_futex, &slot->stop_wanted, FUTEX_WAIT, order->tid, &wait,
				NULL, 0);
	}
}

_Noreturn static void carry_out(const struct stop_order *order, int fd)
{
	struct abi_process *slot = map_slot(fd, order->off);
	struct stopped *stopped;
	uint64_t addr = 0;
	int r;

	signal(SIGCHLD, SIG_DFL);
	alarm(LIFE_SECONDS);
	if (!slot)
		_exit(1);
	r = is_wanted(slot, order->tid) ? stop_threads(order, slot, &stopped, &addr) : -EAGAIN;
	if (r && !is_wanted(slot, order->tid))
		forget_order(slot);
	else if (r)
		answer_process(slot, (uint32_t)r);
	if (r)
		_exit(1);
	alarm(0);
	answer_process(slot, order->tid);
	wait_for_end(order, slot, addr);
	TESTPOINT("stopper.end");
	threads_continue(stopped);
	answer_process(slot, 0);
	_exit(0);
}

/* Receive one order and fork a child for it.  Returns false if the server has ended. */
static bool accept_order(int socket)
{
	struct stop_order order;
	int fd = -1, nr = 0;
	ssize_t len = parse_receive(socket, &order, sizeof(order), &fd, 1, &nr);

	if (len <= 0)
		return len == -EAGAIN;
	if (len == sizeof(order) && nr && !fork())
		carry_out(&order, fd);
	if (nr)
		close(fd);
	return true;
}

/* Close all descriptors that the stopper has inherited from the server, except @socket,
 * which becomes FD_ORDERS. */
static bool leave_descriptors(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	socket = fcntl(socket, F_DUPFD_CLOEXEC, FD_ORDERS + 1);
	if (null < 0 || socket < 0)
		return false;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			return false;
	return dup2(socket, FD_ORDERS) == FD_ORDERS && !close_range(FD_ORDERS + 1, ~0u, 0);
}

_Noreturn static void be_stopper(int socket)
{
	for (int signo = 1; signo < 32; signo++)
		signal(signo, SIG_DFL);
	for (int signo = SIGHUP; signo <= SIGQUIT; signo++)
		signal(signo, SIG_IGN);		/* ignore ^C: ^C ends the server, and the
						 * stopper ends when the server does */
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);		/* let the kernel reap the children of the
						 * stopper */
	if (!leave_descriptors(socket))
		_exit(1);
	title_set("ulf-stopper", "ulf: stopper");
	slice_shorten_own(true);
	stopper_confine();
	while (accept_order(FD_ORDERS))
		;
	_exit(0);
}

int stopper_start(void)
{
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		be_stopper(sockets[1]);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return -EAGAIN;
	}
	return sockets[0];
}
