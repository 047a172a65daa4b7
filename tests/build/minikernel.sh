#!/bin/sh
# SPDX-License-Identifier: MIT
# The mini kernel survives each program that is typed at its console without an argument, or with
# a wrong argument.
set -u
fail() { echo "FAIL: $*" >&2; exit 1; }

commands="make client cat wc sum sleep insmod rmmod true nosuch"
for command in $commands; do
	printf '%s\n%s -1\n%s x\n' "$command" "$command" "$command"
done >"$TMPDIR/commands"
timeout 60 "$ULF_BUILD/examples/minikernel" --console --cpus 2 --seconds 2 \
	<"$TMPDIR/commands" >"$TMPDIR/out" 2>&1
status=$?
[ $status = 0 ] || fail "exit status $status: $(tail -n 3 "$TMPDIR/out")"
exit 0
