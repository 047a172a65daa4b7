#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
# ulf diff compares two files by function: numbers of calls, times, functions that only one file has.
# Its times are those of ulf graph.
. tests/cli/common

cd "$TMPDIR" || fail "cd"
cat >work.c <<'END'
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int down(int n)
{
	int r = n ? down(n - 1) : 0;

	__asm__ volatile("" : "+r"(r));
	return r + leaf(n);
}
#ifdef NEW
NOINLINE int slow(int x)
{
	for (volatile int i = 0; i < 1000000; i++)
		x ^= i;
	return x + leaf(x);
}
#define CALLS 30
#else
NOINLINE int old(int x) { __asm__ volatile("" : "+r"(x)); return x; }
NOINLINE int slow(int x) { return old(x) + leaf(x); }
#define CALLS 10
#endif

int main(void)
{
	volatile int sum = down(4);

	for (int i = 0; i < CALLS; i++)
		sum += slow(i);
	return !sum;
}
END
flags="-O1 -fno-optimize-sibling-calls -fpatchable-function-entry=5"
cc $flags -o work_a work.c && cc $flags -DNEW -o work_b work.c || fail "cc"
for i in a b; do
	ulf record -o $i.dat -p function_graph -F main -F leaf -F down -F slow -F 'ol*' \
		-- ./work_$i 2>err || fail "record: $(cat err)"
	contains "$(cat err)" ", 0 lost"
done

ulf diff a.dat b.dat >out || fail "status $?"
# Field 3 and 4: calls; 5 to 8: times; the last one: the function.
calls() { awk -v name="$1" '$NF == name { print $3, $4 }' out; }
expect "calls of leaf" "15 35" "$(calls leaf)"
expect "calls of down" "5 5" "$(calls down)"
expect "calls of slow" "10 30" "$(calls slow)"
expect "calls of old" "10 0" "$(calls old)"
expect "old is gone" gone "$(awk '$NF == "old" { print $2 }' out)"
# A loop of a million rounds in each call is the largest change.
expect "slowest" slow "$(awk 'NR == 2 { print $NF }' out)"
expect "all calls" "41 71" "$(awk '$NF == "functions)" { print $3, $4 }' out)"

# The total time of a function that calls itself is that of its outermost call; self times of all
# calls add up.
for i in a b; do
	ulf graph $i.dat >graph
	[ $i = a ] && total=5 self=7 || total=6
	[ $i = a ] || self=8
	expect "total of down in $i" \
		"$(awk '$NF == "down" && $2 == 1 && !n++ { print $3 }' graph)" \
		"$(awk -v field=$total '$NF == "down" { print $field }' out)"
	expect "self of slow in $i" "$(awk '$NF == "slow" { print $4 }' graph)" \
		"$(awk -v field=$self '$NF == "slow" { print $field }' out)"
done

# The other direction has the opposite signs, and the same functions.
ulf diff b.dat a.dat >back || fail "status $?"
expect "old is new" new "$(awk '$NF == "old" { print $2 }' back)"
expect "fastest is last" slow "$(tail -n 2 back | awk 'NR == 1 { print $NF }')"
expect "opposite" "$(awk 'NR > 1 { print -$1, $NF }' out | sort)" \
	"$(awk 'NR > 1 { print $1 + 0, $NF }' back | sort)"

# --rows limits each kind; functions without a change are not printed.
expect "--rows" 3 "$(ulf diff -n 1 -b calls a.dat b.dat | tail -n +2 | wc -l)"
expect "--by" "leaf
slow
old
functions)" "$(ulf diff --by=calls a.dat b.dat | awk 'NR > 1 { print $NF }')"
expect "a file and itself" "(all functions)" \
	"$(ulf diff a.dat a.dat | tail -n +2 | sed 's/.*  //')"

echo 10 | ulf record -o emit.dat -e emit -- "$ULF_BUILD/tests/clients-emit" >/dev/null 2>err
text=$(ulf diff a.dat emit.dat 2>&1) && fail "a file without calls"
contains "$text" "emit.dat has no calls"
text=$(ulf diff a.dat missing.dat 2>&1) && fail "a file that is missing"
contains "$text" "missing.dat"
text=$(ulf diff -b size a.dat b.dat 2>&1)
expect "status of a wrong figure" 2 $?
contains "$text" "self, total, average and calls"
ulf diff a.dat 2>/dev/null
expect "status with one file" 2 $?
exit 0
