#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own
# no-sanitize: thread it builds a program of its own
# With ASan, a child has an agent if its parent had only one thread.  If the parent had several,
# fork() may copy ASan's list of threads while another thread has it locked, and a thread that the
# child creates would wait for this lock for ever.
. tests/cli/common

asan=$(gcc -print-file-name=libasan.so)
[ -e "$asan" ] || skip "no libasan"
cat >"$TMPDIR/forks.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *arg)
{
	if (arg) {		/* create and join threads for ever */
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		return work(arg);
	}
	return NULL;
}

/* Fork 300 times, and print how many threads the last child had. */
int main(int argc, char **argv)
{
	pthread_t thread;
	struct stat st;
	int i;

	if (argc > 1)
		pthread_create(&thread, NULL, work, argv[1]);
	for (i = 0; i < 300; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (i == 299 && !stat("/proc/self/task", &st))
				dprintf(1, "%d\n", (int)st.st_nlink - 2);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
END
gcc -O1 -foptimize-sibling-calls -pthread -fsanitize=address -o "$TMPDIR/forks" "$TMPDIR/forks.c" || fail gcc
run() { LD_PRELOAD="$asan $preload" ASAN_OPTIONS=detect_leaks=0 timeout 60 "$TMPDIR/forks" "$@"; }
expect "of one thread" 2 "$(run)"
expect "of several" 1 "$(run busy)"
