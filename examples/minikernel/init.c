/* SPDX-License-Identifier: MIT */
/* The first task, which starts the services, and ends them when the power goes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <mini/power.h>
#include <mini/sched.h>
#include <mini/syscalls.h>
#include <mini/tty.h>

#define WORDS_BYTES	(24 * 1024)

static const char script[] =
	"cat /etc/motd\n"
	"wc /usr/words0\n"
	"sum /usr/words1\n"
	"cat /proc/meminfo\n"
	"sleep 9 &\n"
	"wc /var/log/access\n"
	"cat /proc/netdev\n";

static const char *const directories[] = {
	"/dev", "/etc", "/usr", "/var", "/var/log", "/var/www",
};

struct user_stats user_stats;

static ssize_t null_write(struct file *file, const char *buf, size_t len, size_t pos)
{
	(void)file;
	(void)buf;
	(void)pos;
	return (ssize_t)len;
}

static ssize_t null_read(struct file *file, char *buf, size_t len, size_t pos)
{
	(void)file;
	(void)buf;
	(void)len;
	(void)pos;
	return 0;
}

static const struct file_operations null_fops = {
	.read = null_read,
	.write = null_write,
};

static int write_file(const char *path, const char *text, size_t len)
{
	struct file *file;
	ssize_t n;
	int r;

	r = vfs_open(path, FILE_WRITE | FILE_CREATE, &file);
	if (r < 0)
		return r;
	n = vfs_write(file, text, len);
	filp_close(file);
	return n == (ssize_t)len ? 0 : -ENOSPC;
}

static int write_pages(void)
{
	char path[PATH_LEN], page[900];
	int i, r = 0;

	for (i = 0; i < 4 && r == 0; i++) {
		snprintf(path, sizeof(path), "/var/www/%d.html", i);
		memset(page, 'a' + i, sizeof(page));
		page[200 * i + 99] = '\n';
		r = write_file(path, page, (size_t)(200 * i + 100));
	}
	return r;
}

static int write_words(unsigned int seed)
{
	char path[PATH_LEN], line[64];
	struct file *file;
	int len, r;

	snprintf(path, sizeof(path), "/usr/words%u", seed);
	r = vfs_open(path, FILE_WRITE | FILE_CREATE, &file);
	if (r < 0)
		return r;
	while (file->pos < WORDS_BYTES && r == 0) {
		seed = seed * 1664525u + 1013904223u;
		len = snprintf(line, sizeof(line), "word%x\n", seed);
		if (vfs_write(file, line, (size_t)len) != len)
			r = -ENOSPC;
	}
	filp_close(file);
	return r;
}

/* Create the files that exist from the start. */
int rootfs_init(void)
{
	static const char motd[] = "Welcome to the mini kernel.\n";
	size_t i;
	int r = exec_init();

	for (i = 0; i < ARRAY_SIZE(directories) && r == 0; i++)
		r = vfs_mkdir(directories[i]);
	if (r == 0)
		r = vfs_create("/dev/null", &null_fops, NULL);
	if (r == 0)
		r = write_file("/etc/motd", motd, strlen(motd));
	if (r == 0)
		r = write_file("/etc/rc", script, strlen(script));
	if (r == 0)
		r = write_pages();
	for (i = 0; i < NR_WORD_FILES && r == 0; i++)
		r = write_words((unsigned int)i);
	return r;
}

static const struct {
	const char *path;
	const char *args;
	const unsigned int *number;	/* if not NULL, *number is the argument of the
					 * service, which is not started if *number is 0 */
	enum { ALWAYS, WITH_CONSOLE, WITHOUT_CONSOLE } when;
} services[] = {
	{ "/bin/server", "", NULL, ALWAYS },
	{ "/bin/client", NULL, &boot_rate, ALWAYS },
	{ "/bin/ping", "", NULL, ALWAYS },
	{ "/bin/logger", "", NULL, ALWAYS },
	{ "/bin/cron", "", NULL, WITHOUT_CONSOLE },
	{ "/bin/make", NULL, &boot_forks, WITHOUT_CONSOLE },
	{ "/bin/sh", "/etc/rc", NULL, WITHOUT_CONSOLE },
	{ "/bin/console", "", NULL, WITH_CONSOLE },
};

static atomic_bool is_going_down;

static void power_lost(int sig)
{
	(void)sig;
	atomic_store(&is_going_down, true);
}

static void start_services(void)
{
	char number[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		if (services[i].when == (boot_console ? WITHOUT_CONSOLE : WITH_CONSOLE))
			continue;
		if (!services[i].number) {
			sys_spawn(services[i].path, services[i].args);
		} else if (*services[i].number) {
			snprintf(number, sizeof(number), "%u", *services[i].number);
			sys_spawn(services[i].path, number);
		}
	}
}

static void stop_services(void)
{
	int status;

	sys_kill(-1, SIGTERM);
	while (sys_wait4(-1, &status) != -ECHILD)
		;
}

int init_main(void *arg)
{
	int status;

	(void)arg;
	init_process = current;
	set_task_comm(current, "init");
	sys_sigaction(SIGTERM, power_lost);
	start_services();
	while (!atomic_load(&is_going_down))
		if (sys_wait4(-1, &status) == -ECHILD)
			sys_sleep(1000);
	stop_services();
	kernel_power_off();
	return 0;
}
