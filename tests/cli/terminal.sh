#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf prints no control character of a name or a string to a terminal, and no newline in them
# begins a line.  A pipe gets every byte.
. tests/cli/common

command -v script >/dev/null || skip "no script(1), which makes a terminal"
esc=$(printf '\033')
nl='
'
# on_terminal COMMAND...: print what COMMAND writes to a terminal that changes nothing in it.
on_terminal() {
	script -qec "stty -opost; $*" /dev/null </dev/null
}
# is_clean WHAT TEXT: fail if TEXT has control characters.
is_clean() {
	wrong=$(printf '%s\n' "$2" | LC_ALL=C tr -d '\n\t -~\251\303')
	expect "controls in $1" "" "$(printf '%s' "$wrong" | od -An -tx1)"
	case $nl$2 in
	*"$nl<fake>"* | *"$nl"two* | *"$nl"b*) fail "a string begins a line of $1: $2" ;;
	esac
}

"$ULF_BUILD/tests/cli-hostile" >"$TMPDIR/out" &
pid=$! root=cli-hostile.$!
pids=$pid
until_true grep -q ready "$TMPDIR/out"
# The program records its events at its start, so switch them on in a run of their own.
ulf run -e 'hostile:*' -- "$ULF_BUILD/tests/cli-hostile" end 2>"$TMPDIR/piped" || fail "run"
name=$(ulf ls | awk '$3 == "dead" { print $1 }')
[ -n "$name" ] || fail "no dead root: $(ulf ls)"

# The output is a pipe.
text=$(ulf cat "$name/trace")
contains "$text" "two$esc]0;owned$(printf '\a')$nl<fake>-1"
contains "$text" "first$nl<fake>-2 second${esc}[2J"
contains "$text" "a${nl}b${esc}[31mc-"
grep -q "^<fake>-2 second$esc" "$TMPDIR/piped" || fail "run to a file: $(cat "$TMPDIR/piped")"

# The output is a terminal.
text=$(on_terminal "ulf cat $name/trace")
is_clean "ulf cat trace" "$text"
contains "$text" 'dynamic \none\ntwo\x1b]0;owned\x07\n<fake>-1 [000] 1.0: fake: \xc2\x9bx'"$(printf '\303\251')"
contains "$text" 'fixed \none\ntwo'
contains "$text" 'letter \n'
contains "$text" 'message first\n<fake>-2 second\x1b[2J'"$nl"
contains "$text" 'constant\n<fake>-3'
contains "$text" 'a\nb\x1b[31mc-'
contains "$text" "rows:${nl}row 00000000: 41 41"
expect "lines of a trace" 4 "$(printf '%s\n' "$text" | grep -c '\.\.\.\.\. ')"

ulf echo 1 "$name/options/fields"
text=$(on_terminal "ulf cat $name/trace")
is_clean "ulf cat trace with fields" "$text"
contains "$text" 'text=\none\ntwo'
ulf echo 0 "$name/options/fields"
is_clean "ulf dump" "$(on_terminal "ulf dump $name")"
contains "$(on_terminal "ulf dump $name")" 'two\x1b]0;owned'
contains "$(on_terminal "ulf cat $name/saved_cmdlines")" 'a\nb\x1b[31mc'
is_clean "ulf cat trace_pipe" "$(on_terminal "ulf cat $name/trace_pipe")"
text=$(on_terminal "ulf run -e 'hostile:*' -- $ULF_BUILD/tests/cli-hostile end")
is_clean "ulf run" "$text"
contains "$text" 'second\x1b[2J'

# Names of roots, and arguments of the user, are printed in messages.
bad="x${nl}y${esc}[5m.1"
mkdir "$ULF_DIR/$bad"
: >"$ULF_DIR/$bad/memory"
mv "$ULF_DIR/$bad" "$ULF_DIR/roots/"
listed() { ulf ls | grep -q "^y$esc"; }
until_true listed
is_clean "ulf ls" "$(on_terminal "ulf ls")"
contains "$(on_terminal ulf ls)" 'x\ny\x1b[5m.1'
contains "$(on_terminal ulf ls --long)" 'x\ny\x1b[5m.1'
is_clean "ulf check" "$(on_terminal "ulf check")"
contains "$(on_terminal "ulf rm --dead; ulf cat '$bad/trace'")" 'x\ny\x1b[5m.1'
for words in "cat 'a${esc}[1m/trace'" "ls '$bad'" "'$bad'" "cat --'$bad'" "run '$bad'" \
	     "echo '$bad' '$name/trace'" "umount '/$bad'"; do
	is_clean "ulf $words" "$(on_terminal "ulf $words")"
done

# A file of ulf record has the same strings.  The report has colours of its own, and a pager.
ulf record -o "$TMPDIR/hostile.dat" -e 'hostile:*' -- "$ULF_BUILD/tests/cli-hostile" end \
	>"$TMPDIR/piped" 2>&1 || fail "record: $(cat "$TMPDIR/piped")"
contains "$(ulf report "$TMPDIR/hostile.dat")" "two$esc]0;owned$(printf '\a')$nl<fake>-1"
for pager in '' cat 'grep -v nosuch'; do
	text=$(PAGER=$pager on_terminal "ulf report $TMPDIR/hostile.dat")
	contains "$text" "${esc}[1;36mhostile_text${esc}[0m: "
	text=$(printf '%s\n' "$text" | sed "s/$esc\[\(1;36\|1;31\|2\|0\)m//g")
	is_clean "ulf report through '$pager'" "$text"
	contains "$text" 'dynamic \none\ntwo\x1b]0;owned\x07\n<fake>-1'
done
is_clean "ulf report --stats" "$(on_terminal "ulf report --stats --no-pager $TMPDIR/hostile.dat")"
exit 0
