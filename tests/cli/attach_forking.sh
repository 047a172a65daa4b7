#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# A program forks at each step of the start of libulf, which ulf attach has loaded into it.  The
# program and all children work as before.
. tests/cli/common
trap 'kill -KILL $pid 2>/dev/null' EXIT

"$ULF_BUILD/tests/cli-forking" "$TMPDIR/end" >"$TMPDIR/out" &
pid=$!
until_true grep -q ready "$TMPDIR/out"
root=$(ulf attach "$pid" 2>"$TMPDIR/err" | head -n 1)
[ "$root" ] || fail "$(cat "$TMPDIR/err" "$TMPDIR/out")"
: >"$TMPDIR/end"
wait "$pid" || fail "status $?: $(cat "$TMPDIR/out")"
steps=$(sed -n 's/ steps, 0 bad children//p' "$TMPDIR/out")
[ "$steps" -ge 10 ] || fail "$(cat "$TMPDIR/out")"
echo "score: $steps steps"
exit 0
