#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: for a slow restorer
# A child that the server forks may need long until it calls exec(), here 3 s.  Meanwhile it has
# none of the server's descriptors, and the server works: programs die, roots are removed.
. tests/cli/common

cat >"$TMPDIR/slow.c" <<'EOC'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int execv(const char *path, char *const argv[])
{
	int (*next)(const char *, char *const *) =
		(int (*)(const char *, char *const *))dlsym(RTLD_NEXT, "execv");
	char command[512];

	if (argv[1] && argv[2] && !strcmp(argv[2], "--restore")) {
		unsetenv("LD_PRELOAD");
		snprintf(command, sizeof(command), "ls /proc/%d/fd >%s.new && mv %s.new %s",
			 getpid(), getenv("SLOW_LIST"), getenv("SLOW_LIST"),
			 getenv("SLOW_LIST"));
		if (system(command))
			perror(command);
		sleep(3);
	}
	return next(path, argv);
}
EOC
cc -shared -fPIC -o "$TMPDIR/slow.so" "$TMPDIR/slow.c" -ldl || fail "cc"

start_hello
"$hello" &
other=$!
pids="$pids $other"
until_true is_known "hello.$other"
ulf echo 1 "$root/events/enable" || fail "enable"	# so that the root is kept after its death
kill_server
# Write the list of mounts as a killed server leaves it.  Nothing can be mounted at this path.
printf '%s\0' "$TMPDIR/no such place" >"$ULF_DIR/mounts"
SLOW_LIST=$TMPDIR/list LD_PRELOAD="$(ldd "$ULF_BUILD/ulf" | grep -o '/.*/libasan[^ ]*') $TMPDIR/slow.so" \
	ulf server --background || fail "server"
server=$(server_pid)
until_true test -e "$TMPDIR/list"
expect "descriptors of the child" "0 1 2" "$(xargs <"$TMPDIR/list")"

# Do not call ulf ls before the programs die: it would wait until mounts are restored.
kill -9 "$pid" "$other"
let_server_run 1
is_gone "$server" && fail "the server died"
until_true is_listed "$root" dead
ulf rm --dead >/dev/null || fail "rm"
expect "roots" "" "$(ulf ls | grep hello)"
expect "server" "$server" "$(server_pid)"
exit 0
