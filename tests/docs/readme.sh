#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# The README's first event can be built as the README says, and the targets of links in the
# documents exist.
. tests/docs/common

# links DOCUMENT: print the links of DOCUMENT to files, relative to it.
links() { grep -oE '\]\([^)#:]+' "$1" | sed 's,](,,'; }

for document in README.md examples/*.md docs/*.md docs/*/*.md; do
	for link in $(links "$document"); do
		[ -e "${document%"${document##*/}"}$link" ] ||
			fail "$document: there is no $link"
	done
done

read_blocks README.md
make_ulf_pc
make_compilers
cp examples/hello/hello.c "$work" || exit 1
write_block $(sed -n 's, c , ,p' "$blocks/list")
build=$(sed -n 's,^    gcc ,gcc ,p' README.md)
[ -n "$build" ] && cd "$work" && eval "$build" || fail "README.md: $build"
