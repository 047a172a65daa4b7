/* SPDX-License-Identifier: MIT */
/* A connection with the server; see conn.h. */
#include "cli/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define TEXT_BYTES	(1u << 30)	/* conn_file_text() */

static int connect_to(const char *dir)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, ret;

	ret = dir_join(dir, DIR_SOCKET, addr.sun_path, sizeof(addr.sun_path));
	if (ret < 0)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int send_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;
	ssize_t len;

	while (bytes) {
		len = send(fd, at, bytes, MSG_NOSIGNAL);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return -EPIPE;
		at += len;
		bytes -= (size_t)len;
	}
	return 0;
}

static int receive_all(int fd, void *data, size_t bytes)
{
	char *at = data;
	ssize_t len;

	while (bytes) {
		len = recv(fd, at, bytes, 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return -EPIPE;
		at += len;
		bytes -= (size_t)len;
	}
	return 0;
}

/* The header alone, with a descriptor. */
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

	if (bytes > ABI_SOCKET_REQUEST_MAX)
		return -E2BIG;
	head.bytes = (uint32_t)bytes;
	if (pass_fd >= 0)
		ret = send_with_fd(conn->fd, &head, pass_fd);
	else
		ret = send_all(conn->fd, &head, sizeof(head));
	return ret < 0 ? ret : send_all(conn->fd, text, bytes);
}

int conn_receive(struct conn *conn)
{
	struct abi_answer answer;
	char *data;
	int ret;

	ret = receive_all(conn->fd, &answer, sizeof(answer));
	if (ret < 0)
		return ret;
	text_reset(&conn->data);
	data = answer.bytes ? text_reserve(&conn->data, answer.bytes) : NULL;
	if (answer.bytes && !data)
		return conn->data.error;
	ret = receive_all(conn->fd, data, answer.bytes);
	if (ret < 0)
		return ret;
	conn->data.len = answer.bytes;
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

	return conn_call(conn, &request, NULL, 0);
}

int conn_file_write(struct conn *conn, int file, const void *data, size_t bytes)
{
	struct abi_request request = {
		.op = ABI_SOCKET_WRITE,
		.file = (uint32_t)file,
	};

	return conn_call(conn, &request, data, bytes);
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

static int hello(struct conn *conn, int flags)
{
	struct abi_request request = {
		.op = ABI_SOCKET_HELLO,
		.value = ABI_SOCKET_VERSION,
		.offset = flags & CONN_RESTORE ? 1 : 0,
	};

	conn->server_pid = conn_call(conn, &request, NULL, 0);
	return conn->server_pid;
}

static int check_hello(const struct conn *conn, int ret)
{
	if (ret == -EPROTONOSUPPORT)
		cli_error("the server in %s is of another version of ulf; say `ulf stop` "
			  "with that version, or end the process that holds %s/" DIR_LOCK,
			  conn->dir, conn->dir);
	else if (ret == -EPIPE)
		cli_error("the server in %s ended; say that again", conn->dir);
	else if (ret < 0)
		cli_error("the server in %s: %s", conn->dir, strerror(-ret));
	return ret < 0 ? ret : 0;
}

/* Another process may just be starting one: give that some time.  Or one that was killed
 * has not quite ended, and none can be started before that. */
static int start_and_connect(const char *dir)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int i, fd = -ENOTCONN;

	for (i = 0; i < 500; i++) {
		if (i % 5 == 0 && start_server(dir) < 0)
			return -ECANCELED;	/* which has been said */
		fd = connect_to(dir);
		if (fd >= 0)
			return fd;
		nanosleep(&pause, NULL);
	}
	cli_error("the server in %s does not answer: %s; see %s/" DIR_LOG, dir,
		  strerror(-fd), dir);
	return -ECANCELED;
}

static int connect_or_start(struct conn *conn, int flags)
{
	int ret = connect_to(conn->dir);

	if (ret == -ENOENT || ret == -ECONNREFUSED)
		ret = flags & CONN_START ? start_and_connect(conn->dir) : -ENOTCONN;
	else if (ret < 0)
		cli_error("%s/" DIR_SOCKET ": %s", conn->dir, strerror(-ret));
	conn->fd = ret;
	return ret;
}

int conn_open(struct conn *conn, int flags)
{
	const char *why;
	int ret;

	conn->fd = -1;
	conn->dir[0] = '\0';
	text_init(&conn->data, ABI_SOCKET_ANSWER_MAX);
	ret = dir_find(conn->dir);
	if (!ret && (flags & CONN_START))
		ret = dir_make(conn->dir);
	if (ret < 0) {
		why = dir_strerror(ret);
		cli_error("the ulf directory %s: %s", conn->dir, why ? why : strerror(-ret));
		return ret;
	}
	ret = connect_or_start(conn, flags);
	if (ret < 0)
		return ret;
	ret = hello(conn, flags);
	/* It was being killed, and has been asked for nothing yet. */
	if (ret == -EPIPE && flags & CONN_START) {
		close(conn->fd);
		ret = connect_or_start(conn, flags);
		if (ret < 0)
			return ret;
		ret = hello(conn, flags);
	}
	return check_hello(conn, ret);
}

void conn_close(struct conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	text_done(&conn->data);
}
