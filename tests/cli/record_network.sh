#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both the second part makes network namespaces
# ulf record -N sends a program's records to trace-cmd's own listener: on this machine, for an
# ordinary user; and from one network namespace to another, for root.
. tests/cli/common

command -v trace-cmd >/dev/null || skip "there is no trace-cmd"
emit=$ULF_BUILD/tests/clients-emit
far=$TMPDIR/far
mkdir "$far" || fail "mkdir"
cd "$TMPDIR" || fail "cd"

# ---- what cannot work ----
for address in host host: :1 host:x; do
	ulf record -N $address -e emit -- "$emit" </dev/null 2>err
	expect "status of -N $address" 2 $?
	contains "$(cat err)" "\`$address\` is no address"
done
ulf record -N 127.0.0.1:1 --max-size 1M --rotate 2 -e emit -- "$emit" </dev/null 2>err
expect "status of --rotate" 2 $?
# No process listens on port 1.  The program ends as usual, and nothing is reported as sent.
echo 5 | ulf record -N 127.0.0.1:1 -e emit -- "$emit" >out 2>err && fail "nobody listens"
expect "output of the program" "5 emitted" "$(cat out)"
contains "$(cat err)" "cannot connect to 127.0.0.1:1: Connection refused"
contains "$(cat err)" "trace-cmd listen -p 1"
if grep -q "records of" err; then fail "it was sent: $(cat err)"; fi

# ---- a listener ----
# listens PORT: a process of the listener's network listens.
listens() { $there cat /proc/net/tcp /proc/net/tcp6 | grep -q ":$(printf %04X "$1") .* 0A "; }
# send HERE THERE HOST: record in the network of the command HERE, listen in that of THERE.
send() {
	here=$1 there=$2 port=$((20000 + $$ % 20000))
	while listens $port; do port=$((port + 1)); done
	$there trace-cmd listen -p $port -d "$far" >"$far/log" 2>&1 &
	listener=$!
	pids="$pids $listener"
	until_true listens $port
	echo 5000 | $here ulf record -N "$3:$port" -e emit -- "$emit" >out 2>err ||
		fail "status $?: $(cat err "$far/log")"
	expect "output of the program" "5000 emitted" "$(cat out)"
	contains "$(cat err)" "$3:$port: 5000 records of clients-emit."
	contains "$(cat err)" ", 0 lost"
	kill $listener
	wait $listener 2>/dev/null
	expect "files" 1 "$(find "$far" -name 'trace.*.dat' | wc -l)"
	file=$(echo "$far"/trace.*.dat)
	ulf report "$file" >here.txt || fail "ulf report: $(cat "$far/log")"
	trace-cmd report "$file" >there.txt 2>&1 || fail "trace-cmd report: $(cat there.txt)"
	expect "records" 5000 "$(grep -c 'number: thread=[01] number=' here.txt)"
	expect "records for trace-cmd" 5000 "$(grep -c 'number: .*thread=[01] number=' there.txt)"
	# The names of threads are known when the program has ended.
	contains "$(tail -n 1 here.txt)" "clients-emit-"
	contains "$(tail -n 1 there.txt)" "clients-emit-"
	rm "$file"
}
send "" "" 127.0.0.1
expect "files left here" "" "$(find . -name '*.cpu*' -o -name 'trace.dat*')"

# ---- two network namespaces ----
if [ "$(id -u)" != 0 ]; then
	echo "the part with two network namespaces needs root"
	exit 0
fi
near=ulf-near-$$ remote=ulf-far-$$
if ! ip netns add $near || ! ip netns add $remote ||
	! ip -n $near link add u0 type veth peer name u1 netns $remote; then
	ip netns del $near
	ip netns del $remote
	skip "no network namespaces here"
fi
remove_networks() { ip netns del $near; ip netns del $remote; rm -r /etc/netns/$remote; finish; }
trap remove_networks EXIT
ip -n $near addr add 10.77.0.1/24 dev u0 && ip -n $near link set u0 up &&
	ip -n $remote addr add 10.77.0.2/24 dev u1 && ip -n $remote link set u1 up ||
	fail "cannot set up the networks"
# The listener drops a connection whose address has no name and no name server answers.
mkdir -p /etc/netns/$remote &&
	printf '%s near\n' 10.77.0.1 ::ffff:10.77.0.1 >/etc/netns/$remote/hosts || fail "hosts"
send "ip netns exec $near" "ip netns exec $remote" 10.77.0.2
exit 0
