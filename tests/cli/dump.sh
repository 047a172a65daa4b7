#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf dump shows the records of a running program and of a dead one, with a server and without,
# and changes nothing.
. tests/cli/common

rule=---------------------------------
# check_dump TEXT NR: TEXT is a dump with NR records or more.
check_dump() {
	expect "first lines" "Dumping ftrace buffer:
$rule" "$(echo "$1" | head -n 2)"
	expect "last line" "$rule" "$(echo "$1" | tail -n 1)"
	[ "$(echo "$1" | grep -c ': hello_request: ')" -ge "$2" ] || fail "records: $1"
	wrong=$(echo "$1" | sed '1,2d; $d' |
		grep -vE '^ *[^ ]+-[0-9]+ +[0-9]+\.{5} +[0-9]+us[ +!#*@$]: hello_request: ')
	expect "other lines" "" "$wrong"
}

start_hello
expect "nothing recorded yet" "Dumping ftrace buffer:
   (ftrace buffer empty)" "$(ulf dump)"
ulf echo 1 "$root/events/enable" || fail "enable"
enough() { [ "$(ulf cat "$root/trace" | grep -c hello_request)" -ge 20 ]; }
until_true enough

check_dump "$(ulf dump)" 20
expect "tracing_on" 1 "$(ulf cat "$root/tracing_on")"
expect "latency-format" 0 "$(ulf cat "$root/options/latency-format")"
ulf echo 0 "$root/tracing_on"
nr=$(ulf cat "$root/trace" | grep -c hello_request)
check_dump "$(ulf dump "$root")" "$nr"
check_dump "$(ulf dump --cpu=all hello)" "$nr"
total=0
for cpu in $(ulf ls "$root/per_cpu" | sed 's/cpu//; s|/||'); do
	part=$(ulf dump --cpu "$cpu" hello | grep -c hello_request)
	total=$((total + part))
done
expect "records of all CPUs" "$nr" "$total"
expect "records that are still there" "$nr" "$(ulf cat "$root/trace" | grep -c hello_request)"

ulf stop
check_dump "$(ulf dump)" "$nr"
kill -9 "$pid"
wait "$pid" 2>/dev/null
check_dump "$(ulf dump "$pid")" "$nr"
[ ! -e "$ULF_DIR/server.sock" ] || fail "it has started a server"
[ -e "$ULF_DIR/roots/$root/memory" ] || fail "it has removed the root"

text=$(ulf dump 2>&1) && fail "no root is alive, but it was dumped"
contains "$text" "no root is alive"
text=$(ulf dump nosuch 2>&1) && fail "a dump of nothing"
contains "$text" "no root is called"
text=$(ulf dump --cpu=99999 hello 2>&1) && fail "a dump of no CPU"
contains "$text" "No such file"
for wrong in "--cpu=x hello" "--cpu= hello" "a b"; do
	# shellcheck disable=SC2086
	ulf dump $wrong 2>/dev/null
	expect "status of ulf dump $wrong" 2 $?
done
: >"$ULF_DIR/roots/$root/memory"
text=$(ulf dump "$root" 2>&1) && fail "a corrupt root was dumped"
contains "$text" "$root"
exit 0
