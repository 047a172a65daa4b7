#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# `ulf run -e ulf_sched` loads libulf into a program that is not linked with it, and records when its
# threads do not run.  A mistyped event is reported.
. tests/cli/common
cd "$TMPDIR" || fail "cd"
why=$("$ULF_BUILD/tests/tracefs-perf_time" </dev/null) || skip "$why"

ulf run -e ulf_sched:sched_switch -- sleep 0.05 >out 2>err || fail "status $?: $(cat err)"
grep -q 'sched_switch: prev_comm=sleep .*prev_state=S ==> next_comm=<unknown>' err ||
	fail "no switch: $(cat out err)"
grep -q "no event matches" err && fail "$(cat err)"
root=$(ulf ls | sed -n 's/^\(sleep[.0-9]*\) .*/\1/p')
contains "$(ulf cat "$root/available_events")" "ulf_sched:sched_switch"

ulf run -e ulf_sched:sched_swtch -- sleep 0.05 >out 2>err
contains "$(cat err)" 'no event matches `ulf_sched:sched_swtch`'
exit 0
