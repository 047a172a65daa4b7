/* SPDX-License-Identifier: MIT */
/*
 * Run a traced program (tests/data/runtime/traced.c) under valgrind, and built with each
 * sanitizer.  They must find no error, and everything must be recorded.  libulf itself is the
 * normal build.
 *
 * timeout: 180
 * no-sanitize: address it builds programs of its own
 * no-sanitize: thread it builds programs of its own
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

static const struct checker {
	const char *name;
	const char *needs;		/* a command */
	const char *cc, *flags;
	const char *run;		/* command before the program */
	const char *arg;		/* argument of the program */
} checkers[] = {
	{ "nothing", "gcc", "gcc", "", "", "" },
	/* valgrind cannot read the debugging information of every compiler. */
	{ "valgrind", "valgrind", "gcc", "-s",
	  "mkdir -p \"$TMPDIR/lib\" && objcopy -g \"$ULF_BUILD/libulf.so.0\" "
	  "\"$TMPDIR/lib/libulf.so.0\" && LD_LIBRARY_PATH=\"$TMPDIR/lib\" "
	  "valgrind -q --error-exitcode=99 --leak-check=no", "slow" },
	{ "gcc, address and undefined", "gcc", "gcc",
	  "-fsanitize=address,undefined -fno-sanitize-recover=all", "", "" },
	{ "clang, address and undefined", "clang", "clang",
	  "-fsanitize=address,undefined -fno-sanitize-recover=all", "", "" },
	{ "gcc, thread", "gcc", "gcc", "-fsanitize=thread", "", "alone" },
	{ "clang, thread", "clang", "clang", "-fsanitize=thread", "", "alone" },
};
#define NR_CHECKERS (sizeof(checkers) / sizeof(checkers[0]))

static int compile(const struct checker *c)
{
	const char *build = command_env("ULF_BUILD");

	/* The files in tests/lib, which stand for the server, are not instrumented. */
	return command("cd '%s' && %s -O1 -g -Wall -Wextra -D_GNU_SOURCE %s "
		       "-Iinclude -Isrc -Itests -Itests/runtime "
		       "-o \"$TMPDIR/traced\" tests/data/runtime/traced.c "
		       "'%s/tests/libhelpers.a' '%s/libulf_core.a' "
		       "'%s/libulf.so' -pthread -Wl,-rpath,'%s'",
		       command_env("ULF_SRC"), c->cc, c->flags, build, build,
		       build, build);
}

int main(void)
{
	int failed = 0, r;

	for (size_t i = 0; i < NR_CHECKERS; i++) {
		const struct checker *c = &checkers[i];

		if (!command_exists(c->needs)) {
			printf("left out: %s is not here\n", c->needs);
			continue;
		}
		r = compile(c);
		if (!r)
			r = command("%s \"$TMPDIR/traced\" %s", c->run, c->arg);
		if (!r)
			continue;
		printf("failed: %s: exit status %d\n", c->name, r);
		failed++;
	}
	return failed != 0;
}
