#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address with it our handlers are not the first
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A library takes a lock before fork(), in a handler of pthread_atfork(), and holds this lock when
# it closes a plugin.  fork() and dlclose() must not wait for each other for ever.
. tests/cli/common

gcc -O2 -fPIC -shared -o "$TMPDIR/libplugins.so" tests/data/atfork/plugins.c -pthread ||
	fail "the library"
gcc -O2 -o "$TMPDIR/main" tests/data/atfork/main.c -L"$TMPDIR" -lplugins -Wl,-rpath,"$TMPDIR" \
	-pthread -ldl || fail "the program"
env LD_PRELOAD="$preload" timeout 20 "$TMPDIR/main" libm.so.6
expect "status" 0 $?
