#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf cat and ulf echo reach the files of the tree without a mount: > and >>,
# errors with the kernel's errno, short names of roots, streams.
. tests/cli/common

start_hello
expect "tracing_on" 1 "$(ulf cat "$root/tracing_on")"
ulf echo 0 "$root/tracing_on" || fail "echo 0"
expect "tracing_on" 0 "$(ulf cat "$root/tracing_on")"
ulf echo -n 1 "$root/tracing_on" || fail "echo -n 1"
expect "tracing_on" 1 "$(ulf cat "$root/tracing_on")"
expect "two files" "1 nop" \
	"$(ulf cat "$root/tracing_on" "$root/current_tracer" | xargs)"

text=$(ulf echo nonsense "$root/tracing_on" 2>&1) && fail "nonsense was taken"
contains "$text" "cannot write \`nonsense\`: Invalid argument"
expect "tracing_on after nonsense" 1 "$(ulf cat "$root/tracing_on")"
text=$(ulf cat "$root/nosuch" 2>&1) && fail "nosuch exists"
contains "$text" "No such file or directory"
text=$(ulf cat "$root/events" 2>&1) && fail "a directory was printed"
contains "$text" "Is a directory"
text=$(ulf cat /etc/passwd 2>&1) && fail "a file of the system was printed"
text=$(ulf cat "$root/../../server.lock" 2>&1) && fail "left the tree: $text"

# Redirections > and >>
ulf echo hello:hello_request "$root/set_event" || fail "set_event"
expect "set_event" hello:hello_request "$(ulf cat "$root/set_event")"
ulf echo -a '!hello:hello_request' "$root/set_event" || fail "set_event -a"
expect "set_event" "" "$(ulf cat "$root/set_event")"
ulf echo -a hello:hello_request "$root/set_event" || fail "set_event -a"
ulf echo "" "$root/set_event" || fail "empty set_event"
expect "set_event after >" "" "$(ulf cat "$root/set_event")"

# Short names
expect "by pid" 1 "$(ulf cat "$pid/tracing_on")"
expect "by name" 1 "$(ulf cat hello/tracing_on)"
first=$root
start_hello
text=$(ulf cat hello/tracing_on 2>&1) && fail "two roots are called hello"
contains "$text" "$first"
contains "$text" "$root"

# A stream shows each line when it is recorded.
ulf echo 1 "$root/events/enable" || fail "enable"
ulf cat "$root/trace_pipe" | head -n 3 >"$TMPDIR/lines"
expect "lines of trace_pipe" 3 "$(grep -c 'hello_request: count=' "$TMPDIR/lines")"
exit 0
