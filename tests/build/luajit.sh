#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# LuaJIT, built with space for tracing its functions, prints the same text with function_graph and
# without.  Each error, and each trace that LuaJIT's compiler aborts, unwinds the stack.  The
# personality routine finds the state of the interpreter by _Unwind_GetCFA().
set -u
. tests/cli/common

work=$ULF_CACHE/luajit
source=$ULF_BUILD/sources/luajit.tar.gz
script=$ULF_SRC/tests/build/luajit.lua

[ -z "$ULF_SANITIZER" ] ||
	skip "programs built without a sanitizer cannot load this libulf"

# The build is kept in the cache, because compiling takes some ten seconds.  -O1 instead of -O2
# saves a third of them; the interpreter and what the JIT makes are the same.
build() {
	rm -rf "$work" "$work.new"
	mkdir -p "$work.new" && tar -xzf "$source" -C "$work.new" || fail "no source"
	make -s -j2 -C "$work.new/src" CC="${CC:-gcc}" BUILDMODE=static CCDEBUG= \
		CCOPT="-O1 -fomit-frame-pointer" \
		TARGET_CFLAGS=-fpatchable-function-entry=5 >"$TMPDIR/log" 2>&1 ||
		fail "LuaJIT cannot be built: $(tail "$TMPDIR/log")"
	mv "$work.new" "$work"
}

if [ ! -x "$work/src/luajit" ]; then
	[ -r "$source" ] ||
		skip "there is no $source: tools/setup --sources ${source%/*} gets it"
	build
fi

# compare JIT-OPTION: run the script with this option, untraced and traced.
compare() {
	"$work/src/luajit" "$1" "$script" >"$TMPDIR/plain" ||
		fail "$1: exit status $? without the tracer"
	ulf run --ftrace=function_graph -o "$TMPDIR/trace" -- \
		"$work/src/luajit" "$1" "$script" >"$TMPDIR/traced" 2>"$TMPDIR/err" ||
		fail "$1: exit status $?: $(tail -n 3 "$TMPDIR/err")"
	diff "$TMPDIR/plain" "$TMPDIR/traced" || fail "$1: it says something else"
	[ "$(wc -l <"$TMPDIR/trace")" -gt 1000 ] || fail "$1: not traced"
}
compare -joff
compare -jon
grep -q "^traces	true	aborted	true" "$TMPDIR/plain" || fail "no trace was aborted"
