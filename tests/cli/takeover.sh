#!/bin/sh
# SPDX-License-Identifier: MIT
# After kill -9 of the server the program continues to record, and the next server finds the
# settings, the buffer sizes and every record.
. tests/cli/common

start_hello
ulf echo 1 "$root/events/hello/enable" || fail "enable"
ulf echo 512 "$root/buffer_size_kb" || fail "buffer_size_kb"
size=$(ulf cat "$root/buffer_size_kb")
ulf echo mono "$root/trace_clock" || fail "trace_clock"
last_count() { ulf cat "$root/trace" | sed -n '$s/.*count=\([0-9]*\).*/\1/p'; }
has_records() { [ -n "$(last_count)" ]; }
until_true has_records

for round in 1 2 3; do
	before=$(last_count)
	kill_server
	let_run 20
	kill -0 "$pid" || fail "the program died with the server"
	expect "enable" 1 "$(ulf cat "$root/events/hello/hello_request/enable")"
	expect "size" "$size" "$(ulf cat "$root/buffer_size_kb")"
	contains "$(ulf cat "$root/trace_clock")" "[mono]"
	ulf cat "$root/trace" >"$TMPDIR/trace"
	grep -o 'count=[0-9]*' "$TMPDIR/trace" | sed 's/.*=//' >"$TMPDIR/counts"
	awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 }' "$TMPDIR/counts" ||
		fail "records are missing: $(xargs <"$TMPDIR/counts")"
	# Records from the time without a server are there, too.
	[ "$(tail -n 1 "$TMPDIR/counts")" -gt "$before" ] ||
		fail "it stopped recording at $before"
done
ulf echo 0 "$root/events/enable" || fail "the new server cannot switch it off"
expect "enable" 0 "$(ulf cat "$root/events/hello/hello_request/enable")"
exit 0
