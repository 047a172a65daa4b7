#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd records synthetic events and event probes, and reports their fields with the print
# formats that the kernel has for them.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_minikernel
cd "$TMPDIR" || fail "cd"
ulf echo -a 'all u64 a; s64 b; u32 c; s32 d; u16 e; s16 f; u8 g; s8 h; char i[16]; char j[]; bool k; pid_t l; unsigned long m' \
	"$root/synthetic_events" || fail synthetic
ulf echo -a 'stack u64 a; unsigned long[] s' "$root/synthetic_events" || fail stack
ulf echo -a 'e:sw sched.sched_switch pid=$prev_pid:s32 comm=$prev_comm:string next=$next_comm:string prio=$next_prio:u8' \
	"$root/dynamic_events" || fail eprobe

inject="$root/events/synthetic/all/inject"
cat >inject.sh <<END
ulf echo -a 'a=18446744073709551615 b=-2 c=4294967295 d=-4 e=65535 f=6 g=255 h=8 i="fixed" j="dynamic one" k=1 l=42 m=7' $inject || exit 1
ulf echo -a 'a=1' $inject || exit 1
ulf echo -a 'a=2' $root/events/synthetic/stack/inject || exit 1
nr_records() { cat_stats | awk '/^entries:|^read events:/ { n += \$NF } END { print n + 0 }'; }
cat_stats() { for cpu in \$(seq 0 $(($(nproc --all) - 1))); do ulf cat $root/per_cpu/cpu\$cpu/stats; done; }
until [ "\$(nr_records)" -gt 20 ]; do sleep 0.02; done
END
ulf exec trace-cmd record -q -e synthetic -e eprobes -o trace.dat /bin/sh inject.sh >log 2>&1 ||
	fail "record: $(cat log)"
trace-cmd report -N trace.dat >report 2>errors || fail "report: $(cat errors)"
fields() { sed -n "s/.*[0-9]: $1: *//p" report; }
expect "fields" "a=18446744073709551615, b=-2, c=4294967295, d=-4, e=65535, f=6, g=255, h=8, i=fixed, j=dynamic one, k=1, l=42, m=7
a=1, b=0, c=0, d=0, e=0, f=0, g=0, h=0, i=, j=, k=0, l=0, m=0" "$(fields all)"
expect "the event with a stack" 1 "$(fields stack | grep -c 'a=2')"
fields sw | head -n 1 | grep -qE '^ *pid=[0-9]+ comm="[^"]+" next="[^"]+" prio=[0-9]+$' ||
	fail "event probe: $(fields sw | head -n 3)"
# trace-cmd switches them off again; then they can be removed.
expect "enable" 0 "$(ulf cat "$root/events/enable")"
for event in synthetic/all synthetic/stack sw; do
	ulf echo -a -- "-:$event" "$root/dynamic_events" || fail "remove $event"
done
exit 0
