/* SPDX-License-Identifier: MIT */
/* Publish the lists of functions in shared memory (abi/functions.h), and load the lists of
 * the previous server. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/functions.h"
#include "abi/ring.h"
#include "base/bits.h"
#include "server/core/arena.h"
#include "server/core/beat.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_libcalls.h"
#include "server/functions/function_probes.h"
#include "server/functions/function_need.h"
#include "server/functions/functions.h"
#include "server/functions/moved_store.h"
#include "server/functions/profile.h"
#include "server/functions/stack_tracer.h"
#include "server/print/tracer.h"

struct function_tracers functions_tracers(const struct root *root)
{
	struct functions *functions = root_functions(root);
	struct function_tracers tracers = {
		.has_stack = stack_tracer_is_on(root),
		.has_stack_list = functions->in_list[FUNCTION_STACK][0],
	};
	const struct instance *instance;

	for_each_instance(instance, root) {
		const struct tracer *tracer = instance_tracer(instance);
		uint16_t bit = (uint16_t)(1u << instance->number);

		if (tracer->has_functions)
			tracers.entries |= bit;
		if (tracer->has_returns)
			tracers.returns |= bit;
		if (!functions->in_list[FUNCTION_FILTER][instance->number])
			tracers.unfiltered |= bit;
		if (functions_take_all(instance))
			tracers.all_objects |= bit;
	}
	if (profile_is_on(root))
		tracers.profile = 1;	/* bit of the top instance, because the profiler
					 * uses the lists of the top instance */
	return tracers;
}

/*
 * Remove those users from @tracers that must not use functions of @object.  A tracer
 * without a filter must not trace a library that no compiler has prepared, unless the
 * option all-objects is on.  This does not apply to the graph tracer's own lists,
 * which say where it starts and where it does not trace.
 */
static void look_at_object(struct function_tracers *tracers,
			   const struct function_object *object)
{
	uint16_t left_out;

	if (!function_object_is_extra(object))
		return;
	left_out = tracers->unfiltered & (uint16_t)~tracers->all_objects;
	tracers->unfiltered &= tracers->all_objects;
	tracers->graph_named = left_out & tracers->returns;
	tracers->has_stack_list |= !(tracers->all_objects & 1);
}

/*
 * Return the tracers that use a function, and the profiler if it does, as bits of
 * abi/functions.h.  @filter, @notrace: the buffers whose lists set_ftrace_filter and
 * set_ftrace_notrace contain the function.
 */
static uint32_t users_of(const struct function_tracers *tracers, uint32_t filter,
			 uint32_t notrace)
{
	uint32_t wanted = (filter | tracers->unfiltered) & ~notrace;

	return (wanted & tracers->entries) |
	       (wanted & tracers->profile ? ABI_FUNCTIONS_PROFILE : 0);
}

/* Return ABI_FUNCTIONS_STACK if the stack tracer uses a function.  @is_listed: true if
 * the function is in stack_trace_filter. */
static uint32_t stack_user_of(const struct function_tracers *tracers,
			      uint32_t is_listed)
{
	return tracers->has_stack && (is_listed || !tracers->has_stack_list) ?
	       ABI_FUNCTIONS_STACK : 0;
}

/* Return those buffers of @tracers that trace a function because it is in
 * set_graph_function (@graph) or in set_graph_notrace (@graph_notrace). */
static uint32_t graph_named(const struct function_tracers *tracers, uint32_t graph,
			    uint32_t graph_notrace)
{
	return graph | graph_notrace ? tracers->graph_named : 0;
}

uint32_t function_users(const struct functions *functions,
			const struct function_tracers *all, uint32_t nr)
{
	struct function_tracers tracers = *all;
	uint32_t at;

	look_at_object(&tracers, function_object(functions, nr, &at));
	return users_of(&tracers, functions->lists[FUNCTION_FILTER][nr] |
			graph_named(&tracers, functions->lists[FUNCTION_GRAPH][nr],
				    functions->lists[FUNCTION_GRAPH_NOTRACE][nr]),
			functions->lists[FUNCTION_NOTRACE][nr]) |
	       stack_user_of(&tracers, functions->lists[FUNCTION_STACK][nr]);
}

/*
 * Return the marks of a function (bits of ABI_FUNCTIONS_MARKS).  Each argument says
 * whether the function is in one of the lists that only the top instance has:
 * set_graph_function, set_graph_notrace, stack_trace_filter.
 */
static uint32_t marks_of(uint32_t graph, uint32_t graph_notrace, uint32_t stack)
{
	return (graph ? ABI_FUNCTIONS_START : 0) |
	       (graph_notrace ? ABI_FUNCTIONS_SKIP : 0) |
	       (stack ? ABI_FUNCTIONS_STACK_LIST : 0);
}

bool functions_are_wanted(const struct root *root)
{
	struct functions *functions = root_functions(root);
	const struct instance *instance;

	if (functions->graph_depth || functions->thresh_ns ||
	    profile_is_on(root) || stack_tracer_is_on(root) || functions_want_all(root))
		return true;
	for_each_instance(instance, root) {
		const struct instance_functions *entries = instance_functions(instance);

		if (instance_tracer(instance)->has_functions ||
		    entries->probes || entries->mods)
			return true;
		for (int list = 0; list < FUNCTION_LISTS; list++)
			if (functions->in_list[list][instance->number])
				return true;
	}
	return false;
}

static uint32_t nr_in_lists(const struct functions *functions,
			    const struct function_object *object)
{
	const uint16_t *filter = functions->lists[FUNCTION_FILTER] + object->first;
	const uint16_t *notrace = functions->lists[FUNCTION_NOTRACE] + object->first;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < object->sites.nr; i++)
		nr += (filter[i] | notrace[i]) != 0;
	return nr;
}

static uint64_t object_bytes(const struct functions *functions,
			     const struct function_object *object)
{
	return ALIGN_UP(object->sites.nr_rows * (uint64_t)sizeof(uint32_t) +
			nr_in_lists(functions, object) *
			sizeof(struct abi_function_lists) +
			strlen(object->path) + 1, 8);
}

static bool is_listed(const uint16_t *const in[FUNCTION_LISTS], uint32_t i)
{
	static_assert(FUNCTION_LISTS == 5, "all of them");
	return in[FUNCTION_FILTER][i] | in[FUNCTION_NOTRACE][i] | in[FUNCTION_GRAPH][i] |
	       in[FUNCTION_GRAPH_NOTRACE][i] | in[FUNCTION_STACK][i];
}

/* Get the words of all lists, with one bit per buffer, for the functions of @object. */
static void words_of_object(const struct functions *functions,
			    const struct function_object *object,
			    const uint16_t *in[FUNCTION_LISTS])
{
	for (int list = 0; list < FUNCTION_LISTS; list++)
		in[list] = functions->lists[list] + object->first;
}

/* Return true if a function of @object has or had a user or a mark. */
static bool is_used(const struct root *root, const struct function_object *object)
{
	const struct functions *functions = root_functions(root);
	const uint16_t *in[FUNCTION_LISTS];
	const struct instance *instance;

	for_each_instance(instance, root)
		if (functions_take_all(instance) ||
		    function_probes_are_in(instance, object))
			return true;
	if (libcalls_have(root, object, libcalls_on(root)))
		return true;
	words_of_object(functions, object, in);
	for (uint32_t i = 0; i < object->sites.nr; i++)
		if (functions->is_touched[object->first + i] || is_listed(in, i))
			return true;
	return false;
}

/*
 * Return true if the block of functions must contain @object.  A library that no
 * compiler has prepared is in the block only if it is used, because processes read the
 * tables of all such libraries in the block.
 */
static bool has_part(const struct root *root, const struct function_object *object)
{
	const struct moved_head *head = object->moved.head;

	if (!object->is_there)
		return false;
	if (functions_want_all(root) && head && head->nr_syscalls)
		return true;
	return object->sites.nr &&
	       (!function_object_is_extra(object) || functions_want_all(root) ||
		is_used(root, object));
}

/* Return a checksum of the objects that a block would contain now.  The checksum also
 * changes when a process unloads an object and loads it again. */
static uint64_t objects_checksum(const struct root *root)
{
	const struct functions *functions = root_functions(root);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < functions->nr_objects; i++)
		sum = sum * 31 + (has_part(root, functions->objects[i]) ? i + 1 : 0);
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++)
		if (root->process[slot] && root->process[slot]->pidfd >= 0)
			sum += (uint64_t)shm_load(&root->processes[slot].unloads) << 32;
	return sum;
}

bool functions_have_changed(const struct root *root)
{
	return objects_checksum(root) != root_functions(root)->block_objects;
}

static uint64_t block_bytes(const struct root *root, uint32_t *ret_nr)
{
	const struct functions *functions = root_functions(root);
	uint64_t bytes = sizeof(struct abi_functions);

	*ret_nr = 0;
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (!has_part(root, object))
			continue;
		++*ret_nr;
		bytes += sizeof(struct abi_function_object) +
			 object_bytes(functions, object);
	}
	return bytes;
}

/* Set ABI_FUNCTIONS_TOUCHED in the words of functions that are traced, or were traced in
 * the past. */
static void mark_touched(struct functions *functions,
			 const struct function_object *object, uint32_t *users)
{
	for (uint32_t i = 0; i < object->sites.nr; i++) {
		bool *is_touched = &functions->is_touched[object->first + i];
		uint32_t *word = &users[object->sites.rows[i]];

		*is_touched |= (*word & ~ABI_FUNCTIONS_MARKS) != 0;
		if (!*is_touched)
			continue;
		functions->has_touched = true;
		*word |= ABI_FUNCTIONS_TOUCHED;
	}
}

/* Return the word for function @i of an object: its users and marks.  @in: for each list,
 * the words of the object's functions. */
static uint32_t word_of(const struct function_tracers *tracers,
			const uint16_t *const in[FUNCTION_LISTS], uint32_t i)
{
	return users_of(tracers, in[FUNCTION_FILTER][i] |
			graph_named(tracers, in[FUNCTION_GRAPH][i],
				    in[FUNCTION_GRAPH_NOTRACE][i]),
			in[FUNCTION_NOTRACE][i]) |
	       stack_user_of(tracers, in[FUNCTION_STACK][i]) |
	       marks_of(in[FUNCTION_GRAPH][i], in[FUNCTION_GRAPH_NOTRACE][i],
			in[FUNCTION_STACK][i]);
}

static void fill_object(struct root *root, const struct function_object *from,
			struct abi_function_object *to, char *block, uint32_t at)
{
	struct functions *functions = root_functions(root);
	struct function_tracers tracers = functions_tracers(root);
	const uint16_t *in[FUNCTION_LISTS];
	uint32_t nr = from->sites.nr_rows, unlisted;
	uint32_t *users = (uint32_t *)(block + at);
	struct abi_function_lists *lists = (struct abi_function_lists *)(users + nr);

	look_at_object(&tracers, from);
	/* Compute the word for a function that is in no list only once, because most
	 * functions are in no list. */
	unlisted = users_of(&tracers, 0, 0) | stack_user_of(&tracers, 0) | marks_of(0, 0, 0);
	*to = (struct abi_function_object){
		.bias = from->bias,
		.text = from->sites.text, .text_end = from->sites.text_end,
		.table = from->sites.table, .nr = nr,
		.users = at,
		.lists = at + nr * (uint32_t)sizeof(*users),
		.path_bytes = (uint32_t)strlen(from->path) + 1,
		.build_id_bytes = (uint16_t)from->sites.build_id_bytes,
		.kind = (uint16_t)from->sites.kind,
		.id = from->sites.id,
		.figures = profile_figures(from),
	};
	memcpy(to->build_id, from->sites.build_id, sizeof(to->build_id));
	words_of_object(functions, from, in);
	for (uint32_t i = 0; i < from->sites.nr; i++) {
		uint32_t row = from->sites.rows[i];

		users[row] = is_listed(in, i) ? word_of(&tracers, in, i) : unlisted;
		if (in[FUNCTION_FILTER][i] | in[FUNCTION_NOTRACE][i])
			lists[to->nr_lists++] = (struct abi_function_lists){
				row, in[FUNCTION_FILTER][i], in[FUNCTION_NOTRACE][i],
			};
	}
	beat();
	to->path = to->lists + to->nr_lists * (uint32_t)sizeof(*lists);
	function_probes_mark(root, from, users);
	libcalls_mark(root, from, users);
	mark_touched(functions, from, users);
	memcpy(block + to->path, from->path, to->path_bytes);
}

static void fill_block(struct root *root, struct abi_functions *to, uint64_t bytes,
		       uint32_t nr)
{
	const struct functions *functions = root_functions(root);
	struct abi_function_object *object = to->objects;
	uint32_t at = (uint32_t)(sizeof(*to) + nr * sizeof(*object));

	*to = (struct abi_functions){
		.magic = ABI_FUNCTIONS_MAGIC, .bytes = (uint32_t)bytes,
		.serial = ++root_functions(root)->serial, .nr_objects = nr,
		.graphs = functions_tracers(root).returns,
		.graph_depth = functions->graph_depth,
		.has_starts = functions->in_list[FUNCTION_GRAPH][0] != 0,
		.thresh_ns = functions->thresh_ns,
		.profile_session = functions->profile_session,
	};
	memcpy(to->graph_sessions, functions->graph_sessions, sizeof(to->graph_sessions));
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		if (!has_part(root, functions->objects[i]))
			continue;
		fill_object(root, functions->objects[i], object++, (char *)to, at);
		at += (uint32_t)object_bytes(functions, functions->objects[i]);
	}
}

/* Write the block of functions with pwrite(), which is faster than mapping the
 * block. */
static int write_block(struct root *root, uint64_t off, uint64_t bytes, uint32_t nr)
{
	struct abi_functions *all = calloc(1, bytes);
	int r = 0;

	if (!all)
		return -ENOMEM;
	fill_block(root, all, bytes, nr);
	if (pwrite(root->fd, all, bytes, (off_t)off) != (ssize_t)bytes)
		r = -EIO;
	free(all);
	return r;
}

static int publish_block(struct root *root, uint64_t bytes, uint32_t nr)
{
	struct functions *functions = root_functions(root);
	struct block_draft draft;
	int r = block_begin(root, bytes, 0, &draft);

	if (r)
		return r;
	r = write_block(root, draft.ref.off, bytes, nr);
	if (r) {
		block_cancel(root, &draft);
		return r;
	}
	r = block_publish(root, &draft, &functions->block, &root->control->functions);
	if (!r)
		functions->block_objects = objects_checksum(root);
	return r;
}

/* Write the files with the tables of moved functions that the new block names.  The files must
 * be complete before the block is published. */
static int store_tables(struct root *root)
{
	const struct functions *functions = root_functions(root);
	int r = 0;

	for (uint32_t i = 0; !r && i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		if (object->moved.head && has_part(root, object))
			r = moved_store(root, &object->moved);
	}
	return r;
}

int functions_publish(struct root *root)
{
	struct functions *functions = root_functions(root);
	bool are_wanted = functions_are_wanted(root);
	uint32_t nr;
	uint64_t bytes = block_bytes(root, &nr);
	int r;

	root_want_objects(root, ABI_WANTS_FUNCTIONS, are_wanted);
	/* Publish a block even without users if functions were traced, to keep the marks
	 * ABI_FUNCTIONS_TOUCHED for the next server. */
	if (!are_wanted && !libcalls_on(root) && !functions->has_touched) {
		block_retire(root, &functions->block, &root->control->functions);
		functions->block_objects = objects_checksum(root);
		return 0;
	}
	if (bytes > ABI_FUNCTIONS_BYTES_MAX)
		return -ENOMEM;
	r = profile_make_blocks(root);
	if (!r)
		r = store_tables(root);
	return r ? r : publish_block(root, bytes, nr);
}

void functions_list_blocks(const struct root *root, struct extent_list *list)
{
	arena_list_block(list, &root_functions(root)->block);
}

/* ---- functions that change the published block, if there is no space for a new one ---- */

/* Return a mask with all users that are still on and with all marks
 * (ABI_FUNCTIONS_MARKS). */
static uint32_t users_left(const struct root *root)
{
	const struct function_tracers tracers = functions_tracers(root);
	uint32_t users = tracers.entries | ABI_FUNCTIONS_MARKS |
			 (tracers.profile ? ABI_FUNCTIONS_PROFILE : 0) |
			 (tracers.has_stack ? ABI_FUNCTIONS_STACK : 0) |
			 (libcalls_on(root) ? ABI_FUNCTIONS_LIBC : 0);
	const struct instance *instance;

	for_each_instance(instance, root)
		if (instance_functions(instance)->probes)
			users |= ABI_FUNCTIONS_PROBES;
	return users;
}

static void keep_users(struct abi_functions *all, uint64_t bytes,
		       const struct abi_function_object *object, uint32_t left)
{
	uint32_t at = shm_load(&object->users), nr = shm_load(&object->nr);
	uint32_t *users = (uint32_t *)((char *)all + at);

	if (at % sizeof(*users) || at > bytes || nr > (bytes - at) / sizeof(*users))
		return;
	for (uint32_t i = 0; i < nr; i++)
		shm_store(&users[i], shm_load(&users[i]) & left);
}

/*
 * Remove users that are off from the published block, in place.  A process that reads
 * the block at this time finds a new serial number when it is notified, and reads the
 * block again.  If the server is killed meanwhile, the lists and marks in the block
 * are still complete.
 */
static int keep_users_in_block(struct root *root)
{
	struct functions *functions = root_functions(root);
	const struct abi_ring_ref block = functions->block;
	uint32_t left = users_left(root), nr;
	struct abi_functions *all;
	struct mapping *map;
	int r;

	if (!block.off)
		return 0;
	r = mapping_new(root->fd, block.off, block.bytes, &map);
	if (r)
		return r;
	all = map->addr;
	nr = shm_load(&all->nr_objects);
	for (uint32_t i = 0; i < nr && sizeof(*all) + (i + 1ull) *
			     sizeof(all->objects[0]) <= block.bytes; i++)
		keep_users(all, block.bytes, &all->objects[i], left);
	shm_store(&all->graphs, (uint32_t)functions_tracers(root).returns);
	shm_store(&all->profile_session, functions->profile_session);
	shm_store(&all->serial, ++functions->serial);	/* [functions.serial] */
	r = map->is_lost ? -EIO : 0;
	mapping_put(map);
	return r;
}

int functions_publish_off(struct root *root)
{
	return functions_publish(root) ? keep_users_in_block(root) : 0;
}

/* ---- functions that load the block of functions of the previous server ---- */

static bool block_has(const struct abi_functions *all, uint32_t at, uint64_t bytes)
{
	return at <= all->bytes && bytes <= all->bytes - at;
}

/* Load set_ftrace_filter and set_ftrace_notrace for the functions of one object.
 * @lists: the functions that are in lists, in the order of their numbers. */
static void load_lists(struct functions *functions, const struct function_object *object,
		       const struct abi_function_lists *lists, uint32_t nr_lists)
{
	const struct elf_sites *sites = &object->sites;

	for (uint32_t i = 0, at = 0; i < nr_lists; i++) {
		while (at < sites->nr && sites->rows[at] != lists[i].row)
			at++;
		if (at == sites->nr)
			break;
		for (uint32_t buffer = 0; buffer < ABI_BUFFERS; buffer++) {
			functions_put(functions, FUNCTION_FILTER, buffer,
				      object->first + at, lists[i].filter >> buffer & 1);
			functions_put(functions, FUNCTION_NOTRACE, buffer,
				      object->first + at, lists[i].notrace >> buffer & 1);
		}
	}
}

static bool is_object(const struct abi_functions *all,
		      const struct abi_function_object *from)
{
	const char *path = (const char *)all + from->path;

	return block_has(all, from->path, from->path_bytes) && from->path_bytes &&
	       !path[from->path_bytes - 1] && from->lists % sizeof(uint32_t) == 0 &&
	       from->users % sizeof(uint32_t) == 0 &&
	       block_has(all, from->users, from->nr * (uint64_t)sizeof(uint32_t)) &&
	       block_has(all, from->lists,
			 from->nr_lists * (uint64_t)sizeof(struct abi_function_lists)) &&
	       from->kind < FSITE_KINDS;
}

static int load_object(struct root *root, const struct abi_functions *all,
		       const struct abi_function_object *from)
{
	const char *path = (const char *)all + from->path;
	const void *lists = (const char *)all + from->lists;
	const uint32_t *users = (const uint32_t *)((const char *)all + from->users);
	struct functions *functions = root_functions(root);
	struct function_object *object;
	int r;

	r = functions_add(root, path, from, &object);
	if (r || !object || object->sites.nr_rows != from->nr ||
	    object->sites.kind != from->kind ||
	    (object->is_moved && object->sites.table != from->table))
		return r;	/* if @r is 0, the file has changed, so the lists of its
				 * functions are ignored */
	load_lists(functions, object, lists, from->nr_lists);
	for (uint32_t i = 0; i < object->sites.nr; i++) {
		uint32_t nr = object->first + i, row = object->sites.rows[i];

		functions->is_touched[nr] = users[row] & ABI_FUNCTIONS_TOUCHED;
		functions->has_touched |= functions->is_touched[nr];
		functions_put(functions, FUNCTION_GRAPH, 0, nr,
			      users[row] & ABI_FUNCTIONS_START);
		functions_put(functions, FUNCTION_GRAPH_NOTRACE, 0, nr,
			      users[row] & ABI_FUNCTIONS_SKIP);
		functions_put(functions, FUNCTION_STACK, 0, nr,
			      users[row] & ABI_FUNCTIONS_STACK_LIST);
	}
	return 0;
}

/* Return the next valid object of the block @all, from index *@at on.  Returns NULL if
 * there are no more, or if the limit FUNCTION_OBJECTS_MAX is reached. */
static const struct abi_function_object *next_object(const struct abi_functions *all,
						     uint32_t *at)
{
	while (*at < all->nr_objects && *at < FUNCTION_OBJECTS_MAX &&
	       block_has(all, 0, sizeof(*all) + (*at + 1ull) * sizeof(all->objects[0]))) {
		const struct abi_function_object *from = &all->objects[(*at)++];

		if (is_object(all, from))
			return from;
	}
	return NULL;
}

/* Start to parse the files of all objects of the block that are not loaded yet, so that
 * several parsers run at the same time. */
static int parse_objects(struct root *root, const struct abi_functions *all)
{
	const struct abi_function_object *from;
	uint32_t at = root_functions(root)->nr_loaded;
	bool is_parsing = false;

	while ((from = next_object(all, &at)))
		is_parsing |= functions_parse(root, (const char *)all + from->path,
					      from) == -ERESTART;
	return is_parsing ? -ERESTART : 0;
}

static int load_objects(struct root *root, const struct abi_functions *all)
{
	struct functions *functions = root_functions(root);
	uint32_t *at = &functions->nr_loaded;
	const struct abi_function_object *from;
	int r = parse_objects(root, all);

	if (r)
		return r;

	functions->serial = all->serial;
	functions->graph_depth = all->graph_depth;
	functions->thresh_ns = all->thresh_ns;
	functions->profile_session = all->profile_session;
	memcpy(functions->graph_sessions, all->graph_sessions,
	       sizeof(all->graph_sessions));
	while (!r && (from = next_object(all, at))) {
		r = load_object(root, all, from);
		/*
		 * Handle the object again if its file must be parsed again.  This
		 * happens if the block contains a file twice, because the first object
		 * has taken the result of the parser.
		 */
		*at -= r == -ERESTART;
	}
	return r;
}

int functions_load(struct root *root)
{
	static const struct block_size size = {
		.at = offsetof(struct abi_functions, bytes),
		.min = sizeof(struct abi_functions), .max = ABI_FUNCTIONS_BYTES_MAX,
	};
	struct abi_functions *copy;
	uint32_t bytes;
	void *data;
	int r = block_copy(root, shm_load(&root->control->functions), &size,
			   &root_functions(root)->block, &data, &bytes);

	if (r || !data)
		return r;
	copy = data;
	copy->bytes = bytes;
	r = load_objects(root, copy);
	free(copy);
	return r;
}
