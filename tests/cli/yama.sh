#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# With Yama, ulf attach says why a program cannot be attached to, and a program of ulf run allows
# the server to trace it.  A library takes the place of Yama (tests/data/attach/yama.c), because
# few kernels that run tests have it.
. tests/cli/common
trap 'kill -KILL $pids 2>/dev/null' EXIT

gcc -O2 -shared -fPIC -o "$TMPDIR/yama.so" tests/data/attach/yama.c || fail "yama.c"
with_yama() { # VARIABLE COMMAND...: with this variable of yama.c
	variable=$1
	shift
	env "$variable" LD_PRELOAD="$TMPDIR/yama.so" "$@"
}

# ---- ulf attach ----

: >"$TMPDIR/out"
"$ULF_BUILD/tests/cli-attached" >"$TMPDIR/out" &
pid=$!
pids="$pids $pid"
until_true grep -q ready "$TMPDIR/out"
refused() { # SCOPE TEXT...: ulf attach refuses $pid, with all texts
	echo "$1" >"$TMPDIR/scope"
	with_yama YAMA_SCOPE="$TMPDIR/scope" ulf attach "$pid" >"$TMPDIR/said" 2>&1 &&
		fail "ptrace_scope $1: attached"
	shift
	for text; do contains "$(cat "$TMPDIR/said")" "$text"; done
	kill -0 "$pid" || fail "the program has ended"
	expect "roots" 0 "$(ulf ls | grep -c alive)"
}
refused 1 "ptrace_scope is 1" "only its ancestors" "ulf run" "PR_SET_PTRACER" \
	"sysctl kernel.yama.ptrace_scope=0"
refused 2 "ptrace_scope is 2" "only an administrator" "ulf run"
refused 3 "ptrace_scope is 3" "nobody may trace" "ulf run"
refused 0 "the kernel does not allow" "ulf run"
ulf attach "$pid" >/dev/null || fail "attach without Yama"

# ---- ulf run ----

pid=$(with_yama YAMA_TRACERS="$TMPDIR/tracers" ulf run -o "$TMPDIR/trace" sh -c 'echo $$') ||
	fail "ulf run"
server=$(cat "$ULF_DIR/server.lock")
expect "which process allows which to trace it" "$pid $server" "$(cat "$TMPDIR/tracers")"
exit 0
