#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# ulf graph prints the calls of a file as a tree: how often each function was called by each other
# one.  Times of inner calls are part of those of the outer ones.
. tests/cli/common

cd "$TMPDIR" || fail "cd"
cat >tree.c <<'END'
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int twice(int x) { return leaf(x) + leaf(x) * 2; }
NOINLINE int down(int n)
{
	int r = n ? down(n - 1) : 0;

	__asm__ volatile("" : "+r"(r));
	return r + leaf(n);
}

int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += twice(i);
	sum += down(2);
	return !sum;
}
END
cc -O1 -fno-optimize-sibling-calls -fpatchable-function-entry=5 -o tree tree.c || fail "cc"
ulf record -o tree.dat -p function_graph -F main -F leaf -F twice -F down -- ./tree 2>err ||
	fail "record: $(cat err)"
contains "$(cat err)" "tree.dat: 614 records"
contains "$(cat err)" ", 0 lost"
ulf graph tree.dat >graph || fail "status $?"
# Children with nearly the same time may come in any order.
expect "calls" "1 down
1 leaf
1 main
100 twice
200 leaf" "$(awk '$2 ~ /^[0-9]+$/ && !seen[$2 $8]++ { print $2, $8 }' graph | sort -k1,1n -k2)"
expect "lines" 10 "$(wc -l <graph)"
grep -q '  main$' graph || fail "$(cat graph)"
grep -q '      down$' graph || fail "down() calls itself: $(cat graph)"
# TOTAL is the sum of SELF over the function and what it calls; times are rounded to ns.
awk 'NR == 2 { total = $3 } NR > 1 { self += $4 }
	END { exit self > total + 0.01 || self < total - 0.01 }' graph || fail "sum: $(cat graph)"
expect "--depth" 2 "$(ulf graph --depth=1 tree.dat | wc -l)"
expect "--share" 2 "$(ulf graph --share=100 tree.dat | wc -l)"

# The report of the file has the lines of trace.
ulf cat tree/trace >ours
ulf report tree.dat >theirs
diff ours theirs >differences || fail "report: $(head differences)"

echo 10 | ulf record -o emit.dat -e emit -- "$ULF_BUILD/tests/clients-emit" >out 2>err
text=$(ulf graph emit.dat 2>&1) && fail "a file without calls"
contains "$text" "has no calls"
ulf graph -d x tree.dat 2>/dev/null
expect "status of a wrong depth" 2 $?
exit 0
