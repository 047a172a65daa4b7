/* SPDX-License-Identifier: MIT */
/* System calls: look up descriptors, do the work, and return to user mode. */
#include <errno.h>
#include <string.h>

#include <mini/net.h>
#include <mini/sched.h>
#include <mini/slab.h>
#include <mini/syscalls.h>
#include <mini/time.h>

static ssize_t syscall_return(ssize_t r)
{
	exit_to_user_mode();
	return r;
}

static int fd_install(struct file *file)
{
	int fd;

	for (fd = 0; fd < NR_OPEN; fd++) {
		if (current->files->fd[fd])
			continue;
		current->files->fd[fd] = file;
		return fd;
	}
	filp_close(file);
	return -EMFILE;
}

static struct file *fget(int fd)
{
	return fd >= 0 && fd < NR_OPEN ? current->files->fd[fd] : NULL;
}

int sys_open(const char *path, unsigned int flags)
{
	struct file *file;
	int r = vfs_open(path, flags, &file);

	if (r == 0)
		r = fd_install(file);
	return (int)syscall_return(r);
}

ssize_t sys_read(int fd, char *buf, size_t len)
{
	struct file *file = fget(fd);

	return syscall_return(file ? vfs_read(file, buf, len) : -EBADF);
}

ssize_t sys_write(int fd, const char *buf, size_t len)
{
	struct file *file = fget(fd);

	return syscall_return(file ? vfs_write(file, buf, len) : -EBADF);
}

int sys_close(int fd)
{
	struct file *file = fget(fd);

	if (!file)
		return (int)syscall_return(-EBADF);
	current->files->fd[fd] = NULL;
	filp_close(file);
	return (int)syscall_return(0);
}

int sys_socket(u16 port)
{
	struct file *file = alloc_file(FILE_READ | FILE_WRITE);
	int r;

	if (!file)
		return (int)syscall_return(-ENOMEM);
	r = sock_create(port, &file->socket);
	if (r < 0)
		filp_close(file);
	else
		r = fd_install(file);
	return (int)syscall_return(r);
}

ssize_t sys_sendto(int fd, const void *buf, size_t len, u32 daddr, u16 dport)
{
	struct file *file = fget(fd);

	if (!file || !file->socket)
		return syscall_return(-EBADF);
	return syscall_return(sock_sendmsg(file->socket, buf, len, daddr, dport));
}

ssize_t sys_recvfrom(int fd, void *buf, size_t len, struct flow *ret_from, int timeout_ms)
{
	struct file *file = fget(fd);

	if (!file || !file->socket)
		return syscall_return(-EBADF);
	return syscall_return(sock_recvmsg(file->socket, buf, len, ret_from,
					   (long)msecs_to_jiffies(timeout_ms)));
}

int sys_nanosleep(s64 ns)
{
	return (int)syscall_return(hrtimer_nanosleep(ns));
}

int sys_sleep(unsigned int ms)
{
	long left;

	set_current_state(TASK_INTERRUPTIBLE);
	left = schedule_timeout((long)msecs_to_jiffies(ms));
	return (int)syscall_return(left ? -EINTR : 0);
}

/* Arguments of a new child.  The parent allocates them and the child frees them. */
struct spawn {
	char path[PATH_LEN];
	char args[ARGS_LEN];
};

static int spawned(void *arg)
{
	struct spawn spawn = *(struct spawn *)arg;

	kfree(arg);
	return do_execve(spawn.path, spawn.args);
}

pid_t sys_spawn(const char *path, const char *args)
{
	struct task_struct *child;
	struct spawn *spawn;
	pid_t pid;

	if (strlen(path) >= PATH_LEN || strlen(args) >= ARGS_LEN)
		return (pid_t)syscall_return(-E2BIG);
	spawn = kzalloc(sizeof(*spawn), GFP_KERNEL);
	if (!spawn)
		return (pid_t)syscall_return(-ENOMEM);
	strcpy(spawn->path, path);
	strcpy(spawn->args, args);
	child = kernel_clone(spawned, spawn, kbasename(path), &pid);
	if (!child)
		kfree(spawn);
	return (pid_t)syscall_return(child ? pid : -EAGAIN);
}

pid_t sys_wait4(pid_t pid, int *ret_status)
{
	return (pid_t)syscall_return(kernel_wait4(pid, ret_status));
}

int sys_kill(pid_t pid, int sig)
{
	return (int)syscall_return(kernel_kill(pid, sig));
}

int sys_sigaction(int sig, sighandler handler)
{
	return (int)syscall_return(do_sigaction(sig, handler));
}

int sys_nice(int nice)
{
	if (nice < -20 || nice > 19)
		return (int)syscall_return(-EINVAL);
	set_user_nice(current, nice);
	return (int)syscall_return(0);
}
