#!/bin/sh
# SPDX-License-Identifier: MIT
# A server has no capabilities except the two that root's server needs, cannot gain any, and runs
# under a filter of system calls.  Confined in this way, it does all its work: it knows the
# processes of its roots, restores mounts, and unmounts at its end.  confine_root.sh runs this
# test as root.
. tests/cli/common

# mounter_pid: print the pid of the server's child that mounts.
mounter_pid() {
	for child in $(cat "/proc/$(server_pid)/task/$(server_pid)/children"); do
		[ "$(cat "/proc/$child/comm")" != ulf-mounter ] || echo "$child"
	done
}
# status FIELD: print a field of the server's /proc/PID/status.
status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(server_pid)/status"; }
check_confined() {
	for set in CapInh CapAmb; do
		expect "$set" 0000000000000000 "$(status $set)"
	done
	expect CapPrm "$1" "$(status CapPrm)"
	expect CapEff "$1" "$(status CapEff)"
	expect NoNewPrivs 1 "$(status NoNewPrivs)"
	[ -z "$(status Seccomp)" ] || expect Seccomp 2 "$(status Seccomp)"
}
if [ "$(id -u)" = 0 ]; then
	# CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE, if root has them here
	kept=$(printf '%016x' $((0x80004 & 0x$(sed -n 's/^CapPrm:[[:space:]]*//p' /proc/self/status))))
else
	kept=0000000000000000
fi

start_hello
check_confined "$kept"
[ "$(id -u)" != 0 ] || expect CapBnd "$kept" "$(status CapBnd)"
ulf echo 1 "$root/events/enable" || fail "enable"
records() { [ "$(ulf cat "$root/trace" | grep -c hello_request)" -ge 3 ]; }
until_true records

# The mounter has none of the server's descriptors open, except the socket between the two.  So it
# does not keep the server's lock.  The mounter ends with the server.
mounter=$(mounter_pid)
[ -n "$mounter" ] || fail "there is no mounter"
expect "descriptors of the mounter" "0 1 2 3" "$(ls "/proc/$mounter/fd" | xargs)"
kill_server
until_true is_gone "$mounter"
is_listed "$root" alive || fail "the next server does not know the program: $(ulf ls)"
check_confined "$kept"

[ -w /dev/fuse ] || skip "no /dev/fuse; the rest passed"
dir=$(ulf mount) || skip "cannot mount; the rest passed"
is_mounted "$dir" || fail "not mounted on $dir"
kill_server
ulf ls >/dev/null
is_mounted "$dir" || fail "not restored on $dir"
expect "tracing_on" 1 "$(cat "$dir/$root/tracing_on")"
# Send the signal to both, as to a process group: the mounter waits for the server's last request.
mounter=$(mounter_pid)
kill -TERM "$mounter" "$(server_pid)"
is_unmounted() { ! is_mounted "$dir"; }
until_true is_unmounted
until_true is_gone "$mounter"
[ ! -e "$ULF_DIR/mounts" ] || fail "the list of mounts is still there"
exit 0
