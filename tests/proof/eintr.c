/* SPDX-License-Identifier: MIT */
/* A library to preload into a program: it counts how often system calls of the program, made
 * through libc, end with EINTR.  The counts are in the file $PROOF_EINTR: two words of 64
 * bits, the calls and those that ended with EINTR.  Forked children share them.  The library
 * does not see calls that libc makes by itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct counts {
	uint64_t calls, interrupted;
};

static struct counts nowhere, *counts = &nowhere;

__attribute__((constructor)) static void map_counts(void)
{
	const char *path = getenv("PROOF_EINTR");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *map;

	if (fd < 0)
		return;
	if (!ftruncate(fd, sizeof(struct counts))) {
		map = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED)
			counts = map;
	}
	close(fd);
}

static void count(int64_t result)
{
	__atomic_fetch_add(&counts->calls, 1, __ATOMIC_RELAXED);
	if (result == -1 && errno == EINTR)
		__atomic_fetch_add(&counts->interrupted, 1, __ATOMIC_RELAXED);
}

#define COUNTED(type, name, params, ...) \
	type name params \
	{ \
		static type(*next) params; \
		type result; \
\
		if (!next) \
			*(void **)&next = dlsym(RTLD_NEXT, #name); \
		result = next(__VA_ARGS__); \
		count((int64_t)result); \
		return result; \
	}

COUNTED(ssize_t, read, (int fd, void *data, size_t n), fd, data, n)
COUNTED(ssize_t, write, (int fd, const void *data, size_t n), fd, data, n)
COUNTED(ssize_t, pread64, (int fd, void *data, size_t n, off64_t at), fd, data, n, at)
COUNTED(ssize_t, pwrite64, (int fd, const void *data, size_t n, off64_t at), fd, data, n, at)
COUNTED(ssize_t, readv, (int fd, const struct iovec *v, int n), fd, v, n)
COUNTED(ssize_t, writev, (int fd, const struct iovec *v, int n), fd, v, n)
COUNTED(ssize_t, recv, (int fd, void *data, size_t n, int flags), fd, data, n, flags)
COUNTED(ssize_t, send, (int fd, const void *data, size_t n, int flags), fd, data, n, flags)
COUNTED(ssize_t, recvfrom,
	(int fd, void *restrict data, size_t n, int flags, struct sockaddr *restrict a,
	 socklen_t *restrict bytes),
	fd, data, n, flags, a, bytes)
COUNTED(ssize_t, sendto,
	(int fd, const void *data, size_t n, int flags, const struct sockaddr *a, socklen_t bytes),
	fd, data, n, flags, a, bytes)
COUNTED(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
COUNTED(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
COUNTED(int, accept, (int fd, struct sockaddr *restrict a, socklen_t *restrict n), fd, a, n)
COUNTED(int, accept4, (int fd, struct sockaddr *restrict a, socklen_t *restrict n, int flags), fd,
	a, n, flags)
COUNTED(int, connect, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
COUNTED(int, poll, (struct pollfd * fds, nfds_t n, int ms), fds, n, ms)
COUNTED(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *set),
	fds, n, t, set)
COUNTED(int, select,
	(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
	 struct timeval *restrict t),
	n, r, w, e, t)
COUNTED(int, epoll_wait, (int fd, struct epoll_event *events, int n, int ms), fd, events, n, ms)
COUNTED(int, epoll_pwait,
	(int fd, struct epoll_event *events, int n, int ms, const sigset_t *set), fd, events, n, ms,
	set)
COUNTED(int, nanosleep, (const struct timespec *t, struct timespec *left), t, left)
COUNTED(int, usleep, (useconds_t us), us)
COUNTED(pid_t, waitpid, (pid_t pid, int *status, int options), pid, status, options)
COUNTED(int, sem_wait, (sem_t * sem), sem)
COUNTED(int, fsync, (int fd), fd)
COUNTED(int, fdatasync, (int fd), fd)
