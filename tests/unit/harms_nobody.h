/* SPDX-License-Identifier: MIT */
/* Run a test with hostile memory in a process of its own. */
#ifndef TESTS_UNIT_HARMS_NOBODY_H
#define TESTS_UNIT_HARMS_NOBODY_H

#include <sys/wait.h>
#include <unistd.h>

#include "unit/fake_root.h"

/* Run @child in a process of its own, with an empty directory.  The test fails unless the child
 * exits with 0. */
static inline void harms_nobody(void (*child)(const char *dir))
{
	char dir[128];
	int status;
	pid_t pid;

	fake_dir_make(dir);
	pid = fork();
	if (!pid)
		child(dir);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	fake_dir_remove(dir);
	assert_int_equal(status, 0);
}

#endif
