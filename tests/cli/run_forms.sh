#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run traces the functions of a program that is not linked with libulf, with every kind of
# space that its compiler made at the functions, and without such space.  If it cannot trace them it says so.
. tests/cli/common

cat >"$TMPDIR/work.c" <<'END'
int twice(int x)
{
	__asm__ volatile("add $1000, %0\n\tsub $1000, %0" : "+r"(x));
	return 2 * x;
}

int same(int x)
{
	__asm__ volatile("add $1000, %0\n\tsub $1000, %0" : "+r"(x));
	return 2 * x;
}

int main(void)
{
	return twice(2) + same(1) != 6;
}
END

# make COMPILER FLAGS: compile the program with COMPILER FLAGS and link it with $ld.
ld=
make() {
	how="$* $ld"
	"$@" -O1 -fno-inline -ffunction-sections -c "$TMPDIR/work.c" -o "$TMPDIR/work.o" &&
		gcc "$TMPDIR/work.o" -o "$TMPDIR/work" $ld 2>"$TMPDIR/log" ||
		fail "$how: $(cat "$TMPDIR/log")"
}
run() { ulf run --ftrace=function_graph -o "$TMPDIR/trace" -- "$TMPDIR/work" 2>"$TMPDIR/err" || fail "$how: $(cat "$TMPDIR/err")"; }
lines() { sed -n '/^#/d; s/.*|  //p' "$TMPDIR/trace"; }
all='main() {
  twice();
  same();
}'

traces_all() {
	make "$@"
	run
	expect "$how" "$all" "$(lines)"
}
traces_all gcc -fpatchable-function-entry=7,2
traces_all clang -fpatchable-function-entry=5 -fcf-protection
traces_all gcc -pg -mfentry -mrecord-mcount
traces_all clang -fxray-instrument -fxray-instruction-threshold=1
ld=-no-pie traces_all gcc -pg -mfentry -mrecord-mcount -fno-pie
ld=-no-pie traces_all gcc -pg -mfentry -mrecord-mcount -mnop-mcount -fno-pie

# Two functions at one address appear as one function, with one of the two names.
ld="-fuse-ld=lld -Wl,--icf=all"
make gcc -fpatchable-function-entry=5
run
expect "$how" 'main() {
  one();
  one();
}' "$(lines | sed 's/twice\|same/one/')"

# Too little space, or none: the first instructions of functions are moved.
ld=
traces_all gcc -fpatchable-function-entry=4
traces_all gcc
traces_all clang
ld=-static make gcc -fpatchable-function-entry=5
run
contains "$(cat "$TMPDIR/err")" "it is linked statically, so libulf cannot be loaded"
ld=-fsanitize=address make gcc -fpatchable-function-entry=5 -fsanitize=address
run
contains "$(cat "$TMPDIR/err")" "has AddressSanitizer"
