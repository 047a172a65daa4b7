/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptrace/tasks.h"

#define PATH_BYTES	64
#define FLAG_IO_WORKER	0x10u		/* PF_IO_WORKER, a bit of the field "flags" of
					 * /proc/PID/stat */
#define FLAG_KTHREAD	0x200000u	/* PF_KTHREAD */

static int add_task(struct task_list *list, pid_t tid)
{
	if (list->nr == list->max) {
		size_t max = list->max ? 2 * list->max : 64;
		pid_t *tids = realloc(list->tids, max * sizeof(*tids));

		if (!tids)
			return -ENOMEM;
		list->tids = tids;
		list->max = max;
	}
	list->tids[list->nr++] = tid;
	return 0;
}

int tasks_read(pid_t pid, struct task_list *ret_list)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	ret_list->nr = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!r && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = add_task(ret_list, (pid_t)atoi(entry->d_name));
	closedir(dir);
	return r;
}

void tasks_done(struct task_list *list)
{
	free(list->tids);
	memset(list, 0, sizeof(*list));
}

/* The fields of /proc/PID/stat are: pid (comm) state ppid pgrp session tty_nr tpgid flags.
 * The name may contain parentheses and blanks, so search for the last parenthesis. */
struct task_stat task_stat_read(pid_t pid, pid_t tid)
{
	struct task_stat stat = { .state = TASK_NONE };
	char path[PATH_BYTES], line[512];
	unsigned int flags;
	const char *fields;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return stat;
	fields = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (fields && sscanf(fields, ") %c %d %*d %*d %*d %*d %u", &stat.state, &stat.parent,
			     &flags) == 3)
		stat.is_of_kernel = flags & (FLAG_IO_WORKER | FLAG_KTHREAD);
	fclose(file);
	return stat;
}

bool task_has_ended(struct task_stat stat)
{
	return stat.state == TASK_NONE || stat.state == 'Z' || stat.state == 'X';
}

pid_t task_tracer(pid_t pid, pid_t tid)
{
	char path[PATH_BYTES], line[256];
	pid_t tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	fclose(file);
	return tracer;
}
