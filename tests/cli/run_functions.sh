#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# Functions are traced from the start: ulf run --ftrace=..., or the same settings in ULF_TRACE,
# trace even the first call of main().
. tests/cli/common

cat >"$TMPDIR/calls.c" <<'END'
__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
__attribute__((noinline)) int middle(int x)
{
	return leaf(x) + leaf(x + 1);
}
int main(void)
{
	return middle(1) != 5;
}
END
gcc -O2 -fpatchable-function-entry=5 -o "$TMPDIR/calls" "$TMPDIR/calls.c" -Wl,--no-as-needed \
	"$ULF_BUILD/libulf.so" -Wl,-rpath,"$ULF_BUILD" || fail gcc

# run ARGS...: run the program; $root is its root, $lines its records without columns that differ.
run() {
	ulf rm --dead
	ulf run -o "$TMPDIR/trace" "$@" -- "$TMPDIR/calls" 2>"$TMPDIR/err" || fail "run: $(cat "$TMPDIR/err")"
	root=$(ulf ls | awk 'NR > 1 { print $1 }')
	[ -n "$root" ] || fail "no root: $(cat "$TMPDIR/err")"
	lines=$(sed -n '/^#/d; s/.*|  //p; s/.*[0-9]: //p' "$TMPDIR/trace")
}

run --ftrace=function_graph
expect "graph" 'main() {
  middle() {
    leaf();
    leaf();
  }
}' "$lines"
run --ftrace=function_graph --ftrace-graph-filter=middle --ftrace-graph-notrace=leaf
expect "one function's graph" "middle();" "$lines"
run --ftrace=function_graph --ftrace-graph-max-depth=2 --trace-options=funcgraph-tail
expect "two deep" 'main() {
  middle();
} /* main */' "$lines"

export ULF_TRACE='ftrace=function ftrace_notrace=middle'
run --ftrace-filter='m*,leaf:traceoff:1,nosuch,leaf'
unset ULF_TRACE
expect "functions" "main <-__libc_start_call_main
leaf <-middle" "$lines"
contains "$(ulf cat "$root/set_ftrace_filter")" leaf:traceoff:count=0
# Functions that do not exist are reported, with a caret.  The others are traced.
contains "$(cat "$TMPDIR/err")" "Command: ftrace_filter=m*,leaf:traceoff:1,nosuch,leaf
$(printf '%44s^' '')"

# A tracer that is limited to functions that do not exist records nothing: it would record all
# functions otherwise.  The reason is printed even if the program ends at once.
for setting in --ftrace-filter=nosuch,neither --ftrace-graph-filter=nosuch; do
	run --ftrace=function_graph $setting
	expect "records with $setting" "" "$lines"
	contains "$(cat "$TMPDIR/err")" "Function not found"
	contains "$(cat "$TMPDIR/err")" "boot: error: Not set, so it records nothing"
	expect "tracer with $setting" nop "$(ulf cat "$root/current_tracer")"
done
# Another tracer has no graphs to limit, and one known function of several is enough.
run --ftrace=function --ftrace-graph-filter=nosuch
contains "$lines" "leaf <-middle"
run --ftrace=function --ftrace-filter=nosuch --ftrace-filter=leaf
expect "the known function" "leaf <-middle
leaf <-middle" "$lines"
text=$(ulf record -o "$TMPDIR/trace.dat" -p function -F nosuch -- "$TMPDIR/calls" 2>&1) ||
	fail "record: $text"
contains "$text" "Not set, so it records nothing"
contains "$text" "trace.dat: 0 records of calls."

text=$(ulf run --ftrace=graph -- touch "$TMPDIR/ran" 2>&1)
expect "status of a tracer that is none" 2 $?
contains "$text" "there is: nop function function_graph"
text=$(ulf run --ftrace-graph-max-depth=deep -- touch "$TMPDIR/ran" 2>&1)
expect "status of a depth that is none" 2 $?
[ ! -e "$TMPDIR/ran" ] || fail "the program has run"

# ulf run --stacktrace shows the deepest stack at the end, after the records if there are some.
run --stacktrace
expect "stack" "leaf middle main" \
	"$(sed -n 's/^ *[0-2])  *[0-9]*  *[0-9]*   \([a-z]*\)+0x.*/\1/p' "$TMPDIR/trace" | xargs)"
contains "$(head -n 1 "$TMPDIR/trace")" "Depth    Size   Location"
contains "$(cat "$TMPDIR/err")" "$root/stack_trace"
run --stacktrace-filter=middle --ftrace=function --ftrace-filter=leaf
contains "$(sed -n '/leaf <-middle/,$p' "$TMPDIR/trace")" " middle+0x"
run --stacktrace --live
contains "$(cat "$TMPDIR/trace")" " leaf+0x"
