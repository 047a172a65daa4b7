#!/bin/sh
# SPDX-License-Identifier: MIT
# If user namespaces are switched off, ulf exec says what root can do about it.
. tests/cli/common

start_hello
# Run ulf exec without rights in a namespace that allows no further namespaces.
cat >"$TMPDIR/off.sh" <<'END'
echo 0 >/proc/sys/user/max_user_namespaces || exit 99
exec setpriv --bounding-set=-all --inh-caps=-all ulf exec true
END
unshare -Ur true 2>/dev/null || skip "no user namespaces here, to switch off"
text=$(unshare -Ur sh "$TMPDIR/off.sh" 2>&1)
expect "status" 126 $?
contains "$text" "max_user_namespaces"
exit 0
