#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A signal handler finds the callers of a function with a USDT probe at each instruction that runs
# because the probe is on, and an exception that it throws in the stub or in the cell is caught.
# stepped.cpp describes the program.
. tests/cli/common

g++ -O1 -w -fnon-call-exceptions -o "$TMPDIR/stepped" tests/data/usdt/stepped.cpp -ldl || fail "g++"
printf 'go\ngo\n' >"$TMPDIR/orders"
ulf run -o "$TMPDIR/trace" --usdt -e 'stepped:probed' -- "$TMPDIR/stepped" <"$TMPDIR/orders" \
	>"$TMPDIR/said" 2>"$TMPDIR/err" || fail "status $?: $(cat "$TMPDIR/said" "$TMPDIR/err")"
# The jump of the stub, and the four instructions of the cell.
expect "steps" 'ready
bare 5 caught 5 lost 0
bare 5 caught 5 lost 0' "$(cat "$TMPDIR/said")"
expect "hits" 2 "$(grep -c 'probed: .* arg1=7 ' "$TMPDIR/trace")"
