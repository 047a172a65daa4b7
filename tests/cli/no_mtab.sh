#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both root hides /etc/mtab, an ordinary user has a fusermount3 that says so
# Without /etc/mtab, fusermount3 can mount, but cannot unmount.  ulf umount and ulf stop unmount
# nevertheless, and say that a mount is in use only if it is.
. tests/cli/common

# To remove the file, root makes a namespace with another /etc, and runs this test again in it as
# an ordinary user.
if [ "$(id -u)" = 0 ]; then
	user=ulftest dir=$ULF_DIR/user
	id $user >/dev/null 2>&1 || skip "no user $user"
	setpriv --reuid=$user --regid=$user --init-groups test -x "$ULF_BUILD/ulf" ||
		skip "$user cannot reach $ULF_BUILD"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir -m 700 "$dir" "$TMPDIR/user" && chown $user "$dir" "$TMPDIR/user" &&
		chmod 711 "$ULF_DIR" "$TMPDIR" && cp -a /etc "$TMPDIR/etc" || fail "prepare"
	rm -f "$TMPDIR/etc/mtab"
	cat >"$TMPDIR/inside" <<-'END'
	mount --make-rprivate / && mount --bind "$TMPDIR/etc" /etc || exit 99
	ULF_DIR=$1 TMPDIR=$TMPDIR/user exec setpriv --reuid=$2 --regid=$2 \
		--init-groups sh tests/cli/no_mtab.sh
	END
	unshare -m sh "$TMPDIR/inside" "$dir" $user
	status=$?
	[ $status != 99 ] || skip "no mounts here"
	exit $status
fi

[ -w /dev/fuse ] || skip "no /dev/fuse"
fusermount3=$(command -v fusermount3) || skip "no fusermount3"
if [ -e /etc/mtab ]; then
	mkdir "$TMPDIR/bin"
	cat >"$TMPDIR/bin/fusermount3" <<-END
	#!/bin/sh
	echo "\$0: failed to open /etc/mtab: No such file or directory" >&2
	case \$1 in
	-u*) echo "\$0: entry for \$3 not found in /etc/mtab" >&2; exit 1 ;;
	*) exec $fusermount3 "\$@" ;;
	esac
	END
	chmod +x "$TMPDIR/bin/fusermount3"
	PATH=$TMPDIR/bin:$PATH
fi

is_unmounted() { ! is_mounted "$1"; }

start_hello
dir=$(ulf mount 2>"$TMPDIR/err") || skip "cannot mount: $(cat "$TMPDIR/err")"
expect "errors of a mount that works" "" "$(cat "$TMPDIR/err")"
! fusermount3 -u "$dir" 2>/dev/null || fail "fusermount3 needs no /etc/mtab: test something else"
is_mounted "$dir" || fail "not mounted on $dir"

# The word "busy" in a path does not count as the error EBUSY.
mkdir "$TMPDIR/busy"
ulf mount "$TMPDIR/busy" >/dev/null || fail "mount $TMPDIR/busy"
text=$(ulf umount "$TMPDIR/busy" 2>&1) || fail "umount $TMPDIR/busy: $text"

# The mount is in use.
exec 5<"$dir/$root/available_events"
text=$(ulf umount 2>&1) && fail "unmounted while a file was open"
contains "$text" "$dir is in use"
is_mounted "$dir" || fail "unmounted all the same"
ulf umount --lazy || fail "umount --lazy"
! is_mounted "$dir" || fail "still mounted after umount --lazy"
exec 5<&-

# The mount is not in use.
expect "mount" "$dir" "$(ulf mount)"
text=$(ulf umount 2>&1) || fail "umount: $text"
expect "output of umount" "" "$text"
! is_mounted "$dir" || fail "still mounted after umount"

# The server unmounts at its end.  A new server restores the mount of a killed one.
expect "mount" "$dir" "$(ulf mount)"
ulf stop || fail "stop"
until_true is_unmounted "$dir"
[ ! -e "$ULF_DIR/mounts" ] || fail "the list of mounts is still there"
expect "mount" "$dir" "$(ulf mount)"
kill_server
ulf ls >/dev/null || fail "ls"
expect "tracing_on after the restart" 1 "$(cat "$dir/$root/tracing_on")"
kill_server
ulf umount || fail "umount of a dead mount"
! is_mounted "$dir" || fail "a dead mount is left"

# The demo has a server of its own.
"$ULF_SRC/tools/demo" >"$TMPDIR/demo" 2>&1 || fail "demo: $(tail -n 5 "$TMPDIR/demo")"
! grep "/ulf-demo\..* fuse.tracefs .*user_id=$(id -u)," /proc/self/mounts || fail "the demo left a mount"

# If no helper can unmount, both reasons are shown, and ulf does not say that the mount is in use.
mkdir -p "$TMPDIR/bin"
expect "mount" "$dir" "$(ulf mount)"
printf '#!/bin/sh\necho "umount: must be superuser" >&2\nexit 1\n' >"$TMPDIR/bin/umount"
chmod +x "$TMPDIR/bin/umount"
text=$(PATH=$TMPDIR/bin:$PATH ulf umount 2>&1) && fail "unmounted without a helper"
contains "$text" "/etc/mtab"
contains "$text" "umount: must be superuser"
contains "$text" "cannot unmount $dir"
rm "$TMPDIR/bin/umount"
ulf stop || fail "stop"
until_true is_unmounted "$dir"
exit 0
