/* SPDX-License-Identifier: MIT */
/*
 * A tracepoint that is off is one NOP of 5 bytes and nothing else.  The object code of
 * functions that only hit a tracepoint (tests/data/lang/off.c) is a NOP and a RET.  The code
 * for a tracepoint that is on comes after the RET.
 *
 * no-sanitize: address it compiles without the sanitizer
 * no-sanitize: thread it compiles without the sanitizer
 */
#include <ctype.h>
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

static const struct subject {
	const char *cc, *flags, *function;
} subjects[] = {
	{ "gcc", "-O2", "only_hit" },
	{ "gcc", "-O2", "with_argument" },
	{ "gcc", "-O2", "in_a_branch" },
	{ "gcc", "-O2 -fPIC", "only_hit" },
	{ "gcc", "-O2 -fno-pie", "with_argument" },
	{ "gcc", "-Os -fPIC", "with_argument" },
	{ "clang", "-O2", "only_hit" },
	{ "clang", "-O2", "in_a_branch" },
	{ "clang", "-O2 -fPIC", "only_hit" },
	{ "clang", "-Os -fPIC", "only_hit" },
};
#define NR_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static char *disassemble(const struct subject *s)
{
	const char *source = command_env("ULF_SRC");
	const char *dir = command_env("TMPDIR");

	command_ok("cd '%s' && %s %s -fcf-protection=none -Wall -Wextra "
		   "-Werror -Iinclude -Itests/data/lang -c -o '%s/off.o' "
		   "tests/data/lang/off.c", source, s->cc, s->flags, dir);
	return command_output("objdump -d --no-addresses -w '%s/off.o'", dir);
}

/* Returns the lines of @function up to its first RET, and this line. */
static char *straight_path(char *listing, const char *function)
{
	char head[64], *start, *ret, *end;

	snprintf(head, sizeof(head), "<%s>:\n", function);
	start = strstr(listing, head);
	if (!start)
		fail("no %s in the object file", function);
	start += strlen(head);
	ret = strstr(start, "\tret");
	if (!ret)
		fail("no RET in\n%s", start);
	end = strchr(ret, '\n');
	CHECK(end);
	end[1] = '\0';
	return start;
}

/* Returns true if the instruction in @line has these bytes, which are between the first two
 * tabs. */
static bool has_bytes(const char *line, const char *bytes)
{
	size_t len = strlen(bytes);

	return line[0] == '\t' && !strncmp(line + 1, bytes, len) &&
	       isspace((unsigned char)line[1 + len]) &&
	       line[1 + len + strspn(line + 1 + len, " ")] == '\t';
}

static int look(const struct subject *s)
{
	char *listing = disassemble(s);
	char *path = straight_path(listing, s->function);
	char *second = strchr(path, '\n') + 1;
	int r = 0;

	if (!has_bytes(path, "0f 1f 44 00 00") || !has_bytes(second, "c3") ||
	    strchr(second, '\n')[1]) {
		printf("%s %s: %s is\n%s", s->cc, s->flags, s->function, path);
		r = 1;
	}
	free(listing);
	return r;
}

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < NR_SUBJECTS; i++)
		failed += look(&subjects[i]);
	return failed != 0;
}
