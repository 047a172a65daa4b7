#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both another user, and a chroot, need root
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# A program that libulf cannot be loaded into is refused, with the reason and a remedy, and keeps
# running.
. tests/cli/common
trap 'kill -KILL $pids 2>/dev/null' EXIT

attached=$ULF_BUILD/tests/cli-attached
start() { # COMMAND...: start a program that prints `ready'; $pid
	: >"$TMPDIR/out"
	"$@" >"$TMPDIR/out" &
	pid=$!
	pids="$pids $pid"
	until_true grep -q ready "$TMPDIR/out"
}
refused() { # WHAT TEXT...: ulf attach refuses $pid, with all texts
	what=$1
	shift
	ulf attach "$pid" >"$TMPDIR/said" 2>&1 && fail "$what: attached"
	for text; do contains "$(cat "$TMPDIR/said")" "$text"; done
	kill -0 "$pid" || fail "$what: the program has ended"
	echo "$what: $(cat "$TMPDIR/said")"
}
end() { kill -KILL "$pid" && wait "$pid" 2>/dev/null; }

# No process has this id: the kernel gives out ids below pid_max.
pid=$(cat /proc/sys/kernel/pid_max)
ulf attach $pid 2>"$TMPDIR/said" && fail "no process"
contains "$(cat "$TMPDIR/said")" "no such process"

if [ "$(id -u)" != 0 ]; then
	start "$attached" nodump
	refused "not dumpable" "not dumpable" "ulf run"
	end
	pid=1
	ulf attach 1 2>"$TMPDIR/said" && fail "process 1"
	contains "$(cat "$TMPDIR/said")" "another user"
else
	start setpriv --reuid=65534 --regid=65534 --clear-groups "$attached"
	refused "another user" "another user" "run ulf as that user"
	end
	mkdir "$TMPDIR/jail"
	cp --parents "$attached" $(ldd "$attached" | grep -o '/[^ ]*') "$TMPDIR/jail"
	start chroot "$TMPDIR/jail" "$attached"
	refused "chroot" "does not see" "libulf.so.0"
	end
	start unshare --pid --fork --mount-proc "$attached"
	inner=$(pgrep -P "$pid")
	pids="$pids $inner"
	outer=$pid pid=$inner
	refused "pid namespace" "another pid namespace" "run ulf in there"
	end
	pid=$outer
fi

start "$attached" seccomp
refused "seccomp" "seccomp filter" "ulf run"
end

start env ULF_DISABLE=1 "$attached"
refused "ULF_DISABLE" "ULF_DISABLE"
end

start "$attached"
kill -STOP "$pid"
until_true grep -q '^State:.*stopped' "/proc/$pid/status"
refused "stopped" "SIGSTOP" "kill -CONT"
end

if command -v strace >/dev/null; then
	start "$attached"
	strace -o /dev/null -p "$pid" 2>/dev/null &
	tracer=$!
	pids="$pids $tracer"
	is_traced() { ! grep -q '^TracerPid:.*[^0-9]0$' "/proc/$pid/status"; }
	until_true is_traced
	refused "traced" "strace (pid $tracer) traces it already"
	kill "$tracer"
	end
fi

cat >"$TMPDIR/program.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
END
gcc -static -o "$TMPDIR/static" "$TMPDIR/program.c" || fail "gcc -static"
start "$TMPDIR/static"
refused "static" "statically" "libulf.a"
end
# The dynamic linker is there, and libc is not: so is each program while it starts.
cat >"$TMPDIR/bare.c" <<'C'
void _start(void)
{
	long ret = 1;

	__asm__ volatile("syscall" : "+a"(ret) : "D"(1L), "S"("ready\n"), "d"(6L) :
			 "rcx", "r11", "memory");
	for (;;) {
		ret = 34;	/* pause */
		__asm__ volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
	}
}
C
gcc -nostdlib -fPIE -pie -o "$TMPDIR/bare" "$TMPDIR/bare.c" || fail "gcc -nostdlib"
start "$TMPDIR/bare"
refused "no libc" "has not loaded glibc" "until it has started"
end
if command -v musl-gcc >/dev/null && musl-gcc -o "$TMPDIR/musl" "$TMPDIR/program.c" 2>/dev/null &&
   [ -e /lib/ld-musl-x86_64.so.1 ]; then
	start "$TMPDIR/musl"
	refused "musl" "musl" "libulf.a"
	end
fi

# A zombie: its parent does not wait for it.
cat >"$TMPDIR/zombie.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	int pid = fork();

	if (!pid)
		_exit(0);
	printf("ready %d\n", pid);
	fflush(stdout);
	for (;;)
		pause();
}
END
gcc -o "$TMPDIR/zombie" "$TMPDIR/zombie.c" || fail "gcc"
start "$TMPDIR/zombie"
parent=$pid
pid=$(sed -n 's/^ready //p' "$TMPDIR/out")
until_true grep -q '^State:.*zombie' "/proc/$pid/status"
ulf attach "$pid" >"$TMPDIR/said" 2>&1 && fail "zombie: attached"
contains "$(cat "$TMPDIR/said")" "zombie"
pid=$parent
end

# A program that is linked with libulf has its root already.
start_hello
expect "linked" "$root" "$(ulf attach "$pid" | head -n 1)"
exit 0
