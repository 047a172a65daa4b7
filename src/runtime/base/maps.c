/* SPDX-License-Identifier: MIT */
/*
 * Parse /proc/self/maps, one character after the other, because a line may be longer than any
 * buffer.  A line has these fields; the text after INODE is ignored:
 *
 *	START-END rights OFFSET MAJOR:MINOR INODE	path
 *
 * INODE is decimal, the other numbers are hexadecimal.
 */
#include "runtime/base/maps.h"

#include <fcntl.h>
#include <stdint.h>

#include "arch/arch.h"

enum field {
	START, END, RIGHTS, OFFSET, MAJOR, MINOR, INODE, REST,
};

/* A line of /proc/self/maps, as far as it was read. */
struct parser {
	enum field field;		/* the field that is being read */
	uint64_t numbers[REST];
};

/* The character that ends each field of a line. */
static const char ends[REST] = {
	[START] = '-', [END] = ' ', [RIGHTS] = ' ', [OFFSET] = ' ', [MAJOR] = ':',
	[MINOR] = ' ', [INODE] = ' ',
};

static void take_char(struct parser *parser, char c)
{
	uint64_t *number = &parser->numbers[parser->field];
	unsigned int digit = c <= '9' ? (unsigned int)(c - '0') :
					(unsigned int)(c - 'a' + 10);

	if (parser->field == REST)
		return;
	if (c == ends[parser->field])
		parser->field++;
	else if (parser->field == RIGHTS)
		*number = *number << 8 | (uint8_t)c;
	else
		*number = *number * (parser->field == INODE ? 10 : 16) + digit;
}

#define CODE_RIGHTS	('r' << 24 | '-' << 16 | 'x' << 8 | 'p')

static bool end_line(const struct parser *parser, maps_see *see, void *arg)
{
	const struct maps_line line = {
		.start = parser->numbers[START], .end = parser->numbers[END],
		.dev_major = parser->numbers[MAJOR], .dev_minor = parser->numbers[MINOR],
		.ino = parser->numbers[INODE], .offset = parser->numbers[OFFSET],
		.is_code = parser->numbers[RIGHTS] == CODE_RIGHTS,
	};

	return see(&line, arg);
}

int maps_walk(maps_see *see, void *arg)
{
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, "/proc/self/maps",
				O_RDONLY | O_CLOEXEC, 0);
	struct parser parser = { .field = START };
	bool is_done = false;
	char buf[1024];
	long n = fd;

	if (fd < 0)
		return (int)fd;
	while (!is_done && (n = arch_syscall3(SYS_read, fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < n && !is_done; i++) {
			if (buf[i] != '\n') {
				take_char(&parser, buf[i]);
				continue;
			}
			is_done = end_line(&parser, see, arg);
			parser = (struct parser){ .field = START };
		}
	arch_syscall1(SYS_close, fd);
	return n < 0 ? (int)n : 0;
}
