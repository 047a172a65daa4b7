#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
# Do what the guide says: write its files and run its commands in one shell.  They must print
# what the guide shows, where `...` stands for any text.
. tests/docs/common

finish() { ulf stop >/dev/null; }
trap finish EXIT
read_blocks docs/GUIDE.md
make_ulf_pc
make_compilers
PATH=$PATH:$ULF_BUILD/examples
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
