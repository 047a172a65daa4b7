#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that were written for LTTng-UST compile unchanged with ulf's <lttng/tracepoint.h>, and
# their events are recorded: the examples of LTTng-UST, and the test programs of LTTng-tools.
# timeout: 300
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
set -u

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "$*"; exit 77; }

sources=$ULF_BUILD/sources
examples=usr/share/doc/liblttng-ust-dev/examples
for examples in "/$examples" "$sources/packages/$examples"; do
	[ ! -e "$examples/demo/demo.c" ] || break
done
[ -e "$examples/demo/demo.c" ] ||
	skip "there is no $examples: tools/setup --sources $sources gets it"
tools=$sources/lttng-tools.tar.bz2
[ -r "$tools" ] || skip "there is no $tools: tools/setup --sources $sources gets it"

cd "$TMPDIR" || exit 1
cp -r "$examples/demo" "$examples/hello-static-lib" "$examples/easy-ust" \
	"$examples/demo-tracef" "$examples/demo-tracelog" \
	"$examples/cmake-multiple-shared-libraries" . || exit 1
mkdir tools && tar -xjf "$tools" -C tools --strip-components=1 || fail "cannot unpack $tools"
flags="-O2 -g -D_GNU_SOURCE -Wall -Werror -isystem $ULF_SRC/include
	-isystem $ULF_SRC/include/adopt"
libs="$ULF_BUILD/libulf.so -Wl,-rpath,$ULF_BUILD -pthread"
nr_programs=0

# compile PROGRAM ARGS...
compile() {
	nr_programs=$((nr_programs + 1))
	output=$1
	shift
	"${CC:-gcc}" $flags "$@" -o "$output" $libs -lstdc++ || fail "$output does not compile"
}
# prints LINE: the trace has this line.
prints() { grep -qF ": $1" trace || fail "no '$1' in: $(grep -v '^#' trace | head)"; }
# run_traced PROGRAM ARGS...: with all events, which stand in the file trace.
run_traced() {
	ulf run -e ust_tests_demo -e ust_tests_demo2 -e ust_tests_demo3 -e ust_tests_hello \
		-e gydle_om -e tp -e sample_component -o trace -- "$@" >out 2>err ||
		fail "$1: $(cat err)"
}

loop='intfield=4 intfield2=0x4 longfield=4 netintfield=4 netintfieldhex=0x4'
loop="$loop arrfield1={0x1,0x2,0x3} arrfield2=test seqfield1={0x74,0x65,0x73,0x74}"
loop="$loop seqfield2=test stringfield=test floatfield=2222 doublefield=2"
compile program -I demo demo/demo.c
run_traced ./program
prints "starting: value=123"
prints "loop: $loop"
prints "done: value=42"
# The library of probes, which LTTng-UST's demo preloads, disturbs nothing.
compile probes.so -shared -fPIC -I demo demo/tp.c demo/tp2.c demo/tp3.c
run_traced env LD_PRELOAD="$PWD/probes.so" ./program
[ "$(grep -c 'done: value=42' trace)" = 1 ] || fail "with probes.so: $(cat trace)"

# A million events, from a program with a provider of its own.
compile program -I hello-static-lib hello-static-lib/hello.c hello-static-lib/tp.c
run_traced ./program
prints "tptest: intfield=999999 intfield2=0xf423f longfield=999999"

# The program sleeps after each of its 100,000 events.
sed -i 's/100000/100/' easy-ust/sample.c
compile program -I easy-ust easy-ust/sample.c easy-ust/tp.c
run_traced ./program
prints "message: message=Hello World"

for name in tracef vtracef tracelog vtracelog; do
	compile program "demo-${name#v}/demo-$name.c"
	run_traced ./program
	[ "$(grep -vc '^#' trace)" = 5 ] || fail "$name: $(cat trace)"
done

# C++, a provider in a library that a library calls.
cd cmake-multiple-shared-libraries || exit 1
compile libprovider.so -shared -fPIC -I . tracepoint-provider.cpp
compile libaligner.so -shared -fPIC -I . aligner-lib.cpp ./libprovider.so
compile ../program -I . aligner.cpp ./libaligner.so -Wl,-rpath,.
run_traced ../program
prints "align_query: query_name=molecule-foo"
cd ..

testapp=tools/tests/utils/testapp
for dir in gen-ust-events gen-ust-nevents gen-ust-nevents-str; do
	compile $dir -I $testapp/$dir -I $testapp -I tools/tests/utils -I tools/include \
		-I tools/src -Wno-sign-compare $testapp/$dir/*.c tools/tests/utils/utils.c
done
run_traced ./gen-ust-events -i 3 -f
prints 'tptest: intfield=2 intfield2=0x2 longfield=2 signedfield=-1 netintfield=2'
for value in '0=AUTO: EXPECT 0 (0)' '27=VALUE: 27 (27)' '28=AUTO: EXPECT 28 (28)' \
	'202=RANGE: 101 TO 303 (202)' '304=AUTO: EXPECT 304 (304)' 'negative=VALUE: -1 (-1)'; do
	grep -q " enum$value" trace || fail "no enum$value: $(cat trace)"
done
prints 'end: '
run_traced ./gen-ust-nevents -i 2
prints 'tptest5: '
run_traced ./gen-ust-nevents-str 3 one two three
prints 'the_string: i=2 arg_i=4 str=three'
echo "score: $nr_programs programs and libraries of LTTng-UST compile and trace"
