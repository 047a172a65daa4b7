#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run preloads libulf into a program whose functions can be traced, but not into other
# programs or into programs that are linked with libulf.
. tests/cli/common

cat >"$TMPDIR/work.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

int twice(int x)
{
	return 2 * x;
}

int main(void)
{
	const char *preload = getenv("LD_PRELOAD");
	char line[16];

	setlinebuf(stdout);
	printf("%s\n", preload ? preload : "none");
	while (fgets(line, sizeof(line), stdin))
		printf("%d\n", twice(atoi(line)));
	return 0;
}
END
flag=$(sed -n 's,^ftrace_cflags=,,p' "$ULF_BUILD/meson-private/ulf.pc")
make_program() { out=$1; shift; cc -O1 -fno-inline -o "$TMPDIR/$out" "$TMPDIR/work.c" "$@" || fail "cc"; }
make_program work $flag
make_program plain
make_program linked $flag -Wl,--no-as-needed "$ULF_BUILD/libulf.so.0" -Wl,-rpath,"$ULF_BUILD"
make_program inside $flag -Wl,--whole-archive "$ULF_BUILD/libulf.a" -Wl,--no-whole-archive -lpthread

preloaded() { ulf run -- "$TMPDIR/$1" </dev/null 2>/dev/null; }
libulf=$(cd "$ULF_BUILD" && pwd)/libulf.so.0
expect "work" "$libulf" "$(preloaded work)"
expect "plain" none "$(preloaded plain)"
expect "linked" none "$(preloaded linked)"
expect "inside" none "$(preloaded inside)"
expect "relative" "$libulf" "$(cd "$TMPDIR" && ulf run -- ./work </dev/null 2>/dev/null)"
expect "in PATH" "$libulf" "$(PATH=/nowhere:$TMPDIR:$PATH; ulf run -- work </dev/null 2>/dev/null)"
expect "with another" "$libulf:/dev/null" \
	"$(LD_PRELOAD=/dev/null ulf run -- "$TMPDIR/work" </dev/null 2>/dev/null)"

# The program with the preloaded libulf is a root like any other.
mkfifo "$TMPDIR/to" "$TMPDIR/from" || fail "mkfifo"
exec 7<>"$TMPDIR/to" 8<>"$TMPDIR/from"
ulf run -o "$TMPDIR/trace" -- "$TMPDIR/work" <&7 >&8 7<&- &
runs=$!
read -r line <&8
root=$(ulf ls | awk '$1 ~ /^work\./ && / alive / { print $1 }')
expect "functions" "main twice" "$(ulf cat "$root/available_filter_functions" | grep -v ' \[' |
	sort | xargs)"
ulf echo function_graph "$root/current_tracer" || fail "current_tracer"
echo 21 >&7
read -r line <&8
expect "answer" 42 "$line"
kill "${root#work.}"
wait $runs
grep -q 'twice();' "$TMPDIR/trace" || fail "not traced: $(cat "$TMPDIR/trace")"

# Only a library of the program has space at its functions.
echo 'int twice(int x) { return 2 * x; }' >"$TMPDIR/room.c"
cc -O1 -fPIC -shared $flag -o "$TMPDIR/libroom.so" "$TMPDIR/room.c" || fail "cc"
sed '/^int twice/,/^}/d; s/^int main/int twice(int x);\n&/' "$TMPDIR/work.c" >"$TMPDIR/user.c"
cc -O1 -o "$TMPDIR/user" "$TMPDIR/user.c" "$TMPDIR/libroom.so" || fail "cc"
echo 21 | ulf run --ftrace=function -o "$TMPDIR/trace" -- env LD_PRELOAD="$libulf" "$TMPDIR/user" >/dev/null
grep -q ': twice <-main' "$TMPDIR/trace" || fail "the library: $(cat "$TMPDIR/trace")"

# A server never becomes a root, even if it is started with libulf preloaded.
ulf stop >/dev/null
LD_PRELOAD=$libulf ulf ls >/dev/null
! ulf ls | grep -q ' alive ' || fail "the server: $(ulf ls)"
