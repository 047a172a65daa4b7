/* SPDX-License-Identifier: MIT */
#include "runtime/sched/names.h"

#include <string.h>

#include "runtime/base/comm.h"
#include "runtime/base/memory.h"
#include "runtime/sched/task_file.h"
#include "runtime/sched/thread_key.h"

struct name {
	char comm[ABI_COMM_LEN];
	bool is_recorded;		/* true: this name is recorded in the root */
};

static struct thread_key *keys;
static struct name *names;		/* a row for each of @keys */
static uint32_t stamp;

bool names_begin(void)
{
	if (!keys)
		keys = memory_alloc(NR_THREAD_KEYS * sizeof(*keys));
	else
		memset(keys, 0, NR_THREAD_KEYS * sizeof(*keys));
	if (!names)
		names = memory_alloc(NR_THREAD_KEYS * sizeof(*names));
	return keys && names;
}

void names_set(uint32_t tid, const char comm[ABI_COMM_LEN])
{
	uint32_t row = thread_key_find(keys, tid);
	struct name *name = &names[row];

	if (keys[row].tid != tid || memcmp(name->comm, comm, ABI_COMM_LEN))
		name->is_recorded = false;
	keys[row] = (struct thread_key){ tid, ++stamp };
	memcpy(name->comm, comm, ABI_COMM_LEN);
}

static bool read_comm(uint32_t tid, char ret_comm[ABI_COMM_LEN])
{
	char text[ABI_COMM_LEN + 1];
	long bytes = task_file_read(tid, "comm", text, sizeof(text));

	if (bytes <= 0)
		return false;
	memset(ret_comm, 0, ABI_COMM_LEN);
	memcpy(ret_comm, text, (size_t)bytes - 1);	/* without the newline */
	return true;
}

void names_get(uint32_t tid, char ret_comm[ABI_COMM_LEN])
{
	uint32_t row = thread_key_find(keys, tid);

	if (keys[row].tid == tid) {
		memcpy(ret_comm, names[row].comm, ABI_COMM_LEN);
		return;
	}
	memset(ret_comm, 0, ABI_COMM_LEN);
	if (!read_comm(tid, ret_comm))
		strcpy(ret_comm, "<...>");
	names_set(tid, ret_comm);
}

void names_record(uint32_t tid, uint32_t pid)
{
	char comm[ABI_COMM_LEN];
	struct name *name;

	names_get(tid, comm);
	name = &names[thread_key_find(keys, tid)];
	if (name->is_recorded)
		return;
	comm_record_other(tid, pid, comm);
	name->is_recorded = true;
}
