#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf hist --prometheus --output FILE --every N keeps a file for the textfile collector of
# node_exporter: it is always whole, is replaced, and is removed when nobody replaces it any more.
. tests/cli/common

start_hello
ulf echo 'hist:keys=who' "$root/events/hello/hello_request/trigger" || fail "trigger"
cd "$TMPDIR" || fail "cd"
hits() { awk '/^ulf_[^ ]*{/ { n += $NF } END { print n + 0 }' "$1"; }

# The program has hit the event since the trigger was set.
has_hits() { ulf hist hello hello_request | grep -q '} hitcount:'; }
until_true has_hits

# ---- once ----
for args in "--output=m" "--prometheus --every=1" "--prometheus --output=m --every=0" \
	"--prometheus --output=m --every=1x" "--prometheus --input=m --output=m --every=1"; do
	ulf hist $args hello hello_request 2>err
	expect "status of $args" 2 $?
done
ulf hist --prometheus -o once.prom hello hello_request >out || fail "status $?"
expect "output" "" "$(cat out)"
[ "$(hits once.prom)" -gt 0 ] || fail "no hits: $(cat once.prom)"
ulf hist --prometheus -o nowhere/once.prom hello hello_request 2>err && fail "no directory"
contains "$(cat err)" "nowhere/once.prom: No such file or directory"

# ---- every second ----
ulf hist --prometheus -o every.prom -e 1 hello hello_request 2>err &
every=$!
pids="$pids $every"
until_true test -e every.prom
first=$(hits every.prom)
# Each of these files is whole, although it is being replaced.
has_more() { [ "$(tail -c 1 every.prom | od -An -c | tr -d ' ')" = '\n' ] || fail "a part of a file"
	[ "$(hits every.prom)" -gt "$first" ]; }
until_true has_more
kill $every
wait $every
expect "status after SIGTERM" 0 $?
expect "files" once.prom "$(ls ./*.prom* | xargs -n 1 basename)"

# ---- the root goes away ----
ulf hist --prometheus -o every.prom -e 1 hello hello_request 2>err &
every=$!
pids="$pids $every"
until_true test -e every.prom
die "$pid"
ulf rm "$root" || fail "ulf rm"
wait $every
expect "status without the root" 1 $?
expect "files" once.prom "$(ls ./*.prom* | xargs -n 1 basename)"
exit 0
