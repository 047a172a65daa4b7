/* SPDX-License-Identifier: MIT */
/* Mappings of files that programs may truncate, and the handler of the SIGBUS that an
 * access to such a mapping may cause. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "server/core/mapping.h"

/*
 * The list of mappings.  The server's thread changes the list only while it accesses no
 * mapping.  The signal handler reads the list.  The handler runs only during an access to
 * a mapping, so it never sees a list that is being changed.
 */
static struct mapping *all_mappings;
static int map_flags = MAP_SHARED;	/* flags for mmap() of the files; changed only
					 * before the first mapping is made */

static bool has_address(const struct mapping *mapping, const void *addr)
{
	return (uintptr_t)addr - (uintptr_t)mapping->addr < mapping->bytes;
}

static uint64_t offset_in(const struct mapping *mapping, const void *addr)
{
	return (uint64_t)((const char *)addr - (const char *)mapping->addr);
}

static bool put_zeroes(void *start, uint64_t bytes)
{
	return mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/*
 * Return true if the byte at @addr lies before the end of the mapped file.  Then the
 * SIGBUS means that the file system is full, and not that the file was truncated.
 */
static bool is_hole(const struct mapping *mapping, const void *addr)
{
	struct stat st;

	return mapping->fd >= 0 && !fstat(mapping->fd, &st) &&
	       offset_in(mapping, addr) < (uint64_t)st.st_size;
}

static void handle_sigbus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	for (struct mapping *m = all_mappings; m; m = m->next) {
		if (!has_address(m, info->si_addr))
			continue;
		if (is_hole(m, info->si_addr)) {
			void *page = (char *)m->addr +
				     arch_page_start(offset_in(m, info->si_addr));

			if (!put_zeroes(page, ARCH_PAGE_BYTES))
				break;
			m->has_holes = true;
			return;
		}
		if (!put_zeroes(m->addr, m->bytes))
			break;
		m->is_lost = true;
		return;
	}
	/* The address of the fault is in none of our mappings, so let SIGBUS kill the
	 * process, as without a handler. */
	signal(sig, SIG_DFL);
}

int mapping_init(void)
{
	struct sigaction action = {
		.sa_sigaction = handle_sigbus,
		.sa_flags = SA_SIGINFO,
	};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

void mapping_be_private(void)
{
	map_flags = MAP_PRIVATE | MAP_NORESERVE;
}

int mapping_new(int fd, uint64_t off, uint64_t bytes, struct mapping **ret_mapping)
{
	struct mapping *mapping;
	struct stat st;
	int r;

	if (fstat(fd, &st))
		return -errno;
	if (!bytes || off % ARCH_PAGE_BYTES || off > (uint64_t)st.st_size ||
	    bytes > (uint64_t)st.st_size - off)
		return -EBADMSG;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return -ENOMEM;
	mapping->addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, map_flags,
			     fd, (off_t)off);
	if (mapping->addr == MAP_FAILED) {
		r = -errno;
		free(mapping);
		return r;
	}
	mapping->bytes = bytes;
	mapping->fd = -1;
	mapping->refs = 1;
	mapping->next = all_mappings;
	if (all_mappings)
		all_mappings->before = mapping;
	all_mappings = mapping;
	*ret_mapping = mapping;
	return 0;
}

int mapping_new_sparse(int fd, uint64_t bytes, struct mapping **ret_mapping)
{
	int r = mapping_new(fd, 0, bytes, ret_mapping);

	if (!r)
		(*ret_mapping)->fd = fd;
	return r;
}

static bool is_private(void)
{
	return map_flags & MAP_PRIVATE;
}

void mapping_mend(struct mapping *mapping)
{
	if (!mapping->has_holes || mapping->is_lost || is_private())
		return;
	mapping->has_holes = false;
	if (mmap(mapping->addr, mapping->bytes, PROT_READ | PROT_WRITE,
		 map_flags | MAP_FIXED, mapping->fd, 0) == MAP_FAILED)
		mapping->has_holes = true;
}

int mapping_reserve(struct mapping *mapping, const void *start, uint64_t bytes)
{
	int r;

	if (is_private())
		return 0;
	mapping_mend(mapping);
	do
		r = fallocate(mapping->fd, FALLOC_FL_KEEP_SIZE,
			      (off_t)offset_in(mapping, start), (off_t)bytes);
	while (r && errno == EINTR);
	/*
	 * Some file systems have no fallocate() (EOPNOTSUPP).  There a later access may find
	 * the file system full and raise SIGBUS.  The signal handler then puts zeroes there,
	 * so EOPNOTSUPP is not an error.
	 */
	return r && errno != EOPNOTSUPP ? -errno : 0;
}

struct mapping *mapping_get(struct mapping *mapping)
{
	mapping->refs++;
	return mapping;
}

void mapping_put(struct mapping *mapping)
{
	if (!mapping || --mapping->refs)
		return;
	if (mapping->before)
		mapping->before->next = mapping->next;
	else
		all_mappings = mapping->next;
	if (mapping->next)
		mapping->next->before = mapping->before;
	munmap(mapping->addr, mapping->bytes);
	free(mapping);
}
