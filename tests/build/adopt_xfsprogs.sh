#!/bin/sh
# SPDX-License-Identifier: MIT
# adopt.sh fails, and names the part of an xfsprogs that it cannot change.
set -u
fail() { echo "FAIL: $*" >&2; exit 1; }

adopt=$ULF_SRC/examples/adopt/xfsprogs/adopt.sh tree=$TMPDIR/tree
mkdir -p "$tree/libxfs" "$tree/include"
: >"$TMPDIR/xfs_trace.h"
# refuses TEXT: adopt.sh fails, and its message contains TEXT.
refuses() {
	said=$("$adopt" "$tree" "$TMPDIR/xfs_trace.h" 2>&1) && fail "it succeeds, not: $1"
	case $said in
	*"$1"*) ;;
	*) fail "adopt.sh says \`$said', not \`$1'" ;;
	esac
}
refuses "is it the source of xfsprogs?"
: >"$tree/libxfs/libxfs_api_defs.h"
echo 'CFILES = buffer.c cache.c' >"$tree/libxfs/Makefile"
refuses "libxfs/Makefile has no line 'CFILES = cache.c"
echo 'CFILES = cache.c buffer.c' >"$tree/libxfs/Makefile"
: >"$tree/libxfs/libxfs_io.h"
refuses "libxfs/libxfs_io.h has no struct xfs_buf"
[ "$(cat "$tree/libxfs/Makefile")" = 'CFILES = cache.c xfs_trace.c buffer.c' ] ||
	fail "the Makefile is $(cat "$tree/libxfs/Makefile")"
exit 0
