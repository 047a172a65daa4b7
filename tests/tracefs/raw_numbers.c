/* SPDX-License-Identifier: MIT */
/*
 * Prints the records of numbers.c in trace_pipe_raw in the form of trace_pipe:
 *
 *   raw_numbers FILE read|splice CPU
 *
 * Reads pages until the end of FILE or an error, and writes a line for each record (`thread=T
 * number=N`) and for each loss (`CPU:C [LOST N EVENTS]`).  The exit status is 0 at the end of
 * the file, 1 after an error.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE		4096
#define HEADER		16
#define MISSED		(1u << 31)
#define STORED		(1u << 30)

static uint32_t word_at(const char *page, uint32_t at)
{
	uint32_t word;

	memcpy(&word, page + at, sizeof(word));
	return word;
}

/* Payload: 8 bytes of common fields, int thread, unsigned long number. */
static void print_record(const char *data)
{
	uint64_t number;

	memcpy(&number, data + 16, sizeof(number));
	printf("thread=%u number=%llu\n", word_at(data, 8),
	       (unsigned long long)number);
}

static void print_page(const char *page, const char *cpu)
{
	uint32_t commit = word_at(page, 8), bytes = commit & 0xfffff;
	uint64_t lost;

	if (bytes > PAGE - HEADER)
		exit(2);
	if (commit & MISSED) {
		/* If the page has no number, print a wrong one, so that the check fails. */
		memcpy(&lost, page + HEADER + bytes, sizeof(lost));
		printf("CPU:%s [LOST %llu EVENTS]\n", cpu,
		       commit & STORED ? (unsigned long long)lost : 0ull);
	}
	for (uint32_t at = 0; at < bytes; ) {
		uint32_t word = word_at(page, HEADER + at), type = word & 31;

		if (type > 28) {
			at += 8;
			continue;
		}
		if (type)
			print_record(page + HEADER + at + 4);
		else
			print_record(page + HEADER + at + 8);
		at += type ? 4 + type * 4 : 4 + word_at(page, HEADER + at + 4);
	}
}

int main(int argc, char **argv)
{
	static char page[PAGE];
	int fd = argc == 4 ? open(argv[1], O_RDONLY) : -1, pair[2];
	ssize_t len;

	if (fd < 0 || pipe(pair) < 0)
		return 1;
	for (;;) {
		if (!strcmp(argv[2], "read")) {
			len = read(fd, page, PAGE);
		} else {
			len = splice(fd, NULL, pair[1], NULL, PAGE, 0);
			if (len > 0 && read(pair[0], page, PAGE) != len)
				return 2;
		}
		if (len <= 0)
			break;
		if (len != PAGE)
			return 2;
		print_page(page, argv[3]);
	}
	fflush(stdout);
	return len < 0 ? 1 : 0;
}
