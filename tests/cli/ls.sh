#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf ls shows name, pid, state, events (on/known), bytes and overruns, also of dead and corrupt
# roots.  It also has --long, and lists directories.
. tests/cli/common

# column ROOT NUMBER: print this column of the line of ROOT.
column() { ulf ls | awk -v root="$1" -v n="$2" '$1 == root { print $n }'; }
has_bytes() { [ "$(column "$root" 5)" -gt 100 ]; }

expect "header" "ROOT PID STATE EVENTS BYTES OVERRUNS" "$(ulf ls | xargs)"
start_hello
expect "pid" "$pid" "$(column "$root" 2)"
expect "state" alive "$(column "$root" 3)"
expect "events" 0/1 "$(column "$root" 4)"
expect "bytes" 0 "$(column "$root" 5)"
ulf echo 1 "$root/events/enable" || fail "enable"
expect "events when on" 1/1 "$(column "$root" 4)"
until_true has_bytes
expect "overruns" 0 "$(column "$root" 6)"
ulf ls --long | grep -q '^  processes  1 alive$' || fail "$(ulf ls --long)"

die "$pid"
expect "state of the dead" dead "$(column "$root" 3)"
expect "events of the dead" 1/1 "$(column "$root" 4)"
has_bytes || fail "the dead root has lost its records"
ulf ls --long | grep -q '^  processes  0 alive$' || fail "$(ulf ls --long)"

# Directories that are no roots do not disturb the roots next to them.
mkdir "$ULF_DIR/junk.1" "$ULF_DIR/junk.2"
head -c 100000 /dev/urandom >"$ULF_DIR/junk.1/memory"
: >"$ULF_DIR/junk.2/memory"
mv "$ULF_DIR/junk.1" "$ULF_DIR/junk.2" "$ULF_DIR/roots/"
until_true is_listed junk.2 corrupt
expect "state of junk" corrupt "$(column junk.1 3)"
expect "state of the dead beside it" dead "$(column "$root" 3)"

# A root of another version, which may be alive, does not disturb them either.
make_foreign other.1
ulf ls --long | grep -A2 '^other.1$' | grep -q 'another version' || fail "$(ulf ls --long)"
text=$(ulf cat other.1/trace 2>&1) && fail "a foreign root was read"
text=$(ulf dump other.1 2>&1) && fail "a foreign root was dumped"

# ulf ls of a directory or a file of a root
expect "events directory" "hello_request/" \
	"$(ulf ls "$root/events/hello" | grep /)"
expect "a file" "$root/trace" "$(ulf ls "$root/trace")"
text=$(ulf ls "$root/nosuch" 2>&1) && fail "ulf ls of nothing succeeds"
contains "$text" "$root/nosuch: No such file or directory"
exit 0
