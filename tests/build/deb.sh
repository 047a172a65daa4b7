#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it installs packages in a tree of its own
# timeout: 900
# no-sanitize: address the packages are built without the sanitizer
# no-sanitize: thread the packages are built without the sanitizer
# The Debian packages have no errors of lintian.  In a fresh Debian 12 apt installs them and what
# they need.  There a sample is built with pkg-config, traced, and looked at through a mount.
# After `apt-get purge` no file is left.  `make test-deb` makes the packages and the tree.
set -eu

fail() { echo "FAIL: $*"; exit 1; }
deb=$ULF_BUILD/deb
[ -n "$(ls "$deb"/ulf_*.deb 2>/dev/null)" ] || { echo "no packages: make test-deb"; exit 77; }
[ -e "$deb/tree.tar.gz" ] || { echo "no tree of Debian: make test-deb"; exit 77; }
/usr/lib/apt/apt-helper -o Acquire::http::Timeout=10 -o Acquire::Retries=0 download-file \
	http://deb.debian.org/debian/dists/bookworm/Release "$TMPDIR/Release" >/dev/null 2>&1 ||
	{ echo "no network"; exit 77; }
unshare -m -p -f true || { echo "no namespaces"; exit 77; }

version=$(sed -n "s/^\tversion: '\(.*\)',$/\1/p" "$ULF_SRC/meson.build" | head -n 1)
[ "$(sed -n '1s/^ulf (\(.*\)) .*/\1/p' "$ULF_SRC/debian/changelog")" = "$version" ] ||
	fail "debian/changelog is not about version $version"
for package in ulf libulf0 libulf-dev ulf-doc; do
	[ -n "$(ls "$deb/${package}_${version}_"*.deb)" ] || fail "no package $package"
done
if command -v lintian; then
	# The project has no mail address.
	lintian --allow-root --fail-on error --suppress-tags \
		bogus-mail-host,bogus-mail-host-in-debian-changelog "$deb"/*.changes || fail "lintian"
else
	echo "no lintian: the packages are not checked"
fi

tree=$TMPDIR/tree
mkdir "$tree"
tar -C "$tree" -xzf "$deb/tree.tar.gz"
mkdir "$tree/debs"
cp "$deb"/*.deb "$tree/debs"
rm "$tree"/debs/*-dbgsym_*
cp /etc/resolv.conf "$tree/etc/resolv.conf"

cat >"$tree/inside" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
fail() { echo "FAIL: $*"; exit 1; }
# list: print the files of the tree, but not those of apt, dpkg and other packages' caches.
list() {
	find / -xdev \( -path /var -o -path /tmp -o -path /debs -o -path /dev -o -path /proc \
		-o -path /root \) -prune -o ! -type d -print | sort
}
apt-get -qq update
list >/tmp/before
apt-get -qq -y --no-install-recommends install /debs/*.deb fuse3 >/tmp/log 2>&1 ||
	{ cat /tmp/log; fail "apt-get install"; }

for file in share/man/man1/ulf.1.gz share/man/man1/ulf-run.1.gz share/man/man3/libulf.3.gz \
	share/man/man5/ulf.conf.5.gz share/man/man7/ulf-tracefs.7.gz \
	share/bash-completion/completions/ulf share/zsh/vendor-completions/_ulf \
	share/fish/vendor_completions.d/ulf.fish lib/systemd/user/ulf.service \
	lib/systemd/system/local-fs.target.wants/run-ulf.mount \
	share/doc/ulf/docs/GUIDE.md lib/x86_64-linux-gnu/cmake/ulf/ulfConfig.cmake; do
	[ -s "/usr/$file" ] || fail "/usr/$file is not installed"
done

# the sample, with an end after three requests
cp -r /usr/share/doc/ulf/examples/hello /tmp/hello
cd /tmp/hello
sed -i 's/count = 0;; count/count = 0; count < 3; count/' hello.c
gcc -O2 -Wall -Werror -I. hello.c $(pkg-config --cflags --libs ulf) -o hello
ulf run -e hello -- ./hello >out 2>&1 || { cat out; fail "ulf run"; }
grep 'hello_request: count=2 who=carol' out || { cat out; fail "the sample is not traced"; }
top=$(ulf mount)
cat "$top"/hello.*/trace | grep -c hello_request: | grep -x 3 || fail "the mount has no trace"
# A program of Debian that nobody prepared.
ulf run --ftrace=function --ftrace-filter=main -- sh -c : >out 2>&1 || { cat out; fail "sh"; }
ulf rm --dead
ulf umount
ulf stop

apt-get -qq -y purge ulf libulf0 libulf-dev ulf-doc >/tmp/log 2>&1 ||
	{ cat /tmp/log; fail "apt-get purge"; }
grep -q '^Removing ulf ' /tmp/log || { cat /tmp/log; fail "nothing was removed"; }
apt-get -qq -y --purge autoremove fuse3 >/tmp/log 2>&1 || { cat /tmp/log; fail "autoremove"; }
list >/tmp/after
diff /tmp/before /tmp/after | grep -i ulf && fail "files are left"
echo "installed, used and removed"
END
cat >"$TMPDIR/enter" <<'END'
set -eu
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0 fuse:10:229; do
	name=${node%%:*} numbers=${node#*:}
	mknod -m 666 "dev/$name" c "${numbers%:*}" "${numbers#*:}"
done
ln -s /proc/self/fd dev/fd
mkdir dev/shm
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mkdir -p old
pivot_root . old
umount -l /old
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh /inside
END
[ -e /dev/fuse ] || { echo "no /dev/fuse"; exit 77; }
unshare -m -p -f --propagation private sh "$TMPDIR/enter" "$tree" || fail "in the tree"
