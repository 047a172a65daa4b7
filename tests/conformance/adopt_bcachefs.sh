#!/bin/sh
# SPDX-License-Identifier: MIT
# The trace header of bcachefs, in the versions of libbcachefs and Linux 6.12, compiles
# unchanged, with the include directories that docs/ADOPT.md gives for bcachefs-tools.  No
# suite of Debian has the source of bcachefs-tools any more, so types.h stands for its types.
# timeout: 300
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
set -u

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "$*"; exit 77; }

archive=/usr/src/linux-source-6.12.tar.xz
here=$ULF_SRC/tests/conformance/bcachefs
header=$ULF_CACHE/linux-6.12/bcachefs/trace.h
nr_events=100

if [ ! -e "$header" ]; then
	[ -r "$archive" ] ||
		skip "there is no $archive: apt-get install linux-source-6.12 (backports of Debian 12)"
	mkdir -p "${header%/*}" &&
		tar -xJOf "$archive" linux-source-6.12/fs/bcachefs/trace.h >"$TMPDIR/trace.h" &&
		mv "$TMPDIR/trace.h" "$header" || fail "cannot unpack $archive"
fi

cd "$TMPDIR" || exit 1
mkdir -p libbcachefs ulf/fs ulf/include/trace
cp "$header" libbcachefs/ || exit 1
ln -s ../../libbcachefs ulf/fs/bcachefs
for paths in '' -DCONFIG_BCACHEFS_PATH_TRACEPOINTS; do
	for compiler in gcc clang; do
		# The header has functions that it does not use, and compares enums with 0.
		$compiler -std=gnu11 -O2 -Wall -Werror -Wno-unused-function $paths \
			-I"$ULF_SRC/include" -Iulf/include/trace -I"$here" \
			-c -o "trace-$compiler.o" "$here/trace.c" ||
			fail "$compiler $paths: the header does not compile"
	done
done
got=$(nm trace-gcc.o | grep -c ' [DdRrBb] __tracepoint_[a-z_0-9]*$')
[ "$got" -ge $nr_events ] || fail "$got events instead of $nr_events"
echo "score: $got events"
