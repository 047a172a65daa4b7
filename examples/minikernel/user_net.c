/* SPDX-License-Identifier: MIT */
/* User programs of the network: a client, its server, and a ping over eth0. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mini/net.h>
#include <mini/sched.h>
#include <mini/syscalls.h>
#include <mini/time.h>

#define SERVER_PORT	80
#define CLIENT_PORT	32768
#define PING_PORT	7
#define LOCALHOST	0x7f000001
#define PAGES		4
#define PING_BYTES	56
#define REPLY_MS	200

/* Request one page after the other, and check that each arrives complete. */
int client_main(const char *args)
{
	int rate = atoi(args), fd = sys_socket(CLIENT_PORT);
	char request[PATH_LEN], reply[SKB_DATA_MAX];
	struct flow from;
	ssize_t n;
	int i;

	if (fd < 0 || rate <= 0)
		return 1;
	for (i = 0;; i++) {
		snprintf(request, sizeof(request), "GET /var/www/%d.html", i % PAGES);
		sys_sendto(fd, request, strlen(request), LOCALHOST, SERVER_PORT);
		n = sys_recvfrom(fd, reply, sizeof(reply), &from, REPLY_MS);
		if (n > 0 && from.sport == SERVER_PORT && reply[n - 1] == '\n')
			atomic_fetch_add(&user_stats.requests, 1);
		else
			atomic_fetch_add(&user_stats.replies_lost, 1);
		sys_nanosleep(NSEC_PER_SEC / rate);
	}
}

static ssize_t read_page(const char *request, char *buf, size_t size)
{
	const char *path = strchr(request, '/');
	ssize_t n;
	int fd;

	fd = path ? sys_openat(AT_FDCWD, path, FILE_READ) : -ENOENT;
	if (fd < 0)
		return snprintf(buf, size, "error %d\n", -fd);
	n = sys_read(fd, buf, size);
	sys_close(fd);
	return n;
}

static void log_access(const char *request, ssize_t bytes)
{
	char line[PATH_LEN + 32];
	int fd = sys_openat(AT_FDCWD, "/var/log/access", FILE_WRITE | FILE_CREATE | FILE_APPEND);

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%lu %s %zd\n", jiffies, request, bytes);
	if (sys_write(fd, line, strlen(line)) > 0)
		atomic_fetch_add(&user_stats.log_lines, 1);
	sys_close(fd);
}

int server_main(const char *args)
{
	int fd = sys_socket(SERVER_PORT);
	char request[PATH_LEN], page[1024];
	struct flow from;
	ssize_t n;

	(void)args;
	if (fd < 0)
		return 1;
	for (;;) {
		n = sys_recvfrom(fd, request, sizeof(request) - 1, &from, 1000);
		if (n < 0)
			continue;
		request[n] = '\0';
		n = read_page(request, page, sizeof(page));
		if (n > 0)
			sys_sendto(fd, page, (size_t)n, from.saddr, from.sport);
		log_access(request, n);
	}
}

/* Receive the echoes that have arrived or arrive in time. */
static unsigned int receive_echoes(int fd, unsigned int expected)
{
	char echo[PING_BYTES];
	unsigned int received;
	struct flow from;

	for (received = 0; received < expected; received++)
		if (sys_recvfrom(fd, echo, sizeof(echo), &from, 100) != PING_BYTES)
			break;
	return received;
}

/* Return the number of pings of "HOST -c NUMBER"; 0: without end. */
static unsigned int parse_pings(const char *args)
{
	const char *count = strstr(args, "-c ");

	return count ? (unsigned int)strtoul(count + 3, NULL, 10) : 0;
}

/* Send one ping at a time, and sometimes more than the card's ring can hold.  The service uses
 * PING_PORT, and a command a port above it. */
int ping_main(const char *args)
{
	unsigned int i, n, sent, received, nr = parse_pings(args);
	u16 port = (u16)(nr ? 1024 + current->pid % 30000 : PING_PORT);
	int fd = sys_socket(port);
	char frame[PING_BYTES];

	if (fd < 0)
		return 1;
	for (i = 0; !nr || i < nr; i++) {
		memset(frame, (int)(i & 0xff), sizeof(frame));
		for (n = 0, sent = 0; n < (i % 20 == 19 ? 24 : 1); n++)
			if (sys_sendto(fd, frame, sizeof(frame), eth0_dev.address, port) > 0)
				sent++;
		received = receive_echoes(fd, sent);
		atomic_fetch_add(&user_stats.pings, received);
		atomic_fetch_add(&user_stats.pings_lost, sent - received);
		sys_sleep(nr ? 10 : 100);
	}
	return 0;
}
