#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
# The guide, done as it says: its files are written, its commands are run in one
# shell, and they print what it shows, where `...` stands for anything.
. tests/docs/common

# A pattern of case for the text: all but ... stands for itself.
pattern_of() { printf '%s' "$1" | sed 's,[][*?\\],\\&,g; s,\.\.\.,*,g'; }

matches() {
	got=$(normalise <"$out")
	wanted=$(printf '%s' "$expected" | normalise)
	pattern=$(pattern_of "$wanted")
	case $got in
	$pattern) true ;;
	*) false ;;
	esac
}

# What reads of a program in the background may come too early.
is_reading() {
	case $1 in *'$T'* | 'ulf ls'*) true ;; *) false ;; esac
}

nr_commands=0
run_command() {
	[ -n "$command" ] || return 0
	nr_commands=$((nr_commands + 1)) tries=0
	while :; do
		out=$TMPDIR/out.$nr_commands.$tries
		eval "$command" >"$out" 2>&1 </dev/null 3<&- 4<&-
		! matches || return 0
		tries=$((tries + 1))
		is_reading "$command" && [ $tries -lt 100 ] || break
		sleep 0.1
	done
	fail "$document:$line: $command
wanted:
$wanted
got:
$got"
}

run_session() {
	command= expected=
	while IFS= read -r text <&4; do
		case $text in
		'$ '*) run_command; command=${text#??} expected= ;;
		*) expected="$expected$text
" ;;
		esac
	done 4<"$blocks/$1"
	run_command
}

finish() { ulf stop >/dev/null; }
trap finish EXIT
read_blocks docs/GUIDE.md
make_ulf_pc
make_compilers
cd "$work" || exit 1
while read -r number line language file part <&3; do
	case $language:$file in
	c:?* | cpp:?*) write_block "$number" "$line" "$file" $part ;;
	console:) run_session "$number" ;;
	*) fail "$document:$line: a block that is not tried: $language $file" ;;
	esac
done 3<"$blocks/list"
for file in *.c *.cpp *.h; do
	cat "$blocks"/[0-9]* | grep -qE "^(\\$ g(cc|\+\+) .*|#include \")$file" ||
		fail "$document: nothing compiles $file"
done
echo "score: $nr_commands commands"
