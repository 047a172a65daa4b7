/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with libulf.  It calls work() and sleeps, for ever.
 *
 * attached [MODE]
 *	nodump	is not dumpable
 *	seccomp	has a seccomp filter, which allows everything
 *	count prints the number of its rounds when SIGTERM ends it, and checks itself
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static int set_filter(void)
{
	struct sock_filter filter[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	const struct timespec time = { 0, 1000000 };
	const char *mode = argc > 1 ? argv[1] : "count";
	unsigned long rounds = 0, wrong = 0;

	signal(SIGTERM, end);
	if (!strcmp(mode, "nodump") && prctl(PR_SET_DUMPABLE, 0))
		return 1;
	if (!strcmp(mode, "seccomp") && set_filter())
		return 1;
	puts("ready");
	fflush(stdout);
	while (!is_over) {
		errno = 77;
		wrong += work((int)rounds) != (int)rounds + 1 || errno != 77;
		if (nanosleep(&time, NULL) && !is_over)
			wrong++;
		rounds++;
	}
	printf("%lu rounds, %lu wrong\n", rounds, wrong);
	return wrong != 0;
}
