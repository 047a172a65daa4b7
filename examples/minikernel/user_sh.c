/* SPDX-License-Identifier: MIT */
/* The shells, one of which runs its script again and again, and the commands of this script. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mini/syscalls.h>
#include <mini/time.h>

#define SCRIPT_MAX	1024
#define PAUSE_MS	150
#define KILL_AFTER_MS	40

static ssize_t read_script(const char *path, char *buf, size_t size)
{
	int fd = sys_openat(AT_FDCWD, path, FILE_READ);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = sys_read(fd, buf, size - 1);
	sys_close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

/* Run a command that the shell itself executes.  Returns false if @line is none. */
static bool run_builtin(const char *line, const char *args)
{
	static const struct {
		const char *name;
		int (*run)(const char *args);
	} builtins[] = { { "cd", sys_chdir }, { "mark", write_marker } };
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (!strcmp(builtins[i].name, line)) {
			builtins[i].run(args);
			return true;
		}
	}
	return false;
}

/* Run "command args" or "command args &".  A command with & is killed after a while. */
static void run_command(char *line)
{
	char path[PATH_LEN], *args = line + strcspn(line, " ");
	size_t len;
	int status;
	bool in_background;
	pid_t pid;

	if (*args)
		*args++ = '\0';
	if (run_builtin(line, args))
		return;
	len = strlen(args);
	in_background = len && args[len - 1] == '&';
	if (in_background)
		args[len - 1] = '\0';
	if (snprintf(path, sizeof(path), "/bin/%s", line) >= (int)sizeof(path))
		return;
	pid = sys_spawn(path, args);
	if (pid < 0)
		return;
	if (in_background) {
		sys_sleep(KILL_AFTER_MS);
		sys_kill(pid, SIGTERM);
	}
	sys_wait4(pid, &status);
	atomic_fetch_add(&user_stats.commands, 1);
}

int sh_main(const char *args)
{
	char script[SCRIPT_MAX], *line, *end;

	for (;;) {
		if (read_script(args, script, sizeof(script)) <= 0)
			return 1;
		for (line = script; *line; line = end) {
			end = line + strcspn(line, "\n");
			if (*end)
				*end++ = '\0';
			run_command(line);
			sys_sleep(PAUSE_MS);
		}
	}
}

/* The shell of the console, which prints a prompt, runs a line, and repeats this. */
int console_main(const char *args)
{
	static const char prompt[] = "# ";
	char line[SCRIPT_MAX];
	int fd = sys_openat(AT_FDCWD, "/dev/console", FILE_READ | FILE_WRITE);
	ssize_t n;

	(void)args;
	if (fd < 0)
		return 1;
	for (;;) {
		sys_write(fd, prompt, strlen(prompt));
		n = sys_read(fd, line, sizeof(line) - 1);
		if (n <= 0)
			return n < 0;
		line[n] = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			run_command(line);
	}
}

/* Call @fn for each chunk of the file. */
static int for_each_chunk(const char *path, void (*fn)(const char *buf, size_t len, void *arg),
			  void *arg)
{
	char buf[512];
	ssize_t n;
	int fd = sys_openat(AT_FDCWD, path, FILE_READ);

	if (fd < 0)
		return fd;
	while ((n = sys_read(fd, buf, sizeof(buf))) > 0)
		fn(buf, (size_t)n, arg);
	sys_close(fd);
	return (int)n;
}

/* Write the text to /dev/null, because there is no terminal to write to. */
static void put_text(const char *text, size_t len)
{
	int fd = sys_openat(AT_FDCWD, "/dev/null", FILE_WRITE);

	if (fd < 0)
		return;
	sys_write(fd, text, len);
	sys_close(fd);
}

static void cat_chunk(const char *buf, size_t len, void *arg)
{
	(void)arg;
	put_text(buf, len);
}

int cat_main(const char *args)
{
	return for_each_chunk(args, cat_chunk, NULL) < 0;
}

static void wc_chunk(const char *buf, size_t len, void *arg)
{
	unsigned long *lines = arg;

	while (len--)
		*lines += buf[len] == '\n';
}

int wc_main(const char *args)
{
	unsigned long lines = 0;
	char text[32];

	if (for_each_chunk(args, wc_chunk, &lines) < 0)
		return 1;
	snprintf(text, sizeof(text), "%lu\n", lines);
	put_text(text, strlen(text));
	return 0;
}

static void sum_chunk(const char *buf, size_t len, void *arg)
{
	u32 *crc = arg;
	size_t i;
	int bit;

	for (i = 0; i < len; i++) {
		*crc ^= (u8)buf[i];
		for (bit = 0; bit < 8; bit++)
			*crc = *crc >> 1 ^ (*crc & 1 ? 0xedb88320u : 0);
	}
}

/* Compute for several ticks, so that the task gets preempted. */
int sum_main(const char *args)
{
	u32 crc = ~0u;
	char text[32];
	int round;

	for (round = 0; round < 8; round++)
		if (for_each_chunk(args, sum_chunk, &crc) < 0)
			return 1;
	snprintf(text, sizeof(text), "%08x\n", ~crc);
	put_text(text, strlen(text));
	return 0;
}

int sleep_main(const char *args)
{
	sys_nanosleep((s64)(strtod(args, NULL) * (double)NSEC_PER_SEC));
	return 0;
}

int true_main(const char *args)
{
	(void)args;
	return 0;
}

int ls_main(const char *args)
{
	return for_each_chunk(*args ? args : ".", cat_chunk, NULL) < 0;
}

/* Run "N command args" with another priority. */
int nice_main(const char *args)
{
	char path[PATH_LEN], name[NAME_LEN] = "";
	int nice = 0, len = 0;

	sscanf(args, "%d %31s %n", &nice, name, &len);
	if (!*name || sys_nice(nice) < 0)
		return 1;
	snprintf(path, sizeof(path), "/bin/%s", name);
	return do_execve(path, args + len) < 0;
}
