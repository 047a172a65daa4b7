#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it is several users
# Another user takes the names in /dev/shm before a program starts.  The program and `ulf` skip
# these names and agree on the next one.
. tests/cli/common
. tests/cli/users
uid=$user_a shm=/dev/shm
started=

# squat COMMAND...: run COMMAND as nobody, in /dev/shm.
squat() { (cd $shm && as 65534 "$@") || fail "squat $*"; }
# where: print the directories of the user that have roots.
where() { (cd $shm && ls -d ulf-$uid*/roots/hello.* 2>/dev/null | cut -d/ -f1 | sort -u | xargs); }
reset() {
	[ -z "$started" ] || kill -9 $started
	wait 2>/dev/null
	started=
	as $uid ulf stop >/dev/null
	rm -rf $shm/ulf-*
}
trap 'reset; end_users' EXIT
start() {
	start_as $uid "$hello"
	started="$started $!"
}
is_seen() { as $uid ulf ls | grep -q "^hello[.]$1 .* alive"; }
seen() { as $uid ulf ls 2>&1 | grep -c '^hello.* alive'; }

# The other user makes a directory, a directory that everybody can write to, a file, a fifo, and
# links.
ordinary=$TMPDIR/ordinary
for kind in 'mkdir -m 700' 'mkdir -m 777' touch mkfifo 'ln -s /nowhere' "ln -s $ordinary"; do
	rm -rf "$ordinary"
	mkdir -m 700 "$ordinary"
	chown $uid "$ordinary"
	squat $kind ulf-$uid
	start
	until_true is_seen "$!"
	expect "$kind: where" ulf-$uid.1 "$(where)"
	expect "$kind: where a link leads" "" "$(ls -A "$ordinary")"
	case $kind in mkdir*) expect "$kind: in his" "" "$(ls -A $shm/ulf-$uid)" ;; esac

	# The other user removes the name.  The user's directory stays the one that is in use,
	# also after the end of the server.
	(cd $shm && as 65534 rm -rf ulf-$uid)
	as $uid ulf stop
	start
	until_true is_seen "$!"
	expect "$kind: both" 2 "$(seen)"
	expect "$kind: where, when he is gone" ulf-$uid.1 "$(where)"
	reset
done

# Many programs that start at the same time agree on a directory, while the first names are taken.
squat mkdir ulf-$uid ulf-$uid.1
squat ln -s $shm ulf-$uid.2
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do start; done
all_seen() { [ "$(seen)" = 12 ]; }
until_true all_seen
expect "many at once" ulf-$uid.3 "$(where)"
reset

# All names are taken: ulf uses the session's directory if there is one, and otherwise gives a
# clear message.
for i in $(seq 63); do echo "ulf-$uid.$i"; done | (cd $shm && as 65534 xargs mkdir)
squat mkdir ulf-$uid
text=$(as $uid ulf ls 2>&1) && fail "no name is left: $text"
contains "$text" "set ULF_DIR to a directory of yours"
mkdir -p /run/user/$uid
chmod 700 /run/user/$uid
chown $uid /run/user/$uid
start
until_true is_seen "$!"
[ -d "/run/user/$uid/ulf/roots/hello.$!" ] || fail "not in the session's directory"
reset

# Another user makes and removes the name in a loop.  Every search must find a directory.
cat >"$TMPDIR/get.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir.h"

int main(void)
{
	char path[DIR_PATH_BYTES], command[DIR_PATH_BYTES + 16];

	for (int i = 0; i < 4000; i++) {
		int ret = dir_get(path);

		if (ret < 0) {
			printf("search %d: %s\n", i, strerror(-ret));
			return 1;
		}
		snprintf(command, sizeof(command), "%s/roots", path);
		if (remove(command) || remove(path))
			return perror(path), 1;
	}
	return 0;
}
EOF
cat >"$TMPDIR/loop.c" <<'EOF'
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argc;
	for (;;) {
		mkdir(argv[1], 0700);
		rmdir(argv[1]);
	}
}
EOF
cc -D_GNU_SOURCE -I "$ULF_SRC/src" -o "$bin/get" "$TMPDIR/get.c" "$ULF_SRC/src/base/dir.c" &&
	cc -o "$bin/loop" "$TMPDIR/loop.c" || fail "cc"
start_as 65534 "$bin/loop" $shm/ulf-$uid
loop=$!
as $uid "$bin/get"
status=$?
kill -9 $loop
wait $loop 2>/dev/null		# while it is killed, the loop can still make the directory
expect "searches while a name comes and goes" 0 $status
rmdir $shm/ulf-$uid* 2>/dev/null

# A directory that belongs to the user, but that others can enter, is reported and not replaced.
mkdir -m 755 $shm/ulf-$uid
chown $uid $shm/ulf-$uid
text=$(as $uid ulf ls 2>&1) && fail "others can enter it: $text"
contains "$text" "$shm/ulf-$uid: others can enter it; run chmod 700"
exit 0
