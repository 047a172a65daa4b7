#!/bin/sh
# SPDX-License-Identifier: MIT
# Give xfsprogs the tracepoints of the kernel's XFS.
#
#   adopt.sh XFSPROGS TRACE_HEADER
#
#   XFSPROGS       an unpacked source tree of xfsprogs 6.1, changed in place
#   TRACE_HEADER   fs/xfs/xfs_trace.h of Linux 6.1
#
# Then, in XFSPROGS, configure and build as usual with ulf's flags:
#
#   ./configure CFLAGS="-g -O2 $(pkg-config --cflags ulf)" LDFLAGS="$(pkg-config --libs ulf)"
set -eu

[ $# = 2 ] || { sed -n 's,^#   \(adopt.sh\),usage: \1,p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
header=$(realpath "$2")
cd "$1"
[ -e libxfs/libxfs_api_defs.h ] || {
	echo "$1: there is no libxfs/libxfs_api_defs.h; is it the source of xfsprogs?" >&2
	exit 1
}

# The kernel's header, and ours around it.
mkdir -p include/kernel
cp "$header" include/kernel/xfs_trace.h
cp "$here/xfs_trace.h" "$here/xfs_trace_types.h" "$here/xfs_trace_bridge.h" include/
cp "$here/xfs_trace.c" libxfs/
grep -q 'xfs_trace\.c' libxfs/Makefile || sed -i 's,^CFILES = cache.c,& xfs_trace.c,' libxfs/Makefile
grep -q 'xfs_trace\.c' libxfs/Makefile || {
	echo "$1: libxfs/Makefile has no line 'CFILES = cache.c ...': add xfs_trace.c to its CFILES" >&2
	exit 1
}

# The events have the kernel's names, not those that libxfs gives to its functions.
names=$(sed -n 's/^#define[ 	]*\(xfs_[a-z0-9_]*\)[ 	].*/\1/p' libxfs/libxfs_api_defs.h)
for name in $names; do
	printf '#pragma push_macro("%s")\n#undef %s\n' "$name" "$name"
done >include/xfs_trace_push.h
for name in $names; do
	printf '#pragma pop_macro("%s")\n' "$name"
done >include/xfs_trace_pop.h

# add_members FILE STRUCT MEMBERS: to the end of a structure, members that the kernel has
# and that libxfs, which neither pins nor locks, leaves zero.
add_members() {
	grep -q "struct $2 {\$" "$1" || { echo "$1 has no struct $2" >&2; exit 1; }
	grep -q "added for xfs_trace.h: $2 " "$1" ||
		sed -i "/struct $2 {\$/,/^}/ s,^},	$3	/* added for xfs_trace.h: $2 */\n&," "$1"
}
add_members libxfs/libxfs_io.h xfs_buf 'int b_pin_count; struct { int count; } b_sema;'
add_members include/xfs_inode.h xfs_inode \
	'int i_pincount; unsigned long i_flags; xfs_agino_t i_prev_unlinked;'
add_members include/xfs_trans.h xfs_log_item 'struct xlog *li_log;'
add_members include/xfs_trans.h xfs_buf_log_item 'int bli_refcount;'
add_members include/xfs_trans.h xfs_trans 'struct xlog_ticket *t_ticket;'
