#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd's other commands work through `ulf exec': they list what exists, switch what they
# are asked to switch, and show what was recorded.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
# tc ARGS: print the output of trace-cmd, which must succeed and report no error.
tc() {
	ulf exec trace-cmd "$@" 2>errors || fail "trace-cmd $*: status $?: $(cat errors)"
	[ ! -s errors ] || fail "trace-cmd $*: $(cat errors)"
}
file() { ulf cat "$root/$1"; }

expect "list -e" "$(file available_events)" "$(tc list -e)"
expect "list -t" "$(file available_tracers)" "$(tc list -t)"
expect "list -C" "$(file trace_clock)" "$(tc list -C)"
# trace-cmd lists the files in options/, where the options of all tracers are.
tracers='func-|func_|funcgraph|graph-time|sleep-time'
expect "list -o" "$(file trace_options)" "$(tc list -o | grep -vE "$tracers")"
for option in $(ulf ls "$root/options" | grep -E "$tracers"); do
	[ "$(file "options/$option")" = 1 ] || option=no$option
	contains "$(tc list -o)" "$option"
done
expect "list -s" "emit ftrace" "$(tc list -s | sort | xargs)"
expect "list -F" "$(file events/emit/emit_number/format | sed -n 's/^.*field://p' | sort)" \
	"$(tc list -e emit_number -F | sed -n 's/^.*field://p' | sort)"
expect "list -R -l" "emit:emit_number none" "$(tc list -e emit_number -l | xargs)"

# start, show, stat, stop, restart, clear, reset
tc start -e emit -f 'number >= 5' -b 2000 -C mono
expect "start -e" 1 "$(file events/emit/emit_number/enable)"
contains "$(file events/emit/emit_number/filter)" "number >= 5"
contains "$(file trace_clock)" "[mono]"
[ "$(file per_cpu/cpu0/buffer_size_kb)" -ge 2000 ] || fail "start -b"
emit 10
expect "show" "$(file trace)" "$(tc show)"
expect "what was recorded" 5 "$(tc show | grep -c ': emit_number: ')"
text=$(tc stat)
contains "$text" "All enabled"
contains "$text" 'emit:emit_number "(number >= 5)"'
contains "$text" "Tracing is enabled"
tc stop
expect "stop" 0 "$(file tracing_on)"
emit 10
expect "when stopped" 5 "$(tc show | grep -c ': emit_number: ')"
tc restart
expect "restart" 1 "$(file tracing_on)"
tc clear
expect "clear" 0 "$(tc show | grep -c ': emit_number: ')"
tc reset
expect "reset" 0 "$(file events/enable)"
expect "filter after reset" none "$(file events/emit/emit_number/filter)"
contains "$(tc stat)" "All disabled"

# -B: use an instance.
tc start -B side -e emit -f 'number < 10'
expect "list -B" side "$(tc list -B)"
emit 100
expect "show -B" 10 "$(tc show -B side | grep -c ': emit_number: ')"
expect "show" 0 "$(tc show | grep -c ': emit_number: ')"
contains "$(tc stat -B side)" 'emit:emit_number "(number < 10)"'
tc reset -B side -d
expect "instances" "" "$(ulf ls "$root/instances")"
tc record -q -B side -e emit -o side.dat /bin/sh "$(emit_command 1000 said)"
expect "record -B" "$(cut -d ' ' -f 1 said)" \
	"$(trace-cmd report side.dat | grep -c '^side: .*: emit_number: ')"

# stream shows events when they are recorded, each once.  trace-cmd loses pages if more pages
# come at a time than its pipes hold, and it loses what it has not printed when its command
# ends.  So the program records few events, and the command waits until all are printed except
# the last page of each CPU and the text that stdio buffers.
nr=1200 shown=900
ulf echo 0 "$root/buffer_percent"
script=$(emit_command $nr said)
cat >>"$script" <<END
until [ "\$(grep -c ': emit_number: ' stream)" -ge $shown ]; do sleep 0.02; done
END
tc stream -e emit timeout 60 /bin/sh "$script" >stream
expect "the program's word" "$nr emitted" "$(cat said)"
sed -n 's/.*: emit_number: *thread=[01] number=\([0-9]*\) word=.*/\1/p' stream | sort -n >numbers
expect "numbers twice" "" "$(uniq -d numbers)"
[ "$(wc -l <numbers)" -ge $shown ] || fail "stream: $(wc -l <numbers) numbers"
exit 0
