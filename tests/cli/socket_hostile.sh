#!/bin/sh
# SPDX-License-Identifier: MIT
# A client that breaks the rules of the socket is dropped; the server and the other clients work
# as before.  The client sends random requests, truncated ones, huge ones, many at the same time,
# and descriptors where none belong, or does not read its answers.
. tests/cli/common

cat >"$TMPDIR/hostile.c" <<'EOF'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct request { uint32_t bytes, op, file, value; uint64_t offset; };
enum { READ = 2, WRITE = 3, SHUTDOWN = 11, NR_OPS = 16 };

static const char *path, *root;

static int dial(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_usec = 20000 };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		perror(path);
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static uint32_t pick(void)
{
	static const uint32_t values[] = {
		0, 1, 2, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 4096, O_RDWR | O_TRUNC
	};

	return rand() % 2 ? values[rand() % (sizeof(values) / 4)] : (uint32_t)rand();
}

static void send_with_fds(int sock, const void *data, size_t len, int nr)
{
	union { struct cmsghdr h; char b[CMSG_SPACE(8 * sizeof(int))]; } control = { 0 };
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = CMSG_SPACE((size_t)nr * sizeof(int)) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int i, fds[8];

	for (i = 0; i < nr; i++)
		fds[i] = sock;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN((size_t)nr * sizeof(int));
	memcpy(CMSG_DATA(cmsg), fds, (size_t)nr * sizeof(int));
	sendmsg(sock, &msg, MSG_NOSIGNAL);
}

static void random_request(int fd)
{
	struct request request = {
		.bytes = rand() % 8 ? (uint32_t)rand() % 100 : pick(),
		.op = rand() % 16 ? (uint32_t)rand() % (NR_OPS + 1) : pick(),
		.file = rand() % 4 ? (uint32_t)rand() % 3 : pick(),
		.value = pick(),
		.offset = (uint64_t)pick() << 32 | pick(),
	};
	static const char *const files[] = {
		"trace", "trace_pipe", "events", "../..", "", "events/enable", "trace_marker",
		"per_cpu/cpu0/trace_pipe_raw", "set_event", "buffer_size_kb", "/", "//trace"
	};
	char buf[65536];
	size_t len, i;

	if (request.op == SHUTDOWN)
		return;
	len = request.bytes < sizeof(buf) ? request.bytes : sizeof(buf);
	for (i = 0; i < len; i++)
		buf[i] = (char)rand();
	if (rand() % 2) {
		len = (size_t)snprintf(buf, sizeof(buf), "%s/%s", root,
				       files[(size_t)rand() % (sizeof(files) / sizeof(*files))]);
		request.bytes = (uint32_t)len;
		if (rand() % 2)
			request.value &= O_ACCMODE | O_TRUNC | O_NONBLOCK;
	}
	if (rand() % 16 == 0)
		len = len ? (size_t)rand() % len : 0;	/* truncate */
	if (rand() % 16 == 0)
		send_with_fds(fd, &request, sizeof(request), 1 + rand() % 8);
	else
		send(fd, &request, sizeof(request), MSG_NOSIGNAL);
	send(fd, buf, len, MSG_NOSIGNAL);
	if (rand() % 4)
		recv(fd, buf, sizeof(buf), rand() % 2 ? MSG_DONTWAIT : 0);
}

/* Request much, and read nothing. */
static void greedy(void)
{
	struct request request = { .op = 6 };		/* LIST */
	int fd = dial(), i;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (i = 0; i < 100000; i++) {
		if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) < 0)
			break;
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int fds[300], i, k;

	(void)argc;
	path = argv[1];
	root = argv[2];
	srand((unsigned int)atoi(argv[3]));
	for (i = 0; i < 300; i++) {
		int fd = dial();

		for (k = rand() % 20; k > 0; k--)
			random_request(fd);
		close(fd);
	}
	greedy();
	/* More clients than the server accepts, all idle */
	for (i = 0; i < 300; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		struct sockaddr_un addr = { .sun_family = AF_UNIX };

		snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
		connect(fds[i], (struct sockaddr *)&addr, sizeof(addr));
	}
	return 0;
}
EOF
cc -o "$TMPDIR/hostile" "$TMPDIR/hostile.c" || fail "cc"

start_hello
server=$(server_pid)
seed=$(date +%s)
echo "seed $seed"
"$TMPDIR/hostile" "$ULF_DIR/server.sock" "$root" "$seed" || fail "it was not served"
expect "server" "$server" "$(server_pid)"
is_gone "$server" && fail "the server died"
is_listed "$root" alive || fail "$(ulf ls)"
ulf echo 0 "$root/events/enable" || fail "enable"
expect "a file" hello:hello_request "$(ulf cat "$root/available_events")"
kill -0 "$pid" || fail "the program died"
descriptors=$(ls "/proc/$server/fd" | wc -l)
[ "$descriptors" -lt 60 ] || fail "$descriptors descriptors are open: $(ls -l "/proc/$server/fd")"
expect "log" "" "$(cat "$ULF_DIR/server.log")"
exit 0
