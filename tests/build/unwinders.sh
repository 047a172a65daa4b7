#!/bin/sh
# SPDX-License-Identifier: MIT
# Run tests/runtime/cfa.cpp with an unwinder that is linked into the program.  With libulf.a all
# results are exact, too.  libulf.so does not know such an unwinder: exceptions work, but
# _Unwind_GetCFA() may return a value that is too large by one.
set -u

if [ -n "$ULF_SANITIZER" ]; then
	echo "programs built without a sanitizer cannot load this libulf"
	exit 77
fi
cd "$TMPDIR" || exit 1
flags="-O2 -std=gnu++17 -D_GNU_SOURCE -pthread -I$ULF_SRC/include"
source=$ULF_SRC/tests/runtime/cfa.cpp
status=0

# works WANTED ARGS: a program that is linked with ARGS finds the result WANTED.
works() {
	wanted=$1
	shift
	g++ $flags "$source" -o program "$@" >log 2>&1 || {
		echo "$*: does not link: $(cat log)"
		status=1
		return
	}
	timeout 60 ./program "$wanted" || {
		echo "$*: not $wanted: exit status $?"
		status=1
	}
}

shared="$ULF_BUILD/libulf.so.0 -Wl,-rpath,$ULF_BUILD"
static="-Wl,--whole-archive $ULF_BUILD/libulf.a -Wl,--no-whole-archive"
works exact $shared
works exact $static
works exact -static $static
works exact -static-libgcc -static-libstdc++ $static
works odd -static-libgcc -static-libstdc++ $shared
exit $status
