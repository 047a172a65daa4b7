#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf check lists each event whose print fmt needs the program, with the place and the reason,
# also after the end of the program.  `trace` shows the fields of these events.
. tests/cli/common

# If all events can be printed, ulf check reports no problem.
start_hello
text=$(ulf check hello) || fail "status $? for hello: $text"
expect "hello" "$root: 1 event, all are printed with their print fmt" "$text"
expect "all roots" "$text" "$(ulf check)"

trace=$(ulf run -e check -- "$ULF_BUILD/tests/cli-check_events" 2>&1) || fail "$trace"
contains "$trace" "check_good: n=1 name=constant"
contains "$trace" "check_enum: color=0x2 (2)"
contains "$trace" "check_table: green bit"
contains "$trace" "check_function: n=0x3 (3)"
contains "$trace" "check_member: point=<INVALID-SIZE>"

text=$(ulf check cli-check_event)
expect "status" 1 $?
root=$(ulf ls | awk '/^cli-check_event/ { print $1 }')
expect "what ulf check says" "\
check:check_enum: unknown name
    ...e program, not here: %s\", REC->color == CHECK_RED ? \"red\" : \"green\"
                                               ^
  remedy: TRACE_DEFINE_ENUM() tells the value of an enum; keep anything else in a field
check:check_function: unknown function
    \"name=%s\", check_name(REC->n)
               ^
  remedy: call it in TP_fast_assign() and keep the result in a field
check:check_good: note: name is a pointer: strings that the program may change are not printed
  remedy: __string() keeps them
check:check_member: members of this struct are not known
    \"x=%d\", REC->point.x
                      ^
  remedy: keep the member in a field of its own
$root: 5 events, 3 of them printed as plain fields" "$text"
ulf check >/dev/null
expect "status for all roots" 1 $?
ulf check hello "$root" >/dev/null
expect "status for two roots" 1 $?

text=$(ulf check nosuch 2>&1)
expect "status without such a root" 1 $?
contains "$text" "no root is called \`nosuch\`"
text=$(ulf check ./program 2>&1)
expect "status for a program" 1 $?
contains "$text" "give a root"
exit 0
