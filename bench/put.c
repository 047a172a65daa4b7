/* SPDX-License-Identifier: MIT */
/*
 * Measure the system calls of `echo TEXT > FILE`: open, write and close each FILE in turn, and
 * print the shortest time of each.
 *
 *   put ROUNDS FILE TEXT [FILE TEXT]...
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define PAIRS_MAX	8

static uint64_t put_ns(const char *path, const char *text)
{
	uint64_t start = measure_now_ns();
	int fd = open(path, O_WRONLY | O_TRUNC);
	ssize_t len = fd;

	/* Repeat the write, because a write may take only the first token of the text. */
	for (; *text && len >= 0; text += len)
		len = write(fd, text, strlen(text));
	if (len < 0 || close(fd)) {
		perror(path);
		exit(1);
	}
	return measure_now_ns() - start;
}

int main(int argc, char **argv)
{
	int nr = (argc - 2) / 2;
	uint64_t least[PAIRS_MAX];

	if (argc < 4 || argc % 2 || nr > PAIRS_MAX) {
		fprintf(stderr, "usage: put ROUNDS FILE TEXT [FILE TEXT]...\n");
		return 2;
	}
	memset(least, 0xff, sizeof(least));
	for (int round = atoi(argv[1]); round > 0; round--) {
		for (int i = 0; i < nr; i++) {
			uint64_t ns = put_ns(argv[2 + 2 * i], argv[3 + 2 * i]);

			if (ns < least[i])
				least[i] = ns;
		}
	}
	for (int i = 0; i < nr; i++)
		printf("%.2f ms%s", (double)least[i] / 1e6, i + 1 < nr ? ", " : "\n");
	return 0;
}
