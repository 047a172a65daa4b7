# SPDX-License-Identifier: MIT
# timeout: 300
# Functions can be traced with every compiler and flag that makes space at their entries: run the
# test of tests/runtime/functions with traced functions that are built in many ways.
set -u

if [ -n "$ULF_SANITIZER" ]; then
	echo "programs built without a sanitizer cannot load this libulf"
	exit 77
fi
dir=$ULF_SRC/tests/runtime/functions
common="-O2 -D_GNU_SOURCE -I$ULF_SRC/include -I$ULF_SRC/src -I$ULF_SRC/tests -I$dir"
cd "$TMPDIR" || exit 1
gcc $common -c "$dir/main.c" -o main.o || exit 1
status=0 nr=0

fails() {
	echo "$*"
	status=1
}

# link ARGS: link the program with this libulf.
link() { gcc main.o traced.o "$@" -Wl,-rpath,"$ULF_BUILD" -pthread -o program >log 2>&1; }

# works COMPILER FLAGS: the program, linked with $ld, passes its test.
ld=
works() {
	nr=$((nr + 1))
	"$@" $common -DTRACED= -c "$dir/traced.c" -o traced.o || {
		fails "$*: does not compile"
		return
	}
	link $ld "$ULF_BUILD/libulf.so.0" || fails "$* $ld: does not link: $(cat log)"
	timeout 60 ./program 10 || fails "$* $ld: exit status $?"
}

fentry="-pg -mfentry -mrecord-mcount"
works gcc $fentry
works gcc $fentry -fcf-protection
works gcc $fentry -minstrument-return=nop5 -mrecord-return
works gcc $fentry -fPIC
ld=-no-pie works gcc $fentry -fno-pie
ld="-no-pie -Wl,-z,now" works gcc $fentry -fno-pie -fcf-protection
ld=-no-pie works gcc $fentry -fno-pie -mnop-mcount
ld="-Wl,-z,notext -fuse-ld=lld" works gcc $fentry
# If the whole program is one file, the linker turns far calls into near calls.
ld= works gcc $fentry
link "$ULF_BUILD/libulf.a" && timeout 60 ./program 10 || fails "$fentry with libulf.a: $(cat log)"

# Take the smallest number of bytes that a function needs, and the largest number for which
# clang makes one NOP.
for nops in 5 8 6,1 10,5; do
	works gcc -fpatchable-function-entry=$nops
	works gcc -fpatchable-function-entry=$nops -fcf-protection
	works clang -fpatchable-function-entry=$nops -fcf-protection
done
for nops in 5 6 7 8 9 6,1 7,2 13,4; do
	works clang -fpatchable-function-entry=$nops
done
works gcc -fpatchable-function-entry=32,27
for flags in -O0 -O1 -O3 "-O2 -flto" "-O2 -fstack-protector-all" -Os; do
	ld=$flags works gcc $flags -fpatchable-function-entry=5
	ld="$flags -fuse-ld=lld" works clang ${flags%-flto} -fpatchable-function-entry=5
done
works clang -fxray-instrument -fxray-instruction-threshold=1
works clang -fxray-instrument -fxray-instruction-threshold=1 -fcf-protection -fno-pie

[ "$status" != 0 ] || echo "score: $nr ways"
exit $status
