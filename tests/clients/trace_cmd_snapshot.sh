#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd takes, shows, resets and frees snapshots through `ulf exec', of all CPUs and of
# one. (trace-cmd 3.1 accepts -B, but then uses the top buffer.)
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
tc() {
	ulf exec trace-cmd "$@" 2>errors || fail "trace-cmd $*: status $?: $(cat errors)"
	[ ! -s errors ] || fail "trace-cmd $*: $(cat errors)"
}
file() { ulf cat "$root/$1"; }
# events ARGS: print how many events trace-cmd shows.
events() { tc "$@" | grep -c ': emit_number: '; }

contains "$(tc snapshot)" "* Snapshot is freed *"
tc start -e emit
emit 10
tc snapshot -s
expect "snapshot" 10 "$(events snapshot)"
expect "the file" "$(file snapshot)" "$(tc snapshot)"
expect "trace" 0 "$(events show)"
expect "show -s" 10 "$(events show -s)"
emit 7
expect "snapshot" 10 "$(events snapshot)"
expect "trace" 7 "$(events show)"
tc snapshot -s
expect "snapshot" 7 "$(events snapshot)"
tc snapshot -r
contains "$(tc snapshot)" "* Snapshot is allocated *"
expect "trace" 10 "$(events show)"
tc snapshot -s -c 0
expect "of a CPU" "$(file per_cpu/cpu0/snapshot)" "$(tc snapshot -c 0)"
expect "both" 10 "$(($(events snapshot) + $(events show)))"
tc snapshot -f
contains "$(tc snapshot)" "* Snapshot is freed *"
exit 0
