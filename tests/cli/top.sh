# SPDX-License-Identifier: MIT
# ulf top without a terminal: a block for each interval; the histogram is removed in the end,
# however that comes; errors name the fields.
. tests/cli/common

start_hello
event=$root/events/hello/hello_request
nr_triggers() { ulf cat "$event/trigger" | grep -c '^hist:'; }
has_triggers() { [ "$(nr_triggers)" = "$1" ]; }

# shows PATTERN ARG...: run `ulf top` until it prints a line with the pattern, to out.
shows() {
	pattern=$1
	shift
	: >"$TMPDIR/out"
	ulf top -d 0.2 "$@" >"$TMPDIR/out" &
	top=$!
	until_true grep -qE "$pattern" "$TMPDIR/out"
	kill $top
	wait $top || fail "ulf top $*: status $?"
}

ulf top -n 3 -d 0.2 hello hello_request who count >"$TMPDIR/out" || fail "status $?"
expect "blocks" 3 "$(grep -c "^$root hello:hello_request: .* hits/s, " "$TMPDIR/out")"
expect "titles" 3 "$(grep -c '^who .*HITS/S .* SUM .* AVG .* P99.9$' "$TMPDIR/out")"
expect "histograms left" 0 "$(nr_triggers)"

# Hits, sums and averages belong together.
shows '^carol ' -s key hello hello_request who count
expect "keys" "alice bob carol" "$(tail -n 4 "$TMPDIR/out" | awk 'NF { print $1 }' | xargs)"
awk '$1 == "bob" && ($5 / $3 - $6 > 0.51 || $6 - $5 / $3 > 0.51) { exit 1 }' "$TMPDIR/out" ||
	fail "averages: $(cat "$TMPDIR/out")"

# Distributions
shows '^[0-9]+-[0-9]+ +[0-9.]+ +[0-9]+ +[0-9.]+ #+$' hello hello_request count.log2
contains "$(cat "$TMPDIR/out")" "count p50 "
shows '^0-999999 ' hello hello_request count.buckets=1000000
shows '^who .* P50 ' hello hello_request who,count.log2=2

# A filter, rows
shows '^bob ' -r 1 -f 'who == "bob"' hello hello:hello_request who
grep -qE '^(alice|carol) ' "$TMPDIR/out" && fail "not filtered: $(cat "$TMPDIR/out")"
contains "$(cat "$TMPDIR/out")" ', if who == "bob"'

# The end: signals, no reader
for signal in INT TERM HUP; do
	# A shell lets its background processes ignore SIGINT.
	env --default-signal=INT ulf top -d 0.2 hello hello_request who >"$TMPDIR/out" &
	top=$!
	until_true has_triggers 1
	kill -$signal $top
	wait $top
	expect "status after SIG$signal" 0 $?
	expect "histograms after SIG$signal" 0 "$(nr_triggers)"
done
ulf top -d 0.2 hello hello_request who | head -n 1 >"$TMPDIR/out"
until_true has_triggers 0

# A process of ulf top was killed: the next one removes its histogram, and no other.
ulf echo -a 'hist:keys=count.log2' "$event/trigger" || fail "set"
ulf top -d 0.2 hello hello_request who >"$TMPDIR/out" &
top=$!
until_true has_triggers 2
kill -9 $top
wait $top 2>/dev/null
ulf top -n 1 -d 0.2 hello hello_request who >"$TMPDIR/out" || fail "after SIGKILL"
expect "histograms left" 1 "$(nr_triggers)"

# The program is killed and stays a zombie, because its parent does not wait for it.
sh -c 'ulf top -d 0.2 hello hello_request who >/dev/null & echo $!; exec sleep 1000' \
	>"$TMPDIR/pid" &
parent=$!
until_true has_triggers 2
kill -9 "$(cat "$TMPDIR/pid")"
is_zombie() { grep -q '^State:.Z' "/proc/$(cat "$TMPDIR/pid")/status"; }
until_true is_zombie
ulf top -n 1 -d 0.2 hello hello_request who >"$TMPDIR/out" || fail "after a zombie"
expect "histograms left by a zombie" 1 "$(nr_triggers)"
kill $parent
wait $parent 2>/dev/null

# The server is killed.
ulf top -d 0.2 hello hello_request who >"$TMPDIR/out" &
top=$!
until_true has_triggers 2
kill_server
: >"$TMPDIR/out"
has_output() { grep -q '^alice ' "$TMPDIR/out"; }
until_true has_output
kill $top
wait $top
expect "status after a new server" 0 $?
expect "histograms after a new server" 1 "$(nr_triggers)"

# Another command removes the histogram.
ulf top -d 0.2 hello hello_request who >"$TMPDIR/out" 2>"$TMPDIR/err" &
top=$!
until_true has_triggers 2
ulf echo -a "!$(ulf cat "$event/trigger" | grep ulf_top | sed 's/ \[.*//')" "$event/trigger"
wait $top && fail "the histogram was removed, but the status is 0"
contains "$(cat "$TMPDIR/err")" "somebody has removed the histogram ulf_top_"

# Errors
text=$(ulf top -n 1 hello hello_request nosuch 2>&1) && fail "field nosuch"
contains "$text" "Couldn't find field"
contains "$text" "fields of hello:hello_request: common_type"
contains "$text" " count who;"
text=$(ulf top -n 1 hello hello_request who nosuch 2>&1) && fail "value nosuch"
contains "$text" "fields of hello:hello_request: "
text=$(ulf top -n 1 hello nosuch who 2>&1) && fail "event nosuch"
contains "$text" "has no event nosuch"
text=$(ulf top -n 1 -f 'nosuch == 1' hello hello_request who 2>&1) && fail "filter nosuch"
contains "$text" "Field not found"
for wrong in "" "hello a" "hello a b c d" "-n 0 hello a b" "-d 0 hello a b" "-s x hello a b" \
	"-r x hello a b" "--size 131073 hello a b" "-x hello a b"; do
	# shellcheck disable=SC2086
	ulf top $wrong >"$TMPDIR/out" 2>"$TMPDIR/err"
	expect "status of ulf top $wrong" 2 $?
	contains "$(cat "$TMPDIR/err")" "ulf help top"
done

# The program ends.
ulf top -d 0.2 hello hello_request who >"$TMPDIR/out" 2>"$TMPDIR/err" &
top=$!
until_true has_triggers 2
die "$pid"
wait $top
expect "status after the program's end" 0 $?
contains "$(cat "$TMPDIR/err")" "$root: the program has ended"
text=$(ulf top hello hello_request who 2>&1) && fail "a dead program"
contains "$text" "the program has ended; \`ulf hist\` prints its histograms"
exit 0
