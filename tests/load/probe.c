/* SPDX-License-Identifier: MIT */
/*
 * probe SECONDS DIR...: writes to control files of the roots in turn, as echo does, and
 * prints the number of writes and their times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMES_MAX	1000000u

static const struct {
	const char *file, *value;
} writes[] = {
	{ "events/load/load_500/enable", "1\n" },
	{ "tracing_on", "1\n" },
	{ "trace_options", "record-tgid\n" },
	{ "events/load/load_500/filter", "count > 10\n" },
	{ "set_event", "load:load_501\n" },
	{ "events/load/load_500/filter", "0\n" },
	{ "events/load/load_500/enable", "0\n" },
	{ "set_event", "!load:load_501\n" },
};
#define NR_WRITES	(sizeof(writes) / sizeof(writes[0]))

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int echo(const char *dir, const char *file, const char *value)
{
	size_t len = strlen(value);
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_APPEND);
	if (fd < 0) {
		perror(path);
		return -1;
	}
	n = write(fd, value, len);
	if (n != (ssize_t)len)
		fprintf(stderr, "%s: wrote %zd: %s\n", path, n, strerror(errno));
	close(fd);
	return n == (ssize_t)len ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void print(uint64_t *times, size_t nr)
{
	qsort(times, nr, sizeof(*times), compare);
	printf("%zu writes, median %.2f ms, 99%% %.2f ms, longest %.2f ms\n", nr,
	       (double)times[nr / 2] / 1e6, (double)times[nr * 99 / 100] / 1e6,
	       (double)times[nr - 1] / 1e6);
}

int main(int argc, char **argv)
{
	uint64_t *times = calloc(TIMES_MAX, sizeof(*times)), end;
	size_t nr = 0;

	if (argc < 3 || !times)
		return 2;
	end = now_ns() + strtoull(argv[1], NULL, 10) * 1000000000u;
	do {
		const char *dir = argv[2 + nr / NR_WRITES % (size_t)(argc - 2)];
		uint64_t start = now_ns();

		if (echo(dir, writes[nr % NR_WRITES].file, writes[nr % NR_WRITES].value))
			return 1;
		times[nr++] = now_ns() - start;
	} while (now_ns() < end && nr < TIMES_MAX);
	print(times, nr);
	free(times);
	return 0;
}
