/* SPDX-License-Identifier: MIT */
/*
 * In a set-uid program libulf does nothing at all: no file, no thread.
 *
 * user: root only root can make a set-uid program of another user
 * no-sanitize: address it builds a program of its own, without the sanitizer
 * no-sanitize: thread it builds a program of its own, without the sanitizer
 */
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"

#define OWNER	"65534"
#define CALLER	"1"

/* Run the program as user @uid.  The directory belongs to the owner, who could make a root in
 * it. */
static int run(const char *uid)
{
	return command("cd / && export ULF_DIR=\"$TMPDIR/dir\" && "
		       "exec setpriv --reuid=%s --regid=%s --clear-groups "
		       "\"$TMPDIR/secure\" \"$TMPDIR/dir\"", uid, uid);
}

int main(void)
{
	const char *build = command_env("ULF_BUILD");
	const char *source = command_env("ULF_SRC");
	int status;

	if (command("findmnt -no OPTIONS -T \"$TMPDIR\" | grep -qw nosuid") == 0)
		skip("the file system of $TMPDIR does not honour set-uid bits");
	command_ok("cd '%s' && gcc -O2 -Wall -Wextra -Werror -Iinclude "
		   "-Itests/runtime -o \"$TMPDIR/secure\" "
		   "tests/data/runtime/secure.c '%s/libulf.a' -pthread",
		   source, build);
	command_ok("chmod 711 \"$TMPDIR\" && mkdir -m 700 \"$TMPDIR/dir\" && "
		   "chown " OWNER " \"$TMPDIR/dir\" \"$TMPDIR/secure\"");

	/* Without the set-uid bit the program has a root, and removes it at its end. */
	CHECK_EQ(run(OWNER), 10);
	command_ok("rm -rf \"$TMPDIR/dir\"/* && chmod 4711 "
		   "\"$TMPDIR/secure\"");
	status = run(CALLER);
	if (status == 3 && !command("grep -q '^NoNewPrivs:.*1' "
				    "/proc/self/status"))
		skip("set-uid bits are not honoured here (no_new_privs)");
	CHECK_EQ(status, 0);
	command_ok("! ls -A \"$TMPDIR/dir\" | grep .");
	return 0;
}
