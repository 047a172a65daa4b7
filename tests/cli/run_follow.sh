#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf run --follow traces a program and all programs that it starts, however they are started, with
# the same settings.  Programs that cannot load libulf start as without ulf, and are reported.
. tests/cli/common

cat >"$TMPDIR/work.c" <<'END'
#include <stdio.h>

__attribute__((noinline)) int work(int nr)
{
	printf("%d arguments\n", nr);
	return nr * 3;
}

int main(int argc, char **argv)
{
	(void)argv;
	return work(argc - 1) == 0;
}
END
cat >"$TMPDIR/start.c" <<'END'
/* start HOW PROGRAM: start PROGRAM with one argument by the function HOW, and an environment that
 * is empty if the function takes one. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *none[] = { NULL };
static char *path, *name, *argv_of[3];

static void start(const char *how)
{
	if (!strcmp(how, "execve"))
		execve(path, argv_of, none);
	if (!strcmp(how, "execveat"))
		execveat(AT_FDCWD, path, argv_of, none, 0);
	if (!strcmp(how, "fexecve"))
		fexecve(open(path, O_PATH | O_CLOEXEC), argv_of, none);
	if (!strcmp(how, "execle"))
		execle(path, name, "x", (char *)NULL, none);
	environ = none;
	if (!strcmp(how, "execv"))
		execv(path, argv_of);
	if (!strcmp(how, "execl"))
		execl(path, name, "x", (char *)NULL);
	*strrchr(path, '/') = '\0';
	setenv("PATH", path, 1);
	if (!strcmp(how, "execvpe"))
		execvpe(name, argv_of, none);
	if (!strcmp(how, "execvp"))
		execvp(name, argv_of);
	if (!strcmp(how, "execlp"))
		execlp(name, name, "x", (char *)NULL);
}

int main(int argc, char **argv)
{
	pid_t pid = -1;
	int status;

	if (argc != 3)
		return 2;
	path = realpath(argv[2], NULL);
	name = strdup(strrchr(path, '/') + 1);
	argv_of[0] = name;
	argv_of[1] = "x";
	if (!strcmp(argv[1], "posix_spawn"))
		posix_spawn(&pid, path, NULL, NULL, argv_of, none);
	else if (!strcmp(argv[1], "posix_spawnp"))
		posix_spawnp(&pid, argv[2], NULL, NULL, argv_of, none);
	else if (!strcmp(argv[1], "vfork") && !(pid = vfork()))
		execve(path, argv_of, none), _exit(3);
	else if (!strcmp(argv[1], "fork") && !(pid = fork()))
		execve(path, argv_of, none), _exit(3);
	if (pid < 0) {
		start(argv[1]);
		return 3;
	}
	waitpid(pid, &status, 0);
	return status != 0;
}
END
cd "$TMPDIR" || fail "cd"
gcc -O1 -o work work.c && gcc -O1 -w -D_GNU_SOURCE -o start start.c || fail "gcc"
loses_nothing="execve execveat fexecve execvpe execle execv execl execvp execlp posix_spawn
	posix_spawnp vfork fork"

# follow ARGS: call ulf run --follow; $TMPDIR/trace has the traces, err the messages, out what the
# programs print.
follow() {
	ulf run --follow -o trace "$@" >out 2>err || fail "$*: status $?: $(cat err)"
}
names() { sed -n 's/^==> \(.*\)\.[0-9]* <==$/\1/p' trace | tr '\n' ' '; }
run_work() { follow --ftrace=function --ftrace-filter=work -- "$@"; }

# A script, and programs that are started in the usual way.
cat >script <<'END'
#!/bin/sh
./work 1
env A=1 ./work 1 2
timeout 100 nice ./work 1 2 3
sh -c '(./work 1 2 3 4) | cat'
END
chmod +x script
run_work ./script
expect "output" "1 arguments 2 arguments 3 arguments 4 arguments" "$(tr '\n' ' ' <out | sed 's/ $//')"
expect "programs" "work work work work " "$(names)"
expect "records" 4 "$(grep -c ': work <-main' trace)"
contains "$(cat err)" "4 programs, 4 records"
# Programs without the function of the filter are no mistake, and not traced.
! grep -q 'not found\|error' err || fail "$(cat err)"

# All programs, also the shell, without a filter.
follow --ftrace=function -- ./script
expect "the first program" script "$(names | cut -d ' ' -f 1)"
contains "$(names)" "timeout"
contains "$(names)" "cat"

# The program clears the environment, or starts the next one without any.
for how in $loses_nothing; do
	run_work ./start "$how" ./work
	expect "$how: programs" "work " "$(names)"
	expect "$how: output" "1 arguments" "$(cat out)"
done
run_work env -i ./start execve ./work
expect "env -i: programs" "work " "$(names)"
run_work env -i sh -c './work 1; ./work 2'
expect "env -i sh: programs" "work work " "$(names)"

# Functions that do not start a program set errno as they do without ulf.
cat >fails.c <<'END'
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char *none[] = { NULL }, *argv[] = { "x", NULL };
	pid_t pid;

	printf("%d", execve("/nonexistent/x", argv, none) == -1 ? errno : 0);
	printf(" %d", execve("/etc/passwd", argv, none) == -1 ? errno : 0);
	printf(" %d", execve("/", argv, none) == -1 ? errno : 0);
	printf(" %d", execvp("no-such-program", argv) == -1 ? errno : 0);
	printf(" %d", execvp("", argv) == -1 ? errno : 0);
	printf(" %d", execv(NULL, argv) == -1 ? errno : 0);
	printf(" %d", fexecve(-1, argv, none) == -1 ? errno : 0);
	printf(" %d\n", posix_spawn(&pid, "/nonexistent/x", NULL, NULL, argv, none));
	return 0;
}
END
gcc -w -D_GNU_SOURCE -o fails fails.c || fail "gcc"
wanted=$(./fails)
follow --ftrace=function --ftrace-filter=main -- ./fails
expect "errors" "$wanted" "$(cat out)"

# A constructor of a library starts a program before libulf is ready.
cat >early.c <<'END'
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((constructor)) static void early(void)
{
	char *argv[] = { "work", "x", "y", NULL }, *none[] = { NULL };
	pid_t pid;

	if (!posix_spawn(&pid, "./work", NULL, NULL, argv, none))
		waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid) {
		execvp("./work", argv);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}
END
gcc -shared -fPIC -o libearly.so early.c && gcc -o late fails.c -w -D_GNU_SOURCE \
	-Wl,--no-as-needed "$ULF_BUILD/libulf.so.0" ./libearly.so -Wl,-rpath,"$ULF_BUILD" ||
	fail "early.c"
./late >out || fail "early: status $?"
expect "early" "2 arguments 2 arguments " "$(grep arguments out | tr '\n' ' ')"

# Programs into which libulf cannot be loaded start as they do without ulf, and say the same.
refused=0
refuse() { # PROGRAM REASON
	./"$1" 1 >wanted 2>&1
	run_work sh -c "./$1 1 2>&1"
	expect "$1: output" "$(cat wanted)" "$(cat out)"
	contains "$(cat err)" "$1 was not followed: $2"
	refused=$((refused + 1))
}
gcc -O1 -static -o static work.c && refuse static "it is linked statically"
if gcc -O1 -fsanitize=address -o asan work.c 2>/dev/null; then
	refuse asan "it has AddressSanitizer"
else
	echo "no libasan: programs with AddressSanitizer are not tested"
fi
if command -v musl-gcc >/dev/null && musl-gcc -O1 -o musl work.c; then
	refuse musl "it has another dynamic linker"
else
	echo "no musl-gcc: programs with musl are not tested"
fi
if gcc -m32 -O1 -o small work.c 2>/dev/null; then
	refuse small "it is not a program for 64-bit x86"
else
	echo "no 32-bit libc: programs of 32 bits are not tested"
fi
cp work unreadable && chmod 111 unreadable && refuse unreadable "its file cannot be read"
gcc -O1 -o inside work.c -Wl,-u,tracing_on "$ULF_BUILD/libulf.a" -pthread &&
	refuse inside "it contains libulf.a"
secure=$(find /usr/bin /bin -maxdepth 1 -perm -4001 -user root -name su | head -n 1)
if [ -n "$secure" ] && [ "$(id -u)" != 0 ]; then
	run_work sh -c "$secure --version"
	contains "$(cat err)" "su was not followed: it gets other rights"
else
	echo "no set-uid program: not tested"
fi

# ULF_DISABLE leaves a program out; another ulf run below has its own settings.
run_work sh -c 'ULF_DISABLE=1 ./work 1; ./work 1 2'
expect "ULF_DISABLE: programs" "work " "$(names)"
run_work sh -c 'ulf run -o inner --ftrace=function --ftrace-filter=main ./work 1 2>/dev/null; ./work 2'
expect "inner run: programs" "work " "$(names)"
expect "inner run: records" "1 0" "$(grep -c ': main <-' inner) $(grep -c ': work <-' inner)"

# A program in the background is reported if it is still alive.  The shell ends when its child has
# become this program: until then the child belongs to the shell's root.
run_work sh -c './work 1; exec >/dev/null 2>&1; sleep 100 & echo $! >sleeper
	until grep -qx sleep /proc/$!/comm; do :; done'
expect "background: programs" "work " "$(names | sed 's/sleep //')"
kill "$(cat sleeper)"

# An environment that has the variable twice, not both in the same form.
cat >twice.py <<'END'
import ctypes, os, sys

env = [b'ULF_HOLD=1', b'ULF_FOLLOW=1:/x/libulf.so', b'ULF_FOLLOW=x',
       b'LD_PRELOAD=' + os.fsencode(sys.argv[1])]
argv = [b'sh', b'-c', b'/bin/true; echo $?']
array = lambda texts: (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
ctypes.CDLL(None).execve(b'/bin/sh', array(argv), array(env))
END
expect "variable twice" 0 "$(python3 twice.py "$ULF_BUILD/libulf.so.0")"

# --live shows one program.
ulf run --follow --live -- ./script 2>err && fail "--live"
contains "$(cat err)" "--follow cannot be used with --live"
echo "score: $refused kinds of programs that cannot be followed"
exit 0
