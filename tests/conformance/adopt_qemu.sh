#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU's tracetool with the backend of examples/adopt/qemu makes the files of all trace-events of
# QEMU.  They compile with QEMU's types replaced by stubs, and all events are hit in one program:
# each line of the trace is what C's printf prints.
# timeout: 1200
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
set -u

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "$*"; exit 77; }

source=$ULF_BUILD/sources/qemu.tar.xz
here=$ULF_SRC/tests/conformance/qemu
[ -r "$source" ] || skip "there is no $source: tools/setup --sources ${source%/*} gets it"
command -v python3 >/dev/null || skip "there is no python3, which QEMU's tracetool needs"

cd "$TMPDIR" || exit 1
mkdir qemu && tar -xJf "$source" -C qemu --strip-components=1 --wildcards \
	'*/trace-events' '*/scripts/tracetool*' '*/trace/meson.build' '*/meson_options.txt' ||
	fail "cannot unpack $source"
adopt=$ULF_SRC/examples/adopt/qemu/adopt.sh
"$adopt" qemu && "$adopt" qemu || fail "adopt.sh fails"
[ "$(grep -c "trace_ulf_h = custom_target" qemu/trace/meson.build)" = 1 ] ||
	fail "adopt.sh does not change trace/meson.build once"

python3 "$here/generate.py" qemu out >groups || fail "tracetool fails"
cd out || exit 1
# Functions for disabled events do not use their parameters.  The other warnings that are switched
# off are about the values of calls, not about events.
sed 's/ .*//' ../groups | xargs -P 2 -I GROUP sh -ec '
	flags="-O0 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-parameter"
	flags="$flags -isystem $ULF_SRC/include -I. -I$0/stubs"
	gcc $flags -c trace/trace-GROUP.c -o trace-GROUP.o
	gcc $flags -Wno-format -Wno-overflow -Wno-int-to-pointer-cast \
		-c call-GROUP.c -o call-GROUP.o' "$here" ||
	fail "a group does not compile"

# No program of QEMU has both bsd-user and linux-user, whose events have the same names.
sed -i '/^bsd_user /d' ../groups
rm ./*-bsd_user.o
{
	echo 'int main(void) {'
	sed 's/\(.*\) .*/extern void call_\1(void); call_\1();/' ../groups
	echo 'return 0; }'
} >main.c
gcc -w main.c ./*.o "$ULF_BUILD/libulf.so" -Wl,-rpath,"$ULF_BUILD" -o program ||
	fail "the program does not link"

nr=$(awk '{ nr += $2 } END { print nr }' ../groups)
[ "$nr" -gt 4000 ] || fail "only $nr events"
ulf run -e qemu --trace-buf-size=32M --trace-options=nohash-ptr -o lines -- ./program \
	>wanted 2>err || fail "the program: $(cat err)"
grep -q ": $nr records;" err || fail "not $nr records: $(cat err)"
grep -v '^#' lines | sed 's/^ *program-[^:]*: //' >got
diff wanted got >differences || fail "$(grep -c '^<' differences) lines: $(head -n 20 differences)"
echo "score: $nr events in $(wc -l <../groups) groups"
