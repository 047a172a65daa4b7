/* SPDX-License-Identifier: MIT */
/* Wait until threads sleep, in place of a pause that is long enough in most cases. */
#ifndef TESTS_LIB_ASLEEP_H
#define TESTS_LIB_ASLEEP_H

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"

/* Returns true if thread @tid of this process sleeps in the kernel, or has ended. */
static inline bool asleep_is(pid_t tid)
{
	char path[64], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	state = strrchr(text, ')');	/* the name of the thread may have blanks */
	return !state || strchr("SZX", state[2]);
}

/* Wait until all other threads of this process sleep, libulf's agent too. */
static inline void asleep_wait_for_others(void)
{
	bool is_awake = true;

	while (is_awake) {
		DIR *dir = opendir("/proc/self/task");
		struct dirent *entry;

		CHECK(dir);
		is_awake = false;
		while ((entry = readdir(dir))) {
			pid_t tid = atoi(entry->d_name);

			if (tid > 0 && tid != gettid() && !asleep_is(tid))
				is_awake = true;
		}
		closedir(dir);
		if (is_awake)
			sched_yield();
	}
}

#endif
