/* SPDX-License-Identifier: MIT */
/*
 * Load for redis-server, which checks each answer.
 *
 *	redis_load SOCKET CONNECTIONS	ends at SIGTERM; prints `N answers, W wrong, L lost'
 *
 * Each connection has a process.  It writes values of several lengths, reads them back, and
 * counts up.  Lost: a connection that ended, or an answer that took more than two minutes.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS		200
#define CONNECTIONS_MAX	64
#define VALUE_MAX	3000
#define TIMEOUT_MS	120000

struct counts {
	long answers, wrong, lost;
};

static volatile sig_atomic_t is_over;

static void end(int signo)
{
	(void)signo;
	is_over = 1;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

/* Send @request, and receive as many bytes as @wanted has.  Returns 0 if they are equal, 1 if not,
 * -1 if the connection is lost. */
static int ask(int fd, const char *request, const char *wanted)
{
	static char answer[VALUE_MAX + 100];
	size_t nr = strlen(wanted), got = 0;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
		return -1;
	while (got < nr) {
		int r = poll(&poll_fd, 1, TIMEOUT_MS);
		ssize_t len;

		if (r < 0 && errno == EINTR)
			continue;
		len = r > 0 ? read(fd, answer + got, nr - got) : -1;
		if (len <= 0)
			return -1;
		got += (size_t)len;
		/* A shorter answer, such as an error, must not make this process wait. */
		if (memcmp(answer, wanted, got))
			return 1;
	}
	return 0;
}

static void note(struct counts *counts, int result)
{
	counts->answers++;
	counts->wrong += result > 0;
	counts->lost += result < 0;
}

static void load(int fd, int id, struct counts *counts)
{
	static char value[VALUE_MAX + 1], request[VALUE_MAX + 200], wanted[VALUE_MAX + 200];

	for (long round = 0; !is_over && !counts->wrong && !counts->lost; round++) {
		int key = (int)(round % KEYS);
		size_t bytes = (size_t)(round * 37 % VALUE_MAX) + 1;

		memset(value, 'a' + (int)((round + id) % 26), bytes);
		value[bytes] = '\0';
		snprintf(request, sizeof(request), "SET %d:%d %s\r\n", id, key, value);
		note(counts, ask(fd, request, "+OK\r\n"));
		snprintf(request, sizeof(request), "GET %d:%d\r\n", id, key);
		snprintf(wanted, sizeof(wanted), "$%zu\r\n%s\r\n", bytes, value);
		note(counts, ask(fd, request, wanted));
		snprintf(request, sizeof(request), "INCR %d:count\r\n", id);
		snprintf(wanted, sizeof(wanted), ":%ld\r\n", round + 1);
		note(counts, ask(fd, request, wanted));
	}
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0;
	struct counts *counts, sum = { 0 };
	pid_t children[CONNECTIONS_MAX];
	sigset_t term;
	int signo;

	counts = mmap(NULL, sizeof(*counts) * (size_t)(nr + 1), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr < 1 || nr > CONNECTIONS_MAX || counts == MAP_FAILED)
		return 2;
	signal(SIGTERM, end);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	for (int i = 0; i < nr; i++) {
		children[i] = fork();
		if (!children[i]) {
			sigprocmask(SIG_UNBLOCK, &term, NULL);
			load(connect_to(argv[1]), i, &counts[i]);
			_exit(0);
		}
	}
	sigwait(&term, &signo);
	for (int i = 0; i < nr; i++)
		kill(children[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < nr; i++) {
		sum.answers += counts[i].answers;
		sum.wrong += counts[i].wrong;
		sum.lost += counts[i].lost;
	}
	printf("%ld answers, %ld wrong, %ld lost\n", sum.answers, sum.wrong, sum.lost);
	return sum.wrong || sum.lost;
}
