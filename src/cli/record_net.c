/* SPDX-License-Identifier: MIT */
#include "cli/record_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"

/* Texts of the handshake, which both sides send first. */
#define HELLO		"tracecmd"	/* without its NUL */
#define VERSION_3	"-1V3"		/* with its NUL */
#define ANSWER_3	"V3"		/* with its NUL */
#define MAGIC_3		"766679\0"	/* with both NULs */
#define ACCEPTED	"OK"		/* without its NUL */

#define MESSAGE_BYTES	8192u		/* maximum size of a message, bytes */
#define HEAD_BYTES	12u		/* size of a message's head */
#define ALIVE_MS	1000		/* time between two messages that only keep the
					 * connection open, ms; without data for 5000 ms the
					 * listener closes it */
#define SPARE		120u		/* maximum number of messages that only keep the
					 * connection open while the file is written, when its
					 * padding can no longer change */
#define ANSWER_MS	10000		/* longest time to wait for an answer of the
					 * handshake, ms */
#define RETRY_MS	5		/* time between two attempts to connect to the port of
					 * a CPU, ms */
#define FINISH_MS	60000		/* longest time to wait until the listener has written
					 * its file, ms */

/* Commands of messages. */
enum {
	MSG_CLOSE	= 0,
	MSG_TINIT	= 1,	/* message with the number of CPUs, the size of a page, the
				 * number of options, and the options */
	MSG_RINIT	= 2,	/* answer with the number of CPUs, and a port for each CPU as
				 * text with a NUL */
	MSG_SEND_DATA	= 3,	/* message with bytes of the file without its records */
	MSG_FIN_DATA	= 4,
	MSG_NOT_SUPP	= 5,	/* answer to a command that the receiver does not expect */
	MSG_CLOSE_RESP	= 8,
};

/* The head of a message; numbers are big endian.  After it come the command's numbers, which
 * take @bytes bytes, and the data. */
struct head {
	uint32_t size, command, bytes;
};

struct record_net {
	char *host, *port;
	int fd;				/* socket for messages to the listener; -1: not
					 * connected */
	int error;			/* -errno of the first connection that has failed */
	int memory;			/* descriptor of a file in memory: the trace.dat
					 * without its records */
	size_t head_bytes;		/* size of the head of the trace.dat, bytes */
	uint32_t nr_cpus;
	uint16_t *ports;		/* array of @nr_cpus ports, one for each CPU */
	int *cpus;			/* array of @nr_cpus sockets, one for each CPU; -1:
					 * not connected */

	pthread_t thread;		/* thread that sends messages which keep the
					 * connection open */
	bool has_thread;
	pthread_mutex_t lock;		/* lock that protects the members below */
	pthread_cond_t stop;
	bool is_stopping;
	size_t sent;			/* number of bytes of the trace.dat that were sent so
					 * far: its head, and padding */
	size_t limit;			/* offset in the trace.dat of the end of the padding;
					 * 0: not known yet */
};

/* ---- bytes ---- */

static int send_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* Receive @bytes bytes.  Returns 0, -ETIMEDOUT, -ECONNRESET at the end of the connection, or
 * another -errno. */
static int receive_all(int fd, void *data, size_t bytes)
{
	char *at = data;

	while (bytes) {
		struct pollfd poller = { .fd = fd, .events = POLLIN };
		int r = poll(&poller, 1, ANSWER_MS);
		ssize_t n = r > 0 ? read(fd, at, bytes) : r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return r ? -ECONNRESET : -ETIMEDOUT;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* Receive the fixed text @text.  Returns -EPROTO if another text comes. */
static int expect(int fd, const char *text, size_t bytes)
{
	char data[16];
	int r = receive_all(fd, data, bytes);

	return r ? r : memcmp(data, text, bytes) ? -EPROTO : 0;
}

/* Send a message whose command has @nr numbers.  @bytes: size of the data that follow the
 * numbers. */
static int send_message(int fd, uint32_t command, const uint32_t *numbers, uint32_t nr,
			const void *data, uint32_t bytes)
{
	uint8_t message[MESSAGE_BYTES];
	const uint32_t numbers_bytes = nr * (uint32_t)sizeof(*numbers);
	const struct head head = {
		htonl(HEAD_BYTES + numbers_bytes + bytes), htonl(command), htonl(numbers_bytes),
	};

	memcpy(message, &head, HEAD_BYTES);
	for (uint32_t i = 0; i < nr; i++) {
		const uint32_t number = htonl(numbers[i]);

		memcpy(message + HEAD_BYTES + i * sizeof(number), &number, sizeof(number));
	}
	if (bytes)
		memcpy(message + HEAD_BYTES + numbers_bytes, data, bytes);
	return send_all(fd, message, HEAD_BYTES + numbers_bytes + bytes);
}

/* ---- connections ---- */

/* Split an address host:port or [host]:port.  Returns false if @address has another form. */
static bool split_address(const char *address, char **ret_host, char **ret_port)
{
	const char *colon = strrchr(address, ':');
	size_t len = colon ? (size_t)(colon - address) : 0;

	if (!len || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return false;
	if (*address == '[' && address[len - 1] == ']')
		address++, len -= 2;
	*ret_host = strndup(address, len);
	*ret_port = strdup(colon + 1);
	return true;
}

int record_net_check(const char *address)
{
	char *host, *port;

	if (split_address(address, &host, &port)) {
		free(host);
		free(port);
		return 0;
	}
	cli_error("--network: `%s` is no address; write HOST:PORT, as in `trace-cmd listen -p "
		  "PORT` on HOST", address);
	return -EINVAL;
}

/* Connect to the port @port of the host @host.  Returns the socket or -errno. */
static int connect_to(const char *host, const char *port)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int fd = -1, r = -EHOSTUNREACH;

	if (getaddrinfo(host, port, &hints, &list))
		return r;
	for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
		if (fd < 0 || !connect(fd, at->ai_addr, at->ai_addrlen))
			continue;
		r = -errno;
		close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	return fd < 0 ? r : fd;
}

/* Connect to the listener's port for a CPU.  Try several times: the listener announces a port
 * before its process listens on the port, so the first attempts may be refused. */
static int connect_to_cpu(const char *host, const char *port)
{
	const uint64_t end_ms = clock_monotonic_ms() + ANSWER_MS;
	int fd;

	while ((fd = connect_to(host, port)) == -ECONNREFUSED && clock_monotonic_ms() < end_ms)
		usleep(RETRY_MS * 1000);
	return fd;
}

/* ---- the handshake ---- */

/* Agree with the listener on version 3 of the protocol. */
static int agree(int fd)
{
	int r = expect(fd, HELLO, strlen(HELLO));

	if (!r)
		r = send_all(fd, VERSION_3, sizeof(VERSION_3));
	if (!r)
		r = expect(fd, ANSWER_3, sizeof(ANSWER_3));
	if (!r)
		r = send_all(fd, MAGIC_3, sizeof(MAGIC_3));
	return r ? r : expect(fd, ACCEPTED, strlen(ACCEPTED));
}

/* Parse the ports that the listener announces: a text with a NUL for each CPU. */
static int parse_ports(struct record_net *net, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	if (!bytes || end[-1])
		return -EPROTO;
	for (uint32_t i = 0; i < net->nr_cpus; i++, text += strlen(text) + 1) {
		unsigned long port = text < end ? strtoul(text, NULL, 10) : 0;

		if (!port || port > UINT16_MAX)
			return -EPROTO;
		net->ports[i] = (uint16_t)port;
	}
	return 0;
}

/* Receive the listener's answer to MSG_TINIT, which contains the ports. */
static int receive_ports(struct record_net *net)
{
	char data[MESSAGE_BYTES];
	struct head head;
	uint32_t bytes, nr_cpus;
	int r = receive_all(net->fd, &head, HEAD_BYTES);

	if (r)
		return r;
	bytes = ntohl(head.size) - HEAD_BYTES;
	if (ntohl(head.command) != MSG_RINIT || ntohl(head.bytes) != sizeof(nr_cpus) ||
	    bytes < sizeof(nr_cpus) || bytes > sizeof(data))
		return -EPROTO;
	r = receive_all(net->fd, data, bytes);
	if (r)
		return r;
	memcpy(&nr_cpus, data, sizeof(nr_cpus));
	if (ntohl(nr_cpus) != net->nr_cpus)
		return -EPROTO;
	return parse_ports(net, data + sizeof(nr_cpus), bytes - sizeof(nr_cpus));
}

/* Thread: send messages that keep the connection open, because the listener closes it after 5
 * seconds without data.  Each message contains one byte of padding, because an empty message
 * would mean the end of the data. */
static void *keep_alive(void *arg)
{
	struct record_net *net = arg;
	struct timespec until;

	pthread_mutex_lock(&net->lock);
	while (!net->is_stopping && net->sent != net->limit) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += ALIVE_MS / 1000;
		if (pthread_cond_timedwait(&net->stop, &net->lock, &until) != ETIMEDOUT)
			continue;
		if (send_message(net->fd, MSG_SEND_DATA, NULL, 0, " ", 1))
			break;
		net->sent++;
	}
	pthread_mutex_unlock(&net->lock);
	return NULL;
}

static void stop_thread(struct record_net *net)
{
	if (!net->has_thread)
		return;
	pthread_mutex_lock(&net->lock);
	net->is_stopping = true;
	pthread_cond_signal(&net->stop);
	pthread_mutex_unlock(&net->lock);
	pthread_join(net->thread, NULL);
	net->has_thread = false;
}

/* Send the number of CPUs to the listener, and get the ports from it. */
static int start_session(struct record_net *net, uint32_t page_bytes)
{
	const uint32_t numbers[] = { net->nr_cpus, page_bytes, 1 };
	uint8_t head[DATFILE_HEAD_MAX];
	int r = agree(net->fd);

	if (!r)
		r = send_message(net->fd, MSG_TINIT, numbers, 3, "tcp", sizeof("tcp"));
	if (!r)
		r = receive_ports(net);
	net->head_bytes = net->sent = datfile_head(head);
	if (!r)
		r = send_message(net->fd, MSG_SEND_DATA, NULL, 0, head, (uint32_t)net->sent);
	if (!r)
		r = -pthread_create(&net->thread, NULL, keep_alive, net);
	net->has_thread = !r;
	return r;
}

static int start(struct record_net *net, uint32_t nr_cpus, uint32_t page_bytes)
{
	int r;

	net->ports = calloc(nr_cpus, sizeof(*net->ports));
	net->cpus = calloc(nr_cpus, sizeof(*net->cpus));
	if (!net->ports || !net->cpus)
		return -ENOMEM;
	net->nr_cpus = nr_cpus;
	for (uint32_t i = 0; i < nr_cpus; i++)
		net->cpus[i] = -1;
	net->fd = connect_to(net->host, net->port);
	r = net->fd < 0 ? net->fd : start_session(net, page_bytes);
	if (r == -EPROTO)
		cli_error("%s:%s is no `trace-cmd listen` with protocol version 3", net->host,
			  net->port);
	else if (r)
		cli_error("cannot connect to %s:%s: %s; is `trace-cmd listen -p %s` running there?",
			  net->host, net->port, strerror(-r), net->port);
	return r;
}

/* ---- the interface ---- */

int record_net_new(const char *address, struct record_net **ret_net)
{
	struct record_net *net = calloc(1, sizeof(*net));

	if (!net)
		return -ENOMEM;
	net->fd = -1;
	pthread_mutex_init(&net->lock, NULL);
	pthread_cond_init(&net->stop, NULL);
	net->memory = memfd_create("ulf record", MFD_CLOEXEC);
	if (net->memory < 0 || !split_address(address, &net->host, &net->port) || !net->host ||
	    !net->port) {
		record_net_free(net);
		return -ENOMEM;
	}
	*ret_net = net;
	return 0;
}

int record_net_temp(struct record_net *net, struct record_temp *temp, uint32_t cpu,
		    uint32_t nr_cpus, uint32_t page_bytes)
{
	char port[8];

	if (net->fd < 0 && !net->error)
		net->error = start(net, nr_cpus, page_bytes);
	if (net->error)
		return net->error;
	snprintf(port, sizeof(port), "%u", net->ports[cpu]);
	net->cpus[cpu] = connect_to_cpu(net->host, port);
	if (net->cpus[cpu] < 0) {
		cli_error("cannot connect to %s:%s: %s; does a firewall let ports from 1500 "
			  "through?", net->host, port, strerror(-net->cpus[cpu]));
		net->error = net->cpus[cpu];
		return net->error;
	}
	*temp = (struct record_temp){
		.pages = { .fd = net->cpus[cpu], .cpu = cpu }, .is_sent = true,
	};
	return 0;
}

int record_net_writer(struct record_net *net, struct datfile_writer **ret_writer)
{
	char path[32];

	pthread_mutex_lock(&net->lock);
	net->limit = net->sent + SPARE;
	pthread_mutex_unlock(&net->lock);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", net->memory);
	return datfile_writer_new_padded(path, net->limit - net->head_bytes, ret_writer);
}

/* Wait until the other side has read everything and closed the connection. */
static int wait_for_close(int fd, int timeout_ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	char data[64];
	int r;

	if (shutdown(fd, SHUT_WR) && errno != ENOTCONN)
		return -errno;
	do {
		r = poll(&poller, 1, timeout_ms);
		r = r < 0 ? -errno : !r ? -ETIMEDOUT : read(fd, data, sizeof(data)) > 0;
	} while (r > 0 || r == -EINTR);
	return r;
}

/* Send the trace.dat without its records.  Its head and the padding were sent before. */
static int send_file(struct record_net *net)
{
	char data[MESSAGE_BYTES - HEAD_BYTES];
	off_t at = (off_t)net->sent;
	ssize_t n;
	int r = 0;

	while (!r && (n = pread(net->memory, data, sizeof(data), at)) > 0) {
		r = send_message(net->fd, MSG_SEND_DATA, NULL, 0, data, (uint32_t)n);
		at += n;
	}
	return r;
}

/* Receive messages until the listener reports that it did not expect a command. */
static int receive_not_supported(struct record_net *net)
{
	struct head head;
	int r;

	do {
		r = receive_all(net->fd, &head, HEAD_BYTES);
		if (!r && ntohl(head.size) != HEAD_BYTES)
			r = -EPROTO;
	} while (!r && ntohl(head.command) != MSG_NOT_SUPP);
	return r;
}

/*
 * Send MSG_FIN_DATA, and return when the listener has received it.
 *
 * The listener must have read this message before a connection of a CPU ends: the end of its
 * reader process interrupts the listener, which then drops everything.  The listener answers
 * only commands that it does not expect, so such a command is sent first.  When its answer
 * comes, the listener has read all data.  Then a second such command and MSG_FIN_DATA are
 * sent in one TCP segment.  When the listener answers the command, it has also received
 * MSG_FIN_DATA.
 */
static int finish_data(struct record_net *net)
{
	const struct head last[] = {
		{ htonl(HEAD_BYTES), htonl(MSG_CLOSE_RESP), 0 },
		{ htonl(HEAD_BYTES), htonl(MSG_FIN_DATA), 0 },
	};
	int r = send_all(net->fd, &last[0], HEAD_BYTES);

	if (!r)
		r = receive_not_supported(net);
	if (!r)
		r = send_all(net->fd, last, sizeof(last));
	return r ? r : receive_not_supported(net);
}

int record_net_finish(struct record_net *net)
{
	int r;

	stop_thread(net);
	r = net->error ? net->error : send_file(net);
	if (!r)
		r = finish_data(net);
	/* Wait before sending MSG_CLOSE: one second after it the listener stops its readers,
	 * whether or not they have read everything. */
	for (uint32_t i = 0; !r && i < net->nr_cpus; i++)
		r = net->cpus[i] >= 0 ? wait_for_close(net->cpus[i], FINISH_MS) : 0;
	if (!r)
		r = send_message(net->fd, MSG_CLOSE, NULL, 0, NULL, 0);
	return r ? r : wait_for_close(net->fd, FINISH_MS);
}

void record_net_free(struct record_net *net)
{
	if (!net)
		return;
	stop_thread(net);
	if (net->fd >= 0)
		close(net->fd);
	if (net->memory >= 0)
		close(net->memory);
	pthread_mutex_destroy(&net->lock);
	pthread_cond_destroy(&net->stop);
	free(net->ports);
	free(net->cpus);
	free(net->host);
	free(net->port);
	free(net);
}
