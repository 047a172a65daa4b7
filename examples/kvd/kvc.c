/* SPDX-License-Identifier: MIT */
/*
 * kvc: clients of kvd.  `kvc SOCKET` sends each line of stdin and prints the answers; `kvc SOCKET
 * N` sends N requests, by several clients at a time.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_BYTES	256		/* size of a line, with its newline and a NUL */
#define NR_CLIENTS	4		/* clients of a load */
#define NR_KEYS		20000u		/* different keys of a load */

/* Connect to the server.  @ret_to, @ret_from: the two ends, for stdio. */
static bool connect_to(const char *path, FILE **ret_to, FILE **ret_from)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		perror(path);
		return false;
	}
	*ret_from = fdopen(fd, "r");
	*ret_to = fdopen(dup(fd), "w");
	return *ret_from && *ret_to;
}

static bool ask(FILE *to, FILE *from, const char *line, char answer[LINE_BYTES])
{
	return fputs(line, to) != EOF && fflush(to) != EOF && fgets(answer, LINE_BYTES, from);
}

static int talk(const char *path)
{
	char line[LINE_BYTES], answer[LINE_BYTES];
	FILE *to, *from;

	if (!connect_to(path, &to, &from))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		if (!ask(to, from, line, answer))
			return 1;
		fputs(answer, stdout);
		fflush(stdout);
	}
	return 0;
}

/* One client of a load: half of its requests set a key. */
static int be_client(const char *path, unsigned int nr, unsigned int seed)
{
	char line[LINE_BYTES], answer[LINE_BYTES];
	FILE *to, *from;
	unsigned int i, key;

	if (!connect_to(path, &to, &from))
		return 1;
	for (i = 0; i < nr; i++) {
		key = (unsigned int)rand_r(&seed) % NR_KEYS;
		if (i % 2)
			snprintf(line, sizeof(line), "get key%u\n", key);
		else
			snprintf(line, sizeof(line), "set key%u value%u\n", key, i);
		if (!ask(to, from, line, answer))
			return 1;
	}
	return 0;
}

static int load(const char *path, unsigned int nr)
{
	int i, status, failed = 0;

	for (i = 0; i < NR_CLIENTS; i++) {
		if (fork() == 0)
			_exit(be_client(path, nr / NR_CLIENTS, (unsigned int)i));
	}
	while (wait(&status) > 0 || errno == EINTR)
		failed |= status;
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && *argv[1] != '-')
		return talk(argv[1]);
	if (argc == 3 && atoi(argv[2]) > 0)
		return load(argv[1], (unsigned int)atoi(argv[2]));
	fprintf(stderr, "usage: kvc SOCKET [N]\n");
	return 2;
}
