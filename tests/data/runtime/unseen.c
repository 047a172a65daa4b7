/* SPDX-License-Identifier: MIT */
/*
 * Programs that /proc does not show, or not in the usual place.
 *
 *	unseen hides		other processes cannot read its /proc/PID
 *	unseen leads		its main thread ends
 *	unseen locks FIFO	continues as a child in a sandbox that kills the agent; the
 *				sandbox begins when there is a byte in FIFO, and the parent
 *				ends when there is another one
 *	unseen runs FILE	a child executes FILE, and leaves the root
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int nr;

__attribute__((noinline)) void work(void)
{
	nr++;
}

static void *work_on(void *arg)
{
	for (;;) {
		work();
		usleep(1000);
	}
	return arg;
}

static void lock(const char *fifo)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };
	int fd = open(fifo, O_RDONLY);
	char byte;

	if (read(fd, &byte, 1) != 1 || prctl(PR_SET_DUMPABLE, 0) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	if (fork())
		_exit(read(fd, &byte, 1) != 1);
	close(fd);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "runs") && !fork()) {
		execl(argv[2], argv[2], "1000", NULL);
		_exit(1);
	}
	if (!strcmp(argv[1], "hides") && prctl(PR_SET_DUMPABLE, 0))
		return 1;
	if (!strcmp(argv[1], "locks"))
		lock(argv[2]);
	if (!strcmp(argv[1], "leads")) {
		if (pthread_create(&thread, NULL, work_on, NULL))
			return 1;
		pthread_exit(NULL);
	}
	work_on(NULL);
}
