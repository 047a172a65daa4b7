#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it installs from a build directory of another user
# timeout: 600
# no-sanitize: address it builds ulf without the sanitizer
# no-sanitize: thread it builds ulf without the sanitizer
# `make install` by root, after an ordinary user's `make`, leaves nothing of root in the build
# directory: the user's next `make` and `make install` work.
set -eux

user=ulftest
id $user || { echo "no user $user"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL
chmod 711 "$TMPDIR"
mkdir "$TMPDIR/user"
chown $user: "$TMPDIR/user"
make_ulf() {
	$runner make -C "$ULF_SRC" BUILD="$TMPDIR/user/build" \
		MESON_FLAGS="-Doptimization=0 -Ddebug=false" "$@"
}
runner=
as_user="setpriv --reuid=$user --regid=$user --init-groups env HOME=$TMPDIR/user TMPDIR=$TMPDIR/user"

runner=$as_user make_ulf installed
make_ulf install PREFIX=/opt/ulf DESTDIR="$TMPDIR/root"
[ -z "$(find "$TMPDIR/user" ! -user $user)" ]
[ -z "$(find "$TMPDIR/root" ! -user root)" ]
"$TMPDIR/root/opt/ulf/bin/ulf" --help >/dev/null

runner=$as_user make_ulf install DESTDIR="$TMPDIR/user/root"
[ -x "$TMPDIR/user/root/usr/local/bin/ulf" ]
make_ulf uninstall PREFIX=/opt/ulf DESTDIR="$TMPDIR/root"
[ -z "$(find "$TMPDIR/root" -mindepth 1)" ]
