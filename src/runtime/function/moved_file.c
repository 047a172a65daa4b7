/* SPDX-License-Identifier: MIT */
/*
 * Tables of moved functions.  A process reads them from files, and not from the root's
 * memory, because the process executes the instructions in them: every process of the root
 * can write the memory, but only the owner of the ulf directory can write the files.  So a
 * process that gave up its rights cannot change what its parent executes.
 *
 * The agent of a program of user root has no rights, so it opens the directory before it gives
 * them up.  A child that was forked after chroot() or setuid() may find no directory.  Then it
 * has the tables that its parent has read before the fork.
 */
#include "runtime/function/moved_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/moved_file.h"
#include "base/dir.h"
#include "runtime/base/maps.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"

#define ID_DIGITS	16

static char directory[DIR_PATH_BYTES + sizeof("/" DIR_MOVED)];	/* path; "": not known */
static uint32_t owner;			/* user id of the owner of the ulf directory */

/* Id of the thread that keeps the directory open, and the descriptor of the directory.  The
 * descriptor is valid in this thread only. */
static long open_tid;
static int open_fd;

void moved_file_init(void)
{
	const char *root = root_directory();
	const char *roots = strstr(root, "/" DIR_ROOTS "/");
	int saved = errno;

	for (const char *at = roots; at; at = strstr(at + 1, "/" DIR_ROOTS "/"))
		roots = at;		/* use the last occurrence of "/roots/", because
					 * the path of the ulf directory may contain
					 * this text, too */
	if (!roots || roots - root >= DIR_PATH_BYTES)
		return;
	memcpy(directory, root, (size_t)(roots - root));
	memcpy(directory + (roots - root), "/" DIR_MOVED, sizeof("/" DIR_MOVED));
	owner = geteuid();
	mkdir(directory, 0711);
	errno = saved;
}

static int open_directory(void)
{
	return (int)arch_syscall4(SYS_openat, AT_FDCWD, directory,
				  O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
}

void moved_file_agent(bool has_own_table)
{
	long tid = arch_syscall0(SYS_gettid);

	__atomic_store_n(&open_tid, 0, __ATOMIC_RELAXED);
	open_fd = has_own_table && tid > 0 && *directory ? open_directory() : -1;
	if (open_fd >= 0)
		__atomic_store_n(&open_tid, tid, __ATOMIC_RELAXED);
}

static int open_file(uint64_t id)
{
	bool is_kept = __atomic_load_n(&open_tid, __ATOMIC_RELAXED) == arch_syscall0(SYS_gettid);
	int dir = is_kept ? open_fd : open_directory(), fd;
	char name[ID_DIGITS + 1] = { 0 };

	if (dir < 0)
		return dir;
	for (int i = 0; i < ID_DIGITS; i++)
		name[i] = "0123456789abcdef"[id >> 4 * (ID_DIGITS - 1 - i) & 0xf];
	fd = (int)arch_syscall4(SYS_openat, dir, name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (!is_kept)
		arch_syscall1(SYS_close, dir);
	return fd;
}

static int read_all(int fd, void *to, uint64_t bytes, uint64_t off)
{
	for (uint64_t done = 0; done < bytes; ) {
		long n = arch_syscall4(SYS_pread64, fd, (char *)to + done, bytes - done,
				       off + done);

		if (n <= 0)
			return n ? (int)n : -EBADMSG;
		done += (uint64_t)n;
	}
	return 0;
}

/* Check the owner and the size of the file, and read its header to *@ret. */
static int read_head(int fd, struct abi_moved_file *ret)
{
	struct stat st;
	long r = arch_syscall2(SYS_fstat, fd, &st);

	if (r)
		return (int)r;
	if (!S_ISREG(st.st_mode) || st.st_uid != owner || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	r = read_all(fd, ret, sizeof(*ret), 0);
	if (r)
		return (int)r;
	if (ret->magic != ABI_MOVED_FILE_MAGIC || ret->head_bytes != sizeof(*ret) ||
	    ret->table_bytes > MOVED_BYTES_MAX ||
	    ret->table_bytes != (uint64_t)st.st_size - sizeof(*ret))
		return -EBADMSG;
	return 0;
}

struct wanted {
	uint64_t addr;
	const struct abi_moved_file *head;
	bool is_same;			/* result: true if the file that @head
					 * describes is mapped at @addr */
};

static bool see_mapping(const struct maps_line *line, void *arg)
{
	struct wanted *wanted = arg;
	const struct abi_moved_file *head = wanted->head;

	if (wanted->addr < line->start || wanted->addr >= line->end)
		return false;
	wanted->is_same = line->ino && line->ino == head->ino &&
			  line->dev_major == head->dev_major &&
			  line->dev_minor == head->dev_minor;
	return true;
}

/* Check that the file that @head describes is mapped at @addr.  Ask the kernel, because the
 * path and the build id that the object itself shows may be forged. */
static int check_mapping(const struct abi_moved_file *head, uint64_t addr)
{
	struct wanted wanted = { .addr = addr, .head = head };
	int r = maps_walk(see_mapping, &wanted);

	return r ? r : wanted.is_same ? 0 : -ENOENT;
}

static int read_table(int fd, const struct abi_moved_file *head, moved_file_check *check,
		      const void **ret_table)
{
	void *table = memory_alloc(head->table_bytes);
	int r;

	if (!table)
		return -ENOMEM;
	r = read_all(fd, table, head->table_bytes, sizeof(*head));
	if (!r && !check(table, head->table_bytes))
		r = -EBADMSG;
	if (r)
		memory_free(table);
	else
		*ret_table = table;
	return r;
}

int moved_file_load(uint64_t id, uint64_t addr, moved_file_check *check, const void **ret_table)
{
	struct abi_moved_file head;
	int fd, r;

	if (!*directory)
		return -ENOENT;
	fd = open_file(id);
	if (fd < 0)
		return fd;
	r = read_head(fd, &head);
	if (!r)
		r = check_mapping(&head, addr);
	if (!r)
		r = read_table(fd, &head, check, ret_table);
	arch_syscall1(SYS_close, fd);
	return r;
}
