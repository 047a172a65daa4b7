/* SPDX-License-Identifier: MIT */
/*
 * trace/events/sched.h of Linux 6.1, as Debian ships it, compiled as it stands
 * with a few types (tests/data/lang/kernel), and run.
 *
 * no-sanitize: address it builds a program of its own, without the sanitizer
 * no-sanitize: thread it builds a program of its own, without the sanitizer
 */
#include <stdio.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"

static const char archive[] = "/usr/src/linux-source-6.1.tar.xz";

static int try(const char *cc, const char *flags)
{
	const char *build = command_env("ULF_BUILD");
	const char *source = command_env("ULF_SRC");
	const char *dir = command_env("TMPDIR");
	int r;

	r = command("cd '%s/tests' && %s %s -Wall -Wextra -Wno-sign-compare -Werror "
		    "-D_GNU_SOURCE -Idata/lang/kernel -I. -I../include -I../src "
		    "-I'%s/kernel' -o '%s/sched' data/lang/kernel/sched_events.c "
		    "'%s/tests/libhelpers.a' '%s/libulf_core.a' "
		    "'%s/libulf.so' -pthread -Wl,-rpath,'%s'",
		    source, cc, flags, dir, dir, build, build, build, build);
	return r ? r : command("'%s/sched'", dir);
}

int main(void)
{
	const char *dir = command_env("TMPDIR");
	int failed = 0;

	if (access(archive, R_OK))
		skip("there is no %s: apt-get install linux-source-6.1",
		     archive);
	command_ok("mkdir -p '%s/kernel/trace/events' && "
		   "tar -xJf %s --occurrence=1 -O "
		   "linux-source-6.1/include/trace/events/sched.h "
		   ">'%s/kernel/trace/events/sched.h'", dir, archive, dir);
	failed += try("gcc", "-O2") != 0;
	failed += try("clang", "-O2") != 0;
	return failed != 0;
}
