#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A signal handler finds the callers of a function with a USDT probe at each instruction that runs
# because the probe is on, and an exception that it throws in the stub, the cell or the copy is
# caught.
# stepped.cpp describes the program.
. tests/cli/common

printf 'go\ngo\n' >"$TMPDIR/orders"
# check STEPS FLAGS...: compile the program.  STEPS: instructions that are in no object.
check() {
	steps=$1
	shift
	g++ -O1 -w -fnon-call-exceptions "$@" -o "$TMPDIR/stepped" tests/data/usdt/stepped.cpp \
		-ldl || fail "g++"
	ulf run -o "$TMPDIR/trace" --usdt -e 'stepped:probed' -- "$TMPDIR/stepped" \
		<"$TMPDIR/orders" >"$TMPDIR/said" 2>"$TMPDIR/err" ||
		fail "status $?: $(cat "$TMPDIR/said" "$TMPDIR/err")"
	expect "steps" "ready
bare $steps caught $steps lost 0
bare $steps caught $steps lost 0" "$(cat "$TMPDIR/said")"
	expect "hits" 2 "$(grep -c 'probed: .* arg1=7 ' "$TMPDIR/trace")"
}
# The jump of the stub, and the four instructions of the cell.
check 5
# A program with fixed addresses, where no stub can be: the cell, and the copy of the instructions
# that the jump replaces, with the jump at its end.
check 7 -no-pie -fno-pie
# A copy with a call: it pushes the return address, in two instructions, and jumps.
check 8 -no-pie -fno-pie -DPROBE_AFTER='"call helper\n"'
