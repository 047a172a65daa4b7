#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run of a program that starts other programs: these get the settings, and each is a root.  If
# nothing is traced ulf says why.
. tests/cli/common

cat >"$TMPDIR/work.c" <<'END'
int main(void)
{
	return 0;
}
END
gcc -fpatchable-function-entry=5 -o "$TMPDIR/work" "$TMPDIR/work.c" || fail "cc"
cat >"$TMPDIR/script" <<'END'
#!/bin/sh
"$@"
"$@"
END
chmod +x "$TMPDIR/script"
why="so it has no events"
# run ARGS: call ulf run; $TMPDIR/trace has the records, $TMPDIR/err the messages.
run() { ulf run -o "$TMPDIR/trace" "$@" 2>"$TMPDIR/err" || fail "$*: $(cat "$TMPDIR/err")"; }
says() { contains "$(cat "$TMPDIR/err")" "$1"; }
says_nothing_of() { ! grep -q "$1" "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"; }

# The program of the script is linked with libulf: it gets the settings, and is started twice.
run -e check -- "$TMPDIR/script" "$ULF_BUILD/tests/cli-check_events"
expect "roots" 2 "$(grep -c '^==> cli-check' "$TMPDIR/trace")"
expect "records" 2 "$(grep -c check_good: "$TMPDIR/trace")"
says_nothing_of "$why"

# Functions are traced only in programs into which ulf run itself preloads libulf.  So ulf run is
# also called by a script; this call needs no settings.
run --ftrace=function -- "$TMPDIR/script" "$TMPDIR/work"
says "script itself cannot be traced: its interpreter /bin/sh is not linked with libulf, $why"
expect "trace" "" "$(cat "$TMPDIR/trace")"
run --ftrace=function -- sh -c "ulf run $TMPDIR/work"
grep -q ': main <-' "$TMPDIR/err" || fail "not traced: $(cat "$TMPDIR/err")"

# ulf run without settings
run -- env "$TMPDIR/work"
says "nothing to show: there was no -e or --ftrace"
says "env itself cannot be traced"
run -- "$TMPDIR/work"
says "nothing to show: there was no -e or --ftrace"
says_nothing_of "$why"
