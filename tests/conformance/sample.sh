#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's sample header, unmodified: `format` files and lines of `trace` equal those of
# the kernel's sample module in Linux 6.12, except for IDs, times, CPUs and pids.  Linux 6.1
# has a bug: after one string it shows the rest of an earlier record.  The other lines are
# equal.
#
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
. tests/conformance/common

expected=$ULF_SRC/tests/data/conformance/sample-6.12
work=$TMPDIR

# Since 6.2 the kernel's char is unsigned.
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

# Sort the lines by thread, and remove what differs between runs.
sed -nE 's,^ *([^ ]*)-[0-9]+ +\[[0-9]+\] ([^ ]+) +[0-9.]+: ,\1 \2 ,p' \
	"$work/trace" | LC_ALL=C sort -s -k1,1 >"$work/lines"
diff -u "$expected.lines" "$work/lines" || fail "the lines of trace differ"
ulf stop
