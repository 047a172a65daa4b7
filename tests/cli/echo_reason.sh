#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf echo prints why a write was refused: the lines that this write has put into error_log, and
# neither lines of an earlier write nor lines of another client's write.
. tests/cli/common

start_hello
filter=$root/events/hello/hello_request/filter
# refused VALUE FILE: the write must fail; store in $said what ulf echo prints.
refused() { said=$(ulf echo "$1" "$2" 2>&1) && fail "$2 takes $1"; }

refused 'nosuch > 3' "$filter"
contains "$said" "$filter: cannot write \`nosuch > 3\`: Invalid argument"
expect "reason" "event filter parse error: error: Field not found
  Command: nosuch > 3
                  ^" "$(echo "$said" | tail -n +2)"
contains "$(ulf cat "$root/error_log")" "Command: nosuch > 3"

# An error of an earlier write is in error_log, but is not printed as the reason of this write.
refused nonsense "$root/tracing_on"
expect "lines" 1 "$(echo "$said" | wc -l)"
refused 'count ><' "$filter"
contains "$said" "Command: count ><"
case $said in *nosuch*) fail "an old entry: $said" ;; esac

# Two clients write at the same time, and each gets its own reasons.
many() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		ulf echo "$1 > $i" "$filter"
	done >"$TMPDIR/$1" 2>&1
}
many one &
many two
wait $!
expect "reasons of one" 10 "$(grep -c 'Command: one' "$TMPDIR/one")"
expect "reasons of two" 10 "$(grep -c 'Command: two' "$TMPDIR/two")"
grep -q two "$TMPDIR/one" && fail "$(cat "$TMPDIR/one")"
grep -q one "$TMPDIR/two" && fail "$(cat "$TMPDIR/two")"

# ulf echo prints nothing if the value is accepted.
expect "said" "" "$(ulf echo 'count > 3' "$filter" 2>&1)"
exit 0
