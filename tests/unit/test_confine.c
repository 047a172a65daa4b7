/* SPDX-License-Identifier: MIT */
/* server_confine(): what a confined process can do and what it cannot do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/confine.h"

static int call_socket_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int call_socket_inet(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0);
}

static int call_socket_netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW, 0);
}

static int call_mount(void)
{
	return mount("none", "/nosuch", "tmpfs", 0, NULL);
}

static int call_umount(void)
{
	return umount2("/nosuch", MNT_DETACH);
}

static int call_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}

static int call_clone(void)
{
	return (int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
}

static int call_bpf(void)
{
	return (int)syscall(SYS_bpf, -1, NULL, 0);
}

static int call_vm_writev(void)
{
	return (int)syscall(SYS_process_vm_writev, getpid(), NULL, 0, NULL, 0, 0);
}

static int call_sti(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

static int call_keyctl(void)
{
	return (int)syscall(SYS_keyctl, 0, 0, 0, 0, 0);
}

/* A system call of the x32 table, which has getpid(), too. */
static int call_x32(void)
{
	return (int)syscall(0x40000000 | SYS_getpid);
}

/* A system call of the 32-bit table. */
static int call_i386(void)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
	if (ret >= 0)
		return 0;
	errno = (int)-ret;
	return -1;
}

static int call_fork(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

static int call_exec(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

static void *do_nothing(void *arg)
{
	return arg;
}

static int call_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, do_nothing, NULL))
		return -1;
	return pthread_join(thread, NULL) ? -1 : 0;
}

static int call_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1;
}

static const struct {
	const char *name;
	int (*call)(void);
	int error;			/* 0: the call works */
} cases[] = {
	{ "no_new_privs", call_privileges, 0 },
	{ "fork", call_fork, 0 },
	{ "exec", call_exec, 0 },
	{ "a thread", call_thread, 0 },
	{ "socket(AF_UNIX)", call_socket_unix, 0 },
	{ "socket(AF_INET)", call_socket_inet, EPERM },
	{ "socket(AF_NETLINK)", call_socket_netlink, EPERM },
	{ "mount", call_mount, EPERM },
	{ "umount2", call_umount, EPERM },
	{ "unshare", call_unshare, EPERM },
	{ "clone(CLONE_NEWUSER)", call_clone, EPERM },
	{ "bpf", call_bpf, EPERM },
	{ "process_vm_writev", call_vm_writev, EPERM },
	{ "keyctl", call_keyctl, EPERM },
	{ "ioctl(TIOCSTI)", call_sti, EPERM },
	{ "x32", call_x32, EPERM },
	{ "i386", call_i386, EPERM },
};

/* Runs in a child, because it cannot be undone.  The exit status is the number of the failed
 * case. */
static int run_cases(void)
{
	size_t i;
	int r;

	if (server_confine() < 0)
		return 77;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = 0;
		r = cases[i].call();
		if ((r < 0 ? errno : 0) == cases[i].error && (r >= 0) == !cases[i].error)
			continue;
		fprintf(stderr, "%s: %d, errno %d\n", cases[i].name, r, errno);
		return (int)i + 1;
	}
	return 0;
}

static void the_policy_is_in_force(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(run_cases());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("the kernel has no seccomp filters\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_policy_is_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
