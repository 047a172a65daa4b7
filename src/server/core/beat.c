/* SPDX-License-Identifier: MIT */
/*
 * Write server.beat, the server's sign of life.  The server uses pwrite() instead of
 * mapping the file, because a mapping could cause a SIGBUS: a program of the same user
 * may truncate the file, and the file system may be full.
 */
#include "server/core/beat.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "abi/beat.h"
#include "abi/control.h"
#include "base/dir.h"

static int beat_fd = -1;		/* descriptor of the file server.beat; -1 if no
					 * beat is written */
static uint64_t last_ns;		/* time when the last beat was written,
					 * CLOCK_MONOTONIC_COARSE */

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
	/*
	 * Ignore a failure of pwrite(): on a full file system, for example, the beat
	 * cannot be written.
	 */
	(void)!pwrite(beat_fd, &beat, sizeof(beat), 0);
}
