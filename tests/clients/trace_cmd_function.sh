#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd -p reports the calls of a program's functions that trace shows.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
cd "$TMPDIR" || fail "cd"
LD_PRELOAD="$preload" "$ULF_BUILD/tests/tracefs-callee" &
pids=$! root=tracefs-callee.$!
until_true has_events "$root" 0

# recorded TRACER: record with TRACER, and read the records as `trace` and as `report`.  The
# test makes the files ours and theirs of them, in a form that can be compared.
recorded() {
	ulf exec trace-cmd start -q -p "$1" 2>&1 || fail "start -p $1"
	until_true has_lines "$root" 200
	ulf exec trace-cmd stop || fail "stop"
	ulf cat "$root/trace" >trace
	ulf exec trace-cmd extract -o trace.dat >log 2>&1 || fail "extract: $(cat log)"
	trace-cmd report -O parent trace.dat >report 2>errors || fail "report: $(cat errors)"
	expect "errors" "" "$(cat errors)"
	[ -s report ] || fail "nothing in the report"
	ulf exec trace-cmd reset || fail "reset"
}
same() { diff ours theirs >differ || fail "$1: $(head -n 20 differ)"; }

recorded function
sed -n 's/^ *[^ ]* *\(\[[0-9]*\]\) [^ ]*  *\([0-9.]*\): \([a-z]*\) <-\([a-z]*\)$/\1 \2 \3 \4/p' trace >ours
sed -n 's/^ *[^ ]* *\(\[[0-9]*\]\)  *\([0-9.]*\): function: *\([a-z]*\) <-- \([a-z]*\)$/\1 \2 \3 \4/p' report >theirs
expect "lines" "$(grep -vc '^#' trace)" "$(wc -l <ours)"
same function

recorded function_graph
# Of a long time, trace shows only 8 characters.
sed -n 's/^.*: funcgraph_\(entry\|exit\):  *[+!#*@$]\{0,1\} *\([0-9.]*\)\( us\)\{0,1\} *|  \(.*\)$/\2 \4/p' report |
	sed 's/^\([0-9.]\{8\}\)[0-9]* /\1 /' >theirs
sed -n '/^ -/,/^$/d; s,} /\*.*,},; s/^ *[0-9]*) [+!#*@$ ] *\([0-9.]*\)\( us\)\{0,1\} *|  \(.*\)$/\1 \3/p' trace >ours
same function_graph

# Options add data to records.  trace-cmd, which does not know this data, reports the same
# lines.
ulf echo 1 "$root/options/func-args" || fail "func-args"
recorded function
grep -q 'leaf() <-middle$\|leaf(x=' trace || fail "no arguments: $(tail -n 3 trace)"
sed -n 's/^ *[^ ]* *\(\[[0-9]*\]\) [^ ]*  *\([0-9.]*\): \([a-z]*\)(.*) <-\([a-z]*\)$/\1 \2 \3 \4/p' trace >ours
sed -n 's/^ *[^ ]* *\(\[[0-9]*\]\)  *\([0-9.]*\): function: *\([a-z]*\) <-- \([a-z]*\)$/\1 \2 \3 \4/p' report >theirs
expect "lines" "$(grep -vc '^#' trace)" "$(wc -l <ours)"
same func-args
ulf echo 1 "$root/options/funcgraph-retaddr" || fail "funcgraph-retaddr"
recorded function_graph
sed -n 's,^.*|  *\([a-z]*\)(.*/\* <-\([a-z]*\)+.*,\1 \2,p' trace >ours
sed -n 's/^.*: fgraph_retaddr_entry: *--> \([a-z]*\) ([0-9]*) <- \([a-z]*\)$/\1 \2/p' report >theirs
[ -s ours ] || fail "no addresses: $(tail -n 3 trace)"
same funcgraph-retaddr
exit 0
