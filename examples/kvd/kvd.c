/* SPDX-License-Identifier: MIT */
/* kvd: the server; see kvd.h. */
#include "kvd.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "kvd_trace.h"

#define NR_CLIENTS	64		/* clients at a time, and the listening socket */

struct client {
	int number;
	size_t len;			/* number of bytes in @line */
	char line[LINE_BYTES];		/* the part of the next request that has arrived */
};

static struct pollfd fds[NR_CLIENTS];	/* [0] is the socket that listens */
static struct client clients[NR_CLIENTS];
static nfds_t nr_fds;

static unsigned long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000000 + (unsigned long)now.tv_nsec / 1000;
}

/* ---- requests ---- */

static const char *save(const char *file)
{
	FILE *out;

	trace_kv_save(file, table_nr_keys());
	out = fopen(file, "we");
	if (!out)
		return "error";
	table_print(out);
	return fclose(out) == EOF ? "error" : "ok";
}

static const char *do_request(enum kv_op op, const char *key, const char *value)
{
	const char *found;

	switch (op) {
	case KV_SET:
		return table_set(key, value) ? "ok" : "error";
	case KV_SAVE:
		return save(key);
	default:
		found = table_get(key);
		return found ? found : "none";
	}
}

static bool parse(const char *line, enum kv_op *ret_op, char *key, char *value)
{
	if (sscanf(line, "get %99s", key) == 1)
		*ret_op = KV_GET;
	else if (sscanf(line, "set %99s %99s", key, value) == 2)
		*ret_op = KV_SET;
	else if (sscanf(line, "save %99s", key) == 1)
		*ret_op = KV_SAVE;
	else
		return false;
	return true;
}

static void answer(const struct client *client, int fd)
{
	const char *said = "what?";
	char key[100], value[100];
	unsigned long begin_us;
	enum kv_op op;

	if (parse(client->line, &op, key, value)) {
		begin_us = now_us();
		trace_kv_begin(client->number, op, key);
		said = do_request(op, key, value);
		trace_kv_end(client->number, op, now_us() - begin_us);
	}
	dprintf(fd, "%s\n", said);
}

/* ---- clients ---- */

/* Read what a client has sent.  Returns false if the client has gone. */
static bool serve(struct client *client, int fd)
{
	size_t space = sizeof(client->line) - 1 - client->len;
	ssize_t n = read(fd, client->line + client->len, space);
	char *end;

	if (n <= 0)
		return false;
	client->len += (size_t)n;
	client->line[client->len] = '\0';
	while ((end = strchr(client->line, '\n'))) {
		*end = '\0';
		answer(client, fd);
		client->len -= (size_t)(end + 1 - client->line);
		memmove(client->line, end + 1, client->len + 1);
	}
	return client->len < sizeof(client->line) - 1;
}

static void add_client(void)
{
	static int number;
	int fd = accept(fds[0].fd, NULL, NULL);

	if (fd < 0)
		return;
	if (nr_fds == NR_CLIENTS) {
		close(fd);
		return;
	}
	fds[nr_fds] = (struct pollfd){ .fd = fd, .events = POLLIN };
	clients[nr_fds++] = (struct client){ .number = ++number };
}

static void remove_client(nfds_t i)
{
	close(fds[i].fd);
	fds[i] = fds[--nr_fds];
	clients[i] = clients[nr_fds];
}

static void serve_all(void)
{
	nfds_t i;

	if (poll(fds, nr_fds, -1) < 0)
		return;
	for (i = nr_fds; --i > 0;) {
		if (fds[i].revents && !serve(&clients[i], fds[i].fd))
			remove_client(i);
	}
	if (fds[0].revents)
		add_client();
}

static bool start_to_listen(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, NR_CLIENTS) < 0) {
		perror(path);
		return false;
	}
	fds[nr_fds++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 2 || *argv[1] == '-') {
		fprintf(stderr, "usage: kvd SOCKET\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	if (!start_to_listen(argv[1]))
		return 1;
	for (;;)
		serve_all();
}
