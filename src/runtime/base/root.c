/* SPDX-License-Identifier: MIT */
/*
 * Create the root: a directory with one file, the memory.  The file is mapped once, and
 * stays mapped.  No descriptor stays open and no path is needed later, so a program may
 * close all descriptors, call chroot() and drop its rights.
 *
 * The mapping is far larger than the file.  Ranges of the heap and of the arena that
 * are not in use have no access rights, so that mlockall() does not fill them.  The
 * memory pages of a range are allocated before its first use, because on a full tmpfs
 * an access to a missing page raises SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "base/dir.h"
#include "event/boot.h"
#include "runtime/base/memory.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include <ulf/event.h>
#include <ulf/record.h>

#define ARENA_BYTES_MAX		(16ull << 30)
#define ARENA_BYTES_MIN		(64ull << 20)
#define RENAMES_MAX		1000
#define TMP_PATH_BYTES		(DIR_PATH_BYTES + 64)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23	/* a constant since Linux 5.14, which older
					 * headers do not define */
#endif

struct abi_control *root_control;

static uint64_t map_bytes;		/* size of the mapping of the root's memory.
					 * root_create() sets map_bytes, nr_cpus,
					 * has_rseq and exe;
					 * root_publish() sets boot */
static uint32_t nr_cpus;
static bool has_rseq;
static char exe[sizeof(((struct abi_control *)0)->exe)];
static char boot[ABI_BOOT_BYTES];
static uint64_t heap_reached;		/* number of bytes from the heap's start on
					 * that this process may access (mprotect) */
/* One bit for each memory page of the tables: 1 if root_populate() has succeeded for
 * the page. */
static uint64_t pages_usable[ABI_HEAP_OFF / ARCH_PAGE_BYTES / 64 + 1];
static_assert(ABI_ALIGN % ARCH_PAGE_BYTES == 0, "blocks are mapped and populated by pages");
static ino_t root_ino;			/* inode number of the root's memory file */
static char root_path[PATH_MAX];	/* path of the root's directory */

void *root_at(uint64_t off)
{
	return (char *)root_control + off;
}

const char *root_directory(void)
{
	return root_path;
}

uint64_t root_map_bytes(void)
{
	return map_bytes;
}

uint32_t root_nr_cpus(void)
{
	return nr_cpus;
}

bool root_has_rseq(void)
{
	return has_rseq;
}

const char *root_exe(void)
{
	return exe;
}

const char *root_boot(void)
{
	return boot;
}

bool root_has_boot(enum boot_id id)
{
	return root_control && boot_has(boot, id);
}

unsigned int ulf_nr_cpus(void)
{
	return root_control ? nr_cpus : 0;
}

struct abi_event *root_event(uint32_t row)
{
	return (struct abi_event *)root_at(ABI_EVENTS_OFF) + row;
}

struct abi_buffer *root_buffer(uint32_t index)
{
	return (struct abi_buffer *)root_at(ABI_BUFFERS_OFF) + index;
}

int root_populate(uint64_t off, uint64_t bytes)
{
	uint64_t start = arch_page_start(off);
	uint64_t size = arch_page_end(off + bytes) - start;
	long r;

	if (off > map_bytes || bytes > map_bytes - off)
		return -ENOMEM;
	/* Call mprotect() only for the heap and the arena, because the tables are
	 * always accessible. */
	r = off + bytes <= ABI_HEAP_OFF ? 0 :
	    arch_syscall3(SYS_mprotect, root_at(start), size, PROT_READ | PROT_WRITE);
	if (r)
		return (int)r;
	r = arch_syscall3(SYS_madvise, root_at(start), size,
			  MADV_POPULATE_WRITE);
	if (r == -EINVAL)
		return 0;	/* On a kernel before Linux 5.14, page faults allocate
				 * the memory pages. */
	return r == -EFAULT ? -ENOSPC : (int)r;	/* EFAULT means that an access would
						 * raise SIGBUS */
}

int root_populate_row(const void *row)
{
	uint64_t page = (uint64_t)((const char *)row - (const char *)root_control) /
			ARCH_PAGE_BYTES;
	uint64_t bit = 1ull << page % 64;
	int r;

	if (__atomic_load_n(&pages_usable[page / 64], __ATOMIC_RELAXED) & bit)
		return 0;
	r = root_populate(page * ARCH_PAGE_BYTES, ARCH_PAGE_BYTES);
	if (!r)
		__atomic_or_fetch(&pages_usable[page / 64], bit, __ATOMIC_RELAXED);
	return r;
}

/*
 * Make the heap usable.  Each process must do this for itself, also for ranges that
 * other processes have filled.  A child inherits both the access rights and
 * heap_reached.
 */
int root_reach_heap(uint64_t bytes)
{
	int r;

	if (bytes <= heap_reached)
		return 0;
	if (bytes > ABI_HEAP_BYTES)
		return -EINVAL;
	r = root_populate(ABI_HEAP_OFF + heap_reached, bytes - heap_reached);
	if (!r)
		heap_reached = ALIGN_UP(bytes, ARCH_PAGE_BYTES);
	return r;
}

void *root_heap_at(uint64_t off, uint64_t bytes)
{
	uint64_t at = off - ABI_HEAP_OFF;

	return at < heap_reached && bytes <= heap_reached - at ? root_at(off) : NULL;
}

static int make_file(const char *dir)
{
	char path[PATH_MAX + 16];
	struct rlimit limit;
	int fd;

	/* Check RLIMIT_FSIZE first, because ftruncate() raises SIGXFSZ if the file
	 * exceeds this limit. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < ABI_ARENA_OFF)
		return -EFBIG;
	snprintf(path, sizeof(path), "%s/memory", dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, ABI_ARENA_OFF)) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

/* Returns an eighth of the program's limit of @resource (getrlimit()), but not more
 * than @most.  The other seven eighths are left to the program. */
static uint64_t part_of_limit(int resource, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur / 8 > most)
		return most;
	return arch_page_start(limit.rlim_cur / 8);
}

static uint64_t arena_bytes_max(void)
{
	uint64_t most = part_of_limit(RLIMIT_AS, ARENA_BYTES_MAX);
	struct rlimit limit;

	/*
	 * Keep the arena small compared to RLIMIT_MEMLOCK.  If the program calls
	 * mlockall() of the kernel instead of libulf's, the kernel compares this limit
	 * with the size of all mappings.  If the limit is only the usual few megabytes,
	 * ignore it, because no arena is small enough for such a limit.
	 */
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) &&
	    limit.rlim_cur / 8 >= ARENA_BYTES_MIN)
		most = part_of_limit(RLIMIT_MEMLOCK, most);
	return most;
}

static void *map_file(int fd, uint64_t *ret_bytes)
{
	for (uint64_t arena = arena_bytes_max(); arena >= ARENA_BYTES_MIN;
	     arena = arch_page_start(arena / 2)) {
		uint64_t bytes = ABI_ARENA_OFF + arena;
		void *mem = memory_reserve(bytes);

		if (mem && mmap(mem, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE |
				MAP_FIXED, fd, 0) == mem) {
			*ret_bytes = bytes;
			return mem;
		}
		if (mem)
			munmap(mem, bytes);
	}
	return NULL;
}

static void set_geometry(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	nr_cpus = cpus < 1 ? 1 : min_u32((uint32_t)cpus, ABI_CPUS);
	has_rseq = arch_rseq_init();
}

/* Store the name of the program, which is the name of its first thread.  Another thread,
 * such as the one that `ulf attach` has started, may have another name. */
static void fill_comm(struct abi_control *c)
{
	ssize_t n = -1;
	int fd;

	prctl(PR_GET_NAME, c->comm);
	if (arch_syscall0(SYS_gettid) == arch_syscall0(SYS_getpid))
		return;
	fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, c->comm, sizeof(c->comm) - 1);
		close(fd);
	}
	if (n > 0)
		c->comm[n - 1] = '\0';	/* remove the newline at the end of the file */
}

static void fill_control(struct abi_control *c)
{
	struct timespec ts;
	ssize_t n;

	c->version = ABI_VERSION;
	c->control_bytes = sizeof(*c);
	c->processes_off = ABI_PROCESSES_OFF;
	c->modules_off = ABI_MODULES_OFF;
	c->comms_off = ABI_COMMS_OFF;
	c->events_off = ABI_EVENTS_OFF;
	c->buffers_off = ABI_BUFFERS_OFF;
	c->objects_off = ABI_OBJECTS_OFF;
	c->heap_off = ABI_HEAP_OFF;
	c->arena_off = ABI_ARENA_OFF;
	c->map_bytes = map_bytes;
	c->map_addr = (uint64_t)c;
	c->nr_cpus = nr_cpus;
	c->nr_events = ABI_DYNAMIC;
	c->pid = (uint32_t)getpid();
	c->uid = geteuid();
	c->has_rseq = has_rseq;
	clock_gettime(CLOCK_BOOTTIME, &ts);
	c->started_ns = (uint64_t)ts.tv_sec * 1000000000ull +
			(uint64_t)ts.tv_nsec;
	fill_comm(c);
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		exe[0] = '\0';
	memcpy(c->exe, exe, sizeof(exe));
}

/* Give the root its name, <comm>.<pid>.  An older root with this name is renamed to
 * <comm>.<pid>.<number>.  The older root belongs to this process before exec(), or to a
 * dead process that had the same pid. */
static int rename_root(const char *tmp, const char *dir)
{
	char name[ABI_COMM_LEN], path[PATH_MAX], old[PATH_MAX + 16];

	memcpy(name, root_control->comm, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (char *p = name; *p; p++) {
		if (*p == '/' || *p <= ' ' || *p > '~' ||
		    (p == name && *p == '.'))
			*p = '_';
	}
	if (snprintf(path, sizeof(path), "%s/roots/%s.%d", dir,
		     *name ? name : "_", getpid()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (int i = 1; rename(tmp, path); i++) {
		if ((errno != EEXIST && errno != ENOTEMPTY) || i > RENAMES_MAX)
			return -errno;
		snprintf(old, sizeof(old), "%s.%d", path, i);
		if (access(old, F_OK))
			rename(path, old);
	}
	memcpy(root_path, path, sizeof(root_path));
	return 0;
}

/* Returns true if the directory @dir still contains the memory file of this
 * root. */
static bool is_ours_still(const char *dir)
{
	char path[PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/memory", dir);
	return !stat(path, &st) && st.st_ino == root_ino;
}

static void remove_dir(const char *dir)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/memory", dir);
	unlink(path);
	rmdir(dir);
}

/* Give access rights to the control block and all tables, and allocate the first memory
 * page.  Returns 0 or -errno. */
static int take_first_page(struct abi_control *control)
{
	if (mprotect(control, ABI_HEAP_OFF, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	if (!madvise(control, ARCH_PAGE_BYTES, MADV_POPULATE_WRITE) || errno == EINVAL)
		return 0;
	/* madvise() fails with EFAULT if there is no space for the page: an access would raise
	 * SIGBUS. */
	return errno == EFAULT ? -ENOSPC : -errno;
}

/* Undo root_create().  No other process knows the root, because it has no name
 * yet. */
static void discard_root(const char *tmp, struct abi_control *control)
{
	root_control = NULL;
	remove_dir(tmp);
	if (control)
		munmap(control, map_bytes);
}

static void temporary_path(const char *dir, char ret_path[TMP_PATH_BYTES])
{
	snprintf(ret_path, TMP_PATH_BYTES, "%s/" DIR_ROOTS "/.tmp-%d", dir, getpid());
}

int root_create(const char *dir)
{
	struct abi_control *control;
	char tmp[TMP_PATH_BYTES];
	struct stat st;
	int fd, r;

	temporary_path(dir, tmp);
	if (mkdir(tmp, 0700)) {
		remove_dir(tmp);	/* remove the directory that a dead process
					 * with the same pid has left */
		if (mkdir(tmp, 0700))
			return -errno;
	}
	fd = make_file(tmp);
	if (fd < 0) {
		remove_dir(tmp);
		return fd;
	}
	if (!fstat(fd, &st))
		root_ino = st.st_ino;
	control = map_file(fd, &map_bytes);
	close(fd);
	r = control ? take_first_page(control) : -ENOMEM;
	if (r) {
		discard_root(tmp, control);
		return r;
	}
	set_geometry();
	fill_control(control);
	/* After `ulf attach` other threads run, and a signal handler may run in any case: they
	 * see either no control block or a complete one.  Their loads go through the pointer
	 * [root.control]. */
	__atomic_store_n(&root_control, control, __ATOMIC_RELEASE);
	return 0;
}

int root_publish(const char *dir)
{
	char tmp[TMP_PATH_BYTES];
	int r;

	memcpy(boot, root_control->boot, sizeof(boot));
	/* release: the control block is complete; mate: root_check_control() [root.magic] */
	__atomic_store_n(&root_control->magic, ABI_MAGIC, __ATOMIC_RELEASE);
	temporary_path(dir, tmp);
	r = rename_root(tmp, dir);
	if (r)
		discard_root(tmp, root_control);
	else
		memory_note_large(root_control, map_bytes);
	return r;
}

bool root_has_settings(void)
{
	return __atomic_load_n(&root_control->generation, __ATOMIC_ACQUIRE); /* [agent.setting] */
}

static bool is_another(const struct abi_process *slot, void *arg)
{
	return slot->pid != *(uint32_t *)arg;
}

/*
 * Returns true if the root has other live processes.  Right after fork() a child has no slot,
 * and its parent may exit before the child has claimed a slot: programs that become daemons do
 * this.  So load abi_control.forks_done before the scan of the slots, and compare it with
 * abi_control.forks afterwards.  If both are equal, no child was without a slot when the scan
 * began, except those that had failed to get one.
 */
static bool has_others(void)
{
	uint32_t done = __atomic_load_n(&root_control->forks_done, __ATOMIC_ACQUIRE);
	uint32_t pid = (uint32_t)getpid();

	if (process_any(is_another, &pid))
		return true;
	/* acquire: the scan comes before the load of forks; mate: fork.c [process.forks] */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&root_control->forks, __ATOMIC_ACQUIRE) != done;
}

/* Remove the root if this is its last process and the root has no records.  A root that
 * has only records of trace_printk() is removed, too, if no user has opened one of its
 * files or changed a setting. */
void root_remove_if_unused(void)
{
	if (process_has_left())
		return;
	for (uint32_t i = 0; root_has_settings() && i < ABI_BUFFERS; i++) {
		const struct abi_buffer *buffer = root_buffer(i);
		int r = root_populate((uint64_t)((const char *)buffer -
						 (const char *)root_control),
				      sizeof(buffer->used));

		/* -ENOSPC means that no process has ever written to this row of the
		 * table of buffers, so the buffer was never used. */
		if (r != -ENOSPC && (r || (buffer->used &&
					   buffer->used != ABI_USED_UNASKED)))
			return;
	}
	if (__atomic_load_n(&root_control->stack, __ATOMIC_RELAXED))
		return;
	if (!has_others() && is_ours_still(root_path))
		remove_dir(root_path);
}
