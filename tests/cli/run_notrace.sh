#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address programs built without the sanitizer cannot load this libulf
# no-sanitize: thread programs built without the sanitizer cannot load this libulf
# Of what a trace header puts into a program no function is traced but __traceiter_*, as
# in the kernel, whatever makes room at functions.
. tests/cli/common

cat >"$TMPDIR/traced.c" <<'END'
#define CREATE_TRACE_POINTS
#include "hello_trace.h"

int main(void)
{
	trace_hello_request(1, "once");
	return 0;
}
END

only_its_own() {
	"$@" -O0 -fno-inline -Iinclude -Iexamples/hello "$TMPDIR/traced.c" \
		"$ULF_BUILD/libulf.so.0" -Wl,-rpath,"$ULF_BUILD" -o "$TMPDIR/traced" \
		2>"$TMPDIR/log" || fail "$*: $(cat "$TMPDIR/log")"
	ulf run --ftrace=function -e hello -o /dev/null -- "$TMPDIR/traced" >/dev/null 2>&1 ||
		fail "$*: exit status $?"
	functions=$(ulf cat traced/available_filter_functions)
	contains "$functions" main
	expect "$*: others" "" "$(echo "$functions" | grep 'ulf\|trace_event_')"
	ulf rm --dead
}
only_its_own gcc -fpatchable-function-entry=5
only_its_own gcc -pg -mfentry -mrecord-mcount
only_its_own g++ -fpatchable-function-entry=5
only_its_own clang -fpatchable-function-entry=5
only_its_own clang -fxray-instrument -fxray-instruction-threshold=1
