/* SPDX-License-Identifier: MIT */
/*
 * The connections of the CLI's socket.  No function blocks.  For each client, one
 * request at a time is received and answered, in as many steps as needed.  A client
 * that violates the protocol, or disconnects, is dropped, and the files that it has
 * opened are closed.
 */
#include "daemon/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/container.h"
#include "base/dir.h"
#include "base/testpoint.h"
#include "daemon/socket_impl.h"
#include "server/rings/receipt.h"
#include "tracefs/tracefs.h"

#define CLIENTS_MAX	256u
#define BACKLOG		64

static void client_drop(struct client *client)
{
	struct sockets *sockets = client->sockets;

	loop_unwatch(sockets->loop, &client->source);
	close(client->source.fd);
	if (client->is_reset && client->has_read)
		tracefs_deliver(client->has_read, TRACEFS_RETURNED);
	client_files_close(client);
	if (client->passed_fd >= 0)
		close(client->passed_fd);
	LIST_REMOVE(client, link);
	sockets->nr_clients--;
	free(client->payload);
	free(client->answer);
	text_done(&client->errors);
	free(client);
}

/* Choose the event of the client's socket for which the loop waits: that the socket is writable,
 * if there is an answer to send; otherwise that a request arrives. */
static void update_events(struct client *client)
{
	uint32_t events = client->answer ? EPOLLOUT : EPOLLIN;

	loop_change(client->sockets->loop, &client->source, events);
}

/* Send the last byte of an answer.  With this byte, the records in the answer are handed
 * over to the client. */
static ssize_t send_last_byte(struct client *client)
{
	const char *byte = client->answer + client->nr_sent;
	ssize_t len;

	receipt_begin();
	tracefs_deliver(client->reading, TRACEFS_OFFERED);
	TESTPOINT("socket.send");
	len = receipt_send(client->source.fd, byte);
	if (len == -ENOSYS) {
		/* This kernel has no receipts, which say whether the client has got the byte:
		 * send the byte without one. */
		tracefs_deliver(client->reading, TRACEFS_LATER);
		tracefs_deliver(client->reading, TRACEFS_OFFERED);
		len = send(client->source.fd, byte, 1, MSG_NOSIGNAL);
		if (len < 0)
			len = -errno;
	}
	if (len < 0)
		tracefs_deliver(client->reading, TRACEFS_LATER);
	else
		TESTPOINT("socket.sent");
	return len;
}

/*
 * Send the next bytes of the answer.  Returns the number of bytes sent (> 0) or -errno.
 *
 * Bytes that are in the socket reach the client even if this server is killed.  But a client
 * drops an answer that is not complete (abi/socket.h).  So the records in an answer are handed
 * over when its last byte is sent, and this byte is sent alone.
 */
static ssize_t send_part(struct client *client)
{
	size_t left = client->nr_answer - client->nr_sent;
	ssize_t len;

	if (client->reading && left == 1)
		return send_last_byte(client);
	if (client->reading)
		left--;
	len = send(client->source.fd, client->answer + client->nr_sent, left,
		   MSG_NOSIGNAL);
	return len < 0 ? -errno : len;
}

/* Send as much of the answer as the socket accepts.  Returns false if the client has
 * disconnected. */
static bool send_answer(struct client *client)
{
	ssize_t len;

	while (client->answer && client->nr_sent < client->nr_answer) {
		len = send_part(client);
		if (len < 0)
			return len == -EAGAIN || len == -EINTR;
		client->nr_sent += (size_t)len;
	}
	if (client->answer && client->reading) {
		tracefs_deliver(client->reading, TRACEFS_TAKEN);
		client->has_read = client->reading;
		client->reading = NULL;
	}
	free(client->answer);
	client->answer = NULL;
	return true;
}

void client_answer(struct client *client, int result, const void *data, size_t bytes)
{
	struct abi_answer head = { .bytes = (uint32_t)bytes, .result = result };

	client->is_parked = false;
	client->nr_sent = 0;
	client->nr_answer = sizeof(head) + bytes;
	client->answer = malloc(client->nr_answer);
	if (!client->answer) {
		/* There is no memory for the answer, so close the connection: otherwise
		 * the client would wait forever. */
		shutdown(client->source.fd, SHUT_RDWR);
		return;
	}
	memcpy(client->answer, &head, sizeof(head));
	if (bytes)
		memcpy(client->answer + sizeof(head), data, bytes);
}

/* Store the descriptor that came with the request.  If more than one came, close the
 * others. */
static void take_fds(struct client *client, struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	size_t i, nr;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nr = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < nr; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd), sizeof(fd));
			if (client->passed_fd < 0)
				client->passed_fd = fd;
			else
				close(fd);
		}
	}
}

static ssize_t receive_bytes(struct client *client, void *buf, size_t bytes)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control_buf;
	struct iovec iov = { buf, bytes };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control_buf,
		.msg_controllen = sizeof(control_buf),
	};
	ssize_t len;

	len = recvmsg(client->source.fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (len >= 0)
		take_fds(client, &msg);
	return len;
}

/* Return how many bytes of the request are missing, and where they must be stored.  Returns
 * 0 if the request is complete. */
static size_t next_bytes(struct client *client, void **ret_to)
{
	size_t head = sizeof(client->request);

	if (client->nr_in < head) {
		*ret_to = (char *)&client->request + client->nr_in;
		return head - client->nr_in;
	}
	if (client->nr_in == head + client->request.bytes)
		return 0;
	*ret_to = client->payload + (client->nr_in - head);
	return head + client->request.bytes - client->nr_in;
}

/* Check the header of a request, and allocate memory for the request's payload.  Called
 * when the whole header was received. */
static bool begin_payload(struct client *client)
{
	if (!client_request_is_valid(client))
		return false;
	free(client->payload);
	client->payload = malloc((size_t)client->request.bytes + 1);
	if (!client->payload)
		return false;
	client->payload[client->request.bytes] = '\0';
	return true;
}

static void end_request(struct client *client)
{
	client->nr_in = 0;
	client->has_read = NULL;
	client_request_run(client);
	if (client->passed_fd >= 0) {
		close(client->passed_fd);
		client->passed_fd = -1;
	}
}

/*
 * Receive a request and answer it.  Returns early, and is called again, if an answer must be sent
 * first or bytes of the request are missing.
 *
 * A client that sends its next request at once gets the answer in the next turn of the loop,
 * after the answers to other clients.  So a quick client cannot make the others wait.
 */
static bool receive_request(struct client *client)
{
	size_t wanted;
	ssize_t len;
	void *to;

	while (!client->answer) {
		wanted = next_bytes(client, &to);
		if (wanted == 0) {
			end_request(client);
			return send_answer(client);
		}
		len = receive_bytes(client, to, wanted);
		/* ECONNRESET means that the client has closed its end of the socket
		 * before it had read all bytes. */
		client->is_reset = len < 0 && errno == ECONNRESET;
		if (len < 0)
			return errno == EAGAIN || errno == EINTR;
		if (len == 0)
			return false;
		client->nr_in += (size_t)len;
		if (client->nr_in == sizeof(client->request) && !begin_payload(client))
			return false;
	}
	return true;
}

static void client_ready(struct loop_source *source, uint32_t events)
{
	struct client *client = container_of(source, struct client, source);
	struct sockets *sockets = client->sockets;
	bool is_there = !(events & (EPOLLERR | EPOLLHUP)) || (events & EPOLLIN);

	if (is_there)
		is_there = send_answer(client) && receive_request(client);
	if (is_there)
		update_events(client);
	else
		client_drop(client);
	if (sockets->is_stopping)
		loop_stop(sockets->loop);
}

static int client_new(struct sockets *sockets, int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	struct client *client;
	int ret;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (cred.uid != geteuid())
		return -EPERM;
	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	client->sockets = sockets;
	client->pid = cred.pid;
	client->passed_fd = -1;
	text_init(&client->errors, ABI_SOCKET_REQUEST_MAX);
	client->source.fd = fd;
	client->source.ready = client_ready;
	ret = loop_watch(sockets->loop, &client->source, EPOLLIN);
	if (ret < 0) {
		free(client);
		return ret;
	}
	LIST_INSERT_HEAD(&sockets->clients, client, link);
	sockets->nr_clients++;
	return 0;
}

/* If @is_full, stop accepting clients; else accept them again.  While the server has too
 * many clients or no free descriptors, new clients wait in the listen queue. */
static void pause_listener(struct sockets *sockets, bool is_full)
{
	sockets->is_full = is_full;
	loop_change(sockets->loop, &sockets->listener, is_full ? 0 : EPOLLIN);
}

static void listener_ready(struct loop_source *source, uint32_t events)
{
	struct sockets *sockets = container_of(source, struct sockets, listener);
	int fd;

	(void)events;
	while (sockets->nr_clients < CLIENTS_MAX) {
		/* cppcheck-suppress nullPointer ; the client's address is not needed */
		fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno == EAGAIN)
			return;
		if (fd < 0 && (errno == ECONNABORTED || errno == EINTR))
			continue;
		if (fd < 0)
			break;
		if (client_new(sockets, fd) < 0)
			close(fd);
	}
	pause_listener(sockets, true);
}

/* Make the socket listen on @path.  First bind it to another name and listen, then
 * rename this name to @path.  So if a socket exists at @path, it is listening. */
static int listen_on(int fd, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int len = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s.new", path);

	if (len < 0 || (size_t)len >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	unlink(addr.sun_path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	if (chmod(addr.sun_path, 0600) < 0 || listen(fd, BACKLOG) < 0 ||
	    rename(addr.sun_path, path) < 0)
		return -errno;
	return 0;
}

int sockets_new(struct loop *loop, struct server *server, struct mounts *mounts,
		const char *dir, struct sockets **ret_sockets)
{
	struct sockets *sockets = calloc(1, sizeof(*sockets));
	int ret;

	if (!sockets)
		return -ENOMEM;
	LIST_INIT(&sockets->clients);
	sockets->loop = loop;
	sockets->server = server;
	sockets->mounts = mounts;
	sockets->listener.ready = listener_ready;
	sockets->listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ret = sockets->listener.fd < 0 ? -errno : 0;
	if (!ret)
		ret = dir_join(dir, DIR_SOCKET, sockets->path, sizeof(sockets->path));
	if (!ret)
		ret = listen_on(sockets->listener.fd, sockets->path);
	if (!ret) {
		sockets->io = malloc(ABI_SOCKET_READ_MAX);
		ret = sockets->io ? 0 : -ENOMEM;
	}
	if (!ret)
		ret = loop_watch(loop, &sockets->listener, EPOLLIN);
	if (ret < 0) {
		sockets->path[0] = '\0';
		sockets_free(sockets);
		return ret;
	}
	*ret_sockets = sockets;
	return 0;
}

void sockets_free(struct sockets *sockets)
{
	if (!sockets)
		return;
	while (!LIST_EMPTY(&sockets->clients))
		client_drop(LIST_FIRST(&sockets->clients));
	if (sockets->listener.fd >= 0) {
		loop_unwatch(sockets->loop, &sockets->listener);
		close(sockets->listener.fd);
	}
	if (sockets->path[0])
		unlink(sockets->path);
	free(sockets->io);
	free(sockets);
}

void sockets_tick(struct sockets *sockets)
{
	struct client *client, *next;

	for (client = LIST_FIRST(&sockets->clients); client; client = next) {
		next = LIST_NEXT(client, link);
		if (!client->is_parked)
			continue;
		client_request_retry(client);
		if (client->is_parked)
			continue;
		if (send_answer(client))
			update_events(client);
		else
			client_drop(client);
	}
	if (sockets->is_full && sockets->nr_clients < CLIENTS_MAX)
		pause_listener(sockets, false);
}

bool sockets_is_waiting(const struct sockets *sockets)
{
	const struct client *client;

	LIST_FOREACH(client, &sockets->clients, link) {
		if (client->is_parked)
			return true;
	}
	return false;
}
