#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# Settings from the start apply to the first program that has something to trace.  A wrapper into
# which libulf is loaded passes them on, and leaves no root.
. tests/cli/common

program=$ULF_BUILD/tests/cli-check_events
ulf ls >/dev/null || fail "no server"
only_root() {
	expect "roots of $*" "cli-check_event" "$(ulf ls | sed -n 's/\..*//; 2,$p')"
	expect "records of $*" 1 "$(ulf cat cli-check_event/trace | grep -c check_good:)"
	ulf rm --dead
}
is_alone() { [ "$(ulf ls | wc -l)" = 2 ]; }
wrapped() {
	LD_PRELOAD=$preload ULF_TRACE='trace_event=check trace_clock=mono' "$@" ||
		fail "$*: status $?"
	until_true is_alone		# the next tick removes the root of the wrapper
	contains "$(ulf cat cli-check_event/trace_clock)" "[mono]"
	only_root "$@"
}
wrapped timeout 100 "$program"
wrapped env A=1 "$program"
wrapped nice "$program"
wrapped sh -c 'exec "$0"' "$program"
wrapped sh -c '"$0"; :' "$program"
wrapped timeout 100 env B=2 nice sh -c 'exec timeout 100 "$0"' "$program"
wrapped "$program"
ulf rm --dead

# A fifo in the working directory with the name of the vDSO does not block a program.
mkdir "$TMPDIR/trap" && mkfifo "$TMPDIR/trap/linux-vdso.so.1" || fail "fifo"
(cd "$TMPDIR/trap" && timeout 20 env LD_PRELOAD="$preload" ULF_TRACE=trace_event=check true) ||
	fail "a fifo keeps a program waiting: status $?"
ulf rm --dead

# Run wrappers under ulf run, with the library in the environment and without.
by_run() {
	env LD_PRELOAD="$loaded" ulf run -o "$TMPDIR/trace" -e check -- "$@" 2>"$TMPDIR/err" ||
		fail "$*: status $?"
	expect "lines for $*" 1 "$(grep -c '^ulf: ' "$TMPDIR/err")"
	grep -q '5 records; ' "$TMPDIR/err" || fail "$*: $(cat "$TMPDIR/err")"
	until_true is_alone
	only_root "$@"
}
for loaded in "" "$preload"; do
	by_run timeout 100 "$program"
	by_run env A=1 "$program"
done

# --live shows the program, although the wrapper's root is alive, too, and comes first by name.
cp "$hello" "$TMPDIR/zhello" || fail "cp"
LD_PRELOAD=$preload ulf run --live -e hello -- timeout 100 "$TMPDIR/zhello" >/dev/null \
	2>"$TMPDIR/live" &
job=$!
until_true grep -q "hello_request: count=" "$TMPDIR/live"
kill $job
wait $job
ulf rm --dead

# A program has nothing to trace at first, and loads it later.  The settings are kept until then.
cat >"$TMPDIR/loader.c" <<'END'
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void (*work)(void);
	void *handle;

	(void)argc;
	handle = dlopen(argv[1], RTLD_NOW);
	work = handle ? (void (*)(void))dlsym(handle, "work") : 0;
	if (!work)
		return 1;
	work();
	return 0;
}
END
cat >"$TMPDIR/events.c" <<'END'
#define CREATE_TRACE_POINTS
#include "hello_trace.h"

void work(void);
void work(void)
{
	trace_hello_request(1, "loaded");
}
END
cat >"$TMPDIR/functions.c" <<'END'
void work(void);
void work(void)
{
}
END
gcc -o "$TMPDIR/loader" "$TMPDIR/loader.c" -ldl &&
	gcc -O1 -fPIC -shared -Iinclude -Iexamples/hello "$TMPDIR/events.c" \
		"$ULF_BUILD/libulf.so.0" -Wl,-rpath,"$ULF_BUILD" -o "$TMPDIR/events.so" &&
	gcc -fPIC -shared -fpatchable-function-entry=5 "$TMPDIR/functions.c" \
		-o "$TMPDIR/functions.so" || fail "gcc"
LD_PRELOAD=$preload ULF_TRACE='trace_event=hello trace_clock=mono' \
	"$TMPDIR/loader" "$TMPDIR/events.so" || fail "events.so"
contains "$(ulf cat loader/trace)" "hello_request: count=1 who=loaded"
contains "$(ulf cat loader/trace_clock)" "[mono]"
ulf rm --dead
LD_PRELOAD=$preload ULF_TRACE='ftrace=function' \
	"$TMPDIR/loader" "$TMPDIR/functions.so" || fail "functions.so"
contains "$(ulf cat loader/trace)" ": work <-main"
exit 0
