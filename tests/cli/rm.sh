#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf rm removes dead roots, and refuses living roots and unknown names.
. tests/cli/common

start_hello; first=$root first_pid=$pid
start_hello; second=$root second_pid=$pid
ulf echo 1 "$first/events/enable" && ulf echo 1 "$second/events/enable" ||
	fail "enable"

text=$(ulf rm "$first" 2>&1) && fail "a living root was removed"
contains "$text" "$first is alive"
is_listed "$first" alive || fail "$first is gone"

die "$first_pid"
text=$(ulf rm nosuch 2>&1) && fail "no root was removed"
contains "$text" "ulf ls"
ulf rm "$first/trace" 2>/dev/null && fail "a file was removed"
ulf rm "$first" || fail "rm $first"
ulf ls | grep -q "^$first " && fail "$first is still there"
[ ! -e "$ULF_DIR/roots/$first" ] || fail "its directory is still there"

die "$second_pid"
start_hello
# rm --dead leaves a root of another version alone.
make_foreign other.1
ulf rm --dead || fail "rm --dead"
expect "roots after rm --dead" "$(printf '%s\n' "$root" other.1 | sort)" \
	"$(ulf ls | awk 'NR > 1 { print $1 }' | sort)"
ulf rm other.1 || fail "rm other.1"
# While the program of a root of another version lives, the root is not removed.
kill_server
printf '\377' | dd of="$ULF_DIR/roots/$root/memory" bs=1 seek=8 conv=notrunc 2>/dev/null
until_true is_listed "$root" foreign
text=$(ulf rm "$root" 2>&1) && fail "rm of a root of another version whose program lives"
contains "$text" "$root is alive; end its program first"
kill -9 "${root#hello.}"
wait "${root#hello.}" 2>/dev/null
ulf rm "$root" || fail "rm $root"
[ ! -e "$ULF_DIR/roots/$root" ] || fail "the directory of $root is still there"
ulf rm >/dev/null 2>&1
expect "status of ulf rm alone" 2 $?
exit 0
