#!/bin/sh
# SPDX-License-Identifier: MIT
# one_object.sh OUTPUT INPUT COMPILER...: make the archive OUTPUT, with one object file, of all
# object files of the archive INPUT.  Hidden symbols become local: a program that is linked
# with libulf.a may use their names.
set -eu
out=$1 in=$2
shift 2

"$@" -nostdlib -r -o "$out.o" -Wl,--whole-archive "$in" -Wl,--no-whole-archive
objcopy --localize-hidden "$out.o"
rm -f "$out"
ar rcs "$out" "$out.o"
rm -f "$out.o"
