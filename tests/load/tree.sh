#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address the sanitizer itself needs memory
# timeout: 300
# Many roots with a thousand events each, readers that wait in trace_pipe, and shells that
# read and write all files at the same time.  Nothing hangs, every client can be killed, and
# the server's memory is bounded.  The times of writes are measured and printed.
. tests/cli/common

if [ "${ULF_TORTURE-}" = long ]; then
	nr_roots=100 nr_readers=64 nr_shells=6 seconds=60
else
	nr_roots=10 nr_readers=10 nr_shells=3 seconds=3
fi
many=$ULF_BUILD/tests/load-many probe=$ULF_BUILD/tests/load-probe

[ -w /dev/fuse ] || skip "no /dev/fuse"
tree=$(ulf mount) || fail "cannot mount"
server=$(server_pid)

# ---- the programs, the readers ----

export ULF_TRACE=trace_buf_size=64K
for i in $(seq $nr_roots); do
	"$many" &
	pids="$pids $!"
done
unset ULF_TRACE
roots=$(echo "$pids" | sed "s, \([0-9]*\), $tree/load-many.\1,g")
are_known() { [ "$(ulf ls | grep -c 'alive.*/1000 ')" = $nr_roots ]; }
until_true are_known

# Every second root records events; readers of the others get only markers.
i=0 readers=
for root in $roots; do
	i=$((i + 1))
	[ $((i % 2)) = 0 ] || echo 1 >"$root/events/enable" || fail "$root: no events"
	[ $i -le $nr_readers ] || continue
	cat "$root/trace_pipe" >/dev/null &
	readers="$readers $!"
done
pids="$pids $readers"

# ---- the shells ----

# shell NUMBER: use the roots until $TMPDIR/stop exists; write the number of rounds.
shell() (
	rounds=0
	while [ ! -e "$TMPDIR/stop" ]; do
		for root in $roots; do
			[ ! -e "$TMPDIR/stop" ] || break
			event=events/load/load_$((rounds % 10))$(($1 % 10))7
			cat "$root/trace" "$root/set_event" "$root/$event/format" \
				"$root/trace_options" "$root/per_cpu/cpu0/stats" |
				head -c 100000 >/dev/null
			ls "$root/events/load" >/dev/null || exit 1
			echo 1 >"$root/$event/enable" || exit 1
			echo 'count > 3' >"$root/$event/filter" || exit 1
			echo 'stacktrace:2 if count > 5' >"$root/$event/trigger" || exit 1
			echo hello >"$root/trace_marker" || exit 1
			echo 1 >"$root/snapshot" || exit 1
			echo '!stacktrace' >>"$root/$event/trigger" || exit 1
			echo 0 >"$root/$event/filter" || exit 1
			echo 0 >"$root/$event/enable" || exit 1
			rounds=$((rounds + 1))
		done
	done
	echo $rounds >"$TMPDIR/rounds.$1"
)
shells=
for i in $(seq $nr_shells); do
	shell "$i" &
	shells="$shells $!"
done
pids="$pids $shells"

# ---- meanwhile ----

times=$("$probe" $seconds $roots) || fail "a write failed"
# in KB, without the memory of the roots
memory=$(awk '/^RssAnon:/ { print $2 }' "/proc/$server/status")

# ---- the end ----

: >"$TMPDIR/stop"
for process in $shells; do
	until_true is_gone "$process"
done
for i in $(seq $nr_shells); do
	[ -e "$TMPDIR/rounds.$i" ] || fail "shell $i has failed"
done
rounds=$(cat "$TMPDIR"/rounds.* | awk '{ sum += $1 } END { print sum }')
waiting=0
for process in $readers; do
	is_gone "$process" || waiting=$((waiting + 1))
	kill -9 "$process"
	until_true is_gone "$process"
done
expect "readers" $nr_readers $waiting
expect "server" "$server" "$(server_pid)"
[ "$memory" -lt $((20000 + nr_roots * 2500)) ] ||
	fail "the server has $memory KB for $nr_roots roots"
echo "score: $nr_roots roots, $nr_readers readers, $rounds rounds; server $memory KB; $times"
