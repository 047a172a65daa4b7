#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 200
# no-sanitize: address the agent has no descriptor table of its own
# no-sanitize: thread the agent has no descriptor table of its own
# function_graph shows the switches of a thread inside of the call in which they happen.  A duration
# has the time between them in it with the option sleep-time, and does not without.
. tests/cli/common
program=$ULF_BUILD/tests/cli-offcpu
cd "$TMPDIR" || fail "cd"
ulf server --background

cat >check <<'END'
import re, sys
is_sleep_time, calls = sys.argv[2] == 'sleep-time', []
start = None
for line in open(sys.argv[1]):
    m = re.match(r' *([0-9.]+) \|  *\d+\)(.*?)\|(.*)', line)
    if not m:
        continue
    time, duration, what = float(m[1]) * 1e6, m[2], m[3].strip()
    if what.startswith('take_nap() {'):
        start, off, since, pid = time, 0, None, None
    switch = re.match(r'/\* sched_switch: .*prev_pid=(-?\d+) .*==> .*next_pid=(-?\d+)', what)
    if switch and start is not None:
        # Inside of a nap, the first switch out is that of the thread that naps.
        pid = pid or switch[1]
        if switch[1] == pid and pid != '-1':
            since = time
        elif switch[2] == pid and since is not None:
            off += time - since
            since = None
    if what.startswith('} /* take_nap */') and start is not None:
        calls.append((time - start, off, float(re.search(r'([0-9.]+) us', duration)[1])))
        start = None
# Times are printed as whole microseconds, and each call has some of them.
slack = 100
assert len(calls) >= 15, calls
# A thread can be switched out between two clock reads of one hit, so two calls may differ by more.
bad = [(wall, off, duration) for wall, off, duration in calls if off > wall + slack or
       not (off - slack <= duration <= wall + slack if is_sleep_time else
            0 < duration <= wall - off + slack)]
assert len(bad) <= 2, bad
assert sum(call[1] for call in calls) >= 5000 * len(calls), calls
END

for option in sleep-time nosleep-time; do
	printf '\n\n' | taskset -c "$(taskset -cp $$ | sed 's/.*[^0-9]//')" ulf run -o trace \
		--ftrace=function_graph --ftrace-filter=take_nap -e ulf_sched:sched_switch \
		--trace-options=funcgraph-abstime,funcgraph-tail,$option -- "$program" >out 2>err ||
		fail "$(cat err)"
	grep -q sched_switch trace || ! grep -q 'late events' err ||
		skip "the system refuses perf_event_open(): $(cat err)"
	python3 check trace $option || fail "$option: $(head -n 100 trace)"
done
