/* SPDX-License-Identifier: MIT */
/*
 * A thread in each of many blocking system calls is stopped and continued hundreds of times.
 * No call returns EINTR, unless a signal handler has run, no timeout ends early, and all results
 * are right.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "child.h"

#define CALLS_MAX	64
#define STOPS		300		/* number of stops */
#define STOPS_LONG	5000
#define TIMEOUT_MS	20
#define TIMEOUT_NS	(TIMEOUT_MS * 1000000L)

struct call_state {			/* The results of one kind of call, which the test shares
					 * with the target. */
	_Atomic uint64_t ended;		/* calls that have ended as they should */
	_Atomic uint64_t interrupted;	/* calls that have returned EINTR, and must not */
	_Atomic uint64_t wrong;		/* calls with another wrong result */
	_Atomic uint64_t early;		/* timeouts that were too short */
	_Atomic int error;		/* errno of the last wrong result */
	_Atomic pid_t tid;
};

static struct shared {
	struct call_state calls[CALLS_MAX];
	uint32_t futex;			/* the helper increments it and wakes */
	_Atomic bool is_over;
} *shared;

/* Objects that the target and the helper use together. */
static int pipe_fds[2], event_fd, socket_fds[2], listen_fd, connect_fd, lock_fd, notify_fd;
static int message_queue, semaphore;
static char dir[64], path[128], lock_path[128];
static struct sockaddr_un listen_address = { .sun_family = AF_UNIX };
static struct sockaddr_un connect_address = { .sun_family = AF_UNIX };

static __thread volatile sig_atomic_t handled;

/* Returns 0 if the call has returned @expected, or -1 with errno @error. */
static int result(long r, long expected, int error)
{
	if (r == expected && (r != -1 || errno == error))
		return 0;
	return r == -1 ? errno : EBADMSG;
}

static const struct timespec timeout = { 0, TIMEOUT_NS };

/* ---- calls that end after TIMEOUT_MS ---- */

static int do_nanosleep(void)
{
	return result(nanosleep(&timeout, NULL), 0, 0);
}

static int do_clock_nanosleep(void)
{
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &timeout, NULL);
}

static struct timespec deadline(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += TIMEOUT_NS;
	if (time.tv_nsec >= 1000000000L) {
		time.tv_nsec -= 1000000000L;
		time.tv_sec++;
	}
	return time;
}

static int do_clock_nanosleep_absolute(void)
{
	struct timespec until = deadline(CLOCK_MONOTONIC);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int do_poll(void)
{
	return result(poll(NULL, 0, TIMEOUT_MS), 0, 0);
}

static int do_ppoll(void)
{
	sigset_t none;

	sigemptyset(&none);
	return result(ppoll(NULL, 0, &timeout, &none), 0, 0);
}

static int do_select(void)
{
	struct timeval time = { 0, TIMEOUT_MS * 1000 };

	return result(select(0, NULL, NULL, NULL, &time), 0, 0);
}

static int do_pselect(void)
{
	sigset_t none;

	sigemptyset(&none);
	return result(pselect(0, NULL, NULL, NULL, &timeout, &none), 0, 0);
}

static int empty_epoll(void)
{
	static __thread int fd = -1;

	if (fd < 0)
		fd = epoll_create1(0);
	return fd;
}

static int do_epoll_wait(void)
{
	struct epoll_event event;

	return result(epoll_wait(empty_epoll(), &event, 1, TIMEOUT_MS), 0, 0);
}

static int do_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return result(epoll_pwait(empty_epoll(), &event, 1, TIMEOUT_MS, &none), 0, 0);
}

static int do_futex_timeout(void)
{
	uint32_t word = 0;

	return result(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &timeout), -1, ETIMEDOUT);
}

static int do_semtimedop(void)
{
	struct sembuf down = { 1, -1, 0 };

	return result(semtimedop(semaphore, &down, 1, &timeout), -1, EAGAIN);
}

static int do_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return result(sigtimedwait(&set, NULL, &timeout), -1, EAGAIN);
}

static int do_recv_timeout(void)
{
	static __thread int fds[2];
	struct timeval time = { 0, TIMEOUT_MS * 1000 };
	char byte;

	if (!fds[0]) {
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		CHECK_EQ(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)), 0);
	}
	return result(recv(fds[0], &byte, 1, 0), -1, EAGAIN);
}

static int do_io_getevents(void)
{
	static __thread aio_context_t context;
	struct timespec time = timeout;
	struct io_event event;

	if (!context)
		CHECK_EQ(syscall(SYS_io_setup, 4, &context), 0);
	return result(syscall(SYS_io_getevents, context, 1, 1, &event, &time), 0, 0);
}

static int do_mutex(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static __thread bool is_locked;
	struct timespec until = deadline(CLOCK_REALTIME);

	if (!is_locked)
		CHECK_EQ(pthread_mutex_lock(&mutex), 0);
	is_locked = true;
	return pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT ? 0 : EBADMSG;
}

/* ---- calls that end when the helper does something ---- */

static int do_read(void)
{
	char byte;

	return result(read(pipe_fds[0], &byte, 1), 1, 0);
}

static int do_epoll_wait_for_ever(void)
{
	static __thread int fd = -1;
	struct epoll_event event = { .events = EPOLLIN };
	uint64_t value;
	int r;

	if (fd < 0) {
		fd = epoll_create1(0);
		CHECK_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, event_fd, &event), 0);
	}
	r = result(epoll_wait(fd, &event, 1, -1), 1, 0);
	if (!r)
		CHECK_EQ(read(event_fd, &value, sizeof(value)), sizeof(value));
	return r;
}

static int do_recv(void)
{
	char byte;

	return result(recv(socket_fds[0], &byte, 1, 0), 1, 0);
}

static int do_accept(void)
{
	int fd = accept(listen_fd, NULL, NULL);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* The helper accepts slowly, so that the queue is full. */
static int do_connect(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int r = result(connect(fd, (void *)&connect_address, sizeof(connect_address)), 0, 0);

	close(fd);
	return r;
}

static int do_futex(void)
{
	uint32_t seen = __atomic_load_n(&shared->futex, __ATOMIC_ACQUIRE);
	long r = syscall(SYS_futex, &shared->futex, FUTEX_WAIT, seen, NULL);

	return r && errno == EAGAIN ? 0 : result(r, 0, 0);
}

static int do_semop(void)
{
	struct sembuf down = { 0, -1, 0 };

	return result(semop(semaphore, &down, 1), 0, 0);
}

struct message {
	long type;
	char byte;
};

static int do_msgrcv(void)
{
	struct message message;

	return result(msgrcv(message_queue, &message, 1, 0, 0), 1, 0);
}

static int do_inotify(void)
{
	char buffer[4096] __attribute__((aligned(8)));

	return read(notify_fd, buffer, sizeof(buffer)) > 0 ? 0 : errno;
}

static int do_flock(void)
{
	static __thread int fd = -1;
	int r;

	if (fd < 0)
		fd = open(lock_path, O_RDWR | O_CLOEXEC);
	r = result(flock(fd, LOCK_EX), 0, 0);
	flock(fd, LOCK_UN);
	sleep_ms(2);			/* the helper takes the lock again */
	return r;
}

static int do_fcntl_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK }, unlock = { .l_type = F_UNLCK };
	int r = result(fcntl(lock_fd, F_SETLKW, &lock), 0, 0);

	fcntl(lock_fd, F_SETLK, &unlock);
	sleep_ms(2);
	return r;
}

/* ---- calls that end because of the target itself ---- */

static int do_wait4(void)
{
	int status = 0;
	pid_t pid = vfork();

	if (!pid)
		_exit(7);
	pid = fork();
	if (!pid) {
		nanosleep(&timeout, NULL);
		_exit(7);
	}
	if (wait4(-1, &status, 0, NULL) < 0)
		return errno;
	if (WEXITSTATUS(status) != 7)
		return EBADMSG;
	return wait4(-1, &status, 0, NULL) < 0 ? errno : WEXITSTATUS(status) == 7 ? 0 : EBADMSG;
}

/* pause() and sigsuspend() return EINTR after a handler, and only then. */
static int after_handler(int r)
{
	bool has_run = handled;

	handled = 0;
	return r == -1 && errno == EINTR && has_run ? 0 : has_run ? EBADMSG : EINTR;
}

static void set_timer(void)
{
	static __thread timer_t timer;
	static __thread bool is_made;
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2 };
	struct itimerspec time = { .it_value = timeout };

	event._sigev_un._tid = gettid();
	if (!is_made)
		CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	is_made = true;
	CHECK_EQ(timer_settime(timer, 0, &time, NULL), 0);
}

static int do_pause(void)
{
	sigset_t set, old;
	int r;

	/* The handler may run before pause(): so only sigsuspend() may unblock the signal. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	sigdelset(&old, SIGUSR2);
	set_timer();
	r = sigsuspend(&old);
	return after_handler(r);
}

/* epoll_wait() returns EINTR after a handler, in spite of the stops. */
static int do_epoll_pwait_handler(void)
{
	struct epoll_event event;
	sigset_t set, old;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	sigdelset(&old, SIGUSR2);
	set_timer();
	r = epoll_pwait(empty_epoll(), &event, 1, -1, &old);
	return after_handler(r);
}

static const struct call {
	const char *name;
	int (*call)(void);		/* returns 0 or an errno */
	bool is_timeout;		/* true: lasts TIMEOUT_MS at least */
} calls[] = {
	{ "nanosleep", do_nanosleep, true },
	{ "clock_nanosleep", do_clock_nanosleep, true },
	{ "clock_nanosleep until", do_clock_nanosleep_absolute, true },
	{ "poll", do_poll, true },
	{ "ppoll", do_ppoll, true },
	{ "select", do_select, true },
	{ "pselect", do_pselect, true },
	{ "epoll_wait", do_epoll_wait, true },
	{ "epoll_pwait", do_epoll_pwait, true },
	{ "futex with timeout", do_futex_timeout, true },
	{ "semtimedop", do_semtimedop, true },
	{ "sigtimedwait", do_sigtimedwait, true },
	{ "recv with SO_RCVTIMEO", do_recv_timeout, true },
	{ "io_getevents", do_io_getevents, true },
	{ "pthread_mutex_timedlock", do_mutex, true },
	{ "read", do_read, false },
	{ "epoll_wait for ever", do_epoll_wait_for_ever, false },
	{ "recv", do_recv, false },
	{ "accept", do_accept, false },
	{ "connect", do_connect, false },
	{ "futex", do_futex, false },
	{ "semop", do_semop, false },
	{ "msgrcv", do_msgrcv, false },
	{ "read of inotify", do_inotify, false },
	{ "flock", do_flock, false },
	{ "fcntl lock", do_fcntl_lock, false },
	{ "wait4", do_wait4, false },
	{ "sigsuspend", do_pause, false },
	{ "epoll_pwait and a handler", do_epoll_pwait_handler, false },
};
#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))

/* ---- target and helper ---- */

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *call_again_and_again(void *arg)
{
	size_t number = (size_t)arg;
	struct call_state *state = &shared->calls[number];

	atomic_store(&state->tid, gettid());
	while (!atomic_load(&shared->is_over)) {
		uint64_t start_ns = now_ns();
		int error = calls[number].call();

		if (error == EINTR)
			atomic_fetch_add(&state->interrupted, 1);
		else if (error)
			atomic_fetch_add(&state->wrong, 1);
		else if (calls[number].is_timeout && now_ns() - start_ns < TIMEOUT_NS - 1000000)
			atomic_fetch_add(&state->early, 1);
		else
			atomic_fetch_add(&state->ended, 1);
		if (error)
			atomic_store(&state->error, error);
	}
	return NULL;
}

static void note_signal(int signal)
{
	(void)signal;
	handled = 1;
}

static void run_target(void *arg)
{
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART };
	pthread_t threads[NR_CALLS];
	sigset_t set;

	(void)arg;
	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (size_t i = 0; i < NR_CALLS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, call_again_and_again, (void *)i), 0);
	for (size_t i = 0; i < NR_CALLS; i++)
		pthread_join(threads[i], NULL);
}

/* Do once what each call waits for.  Nothing here blocks. */
static void help_once(void)
{
	static const uint64_t one = 1;
	struct message message = { 1, 'm' };
	struct sembuf up = { 0, 1, IPC_NOWAIT };
	int fd;

	if (write(pipe_fds[1], "p", 1) < 0 || write(event_fd, &one, sizeof(one)) < 0)
		CHECK_EQ(errno, EAGAIN);
	send(socket_fds[1], "s", 1, MSG_DONTWAIT);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	connect(fd, (void *)&listen_address, sizeof(listen_address));
	close(fd);
	fd = accept4(connect_fd, NULL, NULL, SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	__atomic_add_fetch(&shared->futex, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->futex, FUTEX_WAKE, 1);
	semop(semaphore, &up, 1);
	msgsnd(message_queue, &message, 1, IPC_NOWAIT);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
}

/* Hold the locks while the calls wait, and release them at times. */
static void run_helper(void *arg)
{
	struct flock lock = { .l_type = F_WRLCK }, unlock = { .l_type = F_UNLCK };
	int flock_fd = open(lock_path, O_RDWR | O_CLOEXEC);

	(void)arg;
	while (!atomic_load(&shared->is_over)) {
		flock(flock_fd, LOCK_EX | LOCK_NB);
		fcntl(lock_fd, F_SETLK, &lock);
		sleep_ms(15);
		flock(flock_fd, LOCK_UN);
		fcntl(lock_fd, F_SETLK, &unlock);
		sleep_ms(1);
		help_once();
	}
	/* Let everything end that waits for us. */
	for (;;) {
		help_once();
		sleep_ms(1);
	}
}

static int listen_at(struct sockaddr_un *address, const char *name, int queue)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", dir, name);
	CHECK_EQ(bind(fd, (void *)address, sizeof(*address)), 0);
	CHECK_EQ(listen(fd, queue), 0);
	return fd;
}

static void prepare(void)
{
	const char *tmp = getenv("TMPDIR");

	shared = map_shared(sizeof(*shared));
	snprintf(dir, sizeof(dir), "%s/calls.XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(lock_path, sizeof(lock_path), "%s/lock", dir);
	CHECK_EQ(pipe2(pipe_fds, O_CLOEXEC), 0);
	CHECK_EQ(fcntl(pipe_fds[1], F_SETFL, O_NONBLOCK), 0);
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds), 0);
	listen_fd = listen_at(&listen_address, "listen", 16);
	connect_fd = listen_at(&connect_address, "connect", 0);
	CHECK_EQ(fcntl(connect_fd, F_SETFL, O_NONBLOCK), 0);
	lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	notify_fd = inotify_init1(IN_CLOEXEC);
	CHECK(inotify_add_watch(notify_fd, dir, IN_OPEN | IN_CLOSE) >= 0);
	message_queue = msgget(IPC_PRIVATE, 0600);
	semaphore = semget(IPC_PRIVATE, 2, 0600);
	CHECK(event_fd >= 0 && lock_fd >= 0 && message_queue >= 0 && semaphore >= 0);
}

static void clean_up(void)
{
	msgctl(message_queue, IPC_RMID, NULL);
	semctl(semaphore, 0, IPC_RMID);
	unlink(path);
	unlink(lock_path);
	unlink(listen_address.sun_path);
	unlink(connect_address.sun_path);
	rmdir(dir);
}

/* Count the stops at which each thread was in its call.  The kernel reports a number only for
 * a thread that does not run. */
static void count_calls(pid_t pid, uint64_t *in_call)
{
	char file[64], text[64];

	for (size_t i = 0; i < NR_CALLS; i++) {
		int fd;

		snprintf(file, sizeof(file), "/proc/%d/task/%d/syscall", pid,
			 atomic_load(&shared->calls[i].tid));
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		in_call[i] += read(fd, text, sizeof(text)) > 0 && text[0] >= '0' && text[0] <= '9';
		close(fd);
	}
}

static bool is_finished(uint64_t stops, const uint64_t *in_call, uint64_t wanted)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		if (in_call[i] < 100)
			return false;
	return stops >= wanted;
}

static int report(const uint64_t *in_call, uint64_t stops, uint64_t kept)
{
	uint64_t ended = 0;
	int bad = 0;

	for (size_t i = 0; i < NR_CALLS; i++) {
		struct call_state *state = &shared->calls[i];
		bool is_bad = atomic_load(&state->interrupted) || atomic_load(&state->wrong) ||
			      atomic_load(&state->early) || !atomic_load(&state->ended);

		printf("%s%s: %llu calls, in %llu stops; EINTR %llu, wrong %llu (errno %d), "
		       "early %llu\n",
		       is_bad ? "BAD " : "", calls[i].name,
		       (unsigned long long)atomic_load(&state->ended),
		       (unsigned long long)in_call[i],
		       (unsigned long long)atomic_load(&state->interrupted),
		       (unsigned long long)atomic_load(&state->wrong), atomic_load(&state->error),
		       (unsigned long long)atomic_load(&state->early));
		bad += is_bad;
		ended += atomic_load(&state->ended);
	}
	printf("score: %zu kinds of calls, %llu calls, %llu stops, %llu EINTR prevented\n",
	       NR_CALLS, (unsigned long long)ended, (unsigned long long)stops,
	       (unsigned long long)kept);
	return bad || !kept;
}

int main(void)
{
	uint64_t wanted = getenv("ULF_TORTURE") ? STOPS_LONG : STOPS, stops = 0, kept = 0;
	uint64_t in_call[NR_CALLS] = { 0 };
	pid_t target, helper;

	prepare();
	target = target_start(run_target, NULL);
	helper = target_start(run_helper, NULL);
	while (!is_finished(stops, in_call, wanted)) {
		struct stopped *stopped;

		count_calls(target, in_call);
		stopped = stop_or_fail(target);
		kept += threads_nr_kept_calls(stopped);
		threads_continue(stopped);
		stops++;
		/* Often shorter than the timeouts, and at times longer, so that they end. */
		sleep_ms(stops % 4 ? 3 : 30);
	}
	atomic_store(&shared->is_over, true);
	CHECK_EQ(waitpid(target, NULL, 0), target);
	target_kill(helper);
	clean_up();
	return report(in_call, stops, kept);
}
