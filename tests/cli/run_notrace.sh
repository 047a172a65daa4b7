#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address programs built without the sanitizer cannot load this libulf
# no-sanitize: thread programs built without the sanitizer cannot load this libulf
# Functions that a trace header defines in a program cannot be traced, with every compiler flag
# that makes space at functions.  The list has only the functions of the program itself.
. tests/cli/common

cat >"$TMPDIR/traced.c" <<'END'
#define CREATE_TRACE_POINTS
#include "hello_trace.h"

#include <linux/ftrace.h>
#include <ulf/tracing.h>

static void probe(void *data, int count, const char *who)
{
	(void)data, (void)count, (void)who;
}

/* Taking an address makes a function of code that is inlined otherwise. */
void (*volatile hit)(int, const char *) = trace_hello_request;
bool (*volatile is_on)(void) = trace_hello_request_enabled;

int main(void)
{
	int bit = ftrace_test_recursion_trylock(0, 0);

	ftrace_test_recursion_unlock(bit);
	check_trace_callback_type_hello_request(probe);
	register_trace_prio_hello_request(probe, NULL, 1);
	register_trace_hello_request(probe, (void *)1);
	trace_hello_request(1, "once");
	hit(is_on(), "by its address");
	trace_printk("%s\n", "printed");
	unregister_trace_hello_request(probe, (void *)1);
	unregister_trace_hello_request(probe, NULL);
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
	# The list must not have functions of libulf or of a library of the compiler.
	expect "$*" "main probe" "$(echo "$functions" | grep -v ' \[' | sed 's/^_ZL5probe.*/probe/' |
		sort | xargs)"
	ulf rm --dead
}
only_its_own gcc -fpatchable-function-entry=5
only_its_own gcc -pg -mfentry -mrecord-mcount
only_its_own g++ -fpatchable-function-entry=5
only_its_own clang -fpatchable-function-entry=5
only_its_own clang++ -fpatchable-function-entry=5
only_its_own clang -fxray-instrument -fxray-instruction-threshold=1
