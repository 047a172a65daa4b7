#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it mounts the tracefs of the kernel
# An ordinary user's ulf exec covers the kernel's own tracefs wherever it is mounted, even below a
# directory that only root can enter.
. tests/cli/common

user=ulftest dir=$ULF_DIR/user
as_user() { setpriv --reuid=$user --regid=$user --init-groups "$@"; }
id $user >/dev/null 2>&1 || skip "no user $user"
as_user test -x "$ULF_BUILD/ulf" || skip "$user cannot reach $ULF_BUILD"
as_user unshare -Um true 2>/dev/null || skip "no user namespaces for users here"

cat >"$TMPDIR/mounts.sh" <<'END'
mount --make-rprivate / || exit 99
mount -t tmpfs none "$1" && mkdir -m 700 "$1/closed" &&
mkdir "$1/closed/tracing" "$1/open" || exit 99
mount -t tracefs none "$1/closed/tracing" && mount -t tracefs none "$1/open" || exit 99
shift
exec "$@"
END
mkdir -m 755 "$TMPDIR/kernel"
mkdir -m 700 "$dir" && chown $user "$dir" && chmod 711 "$ULF_DIR" "$TMPDIR"
unshare -m true 2>/dev/null || skip "no mount namespaces here"
# Do not call as_user here: $! would be the process of a shell.
ULF_DIR=$dir setpriv --reuid=$user --regid=$user --init-groups "$hello" &
pids="$pids $!"
text=$(ULF_DIR=$dir unshare -m sh "$TMPDIR/mounts.sh" "$TMPDIR/kernel" \
	setpriv --reuid=$user --regid=$user --init-groups sh -c "
	until ulf exec cat /sys/kernel/tracing/available_events | grep -q hello; do
		sleep 0.02
	done
	! ls $TMPDIR/kernel/closed 2>/dev/null || exit 98
	ulf exec cat $TMPDIR/kernel/closed/tracing/available_events \
		$TMPDIR/kernel/open/available_events
	ulf stop" 2>&1)
status=$?
[ $status != 99 ] || skip "the kernel's tracefs cannot be mounted here"
expect "status" 0 $status
expect "events" "hello:hello_request
hello:hello_request" "$text"
exit 0
