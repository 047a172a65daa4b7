#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root a server of root keeps two capabilities
# Run confine.sh as root, whose programs have all capabilities and may change their user.
(. tests/cli/confine.sh) || exit
. tests/cli/common

command -v perl >/dev/null || skip "no perl; the rest passed"
LD_PRELOAD=$preload perl -MPOSIX -e '
	POSIX::setuid(65534) && $< == 65534 or die; print "ready\n"; close STDOUT; sleep' \
	>"$TMPDIR/perl" &
pids="$pids $!" worker=perl.$!
until_true grep -q ready "$TMPDIR/perl"
is_listed "$worker" alive || fail "a program that became another user: $(ulf ls)"
[ -r "/proc/${worker#perl.}/maps" ] || fail "the test itself cannot look at it"
expect "its processes" 1 "$(ulf ls --long | sed -n "/^$worker$/,\$s/^  processes  \([0-9]*\) alive/\1/p" |
	head -n 1)"
exit 0
