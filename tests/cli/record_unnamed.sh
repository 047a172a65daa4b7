#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# A recorded function without a symbol has the name in the file that it has in the root, FILE+0x12,
# and not the name of the function before it.
. tests/cli/common

cd "$TMPDIR" || fail "cd"
cat >app.c <<'END'
#define NOINLINE __attribute__((noinline))
NOINLINE static int hidden(int x) { __asm__ volatile("" : "+r"(x)); return x * 3; }
NOINLINE int shown(int x) { __asm__ volatile("" : "+r"(x)); return hidden(x) + 2; }
int main(int argc, char **argv) { (void)argv; return shown(argc) + shown(argc) == 1; }
END
cc -O2 -fno-optimize-sibling-calls -rdynamic -o app app.c || fail "cc"
at=$(nm app | sed -n 's/^0*\([0-9a-f]*\) t hidden$/\1/p')
[ -n "$at" ] || fail "no symbol: $(nm app)"
strip app
# calls: print the names of the functions called, without those of the compiler's start files.
calls() {
	sed -n 's/^.*|  *\([^ |]*\)();.*/\1/p; s/^.*|  *\([^ |]*\)() {.*/\1/p' |
		grep -E '^(main|shown|app\+0x[0-9a-f]*|_start)$'
}
wanted="main
shown
app+0x$at
shown
app+0x$at"
ulf run -o run --ftrace=function_graph -- ./app 2>err || fail "run: $(cat err)"
expect "calls in the root" "$wanted" "$(calls <run)"
ulf record -o app.dat -p function_graph -- ./app 2>err || fail "record: $(cat err)"
ulf report app.dat >report || fail "report"
expect "calls in the file" "$wanted" "$(calls <report)"
