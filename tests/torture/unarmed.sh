#!/bin/sh
# SPDX-License-Identifier: MIT
# The torture can fail: built with sections that the kernel is not told of (so
# that nothing is aborted when a writer is interrupted) it must find torn or
# missing records, in each kind of ring that rseq writers use.
set -u

program=$TMPDIR/unarmed
cd "$ULF_SRC" || exit 1
${CC:-cc} -std=gnu11 -O2 -pthread -D_GNU_SOURCE= -DULF_TESTPOINTS \
	-DULF_TEST_UNARMED -Isrc -Itests -o "$program" tests/torture/ring.c \
	tests/lib/record.c tests/lib/torture*.c src/ring/*.c \
	src/arch/x86_64/append.S src/arch/x86_64/rseq.c || exit 1

for variant in rseq-4k rseq-4k-full rseq-64k rseq-64k-full; do
	timeout 60 "$program" $variant 5000000 >"$program.log"
	status=$?
	tail -n 3 "$program.log"
	case $status in
	0)
		echo "$variant: nothing was found"
		exit 1 ;;
	77)
		echo "this process has no rseq"
		exit 77 ;;
	124)
		echo "$variant: no end"
		exit 1 ;;
	esac
	grep -q '^WRONG: ' "$program.log" || exit 1
done
echo "an unarmed section fails the torture in every variant"
