/* SPDX-License-Identifier: MIT */
/*
 * Users of function sites: which functions are traced, the filters, and the callbacks of
 * the program.  A new user is switched on in these steps:
 *
 *	make slots; clear old users			fsites_prepare()
 *	make bodies for followed functions		bodies_make()
 *	store users in slots, patch jumps into sites	fsites_switch()
 *	set the user's bit in active			[ftrace.active]
 * A user is switched off in these steps:
 *	clear the user's bit in active
 *	switch the sites off that have no other user
 *	grace_wait(): no thread that saw the bit is still in a hit
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "ring/ring.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/ftrace_filter.h"
#include "runtime/function/left.h"
#include "runtime/function/libcalls.h"
#include "runtime/function/object.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"
#include "runtime/function/still.h"
#include "runtime/unwind/unwinders.h"
#include <linux/ftrace.h>

/* ---- find out which tracers, callbacks and other users a function site must have ---- */

/* filters of the callbacks that the program has registered; protected by
 * runtime_lock() */
static const struct ftrace_ops *filters[FTRACE_USERS];
static uint32_t wanted;			/* the registered callbacks of the program,
					 * one bit for each */

static bool is_program(const struct object *object)
{
	uint64_t entry = getauxval(AT_ENTRY);

	return entry >= (uint64_t)object->sites.low &&
	       entry < (uint64_t)object->sites.high;
}

/* Returns the users (enum ftrace_user) that the function site number @i of @object must
 * have. */
static uint32_t users_of(const struct object *object, uint32_t i)
{
	const struct fsites *sites = &object->sites;
	uint64_t code = (uint64_t)fsite_code(sites, i);
	uint32_t users = object->users ? object->users[i] : 0;
	/* As for the server's tracers, functions of a library that no compiler has prepared are
	 * traced only if a filter names functions, and not if an empty filter selects all
	 * functions. */
	bool is_extra = wanted && object->moved && !is_program(object);

	if (!fsite_is_known(&sites->table[i]))
		return 0;
	for (uint32_t left = wanted; left; left &= left - 1) {
		uint32_t user = (uint32_t)__builtin_ctz(left);

		if (filter_has(filters[user], code) &&
		    !(is_extra && filter_is_open(filters[user])))
			users |= 1u << user;
	}
	return users;
}

/* ---- make bodies for followed functions ---- */

static uint32_t next_body;		/* offset of the next free body in ftrace_bodies */

/* Returns the address of the next body, at offset *@at or after it, and moves *@at to
 * the end of the body.  Each memory page of bodies begins with a struct graph_page,
 * which unwinders need. */
static uint8_t *body_place(uint32_t *at)
{
	uint8_t *place;

	if (*at % ARCH_PAGE_BYTES == 0)
		*at += sizeof(struct graph_page);
	place = ftrace_bodies + *at;
	*at += sizeof(struct graph_body);
	return place;
}

/* Write the body of site @i, to which the traced function returns, to @place.  If it is the
 * first body of a memory page, also write a struct graph_page before it. */
static void body_make(uint8_t *place, const struct fsites *sites, uint32_t i)
{
	struct graph_page page = { shadow_keys, shadow_entries, &ftrace_cfa_bias, 0 };
	uint64_t site = (uint64_t)fsite_code(sites, i);
	struct graph_body body;

	if ((uint64_t)place % ARCH_PAGE_BYTES == sizeof(page))
		patch_put(PATCH_STUBS, place - sizeof(page), (const uint8_t *)&page,
			  sizeof(page));
	graph_body_init(&body, place, site, (uint64_t)fsite_continue(sites, i));
	patch_put(PATCH_STUBS, place, (const uint8_t *)&body, sizeof(body));
}

static bool needs_body(const struct fsites *sites, uint32_t i)
{
	const struct fsite_slot *slot;

	if (!sites->table[i].is_changed ||
	    !(sites->table[i].users & FTRACE_GRAPH_MASK))
		return false;
	slot = fsite_slot(sites, i);
	return slot && !slot->body.at;
}

/* Make bodies for the sites that are about to be switched on.  Write all bodies first,
 * then store their addresses in the slots, so that every body that a thread finds in a
 * slot is complete.  Returns 0, -ENOSPC (no space for more bodies) or an error of
 * writing text. */
static int bodies_make(const struct fsites *sites)
{
	uint32_t at = next_body, end = next_body;
	int ret = 0, r;

	patch_begin();
	for (uint32_t i = sites->low_changed; i < sites->end_changed && !ret; i++) {
		if (!needs_body(sites, i))
			continue;
		if (end >= GRAPH_BODIES_BYTES)
			ret = -ENOSPC;
		else
			body_make(body_place(&end), sites, i);
	}
	r = patch_flush();
	for (uint32_t i = sites->low_changed; at < end && !r; i++) {
		struct fsite_body body;

		if (!needs_body(sites, i))
			continue;
		body.at = body_place(&at);
		body.back = body.at + GRAPH_BODY_RETURN;
		body.word = (uint32_t)(body.at - ftrace_bodies);
		fsite_set_body(sites, i, &body);
	}
	next_body = end;
	if (!r)
		r = patch_flush();
	patch_end();
	return ret ? ret : r;
}

/* ---- update the sites of all objects ---- */

/* Returns true if the tag in the slot of site @i is out of date. */
static bool has_old_tag(const struct fsites *sites, uint32_t i)
{
	const struct fsite_slot *slot;

	if (!(sites->table[i].users >> FTRACE_GRAPH & 1))
		return false;
	slot = fsite_slot(sites, i);
	return slot && slot->body.word != ftrace_word_of(slot);
}

/* Returns true if the error @r means that some functions cannot be traced: they have
 * unexpected bytes (-EILSEQ), or there is no space for stubs near them (-ENOMEM). */
static bool is_about_functions(int r)
{
	return r == -EILSEQ || r == -ENOMEM;
}

/* Returns the more important one of two errors.  An error of the whole call is more
 * important than an error of single functions.  If both are equally important, returns the
 * first. */
static int worse_error(int first, int second)
{
	return !first || (is_about_functions(first) && second && !is_about_functions(second)) ?
	       second : first;
}

static void serve_unwinders(void);
static bool has_served;			/* true: serve_unwinders() was called in this update */

/* Give all sites of @object the users that they must have.  Returns 0; -EFAULT if the object
 * was unmapped; or the most important error of all steps.  After such an error, all sites
 * without an error are updated. */
static int update_object(struct object *object)
{
	struct fsites *sites = &object->sites;
	int prepared, made, r;

	for (uint32_t i = 0; i < sites->nr; i++) {
		fsite_want(sites, i, users_of(object, i));
		if (has_old_tag(sites, i))
			fsite_mark(sites, i);
	}
	if (!sites->end_changed)
		return 0;
	sites->is_alone = sites->moved && still_is_alone();
	/* Unwinders must know the slots before a thread can be in a slot. */
	if (!has_served)
		serve_unwinders();
	prepared = fsites_prepare(sites);
	if (prepared == -EFAULT)
		return prepared;
	made = shadow_keys ? bodies_make(sites) : 0;
	/* A function without a body is traced, but its calls are not followed: they
	 * count as lost (ftrace_graph_lost). */
	if (made == -ENOSPC)
		made = 0;
	r = fsites_switch(sites);
	if (r == -EFAULT)
		return r;
	return worse_error(worse_error(prepared, made), r);
}

/*
 * Counts threads in dlclose() and dlopen().  Updates of sites in libraries are put off while a
 * thread is in dlclose(), because that thread may be about to unmap libraries.  They are not
 * put off while a thread in dlopen() waits for the server: that thread holds libc's lock, so no
 * other thread can unmap anything.  runtime_lock() protects nr_unloading, nr_loading and
 * has_put_off.
 */
static uint32_t nr_unloading;		/* number of threads in dlclose() */
static uint32_t nr_loading;		/* number of threads in dlopen() that wait for the server */
static bool has_put_off;		/* true: updates of sites in libraries were put
					 * off */
static bool is_unserved;		/* true: unwinders_serve() must still be
					 * called, because the call was put off */

/* true: slots are getting new tags.  Meanwhile no lane has rings, so ftrace.S leaves every
 * call to hit.c; grace_restart_sections() restarts the rseq sections of threads that had
 * loaded a ring before */
static bool is_updating;
static bool has_old_slots;		/* true: some slots could not be written, and
					 * still have old tags */

bool ftrace_objects_are_safe(void)
{
	return !nr_unloading || nr_loading;
}

bool ftrace_may_patch(const struct object *object)
{
	return ftrace_objects_are_safe() || is_program(object);
}

/* Call unwinders_serve(), which lets unwinders find their way out of slots.  It may change
 * a word of any library, so the call is put off while a library may be unmapped.  Sites of
 * the program's own functions are switched even then. */
static void serve_unwinders(void)
{
	has_served = true;
	is_unserved = !ftrace_objects_are_safe();
	if (is_unserved)
		has_put_off = true;
	else
		unwinders_serve();
}

static int update_all(void)
{
	struct object *next;
	int ret = 0, r;

	left_begin();
	for (struct object *o = object_first(); o; o = next) {
		next = o->next;
		if (!ftrace_may_patch(o)) {
			has_put_off = true;
			continue;
		}
		r = update_object(o);
		if (r == -EFAULT)
			object_drop(o);		/* drop the object, because a
						 * dlclose() has unmapped it
						 * meanwhile */
		else
			ret = worse_error(ret, r);
		if (r != -EFAULT && o->sites.has_old_slots)
			has_old_slots = true;
	}
	return worse_error(ret, left_end(still_flip(&object_still)));
}

static void set_common(uint32_t users);

static int update_sites(void)
{
	bool was_updating = is_updating;
	int r;

	is_updating = true;
	set_common(ftrace_state.active);
	grace_restart_sections();
	has_put_off = false;
	has_old_slots = false;
	has_served = false;
	if (is_unserved)
		serve_unwinders();
	r = update_all();
	is_updating = was_updating;
	set_common(ftrace_state.active);
	return r;
}

void ftrace_unload_begin(void)
{
	runtime_lock();		/* taking the lock waits for the end of an update of
				 * sites that has begun */
	nr_unloading++;
	runtime_unlock();
}

void ftrace_update_put_off(void)
{
	if (nr_unloading || !has_put_off)
		return;
	update_sites();
	codemem_sync();
}

void ftrace_unload_end(void)
{
	object_scan_gone();
	runtime_lock();
	if (nr_unloading)
		nr_unloading--;
	unwinders_forget();
	ftrace_update_put_off();
	runtime_unlock();
}

void ftrace_load_begin(void)
{
	runtime_lock();
	nr_loading++;
	runtime_unlock();
}

void ftrace_load_end(bool has_applied)
{
	runtime_lock();		/* taking the lock waits for the end of an update of
				 * sites that has begun */
	unwinders_forget();
	if (has_applied)
		ftrace_apply_again();
	if (ftrace_state.active)	/* one of the objects that were loaded just
					 * now may be an unwinder */
		unwinders_serve();
	if (nr_loading)
		nr_loading--;
	runtime_unlock();
}

void ftrace_after_fork(uint32_t old_tid)
{
	(void)old_tid;
	if (nr_unloading)	/* forget the threads that were in dlclose(), because
				 * they do not exist in the child */
		nr_unloading = 0;
	if (nr_loading)
		nr_loading = 0;
	stack_tracer_after_fork();
}

bool ftrace_has_put_off(void)
{
	return has_put_off;
}

/* ---- select the common cases of hits, which ftrace.S handles ---- */

static struct ftrace_case cases[ABI_BUFFERS];

/* If exactly one buffer in @users has the function tracer, and ftrace.S can record for
 * it, returns this buffer.  Otherwise returns NULL. */
static const struct buffer *function_buffer(uint32_t users)
{
	uint32_t functions = users & FTRACE_FUNCTION_MASK & ~ftrace_state.graphs;
	const struct buffer *one = functions && !(functions & (functions - 1)) ?
		ftrace_state.buffers[__builtin_ctz(functions)] : NULL;

	return one && !one->has_function_pids ? one : NULL;
}

/* Returns true if ftrace.S can record for the graph tracer of @buffer with the current
 * settings. */
static bool graph_is_simple(const struct buffer *buffer)
{
	return !buffer->has_function_pids && !buffer->has_ticks &&
	       !ftrace_state.has_starts && !ftrace_state.thresh_ns &&
	       ftrace_state.graph_depth == UINT32_MAX;
}

/* Returns the rings of @buffer if hooks can write to these rings, else buffer_no_rings.
 * Hooks write only to fast rings, and read the clock themselves. */
static struct ring_set *hook_set(const struct buffer *buffer)
{
	return buffer->set->small_max ? buffer->set : &buffer_no_rings;
}

/* Returns the rings to which ftrace.S may write: those of the only graph tracer, or none. */
static struct ring_set *graph_set(uint32_t users)
{
	uint32_t graphs = users & ftrace_state.graphs;
	uint32_t i = graphs ? (uint32_t)__builtin_ctz(graphs) : 0;
	struct ring_set *set;

	if (is_updating || has_old_slots || has_put_off || !graphs || graphs & (graphs - 1) ||
	    !graph_is_simple(ftrace_state.buffers[i]))
		return &buffer_no_rings;
	set = hook_set(ftrace_state.buffers[i]);
	if (set == &buffer_no_rings)
		return set;
	set->tag = ftrace_state.tag_of[i];
	ftrace_state.graph_buffer = ftrace_state.buffers[i];
	return set;
}

/* Store in ftrace_state for which common cases ftrace.S may record while @users
 * are active. */
static void set_common(uint32_t users)
{
	const struct buffer *one = function_buffer(users);
	struct ring_set *set = one ? hook_set(one) : &buffer_no_rings;
	const struct ftrace_case *function = &ftrace_no_case;

	if (set != &buffer_no_rings) {
		struct ftrace_case *its = &cases[__builtin_ctz(one->bit)];

		its->users = one->bit;
		__atomic_store_n(&its->set, set, __ATOMIC_RELEASE);	/* [buffer.set] */
		function = its;
	}
	__atomic_store_n(&ftrace_state.function, function, __ATOMIC_RELEASE);
	set = graph_set(users);
	__atomic_store_n(&ftrace_state.graph_set, set, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < FTRACE_LANES; i++)
		__atomic_store_n(&ftrace_state.graph_sets[i], set->tag % FTRACE_LANES == i ?
				 set : &buffer_no_rings, __ATOMIC_RELEASE);
}

/* Make @users the active users.  Call set_common() twice: before the store of `active`,
 * only with the users that stay active; after the store, with all new users.  So
 * ftrace.S never records for a user that is not active.
 * mates: active_users() in hit_slow.c, hit.c [ftrace.active]; active_tags() [ftrace.tags] */
static void set_active(uint32_t users)
{
	set_common(users & ftrace_state.active);
	__atomic_store_n(&ftrace_state.tags, shadow_tags_of(users), __ATOMIC_RELEASE);
	__atomic_store_n(&ftrace_state.active, users, __ATOMIC_RELEASE);
	set_common(users);
}

void ftrace_buffer_changed(const struct buffer *buffer)
{
	(void)buffer;
	set_common(ftrace_state.active);
}

/* The header of the object that contains libulf; the linker defines it. */
extern const Elf64_Ehdr __ehdr_start FTRACE_HIDDEN;

/* Find the code of libulf.so.  Its addresses in the file begin at 0. */
static void find_own_text(void)
{
	const char *start = (const char *)&__ehdr_start;
	const Elf64_Phdr *row = (const void *)(start + __ehdr_start.e_phoff);

	for (uint32_t i = 0; i < __ehdr_start.e_phnum; i++, row++) {
		if (row->p_type != PT_LOAD || !(row->p_flags & PF_X) || ftrace_state.own_bytes)
			continue;
		ftrace_state.own_text = (uint64_t)(start + row->p_vaddr);
		ftrace_state.own_bytes = row->p_filesz;
	}
}

/* Prepare the hooks of ftrace.S.  Returns -EOPNOTSUPP if the CPU has no xsave. */
static int hooks_init(void)
{
	char *thread = __builtin_thread_pointer(), *this = (char *)&ftrace_this;
	struct ftrace_offsets offsets = { .rseq = arch_rseq_offset };
	unsigned long cpus[ABI_CPUS / 64];

	/* Hooks do not check the CPU number.  So if a CPU number may be too large for a
	 * set of rings, or if the kernel does not report how many CPUs there are, make
	 * hooks read a word instead that means "on no CPU". */
	if (arch_syscall3(SYS_sched_getaffinity, 0, sizeof(cpus), cpus) < 0)
		offsets.rseq = arch_no_rseq_offset();
	ring_set_init(&buffer_no_rings, 0);
	if (&object_is_library)
		find_own_text();
	/* Hide the address from the compiler, because ld(1) rejects code that loads a TLS
	 * offset into a vector register. */
	__asm__("" : "+r"(this));
	offsets.this = this - thread;
	return ftrace_vectors_init() ? ftrace_hooks_make(&offsets) : -EOPNOTSUPP;
}

/* Add a user that the program registers.  The user is added even if some functions cannot
 * be patched; calls of these functions do not reach the user. */
int ftrace_user_add(uint32_t user, const struct ftrace_ops *filter)
{
	int r = hooks_init();

	if (!r && FTRACE_GRAPH_MASK >> user & 1)
		r = shadow_make();
	if (r)
		return r;
	__atomic_store_n(&thread_may_hit, true, __ATOMIC_RELAXED);
	filters[user] = filter;
	wanted |= 1u << user;
	r = update_sites();
	codemem_sync();
	set_active(ftrace_state.active | 1u << user);
	return r == -EILSEQ ? 0 : r;
}

void ftrace_user_remove(uint32_t user)
{
	wanted &= ~(1u << user);
	set_active(ftrace_state.active & ~(1u << user));
	update_sites();
}

bool ftrace_has_user(uint32_t user)
{
	return wanted >> user & 1;
}

bool ftrace_has_filter(const struct ftrace_ops *ops)
{
	uint32_t left = wanted;

	while (left && filters[__builtin_ctz(left)] != ops)
		left &= left - 1;
	return left;
}

int ftrace_filter_changed(void)
{
	return wanted ? update_sites() : 0;
}

/* ---- apply the server's settings for functions ---- */

#define SERVER_USERS	(FTRACE_FUNCTION_MASK | 1u << FTRACE_GRAPH | \
			 1u << FTRACE_PROFILE | 1u << FTRACE_PROBES | \
			 1u << FTRACE_STACK | 1u << FTRACE_LIBC)

/* Give function_graph to those buffers of @changed that are in @graph, and take it from
 * the other buffers of @changed.  None of these buffers may be active. */
static void set_graphs(uint32_t changed, const struct ftrace_graph_settings *graph)
{
	uint32_t graphs = (ftrace_state.graphs & ~changed) | (graph->buffers & changed);

	shadow_tags_assign(changed, graph);
	/* release: the buffers' tags are stored; mate: graph_buffers() of hit.c */
	__atomic_store_n(&ftrace_state.graphs, graphs, __ATOMIC_RELEASE); /* [ftrace.graphs] */
	if (!graphs)
		return;
	if (ftrace_state.restorer == ARCH_NO_RESTORER)
		ftrace_state.restorer = arch_restorer();
	ftrace_state.graph_depth = graph->depth ? graph->depth : UINT32_MAX;
	ftrace_state.has_starts = graph->has_starts;
	ftrace_state.thresh_ns = graph->thresh_ns;
}

int ftrace_apply_users(uint32_t users, const struct ftrace_graph_settings *graph)
{
	uint32_t registered = ftrace_state.active & ~SERVER_USERS;
	uint32_t changed = shadow_tags_changed(graph), many = users & graph->buffers;
	uint32_t buffers = (users & FTRACE_FUNCTION_MASK) | graph->buffers;
	int r = users ? hooks_init() : 0;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++)
		if (buffers >> i & 1 && !buffer_get(i))
			return -ENOMEM;
	if (!r && users & FTRACE_GRAPH_MASK)
		r = shadow_make();
	if (!r && many & (many - 1))
		r = shadow_many_make();
	if (!r && users >> FTRACE_STACK & 1)
		r = stack_tracer_apply();
	if (!r && users >> FTRACE_LIBC & 1)
		r = libcalls_prepare();
	if (r)
		return r;
	/* No lane has rings until all sites have their tags and all tracers are active,
	 * because two tags may share a lane. */
	is_updating = true;
	/* Switch users off before any tag changes. */
	set_active(registered | (ftrace_state.active & users & ~changed));
	for (uint32_t i = 0; i < ABI_BUFFERS; i++)
		if (buffers >> i & 1)
			ftrace_state.buffers[i] = buffer_get(i);
	set_graphs(changed, graph);
	r = update_sites();
	codemem_sync();
	set_active(registered | users);
	is_updating = false;
	set_common(ftrace_state.active);
	return r == -EILSEQ ? 0 : r;
}

/* Switch off the tracers and other users that the server has set, because they would access the
 * root's memory. */
void ftrace_detach(void)
{
	set_active(ftrace_state.active & ~SERVER_USERS);
}
