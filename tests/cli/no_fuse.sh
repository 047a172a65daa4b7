#!/bin/sh
# SPDX-License-Identifier: MIT
# Without /dev/fuse, or without fusermount3, ulf mount says what to do, and the other commands
# work.
. tests/cli/common

unshare -Urm true 2>/dev/null || skip "no user namespaces here: unshare -Urm fails"

# Use a namespace whose /dev contains only /dev/null and /dev/shm.
cat >"$TMPDIR/without_device" <<'EOF'
mkdir "$TMPDIR/dev" && mount -t tmpfs none "$TMPDIR/dev" || exit 99
mkdir "$TMPDIR/dev/shm" && mount --rbind /dev/shm "$TMPDIR/dev/shm" || exit 99
touch "$TMPDIR/dev/null" && mount --bind /dev/null "$TMPDIR/dev/null" || exit 99
mount --rbind "$TMPDIR/dev" /dev || exit 99
ulf mount
echo "status $?"
ulf ls
EOF
text=$(unshare -Urm sh "$TMPDIR/without_device" 2>&1)
contains "$text" "/dev/fuse"
contains "$text" "modprobe fuse"
contains "$text" "ulf cat"
contains "$text" "status 1"
contains "$text" "OVERRUNS"
ulf stop >/dev/null

[ "$(id -u)" != 0 ] || skip "root needs no fusermount3; the rest passed"
mkdir "$TMPDIR/bin"
ln -s "$(command -v ulf)" "$TMPDIR/bin/ulf"
text=$(PATH=$TMPDIR/bin ulf mount 2>&1) && fail "mounted without fusermount3: $text"
contains "$text" "fusermount3"
contains "$text" "install fuse3"
exit 0
