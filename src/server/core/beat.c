/* SPDX-License-Identifier: MIT */
/* Signs of life.  Written by pwrite(), not to a mapping: a program of the same user may cut
 * the file short, and a full file system must not be a SIGBUS. */
#include "server/core/beat.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "abi/beat.h"
#include "abi/control.h"
#include "base/dir.h"

static int beat_fd = -1;		/* -1: nothing is written */
static uint64_t last_ns;

void beat_start(const char *dir)
{
	char path[DIR_PATH_BYTES + 32];

	if (dir_join(dir, ABI_BEAT_FILE, path, sizeof(path)) < 0)
		return;
	beat_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	beat();
}

void beat_stop(void)
{
	if (beat_fd >= 0)
		close(beat_fd);
	beat_fd = -1;
}

void beat(void)
{
	struct abi_beat beat = { .version = ABI_VERSION, .pid = (uint32_t)getpid() };
	struct timespec now;

	if (beat_fd < 0 || clock_gettime(CLOCK_MONOTONIC_COARSE, &now))
		return;
	beat.beats = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (beat.beats - last_ns < ABI_BEAT_NS)
		return;
	last_ns = beat.beats;
	/* There may be no room for it: then there is no sign, and that is no error. */
	(void)!pwrite(beat_fd, &beat, sizeof(beat), 0);
}
