#!/bin/sh
# SPDX-License-Identifier: MIT
# With libtracefs and libtraceevent a program finds the events of a root, switches them, and
# reads each of their records once, as it would read the kernel's.
. tests/clients/common

client=$ULF_BUILD/tests/clients-libtracefs
[ -x "$client" ] || skip "not built: \`apt-get install libtracefs-dev' brings what it needs"
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
nr=5000
ulf exec "$client" "/bin/sh $(emit_command $nr said)" >found 2>errors || fail "$(cat errors)"
expect "errors" "" "$(cat errors)"
expect "the program's word" "$nr emitted" "$(cat said)"
grep -q '^directory /' found || fail "no directory"
sed 1d found | diff - /dev/fd/3 3<<END || fail "what was found"
event emit:emit_number
iterated: $nr events, 1 markers, 0 wrong
paged: $nr events, 1 markers, 0 wrong
END
exit 0
