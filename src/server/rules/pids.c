/* SPDX-License-Identifier: MIT */
/* Add, remove and show the lists of threads of an instance (set_event_pid and so
 * on). */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "abi/pids.h"
#include "base/text.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/rules/pids.h"

#define EXPIRE_MAX	4096		/* maximum number of threads of a list that one
					 * call of pids_expire() checks */

static struct abi_ring_ref ref_of(const struct instance *instance,
				  enum abi_pids_list list)
{
	return (struct abi_ring_ref){
		.off = shm_load(&instance->abi->pids[list]),
		.bytes = sizeof(struct abi_pids),
	};
}

/*
 * Map @list of @instance into the server's memory.  The caller must call mapping_put() on
 * *@ret_map.  Returns NULL if the instance has no such list, or if the list cannot be
 * mapped.
 */
static struct abi_pids *list_get(const struct instance *instance,
				 enum abi_pids_list list,
				 struct mapping **ret_map)
{
	struct abi_ring_ref ref = ref_of(instance, list);

	if (!arena_has(instance->root, &ref) ||
	    mapping_new(instance->root->fd, ref.off, ref.bytes, ret_map))
		return NULL;
	return (*ret_map)->addr;
}

static uint32_t nr_beyond(const struct abi_pids *pids)
{
	uint32_t nr = shm_load(&pids->nr_beyond);

	return nr < ABI_PIDS_BEYOND ? nr : ABI_PIDS_BEYOND;
}

static void add_beyond(struct abi_pids *list, uint32_t pid)
{
	uint32_t nr = nr_beyond(list), at = 0;

	while (at < nr && list->beyond[at] < pid)
		at++;
	if ((at < nr && list->beyond[at] == pid) || nr == ABI_PIDS_BEYOND)
		return;
	memmove(&list->beyond[at + 1], &list->beyond[at],
		(nr - at) * sizeof(list->beyond[0]));
	list->beyond[at] = pid;
	shm_store(&list->nr_beyond, nr + 1);
}

/* Add all @nr thread ids of @pids to @list.  If @list has no space for all of them, add
 * none and return -ENOSPC. */
static int fill_list(struct abi_pids *list, const uint32_t *pids, size_t nr)
{
	size_t beyond = nr_beyond(list);

	for (size_t i = 0; i < nr; i++)
		beyond += pids[i] >= ABI_PIDS;
	if (beyond > ABI_PIDS_BEYOND)
		return -ENOSPC;
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] >= ABI_PIDS)
			add_beyond(list, pids[i]);
		else
			abi_pids_add(list, pids[i]);
	}
	return 0;
}

/* Make a new list of threads.  The list is published after it is complete. */
static int make_list(struct instance *instance, enum abi_pids_list list,
		     const uint32_t *pids, size_t nr)
{
	struct abi_ring_ref block = { 0, 0 };
	struct block_draft draft;
	int r = block_begin(instance->root, sizeof(struct abi_pids), sizeof(struct abi_pids),
			    &draft);

	if (r)
		return r;
	r = fill_list(draft.map->addr, pids, nr);
	if (r) {
		block_cancel(instance->root, &draft);
		return r;
	}
	/* Mark the instance's buffer as used, because processes ignore the lists of
	 * buffers that are not used. */
	shm_store(&instance->abi->used, 1);
	return block_publish(instance->root, &draft, &block, &instance->abi->pids[list]);
}

int pids_add(struct instance *instance, enum abi_pids_list list,
	     const uint32_t *pids, size_t nr, bool *ret_is_new)
{
	struct mapping *map;
	struct abi_pids *shared = list_get(instance, list, &map);
	int r;

	*ret_is_new = !shared;
	if (!shared)
		return make_list(instance, list, pids, nr);
	r = fill_list(shared, pids, nr);
	mapping_put(map);
	return r;
}

/* If @is_in is true, return true if @list contains thread @tid.  If @is_in is false,
 * return true if @list exists and does not contain the thread. */
static bool is_listed(const struct instance *instance, enum abi_pids_list list, uint32_t tid,
		      bool is_in)
{
	struct mapping *map;
	const struct abi_pids *shared = list_get(instance, list, &map);
	bool has_tid;

	if (!shared)
		return false;
	has_tid = abi_pids_has(shared, tid);
	mapping_put(map);
	return has_tid == is_in;
}

bool pids_ignore(const struct instance *instance, uint32_t tid)
{
	return is_listed(instance, ABI_PIDS_TRACE, tid, false) ||
	       is_listed(instance, ABI_PIDS_NOTRACE, tid, true);
}

bool pids_drop(struct instance *instance, enum abi_pids_list list)
{
	struct abi_ring_ref ref = ref_of(instance, list);

	if (!ref.off)
		return false;
	block_retire(instance->root, &ref, &instance->abi->pids[list]);
	return true;
}

/* Return the first thread id in the bitmap of @pids that is @tid or greater; ABI_PIDS if
 * there is none. */
static uint32_t next_tid(const struct abi_pids *pids, uint32_t tid)
{
	while (tid < ABI_PIDS) {
		uint64_t word = shm_load(&pids->bits[tid / 64]) >> tid % 64;

		if (word)
			return tid + (uint32_t)__builtin_ctzll(word);
		tid = (tid | 63) + 1;
	}
	return ABI_PIDS;
}

void pids_show(struct instance *instance, enum abi_pids_list list,
	       struct text *out)
{
	struct mapping *map;
	const struct abi_pids *pids = list_get(instance, list, &map);

	/* A list that does not exist is shown as "no pid" in set_ftrace_pid and
	 * set_ftrace_notrace_pid only, as in the kernel. */
	if (!pids && list >= ABI_PIDS_FUNCTION)
		text_puts(out, "no pid\n");
	if (!pids)
		return;
	for (uint32_t tid = 0; (tid = next_tid(pids, tid)) < ABI_PIDS; tid++)
		text_printf(out, "%" PRIu32 "\n", tid);
	for (uint32_t i = 0; i < nr_beyond(pids); i++)
		text_printf(out, "%" PRIu32 "\n", shm_load(&pids->beyond[i]));
	mapping_put(map);
}

/* Return true if no thread has the id @tid. kill() can test this, because it accepts ids
 * of all threads, not only of processes. */
static bool is_ended(uint32_t tid)
{
	return tid && kill((pid_t)tid, 0) && errno == ESRCH;
}

/*
 * Remove ended threads from @pids.  Checks EXPIRE_MAX threads; the next call continues
 * from *@next.  The number is limited because a program can set all bits of its list,
 * and a check of all would make other roots wait for the server.
 */
static void expire_some(struct abi_pids *pids, uint32_t *next)
{
	uint32_t tid = *next;

	for (int i = 0; i < EXPIRE_MAX; i++, tid++) {
		tid = next_tid(pids, tid);
		if (tid == ABI_PIDS) {
			*next = 0;
			return;
		}
		if (is_ended(tid))
			abi_pids_remove(pids, tid);
	}
	*next = tid;
}

void pids_expire(struct instance *instance)
{
	uint64_t options = instance_options(instance);

	for (int list = 0; list < ABI_PIDS_LISTS; list++) {
		uint64_t option = list < ABI_PIDS_FUNCTION ? OPTION_EVENT_FORK :
							     OPTION_FUNCTION_FORK;
		struct mapping *map;
		struct abi_pids *pids = options & option ?
					list_get(instance, list, &map) : NULL;

		if (!pids)
			continue;
		expire_some(pids, &instance_pids(instance)->expire_next[list]);
		mapping_put(map);
	}
}

void pids_list_blocks(const struct instance *instance, struct extent_list *list)
{
	for (int i = 0; i < ABI_PIDS_LISTS; i++) {
		struct abi_ring_ref ref = ref_of(instance, i);

		if (arena_has(instance->root, &ref))
			arena_list_block(list, &ref);
	}
}

void pids_drop_all(struct instance *instance)
{
	for (int list = 0; list < ABI_PIDS_LISTS; list++)
		pids_drop(instance, list);
}
