/* SPDX-License-Identifier: MIT */
/* Programs: files in /bin whose first line names the function to run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <mini/sched.h>
#include <mini/syscalls.h>

#include "trace/events/sched.h"

#define MAGIC		"#!mini "
#define HEADER_LEN	64

const struct program programs[] = {
	{ "client", client_main },
	{ "server", server_main },
	{ "ping", ping_main },
	{ "logger", logger_main },
	{ "cron", cron_main },
	{ "make", make_main },
	{ "sh", sh_main },
	{ "console", console_main },
	{ "cat", cat_main },
	{ "wc", wc_main },
	{ "sum", sum_main },
	{ "sleep", sleep_main },
	{ "true", true_main },
	{ "ls", ls_main },
	{ "nice", nice_main },
	{ "insmod", insmod_main },
	{ "rmmod", rmmod_main },
	{ NULL, NULL },
};

static const struct program *find_program(char *header)
{
	const struct program *program;
	char *name = header + strlen(MAGIC);

	if (strncmp(header, MAGIC, strlen(MAGIC)))
		return NULL;
	name[strcspn(name, "\n")] = '\0';
	for (program = programs; program->name; program++)
		if (!strcmp(program->name, name))
			return program;
	return NULL;
}

static int load_program(const char *path, const struct program **ret_program)
{
	char header[HEADER_LEN] = "";
	struct file *file;
	ssize_t n;
	int r;

	r = vfs_open(path, FILE_READ, &file);
	if (r < 0)
		return r;
	n = vfs_read(file, header, sizeof(header) - 1);
	filp_close(file);
	if (n < 0)
		return (int)n;
	*ret_program = find_program(header);
	return *ret_program ? 0 : -ENOEXEC;
}

const char *kbasename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int do_execve(const char *path, const char *args)
{
	const struct program *program = NULL;
	int r = load_program(path, &program);

	if (r < 0)
		return r;
	set_task_comm(current, kbasename(path));
	flush_signal_handlers(current);
	trace_sched_process_exec(current, current->pid, path);
	exit_to_user_mode();
	do_exit(program->main(args));
}

int exec_init(void)
{
	const struct program *program;
	char path[PATH_LEN], header[HEADER_LEN];
	struct file *file;
	int r = vfs_mkdir("/bin");

	for (program = programs; program->name && r == 0; program++) {
		snprintf(path, sizeof(path), "/bin/%s", program->name);
		snprintf(header, sizeof(header), MAGIC "%s\n", program->name);
		r = vfs_open(path, FILE_WRITE | FILE_CREATE, &file);
		if (r < 0)
			break;
		if (vfs_write(file, header, strlen(header)) < 0)
			r = -ENOSPC;
		filp_close(file);
	}
	return r;
}
