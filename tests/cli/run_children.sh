#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A filter of functions for a program that no compiler has prepared: a program that this one starts
# has none of these functions, and records nothing.  In the first program that is a mistake.
. tests/cli/common

cat >"$TMPDIR/parent.c" <<'END'
#include <unistd.h>

__attribute__((noinline)) int parents_work(int n) { return n + getppid(); }
int main(int argc, char **argv)
{
	(void)argc;
	if (parents_work(1) > 0)
		execv(argv[1], argv + 1);
	return 1;
}
END
gcc -O2 -o "$TMPDIR/parent" "$TMPDIR/parent.c" || fail gcc
ulf run -o "$TMPDIR/trace" --ftrace=function --ftrace-filter=parents_work -- \
	"$TMPDIR/parent" /bin/ls "$TMPDIR" >/dev/null 2>"$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
expect "messages" "" "$(grep error "$TMPDIR/err")"
expect "functions" parents_work "$(sed -n 's/.*: \([a-z_]*\) <-.*/\1/p' "$TMPDIR/trace")"

ulf run -o "$TMPDIR/trace" --ftrace=function --ftrace-filter=parents_wrok -- \
	"$TMPDIR/parent" /bin/true 2>"$TMPDIR/err"
contains "$(cat "$TMPDIR/err")" "did you mean 'parents_work'"
