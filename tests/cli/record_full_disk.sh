#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk that becomes full ends ulf record.  The file has what was written before, and the numbers
# of saved and lost records are those of the records that were written.
. tests/cli/common

unshare -Urm true 2>/dev/null || skip "no user namespaces here: unshare -Urm fails"
if [ "${1:-}" != inside ]; then
	unshare -Urm sh "$0" inside
	exit
fi
mkdir "$TMPDIR/disk" && mount -t tmpfs -o size=18m none "$TMPDIR/disk" || fail "mount"
cd "$TMPDIR/disk" || fail "cd"
records=2000000
echo $records | ulf record -o full.dat -e emit -- "$ULF_BUILD/tests/clients-emit" >"$TMPDIR/out" \
	2>"$TMPDIR/err"
expect "status" 1 $?
contains "$(cat "$TMPDIR/err")" "No space left on device"
saved=$(sed -n 's/^full.dat: \([0-9]*\) .*/\1/p' "$TMPDIR/err")
lost=$(sed -n 's/.*, \([0-9]*\) lost$/\1/p' "$TMPDIR/err")
expect "output of the program" "$records emitted" "$(cat "$TMPDIR/out")"
expect "saved and lost" $records $((saved + lost))
[ "$saved" -gt 0 ] && [ "$lost" -gt 0 ] || fail "saved: $saved, lost: $lost"
expect "files" full.dat "$(ls -A)"
