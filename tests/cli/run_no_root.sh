#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address needs more address space than a program here may have
# no-sanitize: thread needs more address space than a program here may have
# A program could not make its root.  ulf run gives the reason while the program runs.  A server
# still works on a full file system, so that the user can remove something there.
. tests/cli/common

# Messages of ulf run are stored in $err.
err=$TMPDIR/err
says() { grep -q "$1" "$err"; }
# explains REASON COMMAND...: ulf run gives the reason before COMMAND ends.
explains() {
	reason=$1
	shift
	: >"$err"
	ulf run -e hello -o "$TMPDIR/trace" -- "$@" >/dev/null 2>"$err" &
	job=$!
	until_true says "$reason"
	kill -0 $job || fail "said at the end: $(cat "$err")"
	kill $job
	wait $job
	expect "times" 1 "$(grep -c "could not make its root\|has made no root\|cannot be traced" "$err")"
}

explains "could not make its root in $ULF_DIR: .*ulimit -f" \
	sh -c 'ulimit -f 1000; exec "$0"' "$hello"
explains "could not make its root in $ULF_DIR: .*ulimit -v" \
	sh -c 'ulimit -v 400000; exec "$0"' "$hello"
# The name of the root is taken, and everything else has worked.  The program's children get the
# settings.
hello_name=$(basename "$hello")
cat >"$TMPDIR/taken" <<'END'
: >"$ULF_DIR/roots/$1.$$"
exec "$2" $3
END
explains "$hello_name .* could not make its root in $ULF_DIR" sh "$TMPDIR/taken" "$hello_name" "$hello"
cat >"$TMPDIR/child.c" <<'END'
#include <stdlib.h>

int main(void)
{
	return !getenv("ULF_TRACE") || !getenv("ULF_HOLD");
}
END
gcc -o "$TMPDIR/child" "$TMPDIR/child.c" "$ULF_BUILD/libulf.so" \
	-fpatchable-function-entry=5 -Wl,-rpath,"$ULF_BUILD" || fail "gcc"
ulf run -e hello -- sh "$TMPDIR/taken" child "$TMPDIR/child" 2>/dev/null || fail "the settings are lost"
ulf run -e hello -- "$TMPDIR/child" 2>/dev/null && fail "the settings are for other programs, too"

unshare -Urm true 2>/dev/null || skip "no user namespaces here: unshare -Urm fails"
if [ "${1:-}" != inside ]; then
	unshare -Urm sh "$0" inside
	exit
fi
mkdir "$TMPDIR/small" && mount -t tmpfs -o size=1m,mode=700 none "$TMPDIR/small" || fail "mount"
export ULF_DIR="$TMPDIR/small"
dd if=/dev/zero of="$ULF_DIR/fill" bs=4k 2>/dev/null
ulf ls >/dev/null || fail "no server on a full file system"
explains "hello .* could not make its root in $ULF_DIR: the file system is full" "$hello"
contains "$(cat "$err")" "ulf rm --dead"
ulf stop || fail "stop"

# If there are no inodes, not even the directories can be made.
mkdir "$TMPDIR/tiny" && mount -t tmpfs -o nr_inodes=1,mode=700 none "$TMPDIR/tiny" || fail "mount"
export ULF_DIR="$TMPDIR/tiny"
text=$(ulf ls 2>&1) && fail "there is no inode"
contains "$text" "$ULF_DIR: its file system is full"
exit 0
