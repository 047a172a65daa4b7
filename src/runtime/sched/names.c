/* SPDX-License-Identifier: MIT */
#include "runtime/sched/names.h"

#include <fcntl.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/base/comm.h"
#include "runtime/base/memory.h"

#define NR_NAMES	4096u
#define WAYS		8u		/* number of rows in which the name of a
					 * thread may be stored */

struct name {
	uint32_t tid;			/* 0: the row is free */
	uint32_t stamp;			/* the number of changes of the table at the
					 * last change of this row */
	char comm[ABI_COMM_LEN];
	bool is_recorded;		/* true: this name is recorded in the root */
};

static struct name *names;
static uint32_t stamp;

bool names_begin(void)
{
	if (!names)
		names = memory_alloc(NR_NAMES * sizeof(*names));
	else
		memset(names, 0, NR_NAMES * sizeof(*names));
	return names;
}

/* Returns the row of thread @tid, or else the row that @tid may take: a free row, or the
 * oldest. */
static struct name *find_row(uint32_t tid)
{
	uint32_t first = tid * 2654435761u / (UINT32_MAX / (NR_NAMES / WAYS) + 1) * WAYS;
	struct name *best = &names[first];

	for (uint32_t i = 0; i < WAYS; i++) {
		struct name *name = &names[first + i];

		if (name->tid == tid)
			return name;
		if (best->tid && (!name->tid || name->stamp < best->stamp))
			best = name;
	}
	return best;
}

void names_set(uint32_t tid, const char comm[ABI_COMM_LEN])
{
	struct name *name = find_row(tid);

	if (name->tid != tid || memcmp(name->comm, comm, ABI_COMM_LEN))
		name->is_recorded = false;
	name->tid = tid;
	name->stamp = ++stamp;
	memcpy(name->comm, comm, ABI_COMM_LEN);
}

/* Write "/proc/self/task/TID/comm" to @path. */
static void comm_path(char path[48], uint32_t tid)
{
	char digits[10];
	int nr = 0;
	char *at = stpcpy(path, "/proc/self/task/");

	do {
		digits[nr++] = (char)('0' + tid % 10);
		tid /= 10;
	} while (tid);
	while (nr)
		*at++ = digits[--nr];
	strcpy(at, "/comm");
}

static bool read_comm(uint32_t tid, char ret_comm[ABI_COMM_LEN])
{
	char path[48], text[ABI_COMM_LEN + 1];
	long bytes;
	int fd;

	comm_path(path, tid);
	fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bytes = arch_syscall3(SYS_read, fd, text, sizeof(text));
	arch_syscall1(SYS_close, fd);
	if (bytes <= 0)
		return false;
	memset(ret_comm, 0, ABI_COMM_LEN);
	memcpy(ret_comm, text, (size_t)bytes - 1);	/* without the newline */
	return true;
}

void names_get(uint32_t tid, char ret_comm[ABI_COMM_LEN])
{
	const struct name *name = find_row(tid);

	if (name->tid == tid) {
		memcpy(ret_comm, name->comm, ABI_COMM_LEN);
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
	name = find_row(tid);
	if (name->is_recorded)
		return;
	comm_record_other(tid, pid, comm);
	name->is_recorded = true;
}
