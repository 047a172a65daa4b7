#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# bash has the results of its own tests while all functions of bash, of the programs that it
# starts, and of all libraries are traced, and while tracing is switched at random.
. tests/proof/common
need bash
need_source bash

# Left out: tests that print times (run-dbg-support, run-set-x: $SECONDS), or ask the network.
items='array builtins trap'
! is_long || items=$(cd "$source/tests" && printf '%s\n' run-* |
	sed '/run-\(all\|minimal\|gprof\|read\|jobs\)$/d; s/^run-//')
items=${PROOF_UNITS:-$items}
mkdir "$TMPDIR/bin"
cp -r "$source/tests" "$TMPDIR/tests" || fail cp
for name in recho zecho printenv xcase; do
	gcc -w -I"$source" -I"$source/include" -include stdlib.h -include string.h \
		-o "$TMPDIR/tests/$name" "$source/support/$name.c" || fail "gcc $name"
done
wrap bash "$TMPDIR/bin/bash"

# run_test NAME: what the test prints; pids and random numbers differ
run_test() {
	cd "$TMPDIR/tests" || return
	THIS_SH=$TMPDIR/bin/bash BASH_TSTOUT=$TMPDIR/tstout PATH=$TMPDIR/tests:$PATH \
		BUILD_DIR=$source LC_ALL=C LANG=C timeout 300 sh "./run-$1" 2>&1
	echo "status $?"
	rm -f "$TMPDIR/tstout"
}
in_phases run_test "$items"
echo "score: bash $score"
