/* SPDX-License-Identifier: MIT */
/* System calls: look up descriptors, do the work, and return to user mode. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include <mini/net.h>
#include <mini/sched.h>
#include <mini/slab.h>
#include <mini/syscalls.h>
#include <mini/time.h>

#include "trace/events/raw_syscalls.h"
#include "trace/events/syscalls.h"

#define ARG(x)	((unsigned long)(x))

/* Report that a system call begins.  @nr: its number on the real machine. */
#define syscall_enter(nr, ...) \
	trace_sys_enter(nr, (const unsigned long[NR_SYSCALL_ARGS]){ __VA_ARGS__ })

static ssize_t syscall_return(long nr, ssize_t r)
{
	trace_sys_exit(nr, r);
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

static int open_file(const char *path, unsigned int flags)
{
	struct file *file;
	int r = vfs_open(path, flags, &file);

	return r == 0 ? fd_install(file) : r;
}

int sys_open(const char *path, unsigned int flags)
{
	int r;

	syscall_enter(SYS_open, ARG(path), flags);
	trace_sys_enter_open(SYS_open, path, flags);
	r = open_file(path, flags);
	trace_sys_exit_open(SYS_open, r);
	return (int)syscall_return(SYS_open, r);
}

int sys_openat(int dfd, const char *path, unsigned int flags)
{
	int r;

	syscall_enter(SYS_openat, ARG(dfd), ARG(path), flags);
	trace_sys_enter_openat(SYS_openat, dfd, path, flags);
	r = dfd == AT_FDCWD ? open_file(path, flags) : -EBADF;
	trace_sys_exit_openat(SYS_openat, r);
	return (int)syscall_return(SYS_openat, r);
}

static int change_dir(const char *path)
{
	struct dentry *dentry;
	int r = path_lookup(path, &dentry);

	if (r == 0 && !dentry->inode->is_dir)
		r = -ENOTDIR;
	if (r == 0)
		current->cwd = dentry;
	return r;
}

int sys_chdir(const char *path)
{
	int r;

	syscall_enter(SYS_chdir, ARG(path));
	trace_sys_enter_chdir(SYS_chdir, path);
	r = change_dir(path);
	trace_sys_exit_chdir(SYS_chdir, r);
	return (int)syscall_return(SYS_chdir, r);
}

ssize_t sys_read(int fd, char *buf, size_t len)
{
	struct file *file = fget(fd);

	syscall_enter(SYS_read, ARG(fd), ARG(buf), len);
	return syscall_return(SYS_read, file ? vfs_read(file, buf, len) : -EBADF);
}

ssize_t sys_write(int fd, const char *buf, size_t len)
{
	struct file *file = fget(fd);

	syscall_enter(SYS_write, ARG(fd), ARG(buf), len);
	return syscall_return(SYS_write, file ? vfs_write(file, buf, len) : -EBADF);
}

int sys_close(int fd)
{
	struct file *file = fget(fd);

	syscall_enter(SYS_close, ARG(fd));
	if (!file)
		return (int)syscall_return(SYS_close, -EBADF);
	current->files->fd[fd] = NULL;
	filp_close(file);
	return (int)syscall_return(SYS_close, 0);
}

int sys_socket(u16 port)
{
	struct file *file;
	int r;

	syscall_enter(SYS_socket, port);
	file = alloc_file(FILE_READ | FILE_WRITE);
	if (!file)
		return (int)syscall_return(SYS_socket, -ENOMEM);
	r = sock_create(port, &file->socket);
	if (r < 0)
		filp_close(file);
	else
		r = fd_install(file);
	return (int)syscall_return(SYS_socket, r);
}

ssize_t sys_sendto(int fd, const void *buf, size_t len, u32 daddr, u16 dport)
{
	struct file *file = fget(fd);
	ssize_t r = -EBADF;

	syscall_enter(SYS_sendto, ARG(fd), ARG(buf), len, daddr, dport);
	if (file && file->socket)
		r = sock_sendmsg(file->socket, buf, len, daddr, dport);
	return syscall_return(SYS_sendto, r);
}

ssize_t sys_recvfrom(int fd, void *buf, size_t len, struct flow *ret_from, int timeout_ms)
{
	struct file *file = fget(fd);
	ssize_t r = -EBADF;

	syscall_enter(SYS_recvfrom, ARG(fd), ARG(buf), len, ARG(ret_from), ARG(timeout_ms));
	if (file && file->socket)
		r = sock_recvmsg(file->socket, buf, len, ret_from,
				 (long)msecs_to_jiffies(timeout_ms));
	return syscall_return(SYS_recvfrom, r);
}

int sys_nanosleep(s64 ns)
{
	syscall_enter(SYS_nanosleep, ARG(ns));
	return (int)syscall_return(SYS_nanosleep, hrtimer_nanosleep(ns));
}

int sys_sleep(unsigned int ms)
{
	long left;

	syscall_enter(SYS_select, ms);
	set_current_state(TASK_INTERRUPTIBLE);
	left = schedule_timeout((long)msecs_to_jiffies(ms));
	return (int)syscall_return(SYS_select, left ? -EINTR : 0);
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

	syscall_enter(SYS_clone, ARG(path), ARG(args));
	if (strlen(path) >= PATH_LEN || strlen(args) >= ARGS_LEN)
		return (pid_t)syscall_return(SYS_clone, -E2BIG);
	spawn = kzalloc(sizeof(*spawn), GFP_KERNEL);
	if (!spawn)
		return (pid_t)syscall_return(SYS_clone, -ENOMEM);
	strcpy(spawn->path, path);
	strcpy(spawn->args, args);
	child = kernel_clone(spawned, spawn, kbasename(path), &pid);
	if (!child)
		kfree(spawn);
	return (pid_t)syscall_return(SYS_clone, child ? pid : -EAGAIN);
}

pid_t sys_wait4(pid_t pid, int *ret_status)
{
	syscall_enter(SYS_wait4, ARG(pid), ARG(ret_status));
	return (pid_t)syscall_return(SYS_wait4, kernel_wait4(pid, ret_status));
}

int sys_kill(pid_t pid, int sig)
{
	syscall_enter(SYS_kill, ARG(pid), ARG(sig));
	return (int)syscall_return(SYS_kill, kernel_kill(pid, sig));
}

int sys_sigaction(int sig, sighandler handler)
{
	syscall_enter(SYS_rt_sigaction, ARG(sig), ARG(handler));
	return (int)syscall_return(SYS_rt_sigaction, do_sigaction(sig, handler));
}

int sys_nice(int nice)
{
	int r = 0;

	syscall_enter(SYS_setpriority, ARG(nice));
	if (nice < -20 || nice > 19)
		r = -EINVAL;
	else
		set_user_nice(current, nice);
	return (int)syscall_return(SYS_setpriority, r);
}
