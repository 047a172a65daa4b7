/* SPDX-License-Identifier: MIT */
/* Inspect the processes that a root's slots name; see process_look.h. */
#include "server/core/process_look.h"

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

#define LOOKS_MAX	(4u * (PROCESS_CREATOR + 1))	/* limit: cached results, enough for
							 * 4 passes that each find
							 * different processes */
#define TEXT_BYTES	8192u		/* at least a page: read() of a maps file returns up
					 * to one page */

/*
 * Set the path of the process's maps.  A process whose stack is hidden does not show its
 * maps either: its main thread has ended, or it hides them.  Then use its agent thread,
 * which exists unless the process has called exec(), or its sandbox has killed the agent.
 */
void process_maps_path(const struct process *process, char path[PROCESS_PATH_BYTES])
{
	uint32_t slot = process->slot, tid = 0;

	if (!process->stack && slot != PROCESS_CREATOR)
		tid = shm_load(&process->root->processes[slot].agent);
	snprintf(path, PROCESS_PATH_BYTES, "/proc/%" PRIu32 "/task/%" PRIu32 "/maps",
		 process->pid, tid ? tid : process->pid);
}

/* Reads /proc/PID/maps in parts.  The kernel remembers the address between two parts. */
struct maps_reader {
	int fd;				/* -1: closed */
	uint32_t pid;			/* pid, start time and stack address of the process
					 * whose maps are read */
	uint64_t started, stack;
	bool has_lines;			/* at least one line was read */
	bool is_in_line;		/* the start of the current line was already
					 * checked */
	size_t len;			/* length of @text, which holds an incomplete line */
	char text[TEXT_BYTES];
};

struct looks {
	struct look *table;		/* sorted by pid */
	uint32_t nr, room;		/* room: allocated rows of @table */
	uint32_t pass;			/* number of the current pass */
	struct maps_reader reader;
};

/* ---- /proc/PID/stat ---- */

/*
 * Return the start of field number @nr of /proc/PID/stat.  @from points to field number @at.
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
	started = stat_field(strrchr(text, ')'), 2, 22);	/* after the last ')': a
								 * name may contain any
								 * byte */
	stack = stat_field(started, 22, 28);
	*ret_started = started ? strtoull(started + 1, NULL, 10) : 0;
	*ret_stack = stack ? strtoull(stack + 1, NULL, 10) : 0;
}

uint64_t look_stack(uint32_t pid)
{
	uint64_t started, stack;

	stat_read(pid, &started, &stack);
	return stack;
}

/* ---- the table of results ---- */

static void reader_close(struct maps_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

int looks_begin(struct root *root)
{
	if (!root->looks) {
		root->looks = calloc(1, sizeof(*root->looks));
		if (!root->looks)
			return -ENOMEM;
		root->looks->reader.fd = -1;
	}
	root->looks->pass++;
	return 0;
}

void looks_free(struct looks *looks)
{
	if (!looks)
		return;
	reader_close(&looks->reader);
	free(looks->table);
	free(looks);
}

/* Return the index of @pid in the table, or where it must be inserted. */
static uint32_t place_of(const struct looks *looks, uint32_t pid)
{
	uint32_t low = 0, high = looks->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (looks->table[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Remove the processes that this pass has not seen. */
static void forget(struct looks *looks)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < looks->nr; i++)
		if (looks->table[i].pass == looks->pass)
			looks->table[kept++] = looks->table[i];
	looks->nr = kept;
}

static int make_space(struct looks *looks)
{
	uint32_t room = looks->room ? looks->room * 2 : 4;
	struct look *table;

	if (looks->nr == LOOKS_MAX)
		forget(looks);
	if (looks->nr < looks->room)
		return 0;
	table = realloc(looks->table, room * sizeof(*table));
	if (!table)
		return -ENOMEM;
	looks->table = table;
	looks->room = room;
	return 0;
}

static struct look *find_look(struct looks *looks, uint32_t pid)
{
	uint32_t at = place_of(looks, pid);

	if (at < looks->nr && looks->table[at].pid == pid)
		return &looks->table[at];
	if (make_space(looks))
		return NULL;
	at = place_of(looks, pid);
	memmove(&looks->table[at + 1], &looks->table[at],
		(looks->nr++ - at) * sizeof(*looks->table));
	looks->table[at] = (struct look) { .pid = pid, .pass = looks->pass - 1 };
	return &looks->table[at];
}

struct look *look_at(struct root *root, uint32_t pid)
{
	struct look *look = find_look(root->looks, pid);
	uint64_t started, stack;

	if (!look || look->pass == root->looks->pass)
		return look;
	look->pass = root->looks->pass;
	stat_read(pid, &started, &stack);
	/*
	 * If a process hides its stack address, exec() changes none of these numbers.  So
	 * inspect its maps again.
	 */
	if (started != look->started || stack != look->stack || !started ||
	    (!stack && look->maps == LOOK_MAPPED))
		look->maps = LOOK_UNKNOWN;
	look->started = started;
	look->stack = stack;
	return look;
}

/* ---- /proc/PID/maps ---- */

/*
 * Return true if @line of /proc/PID/maps is a mapping of the root's memory.  @line: at least
 * the first five fields, with a NUL after them.
 */
static bool is_memory(const struct root *root, const char *line)
{
	unsigned int dev_major, dev_minor;
	uint64_t ino;

	return sscanf(line, "%*s %*s %*s %x:%x %" SCNu64, &dev_major, &dev_minor,
		      &ino) == 3 &&
	       ino == root->map_ino && makedev(dev_major, dev_minor) == root->map_dev;
}

static bool is_reading(const struct maps_reader *reader, const struct look *look)
{
	return reader->fd >= 0 && reader->pid == look->pid &&
	       reader->started == look->started && reader->stack == look->stack;
}

static int reader_open(struct maps_reader *reader, const struct process *process,
		       const struct look *look)
{
	char path[PROCESS_PATH_BYTES];

	if (is_reading(reader, look))
		return 0;
	reader_close(reader);
	process_maps_path(process, path);
	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return -errno;
	reader->pid = look->pid;
	reader->started = look->started;
	reader->stack = look->stack;
	reader->has_lines = reader->is_in_line = false;
	reader->len = 0;
	return 0;
}

/* Check the lines that were read.  Returns true if one of them is the root's memory. */
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
	/* A long path: the fields before it are complete, so check them now. */
	reader->text[reader->len] = '\0';
	reader->len = 0;
	line = reader->text;
	if (!reader->is_in_line && is_memory(root, line))
		return true;
	reader->is_in_line = true;
	return false;
}

/* Read the next part.  Returns LOOK_UNKNOWN if there is more. */
static enum look_maps reader_step(struct maps_reader *reader, const struct root *root)
{
	ssize_t n = read(reader->fd, reader->text + reader->len,
			 sizeof(reader->text) - 1 - reader->len);

	if (n < 0)
		return errno == EINTR ? LOOK_UNKNOWN : LOOK_REFUSED;
	reader->len += (size_t)n;
	if (n)
		return reader_search(reader, root) ? LOOK_MAPPED : LOOK_UNKNOWN;
	errno = 0;			/* no line at all: the process has no memory, because
					 * its main thread has ended */
	return reader->has_lines ? LOOK_UNMAPPED : LOOK_REFUSED;
}

enum look_maps look_maps(const struct process *process, struct look *look,
			 const struct budget *budget)
{
	const struct root *root = process->root;
	struct maps_reader *reader = &root->looks->reader;
	enum look_maps answer;
	int r, error;

	if (look->maps != LOOK_UNKNOWN)
		return look->maps;
	r = reader_open(reader, process, look);
	if (r) {
		errno = -r;
		return LOOK_REFUSED;
	}
	do
		answer = reader_step(reader, root);
	while (answer == LOOK_UNKNOWN && !budget_is_spent(budget));
	if (answer == LOOK_UNKNOWN)
		return answer;
	error = errno;
	reader_close(reader);
	errno = error;
	if (answer != LOOK_REFUSED)
		look->maps = answer;
	return answer;
}
