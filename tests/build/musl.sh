#!/bin/sh
# SPDX-License-Identifier: MIT
# The headers of events and functions refuse a program that is compiled for musl, in one line that
# gives the reason: libulf is linked with glibc and could not be loaded.
set -u
command -v musl-gcc >/dev/null || { echo "no musl-gcc; \`apt-get install musl-tools' brings it"; exit 77; }

fail() { echo "FAIL: $*" >&2; exit 1; }
cd "$TMPDIR" || exit 1
# errors COMPILER HEADER: print the errors of COMPILER for a program that includes HEADER.
errors() {
	printf '#include <%s>\nint main(void) { return 0; }\n' "$2" >program.c
	"$1" -D_GNU_SOURCE -I"$ULF_SRC/include" -c program.c 2>&1 >/dev/null | grep 'error:'
}
for header in linux/tracepoint.h linux/ftrace.h linux/trace_events.h ulf/tracing.h ulf/kernel.h; do
	[ -z "$(errors gcc "$header")" ] || fail "<$header> with glibc: $(errors gcc "$header")"
	said=$(errors musl-gcc "$header")
	case $said in
	*"ulf: this C library is not glibc"*) ;;
	*) fail "<$header> with musl: \`$said'" ;;
	esac
	[ "$(echo "$said" | wc -l)" = 1 ] || fail "<$header> with musl: more than one line: $said"
done
exit 0
