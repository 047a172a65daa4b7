/* SPDX-License-Identifier: MIT */
/*
 * The names of threads.  At its first event, a thread of the root enters its name into
 * the table of comms in shared memory (runtime/base/comm.c).  The thread uses one of
 * ABI_COMM_PROBES rows, beginning at the row of its hash.  To claim the row, the
 * thread makes the row's sequence number odd.  If a thread is not in the table, the
 * server searches for it once among the threads of the live processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/core/option_bits.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/root_info.h"
#include "server/core/shm.h"
#include "server/names/comm.h"
#include "server/part_numbers.h"

#define LEARNED		1024u		/* number of threads in the cache of looked-up
					 * threads; a power of two */
#define SEARCH_MAX	64u		/* maximum number of processes in which the server
					 * searches for a thread */
#define REFRESH_MAX	256u		/* maximum number of threads whose names one call
					 * of comms_refresh() reads */

struct comm {
	uint32_t tid;			/* id of the thread that has this row; 0 if the
					 * row is free */
	uint32_t tgid;
	char name[ABI_COMM_LEN];	/* name of the thread; "" if the thread has no
					 * name */
};

struct comms {
	struct comm found;		/* copy of the last row that find_comm() has found
					 * in the table of comms */
	uint32_t next;			/* row of the table of comms at which the next
					 * comms_refresh() continues */
	struct comm learned[LEARNED];	/* cache of threads that were looked up in /proc,
					 * indexed by thread id modulo LEARNED; a new
					 * thread replaces an old one */
};

struct comms *comms_new(void)
{
	return calloc(1, sizeof(struct comms));
}

void comms_free(struct comms *comms)
{
	free(comms);
}

static struct comms *root_comms(const struct root *root)
{
	return root->part_state[ROOT_PART_COMMS];
}

int comms_init(struct root *root)
{
	root->part_state[ROOT_PART_COMMS] = comms_new();
	return root_comms(root) ? 0 : -ENOMEM;
}

void comms_done(struct root *root)
{
	comms_free(root_comms(root));
	root->part_state[ROOT_PART_COMMS] = NULL;
}

static struct abi_comm *row_of(const struct root *root, uint32_t tid, uint32_t i)
{
	return &root->comms_table[(abi_comm_first(tid) + i) % ABI_COMMS];
}

/* Copy a row of the table of comms.  Returns false if the row is free, or if a thread is
 * writing it. */
static bool read_row(const struct abi_comm *shared, struct comm *ret_comm)
{
	if (!shm_load(&shared->tid))	/* check the thread id first, because nearly all
					 * rows are free */
		return false;
	for (int tries = 0; tries < 3; tries++) {
		uint32_t sequence = shm_load(&shared->sequence); /* [comm.write] */

		ret_comm->tid = shm_load(&shared->tid);
		ret_comm->tgid = shm_load(&shared->tgid);
		for (size_t i = 0; i < ABI_COMM_LEN; i++)
			ret_comm->name[i] = shm_load(&shared->comm[i]);
		ret_comm->name[ABI_COMM_LEN - 1] = '\0';
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(sequence & 1) && shm_load(&shared->sequence) == sequence)
			return ret_comm->tid != 0;
	}
	return false;
}

static bool find_shared(const struct root *root, uint32_t tid,
			struct comm *ret_comm)
{
	for (uint32_t i = 0; i < ABI_COMM_PROBES; i++) {
		const struct abi_comm *shared = row_of(root, tid, i);

		if (shm_load(&shared->tid) == tid &&
		    read_row(shared, ret_comm) && ret_comm->tid == tid)
			return true;
	}
	return false;
}

/* Read the start of /proc/PID/task/TID/FILE as a string.  Returns the length of the string; 0 if
 * the file cannot be read. */
static size_t read_proc(uint32_t pid, uint32_t tid, const char *file,
			char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s",
		 pid, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static bool read_name(uint32_t pid, uint32_t tid, char *name)
{
	char line[ABI_COMM_LEN + 1];

	if (!read_proc(pid, tid, "comm", line, sizeof(line)))
		return false;
	line[strcspn(line, "\n")] = '\0';
	memcpy(name, line, ABI_COMM_LEN);
	return true;
}

static bool is_name_wanted(const struct root *root)
{
	return instance_options(&root->top) & OPTION_RECORD_CMD;
}

/* Find the process of the root that contains thread comm->tid, and read the thread's
 * name. */
static void find_living(const struct root *root, struct comm *comm)
{
	uint32_t left = SEARCH_MAX;

	for (uint32_t slot = 0; slot < ABI_PROCESSES && left; slot++) {
		const struct process *process = root->process[slot];

		if (!process || process->pidfd < 0)
			continue;
		left--;
		if (!read_name(process->pid, comm->tid, comm->name))
			continue;
		comm->tgid = process->pid;
		return;
	}
}

static const struct comm *find_comm(struct root *root, uint32_t tid)
{
	struct comm *learned = &root_comms(root)->learned[tid % LEARNED];
	struct comm *found = &root_comms(root)->found;
	bool is_shared = find_shared(root, tid, found);

	if (is_shared && (*found->name || !is_name_wanted(root)))
		return found;
	if (learned->tid != tid) {
		*learned = (struct comm){ .tid = tid };
		find_living(root, learned);
		if (!is_name_wanted(root))
			learned->name[0] = '\0';
	}
	return is_shared && !*learned->name ? found : learned;
}

const char *comms_find(struct root *root, uint32_t tid)
{
	const struct comm *comm;

	if (!tid)
		return "<idle>";
	if ((int32_t)tid < 0)
		return "<XXX>";
	comm = find_comm(root, tid);
	return *comm->name ? comm->name : "<...>";
}

uint32_t comms_find_tgid(struct root *root, uint32_t tid)
{
	return (int32_t)tid > 0 ? find_comm(root, tid)->tgid : 0;
}

void comms_expire(struct root *root)
{
	memset(root_comms(root)->learned, 0, sizeof(root_comms(root)->learned));
}

/*
 * Enter a thread into the table of comms.  The row is chosen as the runtime does: the row
 * that the thread had before, or a free row, or else the row that was written longest
 * ago.
 */
static void add_comm(struct root *root, uint32_t tid, uint32_t tgid, const char *name)
{
	struct abi_comm *best = NULL;
	uint32_t stamp = 0, sequence;

	for (uint32_t i = 0; i < ABI_COMM_PROBES; i++) {
		struct abi_comm *row = row_of(root, tid, i);
		uint32_t row_tid = shm_load(&row->tid);

		if (shm_load(&row->sequence) & 1)
			continue;
		if (row->stamp > stamp)
			stamp = row->stamp;
		if (row_tid == tid || !row_tid) {
			best = row;
			break;
		}
		if (!best || row->stamp < best->stamp)
			best = row;
	}
	if (!best || root_reserve(root, best, sizeof(*best)))
		return;
	sequence = shm_load(&best->sequence);
	if ((sequence & 1) ||
	    !__atomic_compare_exchange_n(&best->sequence, &sequence,
					 sequence + 1, false, __ATOMIC_ACQUIRE, /* [comm.write] */
					 __ATOMIC_RELAXED))
		return;
	/* Release: the odd sequence number is visible before any byte of the row changes */
	__atomic_thread_fence(__ATOMIC_RELEASE);	/* [comm.write] */
	best->tid = tid;
	best->tgid = tgid;
	best->stamp = stamp + 1;
	memset(best->comm, 0, sizeof(best->comm));
	memcpy(best->comm, name, strnlen(name, sizeof(best->comm) - 1));
	shm_store(&best->sequence, sequence + 2);	/* [comm.write] */
}

void comms_meet(struct root *root, uint32_t tid)
{
	char name[ABI_COMM_LEN] = "", status[256];
	uint32_t tgid = tid;
	const char *line;

	if (is_name_wanted(root) && !read_name(tid, tid, name))
		return;
	if (read_proc(tid, tid, "status", status, sizeof(status))) {
		line = strstr(status, "\nTgid:");
		if (line)
			tgid = (uint32_t)strtoul(line + 6, NULL, 10);
	}
	add_comm(root, tid, tgid, name);
}

void comms_refresh(struct root *root)
{
	uint32_t left = REFRESH_MAX, start = root_comms(root)->next;
	char name[ABI_COMM_LEN];
	struct comm comm;

	if (!is_name_wanted(root))
		return;
	for (uint32_t i = 0; i < ABI_COMMS && left; i++) {
		uint32_t row = (start + i) % ABI_COMMS;

		if (!read_row(&root->comms_table[row], &comm))
			continue;
		left--;
		root_comms(root)->next = (row + 1) % ABI_COMMS;
		if (read_name(comm.tgid, comm.tid, name) &&
		    strcmp(name, comm.name))
			add_comm(root, comm.tid, comm.tgid, name);
	}
}

static int compare_comms(const void *pa, const void *pb)
{
	const struct comm *a = pa, *b = pb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

int comms_list(struct root *root,
	       void (*emit)(void *arg, uint32_t tid, uint32_t tgid,
			    const char *name),
	       void *arg)
{
	struct comm *sorted = calloc(ABI_COMMS, sizeof(*sorted));
	size_t nr = 0;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < ABI_COMMS; i++)
		if (read_row(&root->comms_table[i], &sorted[nr]))
			nr++;
	qsort(sorted, nr, sizeof(*sorted), compare_comms);
	for (size_t i = 0; i < nr; i++)
		if (!i || sorted[i].tid != sorted[i - 1].tid)
			emit(arg, sorted[i].tid, sorted[i].tgid,
			     sorted[i].name);
	free(sorted);
	return 0;
}

void comms_tick(struct root *root)
{
	if (root->nr_live && root_has_recorded(root))
		comms_refresh(root);
}
