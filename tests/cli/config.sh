#!/bin/sh
# SPDX-License-Identifier: MIT
# Settings from the start can be in a file: where the file is, to which programs its lines apply,
# and what ulf does with wrong lines.
. tests/cli/common

unset ULF_CONFIG
ulf server --background || fail "no server"
# start FILE LINES: write LINES to FILE and start hello.
start() {
	mkdir -p "${1%/*}" && echo "$2" >"$1" || fail "$1"
	start_hello
}
clock() { ulf cat "$root/trace_clock" | grep -o '\[.*\]'; }
has_recorded() { ulf cat "$root/trace" 2>/dev/null | grep -q hello_request; }

start "$HOME/.config/ulf.conf" '
# For all programs.
trace_clock=mono  trace_options=record-tgid

[nosuch]
trace_clock=uptime
[hel*]
	# and for this one
trace_event=hello'
until_true has_recorded
expect "options" record-tgid "$(ulf cat "$root/trace_options" | grep tgid)"
expect "clock" "[mono]" "$(clock)"
contains "$(ulf cat "$root/trace")" "hello_request: count=0 "
expect "error_log" "" "$(ulf cat "$root/error_log")"

# XDG_CONFIG_HOME names the directory of the file.  ULF_CONFIG names any file, or none.
export XDG_CONFIG_HOME="$TMPDIR/xdg"
start "$XDG_CONFIG_HOME/ulf.conf" trace_clock=boot
expect "clock" "[boot]" "$(clock)"
export ULF_CONFIG="$TMPDIR/other"
start "$ULF_CONFIG" trace_clock=tai
expect "clock" "[tai]" "$(clock)"
ULF_CONFIG='' start_hello
expect "clock" "[local]" "$(clock)"
# Settings of the environment come after settings of the file, and replace them.
ULF_TRACE=trace_clock=mono_raw start_hello
expect "clock" "[mono_raw]" "$(clock)"

# A wrong setting is reported in error_log; the other settings are applied.
start "$ULF_CONFIG" 'trace_clock=sundial
nonsense tp_printk
trace_options=record-tgid'
expect "clock" "[local]" "$(clock)"
expect "options" record-tgid "$(ulf cat "$root/trace_options" | grep tgid)"
for wrong in 'No such clock' 'No such setting' 'Operation not supported'; do
	contains "$(ulf cat "$root/error_log")" "boot: error: $wrong"
done
start "$ULF_CONFIG" "$(printf '%01100d' 0)"
contains "$(ulf cat "$root/error_log")" "boot: error: Too long: none of it is in force"
rm "$ULF_CONFIG"
ULF_TRACE=trace_clock=mono start_hello
contains "$(ulf cat "$root/error_log")" "boot: error: The file cannot be read"
expect "clock" "[mono]" "$(clock)"

# ulf run reports wrong settings before it starts the program.
text=$(ulf run -- "$hello" 2>&1)
expect "status without the file" 2 $?
contains "$text" "No such file or directory"
printf '[hello]\ntrace_clock=sundial\n' >"$ULF_CONFIG"
text=$(ulf run -- "$hello" 2>&1)
expect "status of a wrong word" 2 $?
contains "$text" "ulf.conf: trace_clock=sundial: No such clock"
expect "another program" fine "$(ulf run -- echo fine 2>/dev/null)"
exit 0
