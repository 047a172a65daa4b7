# SPDX-License-Identifier: MIT
# no-sanitize: address times and memory of an instrumented build say nothing
# no-sanitize: thread times and memory of an instrumented build say nothing
# The benchmark runs, and prints a number for everything that needs neither LTTng, uftrace,
# bpftrace nor strace.  The test does not judge the numbers.
set -u

# Rows that need LTTng, uftrace or bpftrace may be empty.  Then bench/run fails, so its exit status is not
# checked.
"$ULF_SRC/bench/run" "$ULF_BUILD" 1 >"$TMPDIR/out" 2>&1
cat "$TMPDIR/out"
status=0
for ratio in event_on/limit filter_reject/event_on string_on/limit \
	     event_on_4threads/event_on hist_on/event_on hist_log2_on/event_on \
	     hist_string_on/event_on hist_on_4threads/hist_on onmatch_pair/event_pair \
	     syscall_extra/event_on syscall_named/syscall_on \
	     print_tep/print_line event_off/empty_loop start/plain fork/plain \
	     malloc/plain function_off/plain neighbour/plain function_on/limit \
	     graph_on/limit fib_off/plain fib_function/limit fib_graph/limit; do
	grep -qE "^RATIO $ratio [0-9]+\.[0-9]+\$" "$TMPDIR/out" || {
		echo "no number for $ratio"
		status=1
	}
done
if command -v trace-cmd >/dev/null; then
	"$ULF_SRC/bench/report" "$ULF_BUILD" 1 20000 >"$TMPDIR/out" 2>&1
	cat "$TMPDIR/out"
	grep -qE '^RATIO report_trace_cmd/report [0-9]+\.[0-9]+$' "$TMPDIR/out" || {
		echo "no number for the report"
		status=1
	}
fi
exit $status
