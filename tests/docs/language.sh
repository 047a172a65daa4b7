#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
# The language reference: every word has an entry, which is a heading that names it, and an
# example that uses it.  The examples make one program, which both compilers build, and
# `trace` shows the lines below the examples.
. tests/docs/common

# all_words: print the words that kernels define and headers use, and the words of ulf's
# headers.
all_words() {
	grep -v '^#' tests/docs/words
	sed -n 's,^#undef \([A-Za-z0-9_]*\)$,\1,p' include/trace/stages/undef.h |
		grep -viE '^__ulf_'
}

# entries DOCUMENT: print `WORD has` for each entry, and `WORD uses` for an example in this
# entry.  An entry is a heading of the third order and the text below it.  Its words are in
# the heading and at the beginning of list items, before a colon.
entries() {
	awk '
		/^```/ { inside = !inside && /^```c/; next }
		inside {
			nr = split($0, part, /[^A-Za-z0-9_]+/)
			for (; nr > 0; nr--)
				if (part[nr] in here) print part[nr], "uses"
			next
		}
		/^##/ { delete here; is_entry = /^### / }
		is_entry && /^(###|- `)/ {
			sub(/:.*/, "")
			nr = split($0, part, "`")
			for (i = 2; i <= nr; i += 2) {
				if (part[i] !~ /^[A-Za-z0-9_]+$/ || part[i] in here)
					continue
				here[part[i]] = 1
				print part[i], "has"
			}
		}' "$1"
}

check_words() {
	entries docs/LANGUAGE.md >"$TMPDIR/entries"
	for word in $(all_words | sort -u); do
		[ "$(grep -cx "$word has" "$TMPDIR/entries")" = 1 ] ||
			fail "$document: not one heading with $word"
	done
	while read -r word _; do
		grep -qx "$word uses" "$TMPDIR/entries" ||
			fail "$document: no example of $word under its heading"
	done <"$TMPDIR/entries"
}

read_blocks docs/LANGUAGE.md
check_words
make_ulf_pc
while read -r number line language file part; do
	case $language:$file in
	c:main)
		printf '{\n#line %d "%s"\n' $((line + 1)) "$document"
		cat "$blocks/$number"
		echo '}' ;;
	c:?*) write_block "$number" "$line" "$file" $part ;;
	text:) cat "$blocks/$number" >>"$TMPDIR/expected" ;;
	*) fail "$document:$line: a block that is not tried: $language $file" ;;
	esac
done <"$blocks/list" >"$TMPDIR/main"
{
	echo 'int main(void)'
	echo '{'
	cat "$TMPDIR/main"
	echo '}'
} >>"$work/disk.c"

trap 'ulf stop >/dev/null' EXIT
cd "$work" || exit 1
for compiler in gcc clang; do
	$compiler -Wall -Wextra -Werror -O2 -I. disk.c \
		$(pkg-config --cflags --libs ulf) -o disk ||
		fail "$compiler: an example is wrong"
	ulf run -e disk-io,custom -o trace -- ./disk ||
		fail "$compiler: status $? of the examples"
	normalise <trace | sed '/^#/d; s,^.* TIME: ,,; s, *$,,' >lines
	diff -u "$TMPDIR/expected" lines || fail "$compiler: other lines"
done
echo "score: $(sort -u "$TMPDIR/entries" | grep -c has) words," \
	"$(wc -l <lines) lines"
