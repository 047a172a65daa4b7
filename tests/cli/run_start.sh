#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: programs that run for a second each
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run reports mistakes while the program runs: unknown events, settings that the server
# refused, programs into which libulf cannot be loaded.  Each is reported once, and the program
# keeps running.
. tests/cli/common

err=$TMPDIR/err
says() { grep -q -e "$1" "$err"; }
# at_start TEXT ARGS...: ulf run ARGS prints TEXT once, before the program ends.
at_start() {
	wanted=$1
	shift
	: >"$err"
	ulf run -o "$TMPDIR/trace" "$@" >/dev/null 2>"$err" &
	job=$!
	until_true says "$wanted"
	kill -0 $job || fail "said at the end: $(cat "$err")"
	kill $job
	wait $job 2>/dev/null
	expect "times" 1 "$(grep -c -e "$wanted" "$err")"
}

# Unknown events
at_start 'no event matches `hello_reqest`; did you mean `hello_request`?' \
	-e hello_reqest -- "$hello"
contains "$(cat "$err")" "there are: hello:hello_request"
contains "$(cat "$err")" "keeps running; the event is enabled if a module that is loaded later has it"
at_start 'no event matches `helo:hello_request`; did you mean `hello:hello_request`?' \
	-e helo:hello_request -- "$hello"
at_start 'no event matches `helo`; did you mean `hello`?' --live -e helo -- "$hello"
at_start 'no event matches `hallo`; did you mean `hello`?' \
	--trace-instance=one,hallo -- timeout 100 "$hello"
at_start 'no event matches `request`' --trace-trigger=request.traceoff -- "$hello"

# Settings that trace functions, for a program in which no function can be traced: without
# unwind tables nobody knows where functions begin.
cat >"$TMPDIR/blind.c" <<'END'
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argv;
	while (argc == 1)
		pause();
	return 0;
}
END
gcc -fno-unwind-tables -fno-asynchronous-unwind-tables -o "$TMPDIR/blind" "$TMPDIR/blind.c" ||
	fail "gcc"
for setting in --ftrace=function --ftrace=function_graph --stacktrace; do
	at_start "blind has no function that can be traced; the reasons are in blind" \
		$setting -- "$TMPDIR/blind"
done
# A program that ends early is reported at its end.
text=$(ulf run --ftrace=function -- "$TMPDIR/blind" end 2>&1 >/dev/null)
contains "$text" "blind has no function that can be traced"
echo 'int main(void) { return 0; }' >"$TMPDIR/traceable.c"
gcc -o "$TMPDIR/traceable" "$TMPDIR/traceable.c" || fail "gcc"
text=$(ulf run --ftrace=function -- "$TMPDIR/traceable" 2>&1 >/dev/null)
case $text in *"no function"*) fail "$text" ;; esac
contains "$text" ": main <-"
# A program whose functions can be traced, but are not called: nothing is reported.
text=$(ulf run --ftrace=function --ftrace-notrace='*' -- "$TMPDIR/traceable" 2>&1 >/dev/null)
case $text in *"no function"*) fail "$text" ;; esac
ulf rm --dead

# Settings that the server could not apply
at_start 'boot: error: Cannot allocate memory' -e hello --trace-buf-size=9000G -- "$hello"

# If several errors occur one after the other, each is shown once.
ulf rm --dead
has_both() { ulf cat hello/error_log 2>/dev/null | grep -q traceoff; }
i=0
while [ $i -lt 6 ]; do
	: >"$err"
	ulf run -e hello --trace-buf-size=9000G --trace-trigger=hello_request.traceof \
		-o "$TMPDIR/trace" -- "$hello" >/dev/null 2>"$err" &
	job=$!
	until_true says 'Cannot allocate memory'
	until_true has_both
	kill $job
	wait $job 2>/dev/null
	expect "memory: $(cat "$err")" 1 "$(grep -c 'Cannot allocate memory' "$err")"
	expect "trigger: $(cat "$err")" 1 "$(grep -c 'traceoff' "$err")"
	ulf rm --dead
	i=$((i + 1))
done

# Programs into which libulf cannot be loaded
cat >"$TMPDIR/sleep.c" <<'END'
#include <unistd.h>

int main(void)
{
	pause();
	return 0;
}
END
make() { gcc -o "$TMPDIR/$1" "$TMPDIR/sleep.c" $2 || fail "gcc $2"; }
make plain ""
make static -static
at_start "static itself cannot be traced: it is linked statically, .* libulf.a" \
	-e hello -- "$TMPDIR/static"
at_start "plain itself cannot be traced: it is not linked with libulf" -e hello -- "$TMPDIR/plain"
at_start "script itself cannot be traced: its interpreter .*/static is linked statically" \
	-e hello -- "$(printf '#!%s\n' "$TMPDIR/static" >"$TMPDIR/script"
		chmod +x "$TMPDIR/script"; echo "$TMPDIR/script")"
# A program that is linked with libulf makes no root, because it finds another libulf.
echo >"$TMPDIR/empty.c"
mkdir "$TMPDIR/fake"
gcc -shared -Wl,-soname,libulf.so.0 -o "$TMPDIR/fake/libulf.so.0" "$TMPDIR/empty.c" || fail "gcc"
make other_libulf "-Wl,--no-as-needed $TMPDIR/fake/libulf.so.0 -Wl,-rpath,$TMPDIR/fake"
at_start "other_libulf has made no root: .* another version of libulf" \
	-e hello -- "$TMPDIR/other_libulf"

# libulf is loaded into a wrapper, which has no events.  The program that the wrapper starts later
# has events.
at_start "env has no events so far" -e hello -- env LD_PRELOAD="$preload" "$TMPDIR/plain"
: >"$err"
ulf rm --dead
ulf run -e hello -o "$TMPDIR/trace" -- env LD_PRELOAD="$preload" \
	sh -c 'sleep 1.2; exec "$0"' "$hello" >/dev/null 2>"$err" &
job=$!
has_records() { ulf cat hello/trace 2>/dev/null | grep -q hello_request; }
until_true has_records
kill $job
wait $job 2>/dev/null
says 'no event matches' && fail "$(cat "$err")"
says 'records; `ulf cat' || fail "$(cat "$err")"

# The reason why a child made no root is given, too, after the reason for a static wrapper.
cat >"$TMPDIR/limit.c" <<'END'
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct rlimit limit = { 512000, 512000 };

	(void)argc;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	execv(argv[1], argv + 1);
	return 1;
}
END
gcc -static -o "$TMPDIR/limit" "$TMPDIR/limit.c" || fail "gcc"
at_start "hello .* could not make its root in $ULF_DIR: .*ulimit -f" \
	-e hello -- "$TMPDIR/limit" "$hello"
says "limit itself cannot be traced: it is linked statically" || fail "$(cat "$err")"

gcc -o "$TMPDIR/musl" "$TMPDIR/sleep.c" -Wl,--dynamic-linker=/nosuch/ld-musl-x86_64.so.1
text=$(ulf run -e hello -- "$TMPDIR/musl" 2>&1)
contains "$text" "musl itself cannot be traced: it is linked with musl"
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0%0100d' 0 >"$TMPDIR/other"
chmod +x "$TMPDIR/other"
text=$(ulf run -e hello -- "$TMPDIR/other" 2>&1)
contains "$text" "other itself cannot be traced: it is not a program for 64-bit x86"
text=$(ULF_DISABLE=1 ulf run -e hello -- timeout 0.1 "$hello" 2>&1)
contains "$text" "cannot be traced: ULF_DISABLE is set"
expect "lines" 1 "$(echo "$text" | wc -l)"
# su is a set-uid program that most systems have.
if [ -u /bin/su ] && [ "$(id -u)" != 0 ]; then
	text=$(ulf run -e hello -- /bin/su --help 2>&1)
	contains "$text" "/bin/su itself cannot be traced: it gets other rights than yours"
fi

# If everything is right, nothing is reported.
: >"$err"
ulf rm --dead
ulf run -e hello -o "$TMPDIR/trace" -- "$hello" >/dev/null 2>"$err" &
job=$!
until_true has_records
kill $job
wait $job 2>/dev/null
expect "lines: $(cat "$err")" 1 "$(wc -l <"$err")"
says 'records; `ulf cat' || fail "$(cat "$err")"
exit 0
