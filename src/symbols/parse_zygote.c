/* SPDX-License-Identifier: MIT */
/*
 * The zygote: a process that the server forks at its start, before the server has any data.
 * For each request the zygote forks a parser.  So a parser has no data of the server in its
 * memory, and no descriptors except those of the request.  The zygote sends the server a
 * pidfd of the parser and, later, the exit status, through the parser's channel.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/title.h"
#include "symbols/parse_impl.h"

#define CHILDREN_MAX	256
#define FREE_FD		64		/* a descriptor number that is above all fixed numbers
					 * of enum parse_fd */
#define TOP_PAD		(1 << 20)

/* ---- send and receive messages with descriptors ---- */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(8 * sizeof(int))];
};

static int receive_fds(struct msghdr *msg, int *fds, int room)
{
	int nr = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t all = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < all; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (nr < room)
				fds[nr++] = fd;
			else
				close(fd);
		}
	}
	return nr;
}

ssize_t parse_receive(int socket, void *to, size_t bytes, int *fds, int room, int *ret_nr)
{
	union control control;
	struct iovec iov = { to, bytes };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t len;

	do
		len = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	*ret_nr = receive_fds(&msg, fds, room);
	return len;
}

int parse_send(int socket, const void *from, size_t bytes, const int *fds, int nr)
{
	union control control = { .bytes = { 0 } };
	struct iovec iov = { (void *)from, bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len;

	if (nr) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE((size_t)nr * sizeof(*fds));
		control.header = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN((size_t)nr * sizeof(*fds)),
		};
		memcpy(CMSG_DATA(&control.header), fds, (size_t)nr * sizeof(*fds));
	}
	do
		len = sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (len < 0 && errno == EINTR);
	return len < 0 ? -errno : 0;
}

/* ---- the parser ---- */

/* In a parser: give the descriptors of the request the numbers of enum parse_fd, and close
 * all other descriptors. */
static int renumber_fds(const int fds[PARSE_FDS])
{
	int high[PARSE_FDS];

	for (int i = 0; i < PARSE_FDS; i++) {
		high[i] = fcntl(fds[i], F_DUPFD, FREE_FD);
		if (high[i] < 0)
			return -errno;
	}
	for (int i = 0; i < PARSE_FDS; i++)
		if (dup2(high[i], PARSE_FD_CHANNEL + i) < 0)
			return -errno;
	if (parse_sandbox_is_whole()) {
		close(STDERR_FILENO);	/* close stderr, except in a build with a sanitizer,
					 * which writes its reports to stderr */
		close(STDOUT_FILENO);
		close(STDIN_FILENO);
	}
	return close_range(PARSE_FD_CHANNEL + PARSE_FDS, ~0u, 0) ? -errno : 0;
}

static void reset_signals(void)
{
	sigset_t none;

	for (int signo = 1; signo < 32; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void be_parser(const struct parse_request *request,
				const int fds[PARSE_FDS], pid_t zygote)
{
	const struct parse_job_type *type = &parse_job_types[request->job];
	struct parse_message done = { .type = PARSE_DONE, .bytes_left = 0 };
	struct parse_limits limits = type->limits;

	reset_signals();
	/*
	 * Make malloc() use one heap for all sizes.  With a mapping for each large array, the
	 * process would touch more new memory pages, which costs time.
	 */
	mallopt(M_MMAP_THRESHOLD, INT_MAX);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, TOP_PAD);
	title_set(type->name, "ulf: parser");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != zygote || renumber_fds(fds))
		_exit(PARSE_NO_SANDBOX);
	if (type->prepare)
		type->prepare(&limits);
	/* Limit the size of the result to the size that the server accepts. */
	limits.file_bytes = min_u64(limits.file_bytes, request->bytes_left);
	if (parse_sandbox_enter(&limits))
		_exit(PARSE_NO_SANDBOX);
	done.bytes_left = request->bytes_left;
	done.value = type->run(request, &done.bytes_left);
	if (send(PARSE_FD_CHANNEL, &done, sizeof(done), MSG_NOSIGNAL) == sizeof(done) &&
	    !done.value && type->serve)
		type->serve();
	_exit(0);
}

/* ---- the zygote ---- */

struct child {
	pid_t pid;			/* process id of the parser; 0: this element is free */
	int channel;
};

struct zygote {
	int socket, signals;
	struct child children[CHILDREN_MAX];
};

static void report_parser_exit(const struct child *child, int status)
{
	struct parse_message ended = { .type = PARSE_EXITED, .value = status };

	parse_send(child->channel, &ended, sizeof(ended), NULL, 0);
	close(child->channel);
}

static void reap_parsers(struct zygote *zygote)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(zygote->signals, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (int i = 0; i < CHILDREN_MAX; i++) {
			if (zygote->children[i].pid != pid)
				continue;
			report_parser_exit(&zygote->children[i], status);
			zygote->children[i].pid = 0;
		}
	}
}

static struct child *find_free_child(struct zygote *zygote)
{
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (!zygote->children[i].pid)
			return &zygote->children[i];
	return NULL;
}

/* Fork a parser for @request.  The zygote keeps the parser's channel, to report to the
 * server how the parser ended. */
static void fork_parser(struct zygote *zygote, const struct parse_request *request,
			const int fds[PARSE_FDS])
{
	struct parse_message started = { .type = PARSE_STARTED };
	struct child *child = find_free_child(zygote);
	pid_t self = getpid();
	int pidfd;

	child = request->job < PARSE_JOBS ? child : NULL;
	if (child) {
		child->pid = fork();
		if (child->pid == 0)
			be_parser(request, fds, self);
	}
	if (!child || child->pid < 0) {
		report_parser_exit(&(struct child){ .channel = fds[0] }, PARSE_NO_PROCESS << 8);
		if (child)
			child->pid = 0;
		return;
	}
	child->channel = fds[0];
	pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	/*
	 * -EPIPE: the server has closed the channel and cannot kill the parser, so the zygote
	 * kills it.
	 */
	if (pidfd >= 0 &&
	    parse_send(child->channel, &started, sizeof(started), &pidfd, 1) == -EPIPE)
		kill(child->pid, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
}

/*
 * Receive one request and start a parser for it.  Returns false if the server has closed
 * the socket.
 */
static bool accept_request(struct zygote *zygote)
{
	struct parse_request request;
	int fds[PARSE_FDS], nr;
	ssize_t len = parse_receive(zygote->socket, &request, sizeof(request), fds,
				    PARSE_FDS, &nr);

	if (len <= 0)
		return len == -EAGAIN;
	if (len == sizeof(request) && nr == PARSE_FDS) {
		fork_parser(zygote, &request, fds);
		for (int i = 1; i < PARSE_FDS; i++)
			close(fds[i]);
		return true;
	}
	while (nr)
		close(fds[--nr]);
	return true;
}

/* Close all descriptors that were inherited from the server, except @socket.  Returns the new
 * descriptor number of @socket, or -1. */
static int detach_from_server(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    (parse_sandbox_is_whole() && dup2(null, STDERR_FILENO) < 0))
		return -1;
	socket = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (socket < 0 || dup2(socket, STDERR_FILENO + 1) < 0 ||
	    close_range(STDERR_FILENO + 2, ~0u, 0))
		return -1;
	return STDERR_FILENO + 1;
}

/* Clear the environment, because it may contain secrets that a hostile file must not get. */
static void erase_environment(void)
{
	for (char **variable = environ; variable && *variable; variable++)
		explicit_bzero(*variable, strlen(*variable));
	clearenv();
}

_Noreturn static void be_zygote(int socket)
{
	struct zygote zygote = { .socket = detach_from_server(socket) };
	sigset_t set;

	erase_environment();

	/*
	 * Ignore the signals of the terminal.  ^C sends them to the server and to the zygote,
	 * but the zygote must exit only when the server closes the socket.
	 */
	reset_signals();
	for (int signo = SIGHUP; signo <= SIGQUIT; signo++)
		signal(signo, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	title_set("ulf-zygote", "ulf: zygote");
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	zygote.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (zygote.socket < 0 || zygote.signals < 0)
		_exit(1);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = zygote.socket, .events = POLLIN },
			{ .fd = zygote.signals, .events = POLLIN },
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (fds[1].revents)
			reap_parsers(&zygote);
		if (fds[0].revents && !accept_request(&zygote))
			_exit(0);
	}
}

int parse_zygote_start(int *ret_socket)
{
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		be_zygote(sockets[1]);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return -EAGAIN;
	}
	*ret_socket = sockets[0];
	return 0;
}
