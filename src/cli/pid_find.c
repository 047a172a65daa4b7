/* SPDX-License-Identifier: MIT */
#include "cli/pid_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/terminal.h"

#define SHOWN_MAX	20		/* maximum number of processes that the error message
					 * lists */
#define LINE_BYTES	80

struct candidates {
	const char *name;
	pid_t pids[SHOWN_MAX];
	size_t nr;
};

/* Read the first line of /proc/PID/FILE, or the text up to the first NUL. */
static void read_text(pid_t pid, const char *file, char *text, size_t bytes)
{
	char path[64];
	FILE *stream;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	stream = fopen(path, "re");
	n = stream ? fread(text, 1, bytes - 1, stream) : 0;
	if (stream)
		fclose(stream);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* Returns true if the name of the file that the process executes is @name. */
static bool is_file(pid_t pid, const char *name)
{
	char path[64], exe[4096];
	const char *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	len = readlink(path, exe, sizeof(exe) - 1);
	if (len <= 0)
		return false;
	exe[len] = '\0';
	slash = strrchr(exe, '/');
	return !strcmp(slash ? slash + 1 : exe, name);
}

/* Return true if the process belongs to this user.  The real user id in the process's status
 * file is compared.  The owner of the files in /proc cannot be used, because for a process
 * that is not dumpable it is root. */
static bool is_own(pid_t pid)
{
	char text[4096];
	const char *line;
	unsigned int uid;
	char path[64];
	FILE *stream;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	stream = fopen(path, "re");
	n = stream ? fread(text, 1, sizeof(text) - 1, stream) : 0;
	if (stream)
		fclose(stream);
	text[n] = '\0';
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u", &uid) == 1 && uid == getuid();
}

void pid_each(void (*emit)(void *arg, pid_t pid, const char *comm), void *arg)
{
	char comm[LINE_BYTES];
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0 || pid == getpid() || !is_own(pid))
			continue;
		read_text(pid, "comm", comm, sizeof(comm));
		emit(arg, pid, comm);
	}
	if (dir)
		closedir(dir);
}

static void add_candidate(void *arg, pid_t pid, const char *comm)
{
	struct candidates *candidates = arg;

	if (strcmp(comm, candidates->name) && !is_file(pid, candidates->name))
		return;
	if (candidates->nr < SHOWN_MAX)
		candidates->pids[candidates->nr] = pid;
	candidates->nr++;
}

static void print_candidates(const struct candidates *candidates)
{
	char line[LINE_BYTES];

	cli_error("%zu processes are called %s; attach to one of them by its process id:",
		  candidates->nr, candidates->name);
	for (size_t i = 0; i < candidates->nr && i < SHOWN_MAX; i++) {
		char path[64];
		FILE *stream;
		size_t n;

		snprintf(path, sizeof(path), "/proc/%d/cmdline", candidates->pids[i]);
		stream = fopen(path, "re");
		n = stream ? fread(line, 1, sizeof(line) - 1, stream) : 0;
		if (stream)
			fclose(stream);
		for (size_t k = 0; k + 1 < n; k++)
			if (!line[k])
				line[k] = ' ';
		line[n] = '\0';
		terminal_line(stderr, "     %d %s", candidates->pids[i], line);
	}
	if (candidates->nr > SHOWN_MAX)
		terminal_line(stderr, "     ... and %zu more", candidates->nr - SHOWN_MAX);
}

static pid_t find_by_name(const char *name)
{
	struct candidates candidates = { .name = name };

	pid_each(add_candidate, &candidates);
	if (candidates.nr == 1)
		return candidates.pids[0];
	if (candidates.nr)
		print_candidates(&candidates);
	else
		cli_error("no process of this user is called %s", name);
	return -1;
}

pid_t pid_find(const char *word)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(word, &end, 10);
	if (*end || !*word)
		return find_by_name(word);
	if (errno || number <= 0 || number != (pid_t)number) {
		cli_error("%s is not a process id", word);
		return -1;
	}
	return (pid_t)number;
}
