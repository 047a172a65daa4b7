#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf record writes a program's records to a file, or those of a root that runs already.  The root
# gets an instance, which is removed at the end, and keeps its settings.
. tests/cli/common

emit=$ULF_BUILD/tests/clients-emit
cd "$TMPDIR" || fail "cd"

# ---- a program ----
text=$(echo 1000 | ulf record -e emit -- "$emit" 2>err) || fail "status $?: $(cat err)"
expect "output of the program" "1000 emitted" "$text"
expect "the only line" 1 "$(wc -l <err)"
contains "$(cat err)" "trace.dat: 1000 records of clients-emit."
contains "$(cat err)" ", 0 lost"
expect "magic number" "tracing7" "$(head -c 11 trace.dat | tail -c 8)"
ulf record -o status.dat -e emit -- sh -c "echo 7 | $emit >/dev/null; exit 7" 2>err
expect "status of the program" 7 $?
contains "$(cat err)" "status.dat: 7 records"
ulf record -o killed.dat -e '*:*' -- sh -c "exec $hello" 2>err & recorder=$!
until_true sh -c 'ulf ls | grep -q "^hello.*alive"'
root=$(ulf ls | sed -n 's/^\(hello[.0-9]*\) .*alive.*/\1/p')
until_true sh -c "[ \$(ulf cat $root/trace | grep -c hello_request) -ge 20 ]"
kill -9 "${root#hello.}"
wait $recorder 2>/dev/null
expect "status of a program that was killed" 137 $?
contains "$(cat err)" "killed.dat: "
contains "$(cat err)" ", 0 lost"
[ "$(sed -n 's/^killed.dat: \([0-9]*\) .*/\1/p' err)" -ge 20 ] || fail "records: $(cat err)"

# Several programs have a file each.
ulf record -o two.dat -e emit -- sh -c "echo 20 | $emit; echo 30 | $emit" >out 2>err ||
	fail "two programs: $(cat err)"
expect "files" 2 "$(find . -name "two.dat*" | wc -l)"
expect "records of both" "20 30" "$(sed -n 's/^two.dat[^:]*: \([0-9]*\) rec.*/\1/p' err |
	sort | xargs)"
# FILE is that of the program that has recorded most, even if it was not the first or the last one.
ulf record -o most.dat -e emit -- sh -c "echo 20 | $emit; echo 30 | $emit; echo 10 | $emit" \
	>out 2>err || fail "three programs: $(cat err)"
expect "files of three programs" 3 "$(find . -name "most.dat*" | wc -l)"
contains "$(cat err)" "most.dat: 30 records"
sed -n 's/^\(most.dat[^:]*\): \([0-9]*\) records of \([^ ]*\) .*/\1 \2 \3/p' err >lines
expect "lines" 3 "$(wc -l <lines)"
while read -r file nr name; do
	case $file in most.dat|"most.dat.$name") ;; *) fail "$file of $name" ;; esac
	expect "records in $file" "$nr" "$(ulf report "$file" | grep -c clients-emit)"
done <lines
# A file that is not a regular one keeps its name.
ln -s linked.dat link.dat
ulf record -o link.dat -e emit -- sh -c "echo 20 | $emit; echo 30 | $emit" >out 2>err ||
	fail "a link: $(cat err)"
contains "$(cat err)" "link.dat: 20 records"
[ -L link.dat ] || fail "the link was replaced"

# A program without records does not take the name of the file, nor does it get a file of its own.
ulf record -o named.dat -e emit -f 'number >= 9' -- sh -c "echo 5 | $emit; echo 10 | $emit" \
	>out 2>err || fail "a silent program: $(cat err)"
expect "files" named.dat "$(ls -d named.dat*)"
contains "$(cat err)" "named.dat: 1 records of clients-emit."

# A filter is in force from the first event on.
echo 1000 | ulf record -o some.dat -e emit -f 'number >= 990' -- "$emit" >/dev/null 2>err ||
	fail "a filter: $(cat err)"
contains "$(cat err)" "some.dat: 10 records"

# ---- a root ----
start_hello
ulf echo 1 "$root/events/hello/enable"
settings() { ulf cat "$root/set_event" "$root/tracing_on" "$root/buffer_size_kb"; }
before=$(settings)
ulf record -o root.dat -e hello hello 2>err & recorder=$!
instance_is_there() { ulf ls "$root/instances" | grep -qx "record.$recorder/"; }
until_true instance_is_there
until_true has_records "$root/instances/record.$recorder" 20
kill -INT $recorder
wait $recorder || fail "status of ^C: $?: $(cat err)"
expect "instances" "" "$(ulf ls "$root/instances")"
expect "settings of the root" "$before" "$(settings)"
[ "$(sed -n 's/^root.dat: \([0-9]*\) .*, 0 lost/\1/p' err)" -ge 20 ] || fail "$(cat err)"

# A filter that no record passes.
ulf record -o none.dat -e hello:hello_request -f 'count < 0' "$pid" 2>err & recorder=$!
until_true instance_is_there
let_run
kill -TERM $recorder
wait $recorder || fail "status of SIGTERM: $?: $(cat err)"
contains "$(cat err)" "none.dat: 0 records"

# The instance of a recorder that was killed stays until the next recording.
ulf record -o left.dat -e hello 2>err & recorder=$!
until_true instance_is_there
kill -9 $recorder
wait $recorder 2>/dev/null
left=$recorder
instance_is_there || fail "the instance is gone"
ulf record -o left.dat -e hello 2>err & recorder=$!
until_true instance_is_there
ulf ls "$root/instances" | grep -qx "record.$left/" && fail "the instance is still there"

kill -INT $recorder
wait $recorder || fail "status of ^C: $?: $(cat err)"

# Several roots get an instance and a file each.  A root that is named twice is recorded once.
$hello >/dev/null 2>&1 & other_pid=$!
other_is_there() { ulf ls | grep -q "^hello.$other_pid .*alive"; }
until_true other_is_there
ulf record -o both.dat -e hello "$other_pid" "hello.$pid" "$other_pid" 2>err & recorder=$!
until_true instance_is_there
until_true has_records "$root/instances/record.$recorder" 10
until_true has_records "hello.$other_pid/instances/record.$recorder" 10
kill -INT $recorder
wait $recorder || fail "several roots: $?: $(cat err)"
# result FILE: the root of FILE, if nothing was lost.
result() { sed -n "s/^$1: [0-9]* records of \\([^ ]*\\) .*, 0 lost/\\1/p" err; }
expect "root of the first file" "hello.$other_pid" "$(result both.dat)"
expect "root of the second file" "$root" "$(result "both.dat.$root")"
for each in both.dat "both.dat.$root"; do
	ulf report "$each" | grep -q hello_request || fail "$each: no records"
done
expect "instances" "" "$(ulf ls "$root/instances"; ulf ls "hello.$other_pid/instances")"
refused=$(ulf record -o no.dat -e hello "hello.$pid" hello.1x 2>&1) && fail "no hello.1x"
contains "$refused" "hello.1x"
expect "instances after a mistake" "" "$(ulf ls "$root/instances")"
# The recording goes on until the last root has ended.
ulf record -o both.dat -e hello "$other_pid" "hello.$pid" 2>err & recorder=$!
until_true instance_is_there
until_true has_records "hello.$other_pid/instances/record.$recorder" 1
kill -9 "$other_pid"
wait "$other_pid" 2>/dev/null
until_true has_records "$root/instances/record.$recorder" 20
kill -INT $recorder
wait $recorder || fail "several roots, one killed: $?: $(cat err)"
contains "$(cat err)" "both.dat: "
contains "$(cat err)" "both.dat.$root: "

# The recording ends with the root.  The server may be killed meanwhile.
ulf record -o left.dat -e hello "$root" 2>err & recorder=$!
until_true instance_is_there
until_true has_records "$root/instances/record.$recorder" 10
kill_server
until_true has_records "$root/instances/record.$recorder" 20
kill -9 "$pid"
wait $recorder || fail "status after the end of the root: $?: $(cat err)"
[ "$(sed -n 's/^left.dat: \([0-9]*\) .*, 0 lost/\1/p' err)" -ge 20 ] || fail "$(cat err)"

# ---- limits of the size ----
# sum PATTERN: the sum of the numbers that PATTERN finds in err.
sum() { sed -n "$1" err | awk '{ n += $1 } END { print n + 0 }'; }
# Small rings limit how much the recorder reads before it looks at the size.
echo 1000000 | ulf record -b 512K -m 100K -o size.dat -e emit -- "$emit" >out 2>err ||
	fail "-m 100K: $(cat err)"
[ "$(sum 's/.* in \([0-9]*\) KiB.*/\1/p')" -le 1000 ] || fail "-m 100K: $(cat err)"
echo 400000 | ulf record -m 200K -r 3 -o turn.dat -e emit -- "$emit" >out 2>err ||
	fail "-m 200K -r 3: $(cat err)"
expect "saved and lost" 400000 $(($(sum 's/^turn.dat[^:]*: \([0-9]*\) .*/\1/p') +
	$(sum 's/.*, \([0-9]*\) lost$/\1/p')))
nr=$(find . -name "turn.dat*" | wc -l)
[ "$nr" -gt 1 ] && [ "$nr" -le 3 ] || fail "files: $(ls turn.dat*)"

# ---- mistakes ----
# refuses STATUS TEXT OPTIONS...
refuses() {
	status=$1 wanted=$2
	shift 2
	ulf record "$@" >out 2>err </dev/null
	expect "status of ulf record $*" "$status" $?
	contains "$(cat err)" "$wanted"
}
refuses 2 "nothing to record"
refuses 2 "nothing to record" -- true
refuses 2 "must follow its event" -f 'x > 1' -e emit
refuses 2 "must follow its event" -f 'x > 1' -e emit -- true
refuses 2 "add --max-size" -r 2 -e emit -- true
refuses 2 "is no size" -m x -e emit -- true
refuses 2 "is no number" -m 1M -r 0 -e emit -- true
refuses 127 "No such file" -e emit -- ./nosuch
refuses 1 "no root is alive" -e emit
refuses 1 "not linked with libulf" -e emit -- true
refuses 126 "Is a directory" -o / -e emit -- "$emit"
exit 0
