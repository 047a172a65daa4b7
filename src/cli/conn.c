/* SPDX-License-Identifier: MIT */
/* A connection to the server; see conn.h. */
#include "cli/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "abi/control.h"
#include "cli/cli.h"
#include "cli/user.h"

#define TEXT_BYTES	(1u << 30)	/* maximum size of a file that conn_file_text()
					 * reads, bytes */

int conn_check_server(struct conn *conn)
{
	int ret = life_check(&conn->life, conn->dir);

	conn->is_lost = ret < 0;
	return ret;
}

/* Connect the socket @fd to the server.  If the server's backlog is full, wait as if for an
 * answer. */
static int connect_socket(struct conn *conn, int fd, const struct sockaddr_un *addr)
{
	const struct timespec pause = { .tv_nsec = LIFE_CHECK_MS * 1000000 / 10 };
	int ret;

	life_begin(&conn->life, 0, false);
	while (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		ret = conn_check_server(conn);
		if (ret < 0)
			return ret;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Return true if the server runs as this user.  The socket is in a directory of this
 * user, so a server of any other user is an intruder. */
static bool is_server_of_user(int fd)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == geteuid();
}

/* Connect to the server.  Returns a socket; -EPERM if the server runs as another user; or
 * another -errno. */
static int connect_to_server(struct conn *conn)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, ret;

	ret = dir_join(conn->dir, DIR_SOCKET, addr.sun_path, sizeof(addr.sun_path));
	if (ret < 0)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = connect_socket(conn, fd, &addr);
	if (!ret && !is_server_of_user(fd))
		ret = -EPERM;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int conn_peer_pid(const struct conn *conn)
{
	struct ucred peer = { .pid = 0 };
	socklen_t bytes = sizeof(peer);

	return getsockopt(conn->fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 ? 0 : peer.pid;
}

/* Wait for POLLIN or POLLOUT on the socket.  If the server hangs, prints an error and
 * returns -ETIMEDOUT. */
static int wait_for_socket(struct conn *conn, short events)
{
	struct pollfd poll_fd = { .fd = conn->fd, .events = events };
	int ret;

	for (;;) {
		ret = poll(&poll_fd, 1, LIFE_CHECK_MS);
		if (ret > 0)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
		ret = ret < 0 ? 0 : conn_check_server(conn);
		if (ret < 0)
			return ret;
	}
}

static bool is_retry_needed(ssize_t len)
{
	return len < 0 && (errno == EINTR || errno == EAGAIN);
}

static int send_all(struct conn *conn, const void *data, size_t bytes)
{
	const char *at = data;
	ssize_t len;
	int ret;

	while (bytes) {
		len = send(conn->fd, at, bytes, MSG_NOSIGNAL);
		ret = is_retry_needed(len) ? wait_for_socket(conn, POLLOUT) : 0;
		if (ret < 0)
			return ret;
		if (is_retry_needed(len))
			continue;
		if (len < 0)
			return -EPIPE;
		at += len;
		bytes -= (size_t)len;
	}
	return 0;
}

static int receive_all(struct conn *conn, void *data, size_t bytes)
{
	char *at = data;
	ssize_t len;
	int ret;

	while (bytes) {
		ret = wait_for_socket(conn, POLLIN);
		if (ret < 0)
			return ret;
		len = recv(conn->fd, at, bytes, 0);
		if (is_retry_needed(len))
			continue;
		if (len <= 0)
			return -EPIPE;
		at += len;
		bytes -= (size_t)len;
	}
	return 0;
}

/* Return true if the server may park a request of type @op.  Such a request is a read of a
 * stream, or a change of settings that programs must apply. */
static bool may_answer_take_long(uint32_t op)
{
	return op == ABI_SOCKET_READ || op == ABI_SOCKET_WRITE || op == ABI_SOCKET_CLOSE;
}

/* Send the header of a request together with the descriptor @pass_fd. */
static int send_with_fd(int fd, const struct abi_request *request, int pass_fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { (void *)request, sizeof(*request) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	memset(&control, 0, sizeof(control));
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &pass_fd, sizeof(int));
	return sendmsg(fd, &msg, MSG_NOSIGNAL) == sizeof(*request) ? 0 : -EPIPE;
}

int conn_send(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes, int pass_fd)
{
	struct abi_request head = *request;
	int ret;

	text_reset(&conn->data);
	if (conn->is_lost)
		return -ETIMEDOUT;
	if (bytes > ABI_SOCKET_REQUEST_MAX)
		return -E2BIG;
	head.bytes = (uint32_t)bytes;
	life_begin(&conn->life, conn_peer_pid(conn), may_answer_take_long(head.op));
	if (pass_fd >= 0)
		ret = send_with_fd(conn->fd, &head, pass_fd);
	else
		ret = send_all(conn, &head, sizeof(head));
	return ret < 0 ? ret : send_all(conn, text, bytes);
}

int conn_receive(struct conn *conn)
{
	struct abi_answer answer;
	char *data;
	int ret;

	ret = receive_all(conn, &answer, sizeof(answer));
	if (ret < 0)
		return ret;
	text_reset(&conn->data);
	if (answer.bytes > ABI_SOCKET_ANSWER_MAX)
		return -EPROTO;
	/* Append a NUL to the data of the answer.  Callers use strings in the data, and the
	 * last string may have no NUL. */
	data = text_reserve(&conn->data, answer.bytes + 1);
	if (!data)
		return conn->data.error;
	*(data + answer.bytes) = '\0';
	ret = receive_all(conn, data, answer.bytes);
	if (ret < 0)
		return ret;
	conn->data.len = answer.bytes;
	user_progress(USER_GOES_ON);
	return answer.result;
}

int conn_call(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes)
{
	int ret = conn_send(conn, request, text, bytes, -1);

	return ret < 0 ? ret : conn_receive(conn);
}

int conn_path(struct conn *conn, enum abi_socket_op op, const char *path)
{
	struct abi_request request = { .op = op };

	return conn_call(conn, &request, path, strlen(path));
}

int conn_file_open(struct conn *conn, const char *path, int flags)
{
	struct abi_request request = {
		.op = ABI_SOCKET_OPEN,
		.value = (uint32_t)flags,
	};

	return conn_call(conn, &request, path, strlen(path));
}

int conn_file_show(struct conn *conn, const char *path, bool is_terminal)
{
	struct abi_request request = {
		.op = ABI_SOCKET_OPEN,
		.value = O_RDONLY,
		.offset = is_terminal,
	};
	const char *slash = strrchr(path, '/');

	if (strncmp(slash ? slash + 1 : path, "trace_pipe", strlen("trace_pipe")) == 0)
		user_progress(USER_STREAMS);
	return conn_call(conn, &request, path, strlen(path));
}

int conn_file_read(struct conn *conn, int file, uint64_t offset)
{
	struct abi_request request = {
		.op = ABI_SOCKET_READ,
		.file = (uint32_t)file,
		.value = ABI_SOCKET_READ_MAX,
		.offset = offset,
	};
	int ret = conn_call(conn, &request, NULL, 0);

	return ret > 0 && (size_t)ret != conn->data.len ? -EPROTO : ret;
}

int conn_file_write(struct conn *conn, int file, const void *data, size_t bytes)
{
	struct abi_request request = {
		.op = ABI_SOCKET_WRITE,
		.file = (uint32_t)file,
	};

	int ret = conn_call(conn, &request, data, bytes);

	return ret > 0 && (size_t)ret > bytes ? -EPROTO : ret;
}

int conn_file_close(struct conn *conn, int file)
{
	struct abi_request request = {
		.op = ABI_SOCKET_CLOSE,
		.file = (uint32_t)file,
	};

	return conn_call(conn, &request, NULL, 0);
}

int conn_file_text(struct conn *conn, const char *path, struct text *ret_text)
{
	uint64_t offset = 0;
	int file, ret;

	text_init(ret_text, TEXT_BYTES);
	file = conn_file_open(conn, path, O_RDONLY);
	if (file < 0)
		return file;
	while ((ret = conn_file_read(conn, file, offset)) > 0) {
		text_write(ret_text, conn->data.data, conn->data.len);
		offset += (uint64_t)ret;
	}
	conn_file_close(conn, file);
	return ret < 0 ? ret : ret_text->error;
}

static int exchange_hello(struct conn *conn, int flags)
{
	struct abi_request request = {
		.op = ABI_SOCKET_HELLO,
		.value = ABI_SOCKET_VERSION,
		.offset = flags & CONN_RESTORE ? 1 : 0,
	};

	conn->server_pid = conn_call(conn, &request, NULL, 0);
	return conn->server_pid;
}

static int check_hello_result(const struct conn *conn, int ret)
{
	if (ret == -EPROTONOSUPPORT)
		cli_error("the server in %s is of another version of ulf; say `ulf stop` "
			  "with that version, or end the process that holds %s/" DIR_LOCK,
			  conn->dir, conn->dir);
	else if (ret == -EPIPE)
		cli_error("the server in %s has ended; run the command again", conn->dir);
	else if (ret < 0 && ret != -ETIMEDOUT)	/* do not print -ETIMEDOUT: life_check() has
						 * printed the error already */
		cli_error("the server in %s: %s", conn->dir, strerror(-ret));
	return ret < 0 ? ret : 0;
}

/*
 * Start a server and connect to it.  Retry for some seconds, for two reasons: another process
 * may be starting a server at this moment, and a killed server that has not exited yet
 * prevents the next server from starting.
 */
static int start_and_connect(struct conn *conn)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	const char *dir = conn->dir;
	int i, fd = -ENOTCONN;

	for (i = 0; i < 500; i++) {
		if (i % 5 == 0 && start_server(dir) < 0)
			return -ECANCELED;	/* print no error here, because
						 * start_server() has printed
						 * the reason */
		fd = connect_to_server(conn);
		if (fd >= 0 || fd == -ETIMEDOUT)
			return fd;
		nanosleep(&pause, NULL);
	}
	cli_error("the server in %s does not answer: %s; see %s/" DIR_LOG, dir,
		  strerror(-fd), dir);
	return -ECANCELED;
}

static void report_other_server(const struct conn *conn)
{
	cli_error("%s/" DIR_SOCKET " belongs to a server of another user; refusing to use it",
		  conn->dir);
	user_report_owner(conn->dir);
}

static int connect_or_start(struct conn *conn, int flags)
{
	int ret = connect_to_server(conn);

	if (ret == -ENOENT || ret == -ECONNREFUSED)
		ret = flags & CONN_START ? start_and_connect(conn) : -ENOTCONN;
	else if (ret == -EPERM)
		report_other_server(conn);
	else if (ret < 0 && ret != -ETIMEDOUT)
		cli_error("%s/" DIR_SOCKET ": %s", conn->dir, strerror(-ret));
	conn->fd = ret;
	return ret;
}

int conn_open(struct conn *conn, int flags)
{
	const char *why;
	int ret;

	conn->fd = -1;
	conn->is_lost = false;
	conn->dir[0] = '\0';
	text_init(&conn->data, ABI_SOCKET_ANSWER_MAX + 1);
	ret = flags & CONN_START ? dir_get(conn->dir) : dir_find(conn->dir);
	if (ret < 0) {
		why = dir_strerror(ret);
		cli_error("the ulf directory %s: %s", conn->dir, why ? why : strerror(-ret));
		if (ret == -EPERM)
			user_report_owner(conn->dir);
		return ret;
	}
	ret = connect_or_start(conn, flags);
	if (ret < 0)
		return ret;
	ret = exchange_hello(conn, flags);
	/* The connection was closed because the server was killed at this moment.  The
	 * command has not sent its request yet.  So connect again, or start another server. */
	if (ret == -EPIPE && flags & CONN_START) {
		close(conn->fd);
		ret = connect_or_start(conn, flags);
		if (ret < 0)
			return ret;
		ret = exchange_hello(conn, flags);
	}
	return check_hello_result(conn, ret);
}

int conn_check_version(const struct conn *conn)
{
	uint32_t version = life_server_version(conn->dir, conn->server_pid);

	if (!version || version == ABI_VERSION)
		return 0;
	cli_error("the server in %s (pid %d) is of another build of ulf, which cannot read the "
		  "records of this one (version %" PRIu32 " of the memory of roots, not %u): "
		  "`ulf stop` ends it, and the next command starts a server of this build, which "
		  "cannot read the records of the other one", conn->dir, conn->server_pid, version,
		  ABI_VERSION);
	return -EPROTONOSUPPORT;
}

void conn_close(struct conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	text_done(&conn->data);
}
