/* SPDX-License-Identifier: MIT */
/* The interface of the kernel for user programs.  Results are 0 or more, or -errno.  A
 * system call delivers signals when it returns, and may give up the CPU. */
#ifndef MINI_SYSCALLS_H
#define MINI_SYSCALLS_H

#include <mini/fs.h>
#include <mini/signal.h>

#define NR_SYSCALL_ARGS	6	/* arguments that an event of a system call has */

struct flow;

/* The old system call and its successor; @dfd must be AT_FDCWD. */
int sys_open(const char *path, unsigned int flags);
int sys_openat(int dfd, const char *path, unsigned int flags);
int sys_chdir(const char *path);
ssize_t sys_read(int fd, char *buf, size_t len);
ssize_t sys_write(int fd, const char *buf, size_t len);
int sys_close(int fd);
int sys_socket(u16 port);
ssize_t sys_sendto(int fd, const void *buf, size_t len, u32 daddr, u16 dport);
ssize_t sys_recvfrom(int fd, void *buf, size_t len, struct flow *ret_from, int timeout_ms);
int sys_nanosleep(s64 ns);		/* by a high resolution timer */
int sys_sleep(unsigned int ms);		/* by the timer wheel */
/* Create a child that executes @path.  Returns the pid of the child. */
pid_t sys_spawn(const char *path, const char *args);
pid_t sys_wait4(pid_t pid, int *ret_status);
int sys_kill(pid_t pid, int sig);
int sys_sigaction(int sig, sighandler handler);
int sys_nice(int nice);

/* User programs (exec.c).  A file "#!mini NAME" runs the program NAME. */
#define ARGS_LEN	256

struct program {
	const char *name;
	int (*main)(const char *args);
};

extern const struct program programs[];

int exec_init(void);	/* creates a file in /bin for each program */
const char *kbasename(const char *path);	/* last component of @path */
/* Execute the program @path.  Returns only after an error. */
int do_execve(const char *path, const char *args);

/* programs, by file */
int client_main(const char *args);	/* user_net.c */
int server_main(const char *args);
int ping_main(const char *args);
int logger_main(const char *args);	/* user_cron.c */
int cron_main(const char *args);
int make_main(const char *args);
int sh_main(const char *args);		/* user_sh.c */
int console_main(const char *args);
int cat_main(const char *args);
int wc_main(const char *args);
int sum_main(const char *args);
int sleep_main(const char *args);
int true_main(const char *args);
int ls_main(const char *args);
int nice_main(const char *args);
int insmod_main(const char *args);	/* user_mod.c */
int rmmod_main(const char *args);
/* Write the contents of a file of the real machine to another one, by one write(2).  @args: both
 * paths.  The running task does it, so a marker in a trace_marker is that of this task. */
int write_marker(const char *args);

/* init.c */
#define NR_WORD_FILES	4	/* files /usr/words0 and so on, which programs read */

int rootfs_init(void);
int init_main(void *arg);

/* Counts of what the programs have done.  main() prints them at the end. */
struct user_stats {
	atomic_ulong requests, replies_lost, pings, pings_lost, commands, log_lines;
};

extern struct user_stats user_stats;
extern unsigned int boot_rate;	/* requests per second of the client; set by main() */
extern unsigned int boot_forks;	/* commands per second of make; set by main() */

#endif
