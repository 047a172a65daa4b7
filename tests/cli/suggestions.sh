#!/bin/sh
# SPDX-License-Identifier: MIT
# If a root, a file, a directory or an event in a command is mistyped, ulf names a similar one.
# The suggestion works.  If nothing is similar, ulf says how to list what there is.
. tests/cli/common

start_hello
ulf echo hist:keys=who "$root/events/hello/hello_request/trigger" || fail "hist"

# suggests NAME ARGS...: ulf ARGS fails and suggests NAME, and nothing else.
suggests() {
	name=$1
	shift
	text=$(ulf "$@" 2>&1) && fail "ulf $* succeeds: $text"
	contains "$text" "did you mean \`$name\`?"
	expect "lines of $*" 1 "$(echo "$text" | wc -l)"
}
# suggests_none TEXT ARGS...: ulf ARGS fails and prints TEXT.
suggests_none() {
	wanted=$1
	shift
	text=$(ulf "$@" 2>&1) && fail "ulf $* succeeds: $text"
	contains "$text" "$wanted"
	case $text in *"did you mean"*) fail "$*: $text" ;; esac
}

suggests echo ech 1 hello/tracing_on
suggests mount help muont
suggests_none "there is no command \`quite_another\`; \`ulf help\` lists them" quite_another

suggests hello cat helo/trace
suggests hello echo 1 hllo/tracing_on
suggests hello ls hallo
suggests hello hist Hello hello_request
suggests_none "no root is called \`nosuch\`; \`ulf ls\` lists them" cat nosuch/trace

suggests "$root/tracing_on" echo 1 hello/tracing_onn
suggests "$root/trace" cat hello/trac
suggests "$root/events/hello" cat hello/events/helo/hello_request/format
suggests "$root/events/hello/hello_request" echo 1 hello/events/hello/hello_reqest/enable
suggests "$root/events/hello/hello_request/filter" \
	echo 'count > 1' hello/events/hello/hello_request/fliter
suggests "$root/events/hello" ls hello/events/hallo
none="No such file or directory; \`ulf ls DIRECTORY\` shows what there is"
suggests_none "$none" cat hello/quite/another
suggests_none "$none" echo 1 hello/events/quite_another/enable
suggests_none "$none" ls hello/events/hello/hello_request/quite_another

suggests hello_request hist hello hello_reqest
suggests hello:hello_request hist hello hello:hello_reqest
suggests hello:hello_request hist hello helo:hello_request
suggests_none "$root has no event quite_another; \`ulf cat $root/available_events\` lists them" \
	hist hello quite_another

# The path exists, and the error is another one.
suggests_none "cannot write \`nonsense\`: Invalid argument" echo nonsense hello/tracing_on
exit 0
