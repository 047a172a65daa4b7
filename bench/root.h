/* SPDX-License-Identifier: MIT */
/* Change settings of the worker's own root as a user would: with the CLI. */
#ifndef ULF_BENCH_ROOT_H
#define ULF_BENCH_ROOT_H

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

extern char **environ;

/* Write @value to @file in the root of this process. */
static inline void root_write(const char *file, const char *value)
{
	const char *ulf = getenv("ULF");
	char path[128];
	char *argv[] = { "ulf", "echo", (char *)value, path, NULL };
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s.%d/%s", program_invocation_short_name,
		 (int)getpid(), file);
	/* Standard output goes to the driver, so let the CLI write to standard error. */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, 2, 1);
	if (posix_spawnp(&pid, ulf ? ulf : "ulf", &actions, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) != pid || status)
		worker_fail("ulf echo failed");
	posix_spawn_file_actions_destroy(&actions);
}

#endif
