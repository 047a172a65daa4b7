/* SPDX-License-Identifier: MIT */
/* User programs that run by the clock: one writes the log, one starts jobs. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mini/sched.h>
#include <mini/syscalls.h>
#include <mini/time.h>

#define LOG_MS		50
#define ROTATE_MS	1000

static const char *const log_files[] = { "/var/log/messages", "/var/log/access" };

/* Start new logs.  This is the handler of SIGUSR1. */
static void rotate_logs(int sig)
{
	size_t i;
	int fd;

	(void)sig;
	for (i = 0; i < ARRAY_SIZE(log_files); i++) {
		fd = sys_open(log_files[i], FILE_WRITE | FILE_CREATE | FILE_TRUNC);
		if (fd >= 0)
			sys_close(fd);
	}
}

/* Append /proc/stat to the log, again and again. */
int logger_main(const char *args)
{
	char text[128];
	ssize_t n;
	int fd;

	(void)args;
	sys_nice(5);
	sys_sigaction(SIGUSR1, rotate_logs);
	for (;;) {
		n = -1;
		fd = sys_open("/proc/stat", FILE_READ);
		if (fd >= 0) {
			n = sys_read(fd, text, sizeof(text));
			sys_close(fd);
		}
		fd = sys_open(log_files[0], FILE_WRITE | FILE_CREATE | FILE_APPEND);
		if (fd >= 0) {
			if (n > 0 && sys_write(fd, text, (size_t)n) > 0)
				atomic_fetch_add(&user_stats.log_lines, 1);
			sys_close(fd);
		}
		sys_sleep(LOG_MS);
	}
}

/* Start more jobs than there are CPUs, so that the jobs compete for CPUs. */
static void run_batch(void)
{
	char path[ARGS_LEN];
	int i, status;

	for (i = 0; i <= nr_cpus; i++) {
		snprintf(path, sizeof(path), "/usr/words%d", i % NR_WORD_FILES);
		sys_spawn("/bin/sum", path);
	}
	while (sys_wait4(-1, &status) > 0)
		;
}

/* Run commands one after the other.  @args: commands per second. */
int make_main(const char *args)
{
	int rate = atoi(args), status;
	pid_t pid;

	if (rate <= 0)
		return 1;
	for (;;) {
		sys_nanosleep(NSEC_PER_SEC / rate);
		pid = sys_spawn("/bin/true", "");
		if (pid > 0 && sys_wait4(pid, &status) == pid)
			atomic_fetch_add(&user_stats.commands, 1);
	}
}

/* Rotate the logs and run a few jobs, every second. */
int cron_main(const char *args)
{
	pid_t pid;

	(void)args;
	sys_nice(10);
	for (;;) {
		sys_sleep(ROTATE_MS);
		pid = find_task_by_comm("logger");
		if (pid > 0)
			sys_kill(pid, SIGUSR1);
		run_batch();
	}
}
