#!/bin/sh
# SPDX-License-Identifier: MIT
# Beside a server of another build, ulf run and ulf record name the server and do not start the
# program, because nothing could be recorded.
. tests/cli/common

ulf server --background || fail "no server"
# beat_of VERSION: replace the file of beats by one of another version.  The server keeps the old
# file open and does not notice.
beat_of() {
	{
		printf "$1\0\0\0"
		tail -c +5 "$ULF_DIR/server.beat"
	} >"$TMPDIR/beat"
	mv "$TMPDIR/beat" "$ULF_DIR/server.beat"
}
until_true test -s "$ULF_DIR/server.beat"
version=$(od -An -tu1 -N1 "$ULF_DIR/server.beat" | tr -d ' ')
beat_of '\1'
refuses() { # COMMAND...: ulf COMMAND touch ... does not start the program
	text=$(ulf "$@" -- touch "$TMPDIR/ran" 2>&1)
	expect "status of ulf $*" 126 $?
	contains "$text" "the server in $ULF_DIR (pid $(server_pid)) is of another build of ulf"
	contains "$text" '`ulf stop` ends it'
	[ ! -e "$TMPDIR/ran" ] || fail "ulf $*: the program has run"
}
refuses run -e hello
refuses run
refuses record -o "$TMPDIR/trace.dat" -e hello
[ ! -e "$TMPDIR/trace.dat" ] || fail "a file was made"

# Nothing is said about a file of beats that another server has left, or that is of this version.
beat_of "\\$(printf %o "$version")"
ulf run -- true || fail "a server of this build"
printf '\1\0\0\0\377\377\377\177\0\0\0\0\0\0\0\0' >"$TMPDIR/beat"
mv "$TMPDIR/beat" "$ULF_DIR/server.beat"
ulf run -- true || fail "a file that another server has left"

# After the advice the next command works.
beat_of '\1'
ulf stop || fail "ulf stop"
ulf run -- true || fail "after ulf stop"
exit 0
