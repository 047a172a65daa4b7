/* SPDX-License-Identifier: MIT */
/*
 * Apply the server's settings for functions, the block of functions (abi/functions.h).
 * Any process of the root can write this block, so this code checks everything in it.
 * The object that a row names must be loaded at the row's address.  Its table of
 * entries must be inside of the object.  A site must be at an address where the object
 * says that a function begins (entries.c).  And the bytes of a site are compared before
 * they are changed.
 *
 * All functions run under runtime_lock().
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/functions.h"
#include "abi/profile.h"
#include "arch/arch.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/object.h"
#include "runtime/function/profile.h"
#include "runtime/unwind/loaded.h"

static_assert(ABI_FUNCTIONS_BUFFERS == ABI_BUFFERS, "ABI");

#define OBJECTS_MAX	4096u		/* maximum number of objects in a block of functions; no
					 * process loads so many */

static uint64_t seen_serial;		/* serial number of the block of functions
					 * that is in force; 0: no block is in force */
static bool has_others;			/* true: the block of functions names objects
					 * that were not loaded in this process when the
					 * block was applied */
static bool is_stale;			/* true: the block of functions must be
					 * applied again, because objects that were
					 * not loaded before are possibly loaded now */

/* Translate the users of a site in the block of functions (ABI_FUNCTIONS_...) to bits
 * of enum ftrace_user.  @graphs: the value of abi_functions.graphs */
static uint32_t users_from(uint32_t bits, uint32_t graphs)
{
	uint32_t users = bits & FTRACE_FUNCTION_MASK;

	if (bits & ABI_FUNCTIONS_PROBES)
		users |= 1u << FTRACE_PROBES;
	if (bits & ABI_FUNCTIONS_PROFILE)
		users |= 1u << FTRACE_PROFILE;
	if (bits & ABI_FUNCTIONS_STACK)
		users |= 1u << FTRACE_STACK;
	if (bits & ABI_FUNCTIONS_LIBC)
		users |= 1u << FTRACE_LIBC;
	if (!(bits & graphs & FTRACE_FUNCTION_MASK))
		return users;
	if (bits & ABI_FUNCTIONS_START)
		users |= 1u << FTRACE_START;
	if (bits & ABI_FUNCTIONS_SKIP)
		users |= 1u << FTRACE_SKIP;
	return users | 1u << FTRACE_GRAPH;
}

/* Returns true if the @bytes bytes at @start are inside of @image. */
static bool has_range(const struct image *image, uint64_t start, uint64_t bytes)
{
	return start >= image->start && start < image->end &&
	       bytes <= image->end - start;
}

/* Find the object that @row of the block of functions describes.  Returns 0; -ENOENT if
 * this process has not loaded the object; or an error of loaded_find(). */
static int find_loaded(const struct abi_function_object *row, struct loaded *ret)
{
	int r = loaded_find(row->bias + row->text, ret);

	if (r)
		return r;
	if (ret->text != row->bias + row->text ||
	    ret->text_end != row->bias + row->text_end ||
	    ret->id_bytes != row->build_id_bytes ||
	    memcmp(ret->id, row->build_id, ret->id_bytes))
		return -ENOENT;
	if (row->kind != FSITE_MOVED &&
	    !has_range(&ret->image, row->bias + row->table,
		       (uint64_t)row->nr * fsite_tables[row->kind].row_bytes))
		return -ENOENT;
	return 0;
}

/* Mark all objects as not named by the block of functions. */
static void unmark_objects(void)
{
	for (struct object *o = object_first(); o; o = o->next)
		o->is_named = false;
}

/* Remove the tracers and other users, and the profiler's figures, from all objects that the
 * block of functions does not name. */
static void forget_others(void)
{
	for (struct object *o = object_first(); o; o = o->next) {
		if (o->is_named)
			continue;
		memory_free(o->users);
		o->users = NULL;
		o->figures = NULL;
	}
}

/* Set the figures in which the profiler counts the functions of @object.  @off:
 * offset of the figures in the root's memory; 0: there are no figures.  Returns 0,
 * -EINVAL or an error of root_populate(). */
static int take_figures(struct object *object, uint64_t off)
{
	uint64_t bytes = (uint64_t)root_nr_cpus() * object->sites.nr *
			 sizeof(struct abi_figure);
	int r;

	if (off && object->figures == root_at(off))
		return 0;
	object->figures = NULL;
	if (!off)
		return 0;
	if (off % sizeof(uint64_t) || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, bytes);
	if (!r)
		object->figures = root_at(off);
	return r;
}

/* Store the users of the object that @row describes.  @all: the block of functions;
 * @head: a private copy of its first bytes; @row: a private copy of one of its rows.
 * Adds all users of the object to *@ret_users.  Returns 0 or -errno. */
static int take_object(const void *all, const struct abi_functions *head,
		       const struct abi_function_object *row, uint32_t *ret_users)
{
	const uint32_t bytes = head->bytes;
	const uint32_t *users = (const uint32_t *)((const char *)all + row->users);
	struct object *object;
	struct loaded loaded;
	int r;

	if (row->users % sizeof(*users) || row->users > bytes ||
	    row->nr > (bytes - row->users) / sizeof(*users) || !row->nr ||
	    row->text_end < row->text || row->text_end - row->text > UINT32_MAX ||
	    row->kind >= FSITE_KINDS)
		return -EINVAL;
	r = find_loaded(row, &loaded);
	if (!r)
		r = object_get_named(&loaded, row->kind, row->kind == FSITE_MOVED ? row->table :
				     row->bias + row->table, row->nr, &object);
	if (r == -ENOENT) {		/* only another process has loaded this
					 * object */
		has_others = true;
		return 0;
	}
	if (r)
		return r;
	if (!object->users)
		object->users = memory_alloc(row->nr * sizeof(*users));
	if (!object->users)
		return -ENOMEM;
	object->is_named = true;
	for (uint32_t i = 0; i < row->nr; i++) {
		object->users[i] = users_from(users[i], head->graphs);
		*ret_users |= object->users[i];
	}
	return take_figures(object, row->figures);
}

/* Apply the block of functions, @all.  @head: a private copy of the start of the
 * block.  Checked values are not read from the block again, because another process
 * may change them. */
static int take_functions(const struct abi_functions *all, const struct abi_functions *head)
{
	struct ftrace_graph_settings graph = {
		.depth = head->graph_depth, .has_starts = head->has_starts,
		.thresh_ns = head->thresh_ns,
	};
	uint32_t users = 0;
	int ret = 0, r;

	unmark_objects();
	has_others = false;
	profile_set_session(head->profile_session);
	for (uint32_t i = 0; i < head->nr_objects; i++) {
		struct abi_function_object row = all->objects[i];

		__asm__ volatile("" : "+m"(row));
		r = take_object(all, head, &row, &users);
		if (r && !ret)
			ret = r;
	}
	forget_others();
	users &= ((1u << FTRACE_USERS) - 1) | 1u << FTRACE_LIBC;
	graph.buffers = head->graphs & FTRACE_FUNCTION_MASK;
	memcpy(graph.sessions, head->graph_sessions, sizeof(graph.sessions));
	r = ftrace_apply_users(users, &graph);
	return ret ? ret : r;
}

int ftrace_drop_settings(void)
{
	if (!seen_serial)
		return 0;
	seen_serial = 0;
	unmark_objects();
	forget_others();
	profile_set_session(0);
	return ftrace_apply_users(0, &(struct ftrace_graph_settings){ .buffers = 0 });
}

int ftrace_apply(void)
{
	/* acquire: the block is complete; mate: block_publish() [block.word] */
	uint64_t off = __atomic_load_n(&root_control->functions, __ATOMIC_ACQUIRE);
	const struct abi_functions *all = root_at(off);
	struct abi_functions head;
	uint64_t serial;
	int r;

	ftrace_update_put_off();
	if (!off)
		return ftrace_drop_settings();
	if (off % ABI_ALIGN || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(*all));
	if (r)
		return r;
	/* acquire: read the block after its serial number; mate: the server, which
	 * changes the block in place if it has no space for a new block
	 * [functions.serial] */
	serial = __atomic_load_n(&all->serial, __ATOMIC_ACQUIRE);
	head = *all;
	__asm__ volatile("" : "+m"(head));
	if (head.magic != ABI_FUNCTIONS_MAGIC || head.bytes < sizeof(head) ||
	    head.bytes > ABI_FUNCTIONS_BYTES_MAX || head.nr_objects > OBJECTS_MAX ||
	    head.nr_objects > (head.bytes - sizeof(head)) / sizeof(head.objects[0]))
		return -EINVAL;
	if (serial == seen_serial && !is_stale)
		return 0;
	r = root_populate(off, head.bytes);
	if (r)
		return r;
	seen_serial = serial;
	is_stale = false;
	return take_functions(all, &head);
}

void ftrace_apply_again(void)
{
	is_stale = has_others;
	if (!ftrace_apply())
		profile_apply();
}
