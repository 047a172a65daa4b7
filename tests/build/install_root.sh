#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it installs from a build directory of another user
# timeout: 600
# no-sanitize: address it builds ulf without the sanitizer
# no-sanitize: thread it builds ulf without the sanitizer
# `make install` by root, after an ordinary user's `make`, leaves no file of root in the build
# directory: the user's next `make` and `make install` work.
set -eux

user=ulftest
id $user || { echo "no user $user"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD PREFIX DESTDIR CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
export CCACHE_DISABLE=1
chmod 711 "$TMPDIR"
mkdir "$TMPDIR/user"
chown $user: "$TMPDIR/user"
# Tests, examples and benchmarks are not installed, so they need not be configured.
flags="-Dwerror=true -Dtests=false -Dexamples=false -Dbench=false"
make_ulf() {
	$runner make -C "$ULF_SRC" BUILD="$TMPDIR/user/build" CC="$TMPDIR/known/cc" \
		MESON_FLAGS="$flags" "$@"
}
. tests/build/known_compiler
make_known_compiler "$TMPDIR/known"
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

# On a machine with systemd, and without DESTDIR, the output explains to root how to keep records
# after a logout.  The unit is outside of systemd's path, so the command names its file.
cat >"$TMPDIR/inside" <<'END'
set -eux
mount -t tmpfs none /run
mkdir -p /run/systemd/system
make -C "$ULF_SRC" BUILD="$TMPDIR/user/build" CC="$TMPDIR/known/cc" PREFIX="$TMPDIR/prefix" install | tee "$TMPDIR/out"
unit=$TMPDIR/prefix/lib/systemd/system/run-ulf.mount
[ -e "$unit" ]
grep -F "\`systemctl enable --now $unit\` keeps records in /run/ulf from now on: logind" "$TMPDIR/out"
mkdir /run/ulf
make -C "$ULF_SRC" BUILD="$TMPDIR/user/build" CC="$TMPDIR/known/cc" PREFIX="$TMPDIR/prefix" install >"$TMPDIR/out"
if grep systemctl "$TMPDIR/out"; then exit 1; fi
make -C "$ULF_SRC" PREFIX="$TMPDIR/prefix" uninstall
END
if unshare -m true; then
	unshare -m sh "$TMPDIR/inside"
else
	echo "no mount namespaces: the advice for systemd is not tested"
fi
