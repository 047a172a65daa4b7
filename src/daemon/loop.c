/* SPDX-License-Identifier: MIT */
/*
 * The server's event loop.  The loop ends on SIGTERM, SIGINT or SIGHUP, when a client
 * asks for it, or when the ulf directory has been removed.  If the server is killed,
 * the kernel drops its lock.  Then the next server replaces the socket file of the
 * killed server and restores the mounts (mounts.c).
 */
#include "daemon/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/container.h"
#include "base/dir.h"
#include "base/slice.h"
#include "daemon/confine.h"
#include "daemon/mounter.h"
#include "daemon/mounts.h"
#include "daemon/parts.h"
#include "daemon/socket.h"
#include "daemon/stopper.h"
#include "server/core/apply.h"
#include "server/core/beat.h"
#include "server/core/server.h"
#include "server/core/stop_order.h"
#include "server/rings/receipt.h"
#include "symbols/parse.h"

#define DESCRIPTORS	65536u
#define TICK_FIRST_NS	1000000L		/* time from parking a request, or from
						 * the start of other work, to the first
						 * tick after it, ns */
#define TICK_FAST_NS	5000000L		/* time between ticks while a request is
						 * parked, a root has work or a parser
						 * runs, ns */
#define PAUSE_NS	500000u			/* while a request waits for a process:
						 * longest time for which the server sleeps
						 * without looking at its descriptors, ns */
#define TICK_SLOW_NS	1000000000L	/* time between two ticks if nothing is parked and
					 * no other work is left, ns */
#define EVENTS_AT_ONCE	32

struct loop {
	int epoll_fd;
	int lock_fd;
	int mounter_fd;
	pid_t mounter;
	bool is_stopping;
	bool is_fast;			/* true: the timer for ticks runs at TICK_FAST_NS */
	struct server *server;
	struct mounts *mounts;
	struct sockets *sockets;
	struct loop_source core;	/* descriptor that reports changes of roots;
					 * loop_turn() handles it before other descriptors */
	struct loop_source signals, timer;
	struct loop_source parser;
	/* events that the last epoll_wait() has returned and that are not handled yet */
	struct epoll_event events[EVENTS_AT_ONCE];
	int nr_events;
};

static int control_source(struct loop *loop, int op, struct loop_source *source,
			  uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	return epoll_ctl(loop->epoll_fd, op, source->fd, &event) < 0 ? -errno : 0;
}

int loop_watch(struct loop *loop, struct loop_source *source, uint32_t events)
{
	return control_source(loop, EPOLL_CTL_ADD, source, events);
}

int loop_change(struct loop *loop, struct loop_source *source, uint32_t events)
{
	return control_source(loop, EPOLL_CTL_MOD, source, events);
}

void loop_unwatch(struct loop *loop, struct loop_source *source)
{
	int i;

	control_source(loop, EPOLL_CTL_DEL, source, 0);
	for (i = 0; i < loop->nr_events; i++) {
		if (loop->events[i].data.ptr == source)
			loop->events[i].data.ptr = NULL;
	}
}

void loop_stop(struct loop *loop)
{
	loop->is_stopping = true;
}

static void reap_children(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void signals_ready(struct loop_source *source, uint32_t events)
{
	struct loop *loop = container_of(source, struct loop, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(source->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap_children();
		else
			loop_stop(loop);
	}
}

static void timer_ready(struct loop_source *source, uint32_t events)
{
	struct loop *loop = container_of(source, struct loop, timer);
	uint64_t expirations;
	struct stat st;

	(void)events;
	if (read(source->fd, &expirations, sizeof(expirations)) < 0)
		return;
	if (parse_dispatch())
		server_parsed(loop->server);
	server_tick(loop->server);
	mounts_tick(loop->mounts);
	sockets_tick(loop->sockets);
	/* If the ulf directory was removed, stop, because no client can find this server
	 * any more. */
	if (fstat(loop->lock_fd, &st) == 0 && st.st_nlink == 0)
		loop_stop(loop);
}

static void set_pace(struct loop *loop, bool is_fast)
{
	long ns = is_fast ? TICK_FAST_NS : TICK_SLOW_NS;
	long first_ns = is_fast ? TICK_FIRST_NS : ns;
	struct itimerspec spec = {
		.it_value = { first_ns / 1000000000L, first_ns % 1000000000L },
		.it_interval = { ns / 1000000000L, ns % 1000000000L },
	};

	timerfd_settime(loop->timer.fd, 0, &spec, NULL);
	loop->is_fast = is_fast;
}

static int timer_init(struct loop *loop)
{
	loop->timer.ready = timer_ready;
	loop->timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->timer.fd < 0)
		return -errno;
	set_pace(loop, false);
	return loop_watch(loop, &loop->timer, EPOLLIN);
}

static int signals_init(struct loop *loop)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	loop->signals.ready = signals_ready;
	loop->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->signals.fd < 0)
		return -errno;
	return loop_watch(loop, &loop->signals, EPOLLIN);
}

/* Called when a parser has sent a message.  Retries the requests that wait for a parser
 * at once. */
static void parser_ready(struct loop_source *source, uint32_t events)
{
	struct loop *loop = container_of(source, struct loop, parser);

	(void)events;
	if (!parse_dispatch())
		return;
	server_parsed(loop->server);
	mounts_tick(loop->mounts);
	sockets_tick(loop->sockets);
}

static int parser_init(struct loop *loop)
{
	loop->parser.ready = parser_ready;
	loop->parser.fd = parse_poll_fd();
	return loop->parser.fd < 0 ? 0 : loop_watch(loop, &loop->parser, EPOLLIN);
}

static int core_init(struct loop *loop, const char *dir)
{
	int ret = server_new(dir, &loop->server);

	if (ret < 0)
		return ret;
	loop->core.fd = server_poll_fd(loop->server);
	return loop_watch(loop, &loop->core, EPOLLIN);
}

/* Lock the ulf directory @dir.  The kernel drops the lock when the process ends, also
 * if the process is killed. */
static int lock_dir(struct loop *loop, const char *dir)
{
	char path[DIR_PATH_BYTES + 32];
	int ret = dir_join(dir, DIR_LOCK, path, sizeof(path));

	if (ret < 0)
		return ret;
	loop->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (loop->lock_fd < 0)
		return -errno;
	if (flock(loop->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	/*
	 * Write the pid into the lock file.  This is only for users; no program of ulf
	 * reads it.  Ignore a full file system: the server must run even then, because
	 * only a server can remove dead roots.
	 */
	if (ftruncate(loop->lock_fd, 0) < 0 ||
	    (dprintf(loop->lock_fd, "%d\n", (int)getpid()) < 0 && errno != ENOSPC &&
	     errno != EDQUOT))
		return -errno;
	return 0;
}

static int loop_init(struct loop *loop, const char *dir)
{
	int ret;

	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0)
		return -errno;
	ret = lock_dir(loop, dir);
	if (!ret) {
		loop->mounter_fd = mounter_start(dir, &loop->mounter);
		beat_start(dir);
		receipt_init(dir);
		stop_orders_init(stopper_start());
		slice_shorten_own(false);
		server_confine();
		ret = signals_init(loop);
	}
	if (!ret)
		ret = timer_init(loop);
	if (!ret)
		ret = parser_init(loop);
	if (!ret)
		ret = core_init(loop, dir);
	if (!ret)
		ret = mounts_new(loop, loop->server, dir, loop->mounter_fd,
				 &loop->mounts);
	if (!ret)
		ret = sockets_new(loop, loop->server, loop->mounts, dir, &loop->sockets);
	return ret;
}

/* Stop watching @source.  @is_ours: true to close the source's descriptor, too; false if
 * the owner of the source closes it. */
static void source_close(struct loop *loop, struct loop_source *source, bool is_ours)
{
	if (source->fd < 0)
		return;
	loop_unwatch(loop, source);
	if (is_ours)
		close(source->fd);
	source->fd = -1;
}

/*
 * End the server.  Unmount while the server holds the lock, so that no new server
 * finds these mounts.  Do not release the lock: `ulf stop` waits for the very end of
 * the process, when the kernel drops the lock.
 */
static void loop_done(struct loop *loop)
{
	sockets_free(loop->sockets);
	mounts_free(loop->mounts);
	source_close(loop, &loop->core, false);
	server_free(loop->server);
	receipt_done();
	beat_stop();
	mounter_stop(loop->mounter_fd, loop->mounter);
	source_close(loop, &loop->timer, true);
	source_close(loop, &loop->signals, true);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
}

/*
 * If a request waits until a process has applied its settings, sleep on the futex that the
 * process then wakes: epoll_wait() does not watch futexes.  The sleep is short, because the
 * loop must also look at its descriptors.  Returns false if there was no reason to sleep;
 * only then may the caller wait for descriptors.
 */
static bool wait_for_processes(struct loop *loop)
{
	bool has_news;

	if (!apply_pause(loop->server, PAUSE_NS, &has_news))
		return false;
	if (has_news) {
		mounts_tick(loop->mounts);
		sockets_tick(loop->sockets);
	}
	return true;
}

static int loop_turn(struct loop *loop)
{
	bool is_waiting = mounts_is_waiting(loop->mounts) || sockets_is_waiting(loop->sockets);
	bool want_fast = is_waiting || server_is_busy(loop->server) || parse_is_running();
	int i, nr;

	if (want_fast != loop->is_fast)
		set_pace(loop, want_fast);
	nr = epoll_wait(loop->epoll_fd, loop->events, EVENTS_AT_ONCE,
			is_waiting && wait_for_processes(loop) ? 0 : -1);
	beat();
	if (nr < 0)
		return errno == EINTR ? 0 : -errno;
	loop->nr_events = nr;
	/* Handle changes of roots before the requests of clients.  Otherwise a client
	 * that asks about a root could get an answer that is older than its request. */
	for (i = 0; i < nr; i++) {
		if (loop->events[i].data.ptr == &loop->core)
			server_dispatch(loop->server);
	}
	for (i = 0; i < nr; i++) {
		struct loop_source *source = loop->events[i].data.ptr;

		if (source && source != &loop->core)
			source->ready(source, loop->events[i].events);
		beat();
	}
	loop->nr_events = 0;
	return 0;
}

void loop_allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int loop_run(const char *dir, void (*ready)(const char *dir))
{
	struct loop loop = {
		.epoll_fd = -1,
		.lock_fd = -1,
		.mounter_fd = -1,
		.core.fd = -1,
		.signals.fd = -1,
		.timer.fd = -1,
	};
	int ret;

	/*
	 * Fork the zygote, which starts the parsers of files, now, while this process is
	 * small.  A server without a zygote works, but knows no names of functions.
	 */
	parse_init(true);
	loop_allow_descriptors();
	ret = loop_init(&loop, dir);
	if (!ret) {
		mounts_restore(loop.mounts);
		ready(dir);
	}
	while (!ret && !loop.is_stopping)
		ret = loop_turn(&loop);
	loop_done(&loop);
	return ret;
}
