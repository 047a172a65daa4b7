/* SPDX-License-Identifier: MIT */
/*
 * Inspect a root without mapping it, to find out whether it is certainly dead, and
 * whether it may have recorded anything.  The file is sparse, so only a few bytes are
 * read: the control block, the process slots that were claimed, and one word of each
 * buffer.
 *
 * "Certainly dead" means that no slot names a process that runs, and no child is about
 * to claim a slot.  If a process with such a pid exists, it may be of another program
 * by now.  Then the answer is "not certain", and process.c decides later.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/core/root_peek.h"

static bool read_at(int fd, void *to, size_t bytes, uint64_t off)
{
	return pread(fd, to, bytes, (off_t)off) == (ssize_t)bytes;
}

bool root_peek_is_free(uint32_t pid)
{
	struct pollfd process = { .events = POLLIN };
	bool has_ended;

	if (!pid || pid > INT_MAX)
		return true;
	process.fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (process.fd < 0)
		return errno == ESRCH || errno == EINVAL;
	has_ended = poll(&process, 1, 0) > 0;
	close(process.fd);
	return has_ended;
}

static bool are_slots_free(int fd, uint64_t off, uint32_t first, uint32_t end)
{
	static struct abi_process slots[ABI_PROCESSES];	/* an array for one call; static, because
							 * it is too large for the stack */

	if (!read_at(fd, slots, (end - first) * sizeof(slots[0]),
		     off + first * sizeof(slots[0])))
		return false;
	for (uint32_t i = 0; i < end - first; i++)
		if (!root_peek_is_free(slots[i].pid))
			return false;
	return true;
}

/* Return true if no process slot names a process that exists.  Slots in a hole of the
 * sparse file were never claimed. */
static bool are_all_free(int fd, uint64_t off)
{
	const uint64_t slot_bytes = sizeof(struct abi_process);
	const uint64_t end = off + ABI_PROCESSES * slot_bytes;
	off_t data = lseek(fd, (off_t)off, SEEK_DATA);

	while (data >= 0 && (uint64_t)data < end) {
		off_t hole = lseek(fd, data, SEEK_HOLE);

		if (hole < 0)
			return false;
		if ((uint64_t)hole > end)
			hole = (off_t)end;
		if (!are_slots_free(fd, off, (uint32_t)(((uint64_t)data - off) / slot_bytes),
				    (uint32_t)(((uint64_t)hole - off + slot_bytes - 1) /
					       slot_bytes)))
			return false;
		data = lseek(fd, hole, SEEK_DATA);
	}
	return data >= 0 || errno == ENXIO;
}

/*
 * Return true if no process is left, and no child is about to claim a slot.  A child
 * is about to claim a slot if the counters forks and forks_done differ. `forks` is
 * read after the slots, and forks_done before them.  So if a child claims its slot
 * during the check, the counters differ, and the result is false, as in
 * process_scan().
 */
static bool are_all_gone(int fd, const struct abi_control *control)
{
	uint32_t forks;

	return root_peek_is_free(control->pid) && are_all_free(fd, control->processes_off) &&
	       read_at(fd, &forks, sizeof(forks), offsetof(struct abi_control, forks)) &&
	       forks == control->forks_done;
}

static bool has_recorded(int fd, const struct abi_control *control)
{
	uint32_t used;

	if (abi_has_figures(control))
		return true;
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		uint64_t off = control->buffers_off + i * sizeof(struct abi_buffer) +
			       offsetof(struct abi_buffer, used);

		if (!read_at(fd, &used, sizeof(used), off) || used)
			return true;
	}
	return false;
}

int root_peek(int fd, struct root_peek *ret_peek)
{
	struct abi_control *control = &ret_peek->control;
	int r;

	if (!read_at(fd, control, sizeof(*control), 0))
		return -EBADMSG;
	r = root_check_control(control);
	if (r)
		return r;
	ret_peek->is_dead = are_all_gone(fd, control);
	ret_peek->has_recorded = !ret_peek->is_dead || has_recorded(fd, control);
	return 0;
}
