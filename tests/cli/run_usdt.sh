#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run --usdt records the probes of a program that nobody has prepared, from main() on, and of
# libraries that it loads.  The stack of a hit begins with the function that contains the probe.
. tests/cli/common

usdt=tests/data/usdt
gcc -O2 -w -o "$TMPDIR/prober" $usdt/prober.c -pthread -ldl &&
	gcc -O2 -w -shared -fPIC -o "$TMPDIR/library.so" $usdt/library.c || fail "gcc"
printf 'hit 1\nload %s\nhit 2\n' "$TMPDIR/library.so" >"$TMPDIR/orders"
ulf run -o "$TMPDIR/trace" --usdt -e 'prober:two,library:hit,prober:counted' \
	--trace-options=stacktrace -- "$TMPDIR/prober" <"$TMPDIR/orders" >"$TMPDIR/said" \
	2>"$TMPDIR/err" || fail "status $?: $(cat "$TMPDIR/err")"
expect "hits" 'two arg1=1 arg2=1
counted arg1=1
two arg1=2 arg2=2
counted arg1=2
hit arg1=2' "$(sed -n 's/.*: \([a-z]*\): ([0-9a-f]*)/\1/p' "$TMPDIR/trace")"
expect "semaphore" 'hit 1' "$(sed -n 2p "$TMPDIR/said")"
first_frame() { grep -A2 "$1" "$TMPDIR/trace" | grep '=>' | sort -u; }
expect "stack" ' => hit' "$(first_frame ' two:')"
expect "stack in the library" ' => library_hit' "$(first_frame ' hit:')"
contains "$(cat "$TMPDIR/trace")" ' => main'

# Without it the program is not touched.
ulf run -o "$TMPDIR/trace" -e 'prober:two' -- "$TMPDIR/prober" <"$TMPDIR/orders" \
	>"$TMPDIR/said" 2>"$TMPDIR/err"
contains "$(cat "$TMPDIR/err")" "itself cannot be traced"
expect "no semaphore" 'hit 0' "$(sed -n 2p "$TMPDIR/said")"
