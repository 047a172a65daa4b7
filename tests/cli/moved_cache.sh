#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both root's server does not use another user's cache
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# Analyses of programs that nobody prepared are kept on disk.  The next server uses them; damaged
# files, foreign directories and too many files harm nobody.
. tests/cli/common

program=$TMPDIR/program
cp "$(command -v bash)" "$program" || fail "no bash"
kept=$XDG_CACHE_HOME/ulf/moved

# analyse: start a server, have the functions of the program listed in $TMPDIR/functions, and stop
# the server.
analyse() {
	ulf run -o "$TMPDIR/trace" --ftrace=function -- "$program" -c : </dev/null \
		2>"$TMPDIR/err" || fail "run: $(cat "$TMPDIR/err")"
	root=$(ulf ls | sed -n 's/^\(program\.[0-9]*\) .*/\1/p')
	ulf cat "$root/available_filter_functions" >"$TMPDIR/functions" || fail "no functions"
	ulf cat "$root/error_log" >"$TMPDIR/errors"
	[ "$(grep -vc '^#' "$TMPDIR/trace")" -gt 100 ] || fail "too few records"
	ulf rm "$root" || fail "rm"
	ulf stop || fail "stop"
}
# file_of_program: print the name of the file with the analysis of the program.
file_of_program() {
	set -- "$kept"/*-"$(printf %x-%x "$(stat -c %i "$program")" "$(stat -c %s "$program")")"-*
	[ $# = 1 ] && [ -f "$1" ] || fail "no file, or several: $*"
	echo "$1"
}
number_of() { stat -c %i "$1"; }
is_used() { [ "$(stat -c %Y "$1")" != 1 ]; }

# The first server keeps the analysis, in a private place.
analyse
cp "$TMPDIR/functions" "$TMPDIR/wanted"
[ "$(wc -l <"$TMPDIR/wanted")" -gt 1000 ] || fail "only $(wc -l <"$TMPDIR/wanted") functions"
expect "errors" "" "$(cat "$TMPDIR/errors")"
file=$(file_of_program) || exit 1
expect "modes" "700 700 600" "$(stat -c %a "$XDG_CACHE_HOME/ulf" "$kept" "$file" | xargs)"

# The next server uses the file: a use sets its time, and an analysis would replace the file.
touch -d @1 "$file"
before=$(number_of "$file")
analyse
cmp "$TMPDIR/wanted" "$TMPDIR/functions" || fail "other functions from the cache"
expect "number of the file that was used" "$before" "$(number_of "$file")"
is_used "$file" || fail "the file was not used"
expect "files that were left" "" "$(ls "$kept"/new.* 2>/dev/null)"

# damage COMMAND...: change the file by COMMAND; the next server analyses the program again, and
# replaces the file.
damage() {
	cp "$file" "$TMPDIR/good"
	"$@" || fail "damage: $*"
	analyse
	cmp "$TMPDIR/wanted" "$TMPDIR/functions" || fail "other functions after $*"
	[ -f "$file" ] && cmp "$TMPDIR/good" "$file" || fail "the file was not replaced after $*"
}
# write_byte OFFSET: change a byte of the file.
write_byte() {
	byte=$(od -An -tu1 -j"$1" -N1 "$file" | tr -d ' ')
	# shellcheck disable=SC2059
	printf "\\$(printf %o $((byte ^ 4)))" |
		dd of="$file" bs=1 seek="$1" conv=notrunc status=none
}
be_fifo() { rm "$file" && mkfifo "$file"; }
be_link() { mv "$file" "$TMPDIR/elsewhere" && ln -s "$TMPDIR/elsewhere" "$file"; }
bytes=$(stat -c %s "$file")
damage write_byte 0			# the magic
damage write_byte 8			# the build of ulf
damage write_byte 16			# the length
damage write_byte $((bytes / 2))	# an instruction of a copy, perhaps
damage write_byte $((bytes - 1))
damage truncate -s $((bytes / 2)) "$file"
damage truncate -s 0 "$file"
damage truncate -s $((bytes * 2)) "$file"
damage be_fifo
damage be_link

# A program that was changed is another one, and the analysis of the old one is not used.
touch -d @1 "$file"
cp "$program" "$program.2" && mv "$program.2" "$program"
analyse
[ "$(file_of_program)" != "$file" ] || fail "one file for two programs"
is_used "$file" && fail "the analysis of another program was used"
file=$(file_of_program) || exit 1

# The oldest files are removed when there are too many bytes.
truncate -s 300M "$kept/old" && touch -d @1 "$kept/old"
rm "$file"
analyse
[ ! -e "$kept/old" ] || fail "an old file was not removed"
[ -e "$file" ] || fail "the new file was removed"

# refuse REASON: the server works without the cache, and says once that it does.
refuse() {
	analyse
	cmp "$TMPDIR/wanted" "$TMPDIR/functions" || fail "other functions without a cache: $1"
	expect "$1: messages" 1 "$(grep -c 'error: Analyses are not kept' "$TMPDIR/errors")"
}
chmod 755 "$kept"
refuse "others may read it"
chmod 700 "$kept"
mkdir -m 777 "$TMPDIR/open" && chmod 777 "$TMPDIR/open"
XDG_CACHE_HOME=$TMPDIR/open refuse "others may write there"
good=$XDG_CACHE_HOME
XDG_CACHE_HOME=$program/x refuse "a file is there"
expect "entries after all" "" "$(ls "$good/ulf" | grep -vx moved)"
if [ "$(id -u)" = 0 ]; then
	mkdir "$TMPDIR/foreign" && chown 65534 "$TMPDIR/foreign"
	XDG_CACHE_HOME=$TMPDIR/foreign refuse "it belongs to another user"
	expect "written for root" "" "$(ls -A "$TMPDIR/foreign")"
fi
