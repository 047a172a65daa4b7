#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf archive writes what a root has recorded, alive or dead, to a file whose lines are those of
# trace.  The root does not change.
. tests/cli/common

cd "$TMPDIR" || fail "cd"
# same_lines ROOT FILE: the lines of the file are those of trace of the root, which records nothing.
# trace reports in its header what was lost before its first line.
same_lines() {
	ulf cat "$1/trace" | grep -v '^#' >ours
	ulf report "$2" | grep -v '^#\|^CPU:.*LOST' >theirs
	diff ours theirs >differences || fail "$2: $(head differences)"
	[ -s ours ] || fail "$2 has no lines"
}

start_hello
text=$(ulf archive "$root" 2>&1) && fail "a root that has recorded nothing"
contains "$text" "has recorded nothing"
ulf echo 1 "$root/events/enable"
until_true has_records "$root" 20
# The rings are replaced, and some records are read: trace and the file have the rest.
ulf echo 64 "$root/buffer_size_kb"
until_true has_records "$root" 40
ulf echo 0 "$root/tracing_on"
ulf archive -o alive.dat "$root" 2>err || fail "alive: $(cat err)"
same_lines "$root" alive.dat
contains "$(cat err)" ", 0 lost"
ulf echo "" "$root/trace"
ulf echo 1 "$root/tracing_on"
until_true has_records "$root" 20
# A snapshot is not archived.
ulf echo 1 "$root/snapshot"
until_true has_records "$root" 10
die "$pid"
ulf archive -o dead.dat hello 2>err || fail "dead: $(cat err)"
same_lines "$root" dead.dat
contains "$(cat err)" ", 0 lost"
is_listed "$root" dead || fail "the root is gone"

# Records that were overwritten are counted.
echo 100000 | ulf run -e emit --trace-buf-size=16K -- "$ULF_BUILD/tests/clients-emit" >out 2>err
ulf archive -o lost.dat clients-emit 2>err || fail "lost: $(cat err)"
same_lines clients-emit lost.dat
expect "saved and lost" 100000 "$(sed -n 's/^lost.dat: \([0-9]*\) .*, \([0-9]*\) lost$/\1 + \2/p' err |
	xargs expr)"
text=$(ulf archive nosuch 2>&1) && fail "no root"
contains "$text" "no root is called"
text=$(ulf archive -i nosuch hello 2>&1) && fail "no instance"
contains "$text" "No such file"
exit 0
