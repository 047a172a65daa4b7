#!/bin/sh
# SPDX-License-Identifier: MIT
# Run the kernel's own self-tests of tracefs on the sample program, started as users start it.
#  No library makes the program repeat the actions of the scripts; the program is active
# enough by itself.  docs/CONFORMANCE.md says how many tests pass at least.
#
# SELFTESTS='test.d/event ...' runs only these tests, and compares nothing.
#
# timeout: 600
# no-sanitize: address the program is too slow for what scripts expect of a kernel
# no-sanitize: thread the program is too slow for what scripts expect of a kernel
. tests/conformance/common
. tests/tracefs/common
logs=$ULF_CACHE/selftests_bare
. tests/conformance/ftracetest

# ticks: print the number of clock ticks that the program has used.
ticks() { cut -d ' ' -f 14,15 /proc/"$pid"/stat | tr ' ' +; }

start_root minikernel 48 "$minikernel"
floor=$(sed -n 's/.*at least \([0-9]*\) pass on a bare root.*/\1/p' "$page")
# The scripts wait a millisecond for the program, which possibly gets no CPU in that time on a
# busy machine.  So there are up to three runs, and the last one counts.
all=
for try in 1 2 3; do
	run_selftests
	passed=$(grep -c ' pass$' "$TMPDIR/results")
	grep -E ' (fail|unresolved)$' "$TMPDIR/results"
	all="$all${all:+, }$passed"
	echo "run $try: $passed passed; logs: $logs"
	[ -z "${SELFTESTS-}" ] && [ "$passed" -lt "${floor:?}" ] || break
done
echo "CPU time of the program: $(($(ticks) * 1000 / $(getconf CLK_TCK))) ms"
[ -n "${SELFTESTS-}" ] || [ "$passed" -ge "$floor" ] ||
	fail "$all passed, and docs/CONFORMANCE.md says at least $floor"
echo "score: $passed passed on a bare root (runs until $floor: $all)"
