#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd opens the files of ulf record.  Each line that it reports of the sample program's events
# and of its functions equals the line of `trace`.
. tests/clients/common

needs trace-cmd trace-cmd
cd "$TMPDIR" || fail "cd"

# ---- events, from the first one on ----
echo 3000 | ulf record -o emit.dat -e emit -- "$ULF_BUILD/tests/clients-emit" >out 2>err ||
	fail "record: $(cat err)"
trace-cmd report emit.dat >theirs 2>errors || fail "report: $(cat errors)"
expect "errors" "" "$(cat errors)"
expect "numbers" "$(seq 0 2999)" "$(sed -n 's/.* number=\([0-9]*\) .*/\1/p' theirs | sort -n)"
ulf cat clients-emit/trace | plain_lines >ours.plain
plain_lines theirs >theirs.plain
expect "lines of ours" 3000 "$(wc -l <ours.plain)"
diff ours.plain theirs.plain >differences || fail "$(head -n 20 differences)"
ulf report emit.dat | plain_lines >report.plain
diff report.plain theirs.plain >differences || fail "ulf report: $(head -n 20 differences)"

# ---- names of functions ----
env LD_PRELOAD="$preload" "$ULF_BUILD/tests/tracefs-callee" &
pids=$!
until_true is_listed "tracefs-callee.$!" alive
ulf record -b 1M -m 20K -o function.dat -p function "tracefs-callee.$!" 2>err ||
	fail "record functions: $(cat err)"
trace-cmd report function.dat >theirs 2>errors || fail "report functions: $(cat errors)"
expect "errors" "" "$(cat errors)"
nr=$(sed -n 's/^function.dat: \([0-9]*\) .*/\1/p' err)
[ "$nr" -gt 0 ] || fail "no functions: $(cat err)"
expect "lines" "$nr" "$(grep -c ' function: ' theirs)"
expect "functions" "leaf middle outer" \
	"$(sed -n 's/.* function: *//p' theirs | sort -u | xargs)"
echo "score: $((nr + 3000)) lines are the same"
