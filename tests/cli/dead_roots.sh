#!/bin/sh
# SPDX-License-Identifier: MIT
# There are more dead roots than descriptors that the server may have.  All are listed, each can
# be read, programs start as usual, and all can be removed.
. tests/cli/common
nr=500 limit=128

has_bytes() { [ "$(ulf ls | awk -v root="$root" '$1 == root { print $5 }')" -gt 100 ]; }
count_dead() { ulf ls | awk '$3 == "dead" { nr++ } END { print nr + 0 }'; }

start_hello
ulf echo 1 "$root/events/enable" || fail "enable"
until_true has_bytes
die "$pid"
ulf stop || fail "stop"

# All roots are links to one file: so many copies would take much memory.
seq "$nr" | sed "s,^,$ULF_DIR/roots/many.," | xargs mkdir || fail "mkdir"
i=0
while [ $((i += 1)) -le $nr ]; do
	ln "$ULF_DIR/roots/$root/memory" "$ULF_DIR/roots/many.$i/memory" || fail "ln"
done

(
	ulimit -n $limit	# sets the hard and the soft limit
	ulf server --background
) || fail "no server"
expect "dead roots" $((nr + 1)) "$(count_dead)"
descriptors=$(ls "/proc/$(server_pid)/fd" | wc -l)
[ "$descriptors" -lt 32 ] || fail "the server has $descriptors descriptors"
mappings=$(grep -c /roots/ "/proc/$(server_pid)/maps")
expect "mappings" 0 "$mappings"
contains "$(ulf cat "many.$nr/trace")" "hello_request: count="
contains "$(ulf dump many.7)" "hello_request: count="

# The server finds the next program, which can be traced.
start_hello
ulf echo 1 "$root/events/enable" || fail "enable beside the dead"
until_true has_bytes
text=$(ulf rm "$root" 2>&1) && fail "a living root was removed"
contains "$text" "$root is alive"

ulf rm --dead || fail "rm --dead"
expect "what is left" "$root" "$(ulf ls | awk 'NR > 1 { print $1 }')"
expect "directories that are left" "$root" "$(ls "$ULF_DIR/roots")"

# Lines for `ulf server` in the configuration do not apply to programs, and a wrong line does no
# harm.
ulf stop || fail "stop"
cat >"$TMPDIR/conf" <<-'END'
	[ulf server]
	dead_roots=4 dead_bytes=lots
END
ULF_CONFIG=$TMPDIR/conf ulf server --background || fail "no server with a wrong setting"
contains "$(cat "$ULF_DIR/server.log")" "dead_bytes=lots"
export ULF_CONFIG="$TMPDIR/conf"
start_hello
expect "error_log" "" "$(ulf cat "$root/error_log")"
exit 0
