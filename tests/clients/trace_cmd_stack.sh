#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd -T requests a stack after each event, and its report shows the functions that
# `trace' shows.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
ulf exec trace-cmd start -q -T -e emit 2>&1 || fail "start"
expect "options/stacktrace" 1 "$(ulf cat "$root/options/stacktrace")"
emit 40
ulf exec trace-cmd stop || fail "stop"
ulf echo 1 "$root/options/sym-addr"
ulf cat "$root/trace" >ours
ulf exec trace-cmd extract -o trace.dat >log 2>&1 || fail "extract: $(cat log)"
trace-cmd report trace.dat >theirs 2>errors || fail "report: $(cat errors)"
expect "errors" "" "$(cat errors)"

expect "stacks of ours" "$said" "$(grep -c '<stack trace>$' ours)"
expect "stacks of theirs" "$said" "$(grep -c ': kernel_stack: *<stack trace *>$' theirs)"
# Compare only addresses, which follow the names.  The report gives a nameless function of a
# library the name of the last function before it.
sed -n 's/^ => .* <0*\([0-9a-f]*\)>$/\1/p' ours >ours.addresses
sed -n 's/^=> .* (\([0-9a-f]*\))$/\1/p' theirs >theirs.addresses
cmp ours.addresses theirs.addresses || fail "$(head -n 20 theirs)"
expect "who hit, in ours" "$said" "$(grep -c '^ => emit <' ours)"
expect "who hit, in theirs" "$said" "$(grep -c '^=> emit (' theirs)"
exit 0
