/* SPDX-License-Identifier: MIT */
/*
 * Put jumps to the hooks of scall.S around the system calls of objects, and remove them.
 *
 *	off	mov $39,%eax	syscall		cmp $-4096,%rax
 *	on	jmp enter	syscall		jmp exit
 *
 *	enter:	hook, mov $39,%eax,		jmp to the syscall
 *	exit:	hook, cmp $-4096,%rax,		jmp to the instruction after it
 *
 * The instruction of the call itself stays where it is.  So a thread that sleeps in a call,
 * restarts a call (rip - 2), is cancelled in a call, or returns to a call from a signal
 * handler finds the original instruction.  Each jump replaces one instruction, so no thread
 * is in its middle.  All jumps of an object are written and removed at one instant
 * (retext.c).
 *
 * Cells stay as long as the object is loaded, because a thread may be interrupted in one and
 * continue there later.
 */
#include "runtime/function/syscalls.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/object.h"
#include "runtime/function/retext.h"
#include "runtime/function/syscall_events.h"
#include "runtime/unwind/loaded.h"
#include "runtime/unwind/unwinders.h"
#include <ulf/event.h>

void syscalls_init(void)
{
	if (syscalls_are_wanted())
		syscall_events.init();
}

/* ---- jumps ---- */

static uint64_t address_of(const struct object *object, const struct scall_site *site)
{
	return object->sites.bias + scall_vaddr(site);
}

/* Write the jump to cell @i, or the original bytes.  Does nothing if another program has
 * changed the bytes of the site, or if these bytes are the distance of the jump at a USDT
 * probe before the site. */
static void put_site(const struct object *object, const struct retext *text, uint32_t i, bool is_on)
{
	struct syscalls *syscalls = object->syscalls;
	struct scall_site site = syscall_site(object, i);
	uint64_t at = address_of(object, &site);
	uint8_t jump[MOVED_ORIGINAL_MAX], seen[MOVED_ORIGINAL_MAX];
	uint32_t bytes;
	const uint8_t *original = scall_original(&site, &bytes);

	if (syscalls->is_jump[i] == is_on)
		return;
	memcpy(jump, original, bytes);
	scall_encode(syscalls->cells + i, &site, object->sites.bias, jump);
	retext_get(text, at, seen, bytes);
	if (memcmp(seen, is_on ? original : jump, bytes) ||
	    (is_on && usites_use((const uint8_t *)at, bytes)))
		return;
	retext_put(text, at, is_on ? jump : original, bytes);
	syscalls->is_jump[i] = is_on;
	syscalls->is_new[i] = true;
}

/* Returns true if all bytes of @site are in the mapping that @text replaces. */
static bool is_in(const struct object *object, const struct retext *text,
		  const struct scall_site *site)
{
	uint64_t at = address_of(object, site);
	uint32_t bytes;

	scall_original(site, &bytes);
	return at >= text->start && at + bytes <= text->end;
}

/* Switch sites on or off: that of cell number *@i, and those of the next cells if they are in
 * the same mapping.  Afterwards *@i is the number of the first cell that was left out. */
static int switch_mapping(const struct object *object, const char *path, uint32_t *i, bool is_on)
{
	struct syscalls *syscalls = object->syscalls;
	struct scall_site first = syscall_site(object, *i);
	struct retext text;
	uint32_t from = *i;
	int r = retext_begin(path, address_of(object, &first), &text);

	if (r)
		return r;
	for (; *i < syscalls->nr; ++*i) {
		struct scall_site site = syscall_site(object, *i);

		if (!scall_has_site(&site))
			continue;
		if (is_in(object, &text, &site))
			put_site(object, &text, *i, is_on);
		else if (*i != from)
			break;
	}
	r = retext_end(&text);
	for (uint32_t k = from; k < *i; k++) {
		if (r && syscalls->is_new[k])
			syscalls->is_jump[k] = !is_on;
		syscalls->is_new[k] = false;
	}
	return r;
}

static int switch_object(struct object *object, bool is_on)
{
	struct loaded loaded;
	int r = loaded_find(object->text, &loaded);

	if (!r && !object->syscalls)
		r = syscall_cells_make(object);
	for (uint32_t i = 0; !r && i < object->syscalls->nr; ) {
		struct scall_site site = syscall_site(object, i);

		if (scall_has_site(&site))
			r = switch_mapping(object, loaded.image.name, &i, is_on);
		else
			i++;
	}
	if (object->syscalls && !r)
		object->syscalls->is_on = is_on;
	return r;
}

/* ---- select the events that the hooks record ---- */

static bool is_event_on(const struct ulf_event *event)
{
	return __atomic_load_n(&event->tracepoint->enabled, __ATOMIC_RELAXED);
}

/* Returns true if the probe of @event is the only one of its tracepoint. */
static bool is_alone(const struct ulf_event *event)
{
	const struct tracepoint_func *funcs = event->tracepoint->funcs;

	return funcs && funcs->func == event->probe && funcs->data == event && !funcs[1].func;
}

/* Let the hooks record @event, if the event is on and @is_wanted is true.  @bytes: size
 * of a record. */
static bool set_step(struct scall_step *step, const struct ulf_event *event, uint32_t bytes,
		     bool is_wanted)
{
	bool is_on = is_wanted && is_event_on(event);

	__atomic_store_n(&step->bytes, is_alone(event) ? bytes : SCALL_SLOWLY, __ATOMIC_RELAXED);
	__atomic_store_n(&step->event, is_on ? event : NULL, __ATOMIC_RELAXED);
	return is_on;
}

static bool set_enter(struct scall_step *step, const struct syscall_pair *pair, bool is_wanted)
{
	return set_step(step, &pair->enter, syscall_enter_bytes(pair), is_wanted);
}

static bool set_exit(struct scall_step *step, const struct syscall_pair *pair, bool is_wanted)
{
	return set_step(step, &pair->exit, syscall_exit_bytes(), is_wanted);
}

/* Let the hooks record those events of system calls that are on, if @is_wanted is true; else
 * let them record none.  Returns true if the hooks must record some event. */
static bool set_steps(bool is_wanted)
{
	bool is_any_on = false;

	for (uint32_t nr = 0; nr <= SCALL_NUMBERS; nr++) {
		const struct syscall_pair *pair =
			nr < SCALL_NUMBERS ? syscall_events.named[nr] : NULL;

		is_any_on |= set_enter(&scall_enter_steps[nr].raw, syscall_events.raw, is_wanted);
		is_any_on |= set_exit(&scall_exit_steps[nr].raw, syscall_events.raw, is_wanted);
		if (!pair)
			continue;
		is_any_on |= set_enter(&scall_enter_steps[nr].named, pair, is_wanted);
		is_any_on |= set_exit(&scall_exit_steps[nr].named, pair, is_wanted);
	}
	return is_any_on;
}

/* ---- settings ---- */

static bool is_on(const struct object *object)
{
	return object->syscalls && object->syscalls->is_on;
}

/* Prepare the hooks for the first system call that is traced. */
static int hooks_init(void)
{
	if (!ftrace_vectors_init())
		return -EOPNOTSUPP;
	scall_slowly = syscall_hit_slowly;
	unwinders_serve();
	return 0;
}

static int apply(bool are_events_on)
{
	int ret = 0, r;

	if (are_events_on)
		ret = hooks_init();
	for (struct object *o = object_first(); o && !ret; o = o->next) {
		bool wants_on = are_events_on && o->is_named && o->moved;

		if (wants_on == is_on(o) || (wants_on && !o->moved->nr_syscalls))
			continue;
		if (!ftrace_may_patch(o))
			continue;
		r = switch_object(o, wants_on);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

int syscalls_apply(void)
{
	return syscalls_are_wanted() ? apply(set_steps(true)) : 0;
}

int syscalls_leave(void)
{
	return syscalls_are_wanted() ? apply(set_steps(false)) : 0;
}
