/* SPDX-License-Identifier: MIT */
/*
 * fexecve() of a program with libulf.so refuses the arguments that libc's refuses, and works where
 * a sandbox refuses execveat(), as libc's does.
 *
 * no-sanitize: address it is about libc's function
 * no-sanitize: thread it is about libc's function
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"

static char *const arguments[] = { "true", NULL };

static void expect_invalid(int fd, char *const argv[], char *const envp[])
{
	errno = 0;
	CHECK_EQ(fexecve(fd, argv, envp), -1);
	CHECK_EQ(errno, EINVAL);
}

static void refuse_execveat(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), 0);
}

int main(void)
{
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC), status;
	pid_t pid;

	CHECK(fd >= 0);
	expect_invalid(-1, arguments, environ);
	expect_invalid(fd, NULL, environ);
	expect_invalid(fd, arguments, NULL);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		refuse_execveat();
		fexecve(fd, arguments, environ);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return 0;
}
