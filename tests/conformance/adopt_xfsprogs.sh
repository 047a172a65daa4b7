#!/bin/sh
# SPDX-License-Identifier: MIT
# xfsprogs with the kernel's xfs_trace.h instead of its own empty macros, as docs/ADOPT.md
# describes: it compiles, mkfs.xfs makes a file system as before, and its events are recorded
# and printed.
# timeout: 600
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
. tests/conformance/common

source=$ULF_BUILD/sources/xfsprogs.tar.xz
tree=$TMPDIR/xfsprogs
for package in uuid blkid liburcu inih; do
	pkg-config --exists $package ||
		skip "there is no $package.pc: make conformance installs what xfsprogs needs"
done
[ -r "$source" ] ||
	skip "there is no $source: tools/setup --sources ${source%/*} gets it"

mkdir "$tree" && tar -xJf "$source" -C "$tree" --strip-components=1 || fail "no source"
"$ULF_SRC/examples/adopt/xfsprogs/adopt.sh" "$tree" "$linux/fs/xfs/xfs_trace.h" ||
	fail "adopt.sh failed"
cd "$tree" || exit 1
{
	OPTIMIZER=-O1 ./configure --disable-shared --enable-gettext=no --disable-scrub --disable-libicu \
		CFLAGS="-I$ULF_SRC/include" \
		LDFLAGS="-L$ULF_BUILD -lulf -Wl,-rpath,$ULF_BUILD" &&
	make headers && make -j2 mkfs
} >"$TMPDIR/log" 2>&1 || fail "xfsprogs cannot be built: $(tail -n 20 "$TMPDIR/log")"
! grep -B 2 -A 5 'warning:.*xfs_trace' "$TMPDIR/log" || fail "the trace header warns"

# The untraced program and the traced one write the same superblock.
make_file_system() {
	image=$1
	shift
	truncate -s 300M "$image" && "$@" mkfs/mkfs.xfs -q \
		-m uuid=2f1c7a52-0c2e-4d0e-8c4e-6d5b2f8c1a77 "$image" || fail "no file system: $*"
}
make_file_system plain
make_file_system traced ulf run -e xfs -o "$TMPDIR/trace" -- 2>"$TMPDIR/err"
cmp -n 512 plain traced || fail "the traced program writes something else"

events=$(grep -v '^#' "$TMPDIR/trace" | sed -n 's,.*: \(xfs_[a-z0-9_]*\): .*,\1,p' | sort -u)
for event in xfs_trans_alloc xfs_trans_commit xfs_trans_log_buf xfs_perag_get \
	xfs_alloc_size_done xfs_ialloc_read_agi xfs_defer_finish; do
	echo "$events" | grep -qx $event || fail "$event was not recorded; only: $events"
done
checked=$(ulf check mkfs.xfs) || fail "ulf check failed"
echo "$checked" | tail -n 1 | grep -q 'all are printed with their print fmt' ||
	fail "ulf check: $(echo "$checked" | tail -n 5)"
echo "score: $(echo "$events" | wc -l) kinds of events recorded by mkfs.xfs," \
	"$(echo "$checked" | sed -n 's,.*: \([0-9]* events\).*,\1,p') known"
