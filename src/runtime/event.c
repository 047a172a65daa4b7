/* SPDX-License-Identifier: MIT */
/*
 * Events: their rows in the shared table, their probes on and off, and the
 * last step of every hit, ulf_event_commit().
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>

#include "arch/arch.h"
#include "arch/x86_64/offsets.h"
#include "base/bits.h"
#include "ring/shmlock.h"
#include "event/clock.h"
#include "runtime/runtime.h"
#include <ulf/tracepoint.h>

#define TOP_BUFFER	0

/* ---- the path of an event ---- */

static void count_lost(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* ulf_event_commit() is in assembly (arch/x86_64/commit.S) and comes here
 * when a record is large, a page is full, or the section was aborted. */
void event_commit_slowly(const struct ulf_event *event, void *entry,
			 size_t bytes)
{
	const struct buffer *buffer = event->buffer;
	struct ulf_thread *thread = ulf_probe_enter();
	struct trace_entry *head = entry;
	const struct ring_set *set;
	uint64_t now_ns = 0;
	int r;

	if (!thread) {
		count_lost(&buffer->shared->no_ring);
		return;
	}
	/* Rings are full while it is off, so every event gets here. */
	if (!__atomic_load_n(&buffer->shared->recording, __ATOMIC_RELAXED))
		goto out;
	*head = (struct trace_entry){
		.type = (unsigned short)event->id,
		.pid = (int)thread->tid,
	};
	/* mate: buffer.c [buffer.set] */
	set = __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
	if (set->clock_given)
		now_ns = clock_posix_ns(set->clock_id);
	r = ring_write(set, entry, (uint32_t)bytes, now_ns);
	/* a full ring counts by itself */
	if (r && r != -ENOBUFS && r != -ECANCELED)
		count_lost(r == -EBUSY ? &buffer->shared->lock_lost :
			   &buffer->shared->no_ring);
out:
	ulf_probe_exit();
}

static_assert(ULF_RECORD_MAX == RING_PAYLOAD_MAX, "a record fits a page");
static_assert(EVENT_SET == offsetof(struct ulf_event, set), "asm");
static_assert(EVENT_ID == offsetof(struct ulf_event, id), "asm");
static_assert(THREAD_TID == offsetof(struct ulf_thread, tid), "asm");

void ulf_event_too_big(const struct ulf_event *event)
{
	const struct buffer *buffer = event->buffer;

	count_lost(&buffer->shared->too_big);
}

/* ---- the shared tables; under abi_control.table_lock ---- */

/* Room in the heap, for good.  0: none. */
static uint64_t heap_alloc(uint32_t bytes)
{
	uint64_t used = root_control->heap_used;
	uint64_t off = root_control->heap_off + used;
	uint64_t size = ALIGN_UP((uint64_t)bytes, 8);

	if (used + size > ABI_HEAP_BYTES || root_populate(off, size))
		return 0;
	root_control->heap_used = used + size;
	return off;
}

static uint64_t heap_string(const char *s, uint32_t *ret_bytes)
{
	uint32_t bytes = (uint32_t)strlen(s) + 1;
	uint64_t off = heap_alloc(bytes);

	if (off) {
		memcpy(root_at(off), s, bytes);
		*ret_bytes = bytes;
	}
	return off;
}

static void read_build_id(const void *base, struct abi_module *row)
{
	const ElfW(Ehdr) *ehdr = base;
	const ElfW(Phdr) *phdr = (const void *)((const char *)base +
						ehdr->e_phoff);
	uint64_t bias = ehdr->e_type == ET_DYN ? (uint64_t)base : 0;

	for (int i = 0; i < ehdr->e_phnum; i++) {
		const char *note = (const char *)(bias + phdr[i].p_vaddr);
		const char *end = note + phdr[i].p_memsz;

		if (phdr[i].p_type != PT_NOTE)
			continue;
		while (note + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const void *)note;
			const char *name = note + sizeof(*n);
			const char *desc = name + ALIGN_UP(n->n_namesz, 4u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4)) {
				row->build_id_bytes =
					min_u32(n->n_descsz,
						sizeof(row->build_id));
				memcpy(row->build_id, desc,
				       row->build_id_bytes);
				return;
			}
			note = desc + ALIGN_UP(n->n_descsz, 4u);
		}
	}
}

/* The program itself?  The kernel has told us where its headers are. */
static bool is_program(const void *base)
{
	const ElfW(Ehdr) *ehdr = base;

	return !base ||
	       (uint64_t)base + ehdr->e_phoff == getauxval(AT_PHDR);
}

static bool has_module(const struct abi_process *slot, void *arg)
{
	uint32_t row = *(uint32_t *)arg;

	return __atomic_load_n(&slot->modules[row / 64], __ATOMIC_ACQUIRE) >>
	       (row % 64) & 1;
}

/* The row that this object had before: at the same address, or at another if
 * no process has it there any more.  @nr: there is none. */
static uint32_t find_module(const char *path, uint64_t base, uint32_t nr)
{
	struct abi_module *rows = root_at(root_control->modules_off);
	uint32_t found = nr;

	for (uint32_t i = 0; i < nr; i++) {
		if (strcmp(root_at(rows[i].path), path))
			continue;
		if (rows[i].base == base)
			return i;
		if (found == nr && !process_any(has_module, &i))
			found = i;
	}
	return found;
}

/* The row of the object that @module is in.  -ENOSPC */
static int module_row(const struct ulf_module *module)
{
	struct abi_module *rows = root_at(root_control->modules_off), *row;
	uint32_t nr = root_control->nr_modules, i;
	const char *path = root_control->exe;
	Dl_info info = { 0 };

	dladdr(module, &info);
	if (info.dli_fname && !is_program(info.dli_fbase))
		path = info.dli_fname;
	i = find_module(path, (uint64_t)info.dli_fbase, nr);
	row = &rows[i];
	if (i == nr) {
		if (nr >= ABI_MODULES ||
		    root_populate((uint64_t)((char *)row -
					     (char *)root_control),
				  sizeof(*row)))
			return -ENOSPC;
		row->path = heap_string(path, &row->path_bytes);
		if (!row->path)
			return -ENOSPC;
	}
	row->base = (uint64_t)info.dli_fbase;
	row->build_id_bytes = 0;
	if (info.dli_fbase)
		read_build_id(info.dli_fbase, row);
	if (i < nr)
		return (int)i;
	__atomic_store_n(&root_control->nr_modules, nr + 1, __ATOMIC_RELEASE);
	return (int)nr;
}

static uint32_t hash_blob(const uint8_t *blob, uint32_t bytes)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < bytes; i++)
		hash = (hash ^ blob[i]) * 16777619u;
	return hash;
}

/* The row that has these very bytes among the first @nr; -ENOENT. */
static int find_row(const uint8_t *blob, uint32_t bytes, uint32_t hash,
		    uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct abi_event *row = root_event(i);

		if (row->hash == hash && row->blob_bytes == bytes &&
		    !memcmp(root_at(row->blob), blob, bytes))
			return (int)i;
	}
	return -ENOENT;
}

static int event_row(const struct ulf_event *event, int module, uint32_t known)
{
	uint32_t bytes = format_blob(event, NULL), hash;
	uint32_t nr = root_control->nr_events;
	struct abi_event *row = root_event(nr);
	uint64_t heap = root_control->heap_used;
	uint64_t off = heap_alloc(bytes);
	int found;

	if (!off)
		return -ENOSPC;
	format_blob(event, root_at(off));
	hash = hash_blob(root_at(off), bytes);
	found = find_row(root_at(off), bytes, hash, known);
	if (found >= 0) {
		/* a reloaded module: its old row, the copy is not needed */
		memset(root_at(off), 0, bytes);
		root_control->heap_used = heap;
		root_event((uint32_t)found)->module = (uint32_t)module;
		return found;
	}
	if (nr >= ABI_EVENTS ||
	    root_populate((uint64_t)((char *)row - (char *)root_control),
			  sizeof(*row)))
		return -ENOSPC;
	row->blob = off;
	row->blob_bytes = bytes;
	row->module = (uint32_t)module;
	row->hash = hash;
	__atomic_store_n(&root_control->nr_events, nr + 1, __ATOMIC_RELEASE);
	return (int)nr;
}

static int register_rows(struct ulf_module *module)
{
	uint32_t known = root_control->nr_events;
	int row = module_row(module);

	if (row < 0) {
		root_control->table_errors++;
		return row;
	}
	module->priv = (void *)(uintptr_t)(row + 1);	/* NULL: has none */
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		int r = event_row(*e, row, known);

		if (r < 0) {
			root_control->table_errors++;
			return r;
		}
		(*e)->row = (uint32_t)r;
		(*e)->tracepoint->event = *e;
		(*e)->id = ABI_EVENT_ID_FIRST + (uint32_t)r;
		/* once: of a module that comes again, what the user said
		 * meanwhile counts */
		if ((uint32_t)r >= known &&
		    match_event(root_control->boot_events, (*e)->system,
				(*e)->name))
			__atomic_or_fetch(&root_event((*e)->row)->wanted, 1,
					  __ATOMIC_RELAXED);
	}
	if (process_slot)
		__atomic_or_fetch(&process_slot->modules[row / 64],
				  1ull << (row % 64), __ATOMIC_RELEASE);
	return 0;
}

static void tables_changed(void)
{
	__atomic_add_fetch(&root_control->tables_changed, 1, __ATOMIC_RELEASE);
}

int event_register_module(struct ulf_module *module)
{
	uint64_t all = ~0ull, old;
	int r;

	if (module->events == module->events_end)
		return 0;
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	r = shmlock_take(&root_control->table_lock,
			 (uint32_t)arch_syscall0(SYS_gettid));
	if (!r) {
		r = register_rows(module);
		shmlock_drop(&root_control->table_lock);
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
	tables_changed();
	return r;
}

/* ---- on and off ---- */

static int set_on(struct ulf_event *event, bool on)
{
	int r;

	if (event->is_on == on)
		return 0;
	if (!on) {
		r = tracepoint_remove(event->tracepoint, event->probe, event);
	} else {
		struct buffer *buffer = buffer_get(TOP_BUFFER);

		if (!buffer)
			return -ENOMEM;
		event->buffer = buffer;
		__atomic_store_n(&event->set, buffer->set, __ATOMIC_RELEASE);
		r = tracepoint_add(event->tracepoint, event->probe, event,
				   TRACEPOINT_DEFAULT_PRIO);
	}
	if (!r)
		event->is_on = on;
	return r;
}

/* Events have the set themselves: a load less on their path. */
void event_use_set(const struct buffer *buffer)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct ulf_event **e = m->events; e < m->events_end; e++) {
			if ((*e)->buffer == buffer)
				/* mate: commit.S [event.set] */
				__atomic_store_n(&(*e)->set, buffer->set,
						 __ATOMIC_RELEASE);
		}
	}
}

int event_follow(struct ulf_module *module)
{
	int ret = 0;

	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		uint32_t wanted;
		int r;

		if (!(*e)->id)
			continue;	/* there was no room for it */
		wanted = __atomic_load_n(&root_event((*e)->row)->wanted,
					 __ATOMIC_ACQUIRE);
		r = set_on(*e, wanted & (1u << TOP_BUFFER));
		if (r && !ret)
			ret = r;
	}
	return ret;
}

void event_unregister_module(struct ulf_module *module)
{
	uintptr_t row = (uintptr_t)module->priv - 1;

	if (!module->priv)
		return;
	module->priv = NULL;
	for (struct ulf_event **e = module->events; e < module->events_end; e++)
		set_on(*e, false);
	if (!root_control)
		return;
	if (process_slot)
		__atomic_and_fetch(&process_slot->modules[row / 64],
				   ~(1ull << (row % 64)), __ATOMIC_RELEASE);
	tables_changed();
}
