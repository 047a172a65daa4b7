#!/bin/sh
# SPDX-License-Identifier: MIT
# Records of trace_printk() are packed as the kernel packs them: trace-cmd, which has its own
# printf, shows the text that `trace' shows.
. tests/clients/common
. tests/tracefs/printk/common

needs trace-cmd trace-cmd
needs_namespace
start_sayer
cd "$TMPDIR" || fail "cd"
say all
ulf exec trace-cmd extract -o trace.dat >log 2>&1 || fail "extract: $(cat log)"
trace-cmd report -N trace.dat >report 2>errors || fail "report: $(cat errors)"
expect "errors" "" "$(cat errors)"
# printk_formats does not escape a backslash, and libtraceevent does not know %px.
sed 's/ \\ /  /; s/0000000000123456/0x123456x/' said >wanted
sed -n 's/^.*: \(bprint\|bputs\|print\): *//p' report >theirs
same_text wanted theirs
for event in bprint bputs print; do
	grep -q ": $event: " report || fail "no $event in the report"
done
echo "score: $(wc -l <wanted) lines are the same"
