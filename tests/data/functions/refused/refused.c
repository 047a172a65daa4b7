/* SPDX-License-Identifier: MIT */
/*
 * refused NUMBER...: from now on these system calls fail with EPERM in all threads.  The
 * program calls a function again and again.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) int called(int x);

int called(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void refuse(int nr)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_TSYNC, &program))
		_exit(77);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		refuse(atoi(argv[i]));
	for (volatile int x = 0; ; usleep(1000)) {
		x = x & 1;
		if (called(x) != x + 1)
			return 1;
	}
}
