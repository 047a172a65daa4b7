#!/bin/sh
# SPDX-License-Identifier: MIT
# libtracefs makes histograms, synthetic events (also from SQL) and event probes on a root, as on
# the kernel, and removes them.
. tests/clients/common
. tests/cli/kvd

client=$ULF_BUILD/tests/clients-libtracefs_hist
[ -x "$client" ] || skip "not built: \`apt-get install libtracefs-dev' brings what it needs"
needs_namespace
start_kvd
cd "$TMPDIR" || fail "cd"
{
	for i in 1 2 3 4 5; do echo "set key$i value"; done
	for i in 1 2 3 4 5 6 7 8 9; do echo "get key$i"; done
} >requests
cat >answer.sh <<END
"$kvc" "$TMPDIR/kv.sock" <"$TMPDIR/requests" >/dev/null
END
ulf exec "$client" "/bin/sh $TMPDIR/answer.sh" >found 2>errors || fail "$(cat found errors)"
expect "errors" "" "$(cat errors)"
# The sum of the clients' numbers differs, and the variables' names.
sed -i 's/client:  *[0-9]*$/client: N/; s/__\([a-z]*\)_[0-9]*_/__\1_PID_/g' found
diff "$ULF_SRC/tests/data/hist/libtracefs" found || fail "what was found"
expect "triggers" "# Available triggers:" "$(ulf cat "$event/trigger" | head -n 1)"
expect "synthetic events" "" "$(ulf cat "$root/synthetic_events")"
expect "dynamic events" "" "$(ulf cat "$root/dynamic_events")"
exit 0
