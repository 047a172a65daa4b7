/* SPDX-License-Identifier: MIT */
/* Inspect the processes that a root's process slots name; see process_inspect.h. */
#include "server/core/process_inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "server/core/budget.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"

#define INSPECTIONS_MAX	(4u * (PROCESS_CREATOR + 1))	/* maximum number of cached results of
							 * inspections: enough for 4 scans of the
							 * process slots that each find different
							 * processes */
#define TEXT_BYTES	8192u		/* size of the buffer for /proc/PID/maps: at least
					 * a memory page, because read() of this file
					 * returns up to one page */

/*
 * Set @path to the path of the process's maps.  If the address of the stack is hidden,
 * the maps of the main thread are hidden, too: the thread has ended, or the process
 * hides both.  In this case use the maps of the agent's thread.  The agent exists
 * unless the process has called exec(), or a sandbox has killed the agent.
 */
void process_maps_path(const struct process *process, char path[PROCESS_PATH_BYTES])
{
	uint32_t slot = process->slot, tid = 0;

	if (!process->stack && slot != PROCESS_CREATOR)
		tid = shm_load(&process->root->processes[slot].agent);
	snprintf(path, PROCESS_PATH_BYTES, "/proc/%" PRIu32 "/task/%" PRIu32 "/maps",
		 process->pid, tid ? tid : process->pid);
}

/* A reader of /proc/PID/maps, which reads the file in several steps.  Between two steps
 * the kernel keeps the address at which the next step continues. */
struct maps_reader {
	int fd;				/* descriptor of /proc/PID/maps; -1 if the file is
					 * closed */
	uint32_t pid;			/* pid, start time and stack address of the
					 * process whose maps are read */
	uint64_t started, stack;
	bool has_lines;			/* true: at least one line of /proc/PID/maps was
					 * read */
	bool is_in_line;		/* true: the start of the line that is being read
					 * was already checked */
	size_t len;			/* length of @text, which holds the part of the
					 * current line that was read */
	char text[TEXT_BYTES];
};

struct inspections {
	struct inspection *table;	/* sorted by pid */
	uint32_t nr, capacity;		/* number of results in @table, and for how many
					 * it has space */
	uint32_t pass;			/* number of the current pass over the process
					 * slots */
	struct maps_reader reader;
};

/* ---- functions that read start time and stack address from /proc/PID/stat ---- */

/*
 * Return the start of field number @nr of /proc/PID/stat.  @from must point to the start
 * of field number @at, which is an earlier one.
 */
static char *stat_field(char *from, int at, int nr)
{
	for (; from && at < nr; at++)
		from = strchr(from + 1, ' ');
	return from;
}

static void stat_read(uint32_t pid, uint64_t *ret_started, uint64_t *ret_stack)
{
	char path[64], text[1024];
	char *started, *stack;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	started = stat_field(strrchr(text, ')'), 2, 22);	/* start after the last ')',
								 * because the process's name,
								 * which precedes it, may contain
								 * any byte */
	stack = stat_field(started, 22, 28);
	*ret_started = started ? strtoull(started + 1, NULL, 10) : 0;
	*ret_stack = stack ? strtoull(stack + 1, NULL, 10) : 0;
}

uint64_t inspect_stack(uint32_t pid)
{
	uint64_t started, stack;

	stat_read(pid, &started, &stack);
	return stack;
}

/* ---- functions that find and update cached results ---- */

static void reader_close(struct maps_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

int inspections_begin(struct root *root)
{
	if (!root->inspections) {
		root->inspections = calloc(1, sizeof(*root->inspections));
		if (!root->inspections)
			return -ENOMEM;
		root->inspections->reader.fd = -1;
	}
	root->inspections->pass++;
	return 0;
}

void inspections_free(struct inspections *inspections)
{
	if (!inspections)
		return;
	reader_close(&inspections->reader);
	free(inspections->table);
	free(inspections);
}

/* Return the index of @pid in inspections->table.  If @pid is not there, return the index
 * at which it must be inserted. */
static uint32_t place_of(const struct inspections *inspections, uint32_t pid)
{
	uint32_t low = 0, high = inspections->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (inspections->table[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Remove the cached results for processes that were not found in the current pass over
 * the process slots. */
static void forget_unseen(struct inspections *inspections)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < inspections->nr; i++)
		if (inspections->table[i].pass == inspections->pass)
			inspections->table[kept++] = inspections->table[i];
	inspections->nr = kept;
}

static int make_space(struct inspections *inspections)
{
	uint32_t capacity = inspections->capacity ? inspections->capacity * 2 : 4;
	struct inspection *table;

	if (inspections->nr == INSPECTIONS_MAX)
		forget_unseen(inspections);
	if (inspections->nr < inspections->capacity)
		return 0;
	table = realloc(inspections->table, capacity * sizeof(*table));
	if (!table)
		return -ENOMEM;
	inspections->table = table;
	inspections->capacity = capacity;
	return 0;
}

static struct inspection *find_inspection(struct inspections *inspections, uint32_t pid)
{
	uint32_t at = place_of(inspections, pid);

	if (at < inspections->nr && inspections->table[at].pid == pid)
		return &inspections->table[at];
	if (make_space(inspections))
		return NULL;
	at = place_of(inspections, pid);
	memmove(&inspections->table[at + 1], &inspections->table[at],
		(inspections->nr++ - at) * sizeof(*inspections->table));
	inspections->table[at] = (struct inspection){ .pid = pid, .pass = inspections->pass - 1 };
	return &inspections->table[at];
}

struct inspection *inspection_get(struct root *root, uint32_t pid)
{
	struct inspection *inspection = find_inspection(root->inspections, pid);
	uint64_t started, stack;

	if (!inspection || inspection->pass == root->inspections->pass)
		return inspection;
	inspection->pass = root->inspections->pass;
	stat_read(pid, &started, &stack);
	/*
	 * Inspect the maps again if the pid belongs to a new process (another start
	 * time) or has called exec() (another stack address).  Also inspect the maps
	 * again if the process hides one of the two values.
	 */
	if (started != inspection->started || stack != inspection->stack || !started ||
	    (!stack && inspection->maps == MAPS_MAPPED))
		inspection->maps = MAPS_UNKNOWN;
	inspection->started = started;
	inspection->stack = stack;
	return inspection;
}

/* ---- functions that search /proc/PID/maps for the root's memory ---- */

/*
 * Return true if @line of /proc/PID/maps is a mapping of the root's memory.  @line: at
 * least the first five fields, with a NUL after them.
 */
static bool is_memory(const struct root *root, const char *line)
{
	unsigned int dev_major, dev_minor;
	uint64_t ino;

	return sscanf(line, "%*s %*s %*s %x:%x %" SCNu64, &dev_major, &dev_minor,
		      &ino) == 3 &&
	       ino == root->map_ino && makedev(dev_major, dev_minor) == root->map_dev;
}

static bool is_reading(const struct maps_reader *reader, const struct inspection *inspection)
{
	return reader->fd >= 0 && reader->pid == inspection->pid &&
	       reader->started == inspection->started && reader->stack == inspection->stack;
}

static int reader_open(struct maps_reader *reader, const struct process *process,
		       const struct inspection *inspection)
{
	char path[PROCESS_PATH_BYTES];

	if (is_reading(reader, inspection))
		return 0;
	reader_close(reader);
	process_maps_path(process, path);
	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return -errno;
	reader->pid = inspection->pid;
	reader->started = inspection->started;
	reader->stack = inspection->stack;
	reader->has_lines = reader->is_in_line = false;
	reader->len = 0;
	return 0;
}

/* Check the lines of /proc/PID/maps in reader->text.  Returns true if one of them is a
 * mapping of the root's memory. */
static bool reader_search(struct maps_reader *reader, const struct root *root)
{
	char *line = reader->text, *end;

	reader->text[reader->len] = '\0';
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (!reader->is_in_line && is_memory(root, line))
			return true;
		reader->is_in_line = false;
		reader->has_lines = true;
	}
	reader->len -= (size_t)(line - reader->text);
	memmove(reader->text, line, reader->len);
	if (reader->len < sizeof(reader->text) / 2)
		return false;
	/* The line has a path that is too long for the buffer.  The fields before the
	 * path are complete, so check these fields now. */
	reader->text[reader->len] = '\0';
	reader->len = 0;
	line = reader->text;
	if (!reader->is_in_line && is_memory(root, line))
		return true;
	reader->is_in_line = true;
	return false;
}

/* Read and check the next lines of /proc/PID/maps.  Returns MAPS_UNKNOWN if the file
 * may have more lines, so that the caller must call again. */
static enum maps_result reader_step(struct maps_reader *reader, const struct root *root)
{
	ssize_t n = read(reader->fd, reader->text + reader->len,
			 sizeof(reader->text) - 1 - reader->len);

	if (n < 0)
		return errno == EINTR ? MAPS_UNKNOWN : MAPS_REFUSED;
	reader->len += (size_t)n;
	if (n)
		return reader_search(reader, root) ? MAPS_MAPPED : MAPS_UNKNOWN;
	errno = 0;			/* A file without any line means that the main
					 * thread has ended, so that the process has no
					 * memory.  There is no errno for this. */
	return reader->has_lines ? MAPS_UNMAPPED : MAPS_REFUSED;
}

enum maps_result inspect_maps(const struct process *process, struct inspection *inspection,
			      const struct budget *budget)
{
	const struct root *root = process->root;
	struct maps_reader *reader = &root->inspections->reader;
	enum maps_result answer;
	int r, error;

	if (inspection->maps != MAPS_UNKNOWN)
		return inspection->maps;
	r = reader_open(reader, process, inspection);
	if (r) {
		errno = -r;
		return MAPS_REFUSED;
	}
	do
		answer = reader_step(reader, root);
	while (answer == MAPS_UNKNOWN && !budget_is_spent(budget));
	if (answer == MAPS_UNKNOWN)
		return answer;
	error = errno;
	reader_close(reader);
	errno = error;
	if (answer != MAPS_REFUSED)
		inspection->maps = answer;
	return answer;
}
