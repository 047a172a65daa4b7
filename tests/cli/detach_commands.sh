#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# ulf detach removes commands of functions: with a count, without one, of functions that have the
# same name, and of functions of libraries that the lists do not show any more.
. tests/cli/common
trap 'kill -KILL $pids 2>/dev/null' EXIT

for part in 1 2; do
	cat >"$TMPDIR/$part.c" <<-END
	#include <unistd.h>
	__attribute__((noinline)) static int twin(int x) { return usleep(1000) + x * $part; }
	int part$part(int x) { return twin(x) + 1; }
	END
done
cat >"$TMPDIR/main.c" <<'END'
int part1(int), part2(int);
int main(void)
{
	for (volatile int x = 0;; x++)
		part1(x), part2(x);
}
END
gcc -O2 -w -o "$TMPDIR/twins" "$TMPDIR/1.c" "$TMPDIR/2.c" "$TMPDIR/main.c" || fail gcc
"$TMPDIR/twins" &
pid=$!
pids="$pids $pid"
is_started() { ulf attach "$pid" >"$TMPDIR/out" 2>"$TMPDIR/err"; }
until_true is_started
root=$(head -n 1 "$TMPDIR/out")
commands() { ulf cat "$root/set_ftrace_filter" | grep : | sort | xargs; }
add() { ulf echo -a "$1" "$root/set_ftrace_filter" || fail "$1"; }
ulf echo all-objects "$root/trace_options"
add twin:snapshot:3
add twin:traceon
add part1:traceoff:1000000
add part2:stacktrace
add usleep:traceon
ulf echo noall-objects "$root/trace_options"
# Counts change meanwhile.
expect "commands" "part1:traceoff part2:stacktrace twin:snapshot twin:snapshot twin:traceon \
twin:traceon usleep:traceon" "$(commands | sed 's/:unlimited//g; s/:count=[0-9]*//g')"
# One write removes a command from many functions.
ulf echo all-objects "$root/trace_options"
add 'm*:traceon'
[ "$(ulf cat "$root/set_ftrace_filter" | wc -l)" -gt 100 ] || fail "too few functions with m"
ulf echo noall-objects "$root/trace_options"
ulf detach "$root" >"$TMPDIR/out" 2>"$TMPDIR/err" || fail "detach: $(cat "$TMPDIR/err")"
expect "messages" "" "$(cat "$TMPDIR/err")"
expect "commands" "" "$(commands)"
exit 0
