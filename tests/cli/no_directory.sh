#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: until commands give up
# If there is no usable directory or server, ulf says which, why, and what to do.
. tests/cli/common

# says WHY ARGS...: ulf ARGS fails, and prints the directory and the reason WHY.
says() {
	why=$1
	shift
	text=$(ulf "$@" 2>&1) && fail "ulf $* in $ULF_DIR"
	contains "$text" "$ULF_DIR: "
	contains "$text" "$why"
}
has_server() { [ -e "$ULF_DIR/server.sock" ]; }

export ULF_DIR="$TMPDIR/no/dir"
says "the directory above it does not exist; make it" ls

# The directory does not exist and cannot be made.
if [ "$(id -u)" != 0 ]; then
	mkdir "$TMPDIR/locked" && chmod 500 "$TMPDIR/locked"
	export ULF_DIR="$TMPDIR/locked/dir"
	says "no permission to make it there" ls
	says "no permission to make it there" run -e x -- true
	chmod 700 "$TMPDIR/locked"
fi
mkdir -m 755 "$TMPDIR/open"
export ULF_DIR="$TMPDIR/open"
says "others can enter it; run chmod 700" ls
says "others can enter it; run chmod 700" dump

# A command that never makes the directory says that it does not exist.
export ULF_DIR="$TMPDIR/missing"
text=$(ulf dump 2>&1) && fail "dump without a directory: $text"
contains "$text" "the ulf directory $ULF_DIR, which ULF_DIR names, does not exist"
[ ! -e "$ULF_DIR" ] || fail "dump made $ULF_DIR"

# Other users get access to the directory while a program starts.  libulf itself prints nothing in
# this case, but ulf run gives the reason.
export ULF_DIR="$TMPDIR/opened"
make_brief "$TMPDIR/brief"
text=$(ulf run -e hello -- sh -c 'chmod 755 "$ULF_DIR"; exec "$0"' "$TMPDIR/brief" 2>&1 >/dev/null)
contains "$text" "could not make its root in $ULF_DIR: others can enter it; run chmod 700"
expect "lines" 1 "$(echo "$text" | wc -l)"
chmod 700 "$ULF_DIR"
ulf stop || fail "stop"

# The server cannot get enough descriptors.  ulf gives the reason even if the server could not
# open its log.
export ULF_DIR="$TMPDIR/few"
for nr in 6 10; do
	text=$(sh -c "ulimit -n $nr; exec ulf ls" 2>&1) && fail "$nr descriptors are enough"
	contains "$text" "no server could be started for $ULF_DIR: it cannot open as many files"
	contains "$text" "ulimit -n"
	has_server && fail "a server that cannot work listens"
done

# A server that failed may still be ending.  Until it has ended it counts as running.
[ ! -e "$ULF_DIR/server.lock" ] || until_true is_gone "$(server_pid)"

# There are enough descriptors to start, but too few for roots.  ulf reports that roots are
# missing in the list.  The server has one descriptor more than it needs by itself, for the
# client.
ulf server --background || fail "no server"
nr=$(($(ls "/proc/$(server_pid)/fd" | wc -l) + 1))
ulf stop
sh -c "ulimit -n $nr; exec ulf server --background" || fail "no server with $nr descriptors"
for i in 1 2 3 4; do
	"$hello" &
	pids="$pids $!"
done
is_said() { ulf ls 2>&1 | grep -q "not all roots in $ULF_DIR are listed; .*ulimit -n"; }
until_true is_said
text=$(ulf run -e hello -- "$TMPDIR/brief" 2>&1 >/dev/null)
contains "$text" "a root in $ULF_DIR cannot be opened by the server"
exit 0
