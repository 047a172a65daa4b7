#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's sample header, unmodified: `format` files and lines of `trace`
# equal those of the kernel's sample module, as Linux 6.12 shows them, up to
# IDs, times, CPUs and pids.  6.1 shows the same, but for a bug of its own: what
# is left of an earlier record stands behind one string.
#
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
. tests/conformance/common

expected=$ULF_SRC/tests/data/conformance/sample-6.12
work=$TMPDIR

# Since 6.2 the kernel's char has no sign.
gcc $flags -O2 -funsigned-char -I"$linux/samples/trace_events" \
	-o "$work/sample" "$here/sample.c" $libs ||
	fail "the kernel's sample header does not compile"
ulf run -o "$work/trace" -e sample-trace -- "$work/sample" ||
	fail "status $? of the sample"
root=$(ulf ls | awk '$1 ~ /^sample\./ { print $1 }')

for event in $(sed -n 's,^name: ,,p' "$expected.formats"); do
	ulf cat "$root/events/sample-trace/$event/format" | sed '/^ID: /d'
done >"$work/formats"
diff -u "$expected.formats" "$work/formats" || fail "the formats differ"

# Thread by thread, without what differs from run to run.
sed -nE 's,^ *([^ ]*)-[0-9]+ +\[[0-9]+\] ([^ ]+) +[0-9.]+: ,\1 \2 ,p' \
	"$work/trace" | LC_ALL=C sort -s -k1,1 >"$work/lines"
diff -u "$expected.lines" "$work/lines" || fail "the lines of trace differ"
ulf stop
