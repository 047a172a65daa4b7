#!/bin/sh
# SPDX-License-Identifier: MIT
# The torture can fail.  It is built with rseq sections that are not registered with the
# kernel, so that the kernel aborts nothing when a writer is interrupted.  Then it must find
# torn or missing records in each kind of ring that rseq writers use.
set -u

cd "$ULF_SRC" || exit 1

# build NAME FILE...: build a program NAME without the store that registers a section.
build() {
	name=$1
	shift
	${CC:-cc} -std=gnu11 -O2 -pthread -D_GNU_SOURCE= -DULF_TESTPOINTS \
		-DULF_TEST_UNARMED -Isrc -I"$ULF_BUILD/src" -Itests -o "$TMPDIR/$name" "$@" \
		src/ring/*.c src/arch/x86_64/append.S \
		src/arch/x86_64/rseq.c src/arch/x86_64/steps.[cS] || exit 1
}

# must_fail WHAT PROGRAM [ARGUMENT]...: PROGRAM must find an error.
must_fail() {
	what=$1
	shift
	timeout 100 "$@" >"$TMPDIR/log" 2>&1
	status=$?
	tail -n 3 "$TMPDIR/log"
	case $status in
	0)
		echo "$what: nothing was found"
		exit 1 ;;
	77)
		tail -n 1 "$TMPDIR/log"
		exit 77 ;;
	124)
		echo "$what: no end"
		exit 1 ;;
	esac
	grep -q '^WRONG: ' "$TMPDIR/log" || exit 1
}

build ring tests/torture/ring.c tests/lib/record.c tests/lib/torture*.c
for variant in rseq-4k rseq-4k-full rseq-64k rseq-64k-full; do
	must_fail $variant "$TMPDIR/ring" $variant 5000000
done
build step tests/torture/step.c tests/lib/step.c
must_fail step "$TMPDIR/step"
echo "an unarmed section fails the tests"
