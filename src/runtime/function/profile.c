/* SPDX-License-Identifier: MIT */
/*
 * The function profiler: counts calls, and adds up the time from a function's entry to its
 * return, in the root's memory (abi/profile.h).
 *
 *	agent					a thread, at an entry or a return
 *	profile = new (release) [profile.now]
 *						ulf_probe_enter()
 *						load profile (acquire) [profile.now]
 *						add to the figures that it points to
 *						ulf_probe_exit()
 *	grace_wait(): no thread uses the old profile
 *	reports that to the server, which may
 *	reuse the memory of the old figures
 *
 * Each entry of the table of shadows (shadow.h) has a struct call, which is written by the
 * thread that owns the stack.  The struct holds the number of the session in which the call
 * began.  The return adds nothing if the session is another one: profiling was off in
 * between, or the call was made in the parent of this process.  So no thread writes to
 * figures that were freed.
 *
 * A SIGKILL at any point leaves correct sums, except for the calls that have not
 * returned.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/profile.h"
#include "arch/arch.h"
#include "event/option.h"
#include "runtime/base/grace.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/libcalls.h"
#include "runtime/function/object.h"
#include "runtime/function/profile.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"
#include <ulf/event.h>

/* The slots of those sites of an object that have one form (FSITE_FORMS), with their
 * figures. */
struct range {
	const struct fsite_slot *slots;	/* @nr slots */
	uint32_t nr;			/* number of sites in this range; 0 if the
					 * object is unloaded */
	struct abi_figure *figures;	/* figures of the sites: @nr figures for each
					 * CPU, [nr_cpus][nr] */
};

struct profile {
	uint64_t session;		/* number of the profiling session; a process
					 * uses no number twice */
	bool is_cpu_time;		/* true: count CPU time only, because the option
					 * sleep-time is off */
	bool is_self_time;		/* true: leave out the time of callees,
					 * because the option graph-time is off */
	uint32_t nr_cpus;
	uint32_t nr;			/* number of ranges */
	struct range ranges[];		/* the ranges, sorted by the address of their slots */
};

/* A followed call, as the profiler remembers it until the call returns. */
struct call {
	uint64_t session;		/* value of profile.session when the call
					 * began */
	uint64_t start_ns;		/* time at which the call began */
	uint64_t inner_ns;		/* time that profiled calls inside of this
					 * call took, ns */
	struct abi_figure *figure;	/* figure to which the time of the call is
					 * added */
};

static struct profile *profile;		/* the current profile; an old profile is
					 * freed a grace period after its replacement;
					 * NULL: profiling is off */
static struct call *calls;		/* array with one element for each entry of
					 * the table of shadows; NULL: not allocated
					 * yet */

/* ---- count calls and their time, in functions that hit.c calls ---- */

static struct call *call_of(const struct shadow *shadow)
{
	return calls + (shadow - shadow_entries);
}

static uint64_t now_ns(const struct profile *now)
{
	if (now->is_cpu_time)
		return ftrace_cpu_ns();
	return ftrace_hit_ns();
}

static uint64_t cpu_slowly(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a;
	(void)b;
	(void)c;
	return thread_cpu();
}

static void add_to_sum(uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/* Returns the last range that does not begin after @slot.  The caller must check
 * whether @slot is in this range.  There is always a range, possibly an empty one. */
static const struct range *range_of(const struct profile *now,
				    const struct fsite_slot *slot)
{
	uint32_t low = 0, high = now->nr;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (now->ranges[middle].slots <= slot)
			low = middle;
		else
			high = middle;
	}
	return &now->ranges[low];
}

/* Returns the figure of the function of @slot on the current CPU, or NULL if it has none. */
static struct abi_figure *figure_of(const struct profile *now,
				    const struct fsite_slot *slot)
{
	const struct range *range = range_of(now, slot);
	uint32_t nr = __atomic_load_n(&range->nr, __ATOMIC_RELAXED);
	uint64_t at = ((uint64_t)slot - (uint64_t)range->slots) / sizeof(*slot);
	uint64_t cpu = arch_rseq_cpu();

	if (cpu >= now->nr_cpus)
		cpu = ftrace_call_slowly(cpu_slowly, 0, 0, 0);
	return at < nr && cpu < now->nr_cpus ? &range->figures[cpu * nr + at] : NULL;
}

/* Returns the current profile.  Acquire; mate: publish_profile() [profile.now] */
static const struct profile *profile_now(void)
{
	return __atomic_load_n(&profile, __ATOMIC_ACQUIRE);
}

/* Count a call of the function of @slot.  @shadow: the shadow of the call.  Returns false if the
 * function has no figures, so that the profiler need not follow the call. */
static bool profile_enter(const struct fsite_slot *slot, const struct shadow *shadow)
{
	struct abi_figure *figure = NULL;
	const struct profile *now;

	ulf_probe_enter();
	now = profile_now();
	if (now)
		figure = figure_of(now, slot);
	if (figure) {
		struct call *call = call_of(shadow);

		add_to_sum(&figure->hits, 1);
		call->session = now->session;
		call->figure = figure;
		call->inner_ns = 0;
		call->start_ns = now_ns(now);
	}
	ulf_probe_exit();
	return figure;
}

/* Note that the profiler does not count the followed call with @shadow. */
static void profile_leave_out(const struct shadow *shadow)
{
	if (calls)
		call_of(shadow)->session = 0;
}

static void add_time(struct abi_figure *figure, uint64_t took_ns)
{
	unsigned __int128 square = (unsigned __int128)took_ns * took_ns;
	uint64_t low = (uint64_t)square, high = (uint64_t)(square >> 64);

	add_to_sum(&figure->time_ns, took_ns);
	if (__atomic_add_fetch(&figure->squares, low, __ATOMIC_RELAXED) < low)
		high++;
	if (high)
		add_to_sum(&figure->squares_high, high);
}

/* Returns the innermost profiled call around @of, or NULL if none of the next
 * SHADOW_FAR calls around @of is profiled. */
static struct call *call_around(const struct profile *now, const struct shadow *of)
{
	uint64_t place = of->above & ~SHADOW_SLOWLY;
	uint32_t downs = 0, steps = 0;

	for (; place != SHADOW_NONE && steps < SHADOW_FAR; steps++) {
		const struct shadow *shadow = shadow_of(place);
		struct call *call = call_of(shadow);

		if (shadow_users(shadow) & 1u << FTRACE_PROFILE &&
		    call->session == now->session)
			return call;
		place = shadow_around(place, &downs);
	}
	return NULL;
}

static void leave_function(const struct profile *now, const struct shadow *shadow)
{
	const struct call *call = call_of(shadow);
	uint64_t end_ns = now_ns(now);
	/* The difference may be negative: after the call began, a coroutine may have
	 * moved to a thread that has used less CPU time. */
	uint64_t took_ns = end_ns > call->start_ns ? end_ns - call->start_ns : 0;

	if (now->is_self_time) {
		struct call *around = call_around(now, shadow);

		/* The addition must be atomic: a signal handler may interrupt this thread and
		 * add to @inner_ns of the same call. */
		if (around)
			add_to_sum(&around->inner_ns, took_ns);
		took_ns -= call->inner_ns < took_ns ? call->inner_ns : took_ns;
	}
	add_time(call->figure, took_ns);
}

/* Add the time of the call with @shadow, which returns. */
static void profile_leave(const struct shadow *shadow)
{
	const struct profile *now;

	ulf_probe_enter();
	now = profile_now();
	if (now && now->session == call_of(shadow)->session)
		leave_function(now, shadow);
	ulf_probe_exit();
}

/* ---- followed calls of the profiler and of the events of libc's functions ---- */

static bool is_followed(const struct shadow *shadow)
{
	return shadow_others(shadow) & 1u << FTRACE_PROFILE;
}

bool plain_hit(uint64_t ip, uint64_t call_site, const struct ftrace_regs *regs)
{
	struct libcall_hit hit;
	enum libcall_when when = libcall_enter(ip, call_site, regs, &hit);

	if (when == LIBCALL_NOW)
		ftrace_call_slowly(libcall_record, (uint64_t)&hit, 0, 0);
	return when == LIBCALL_AT_RETURN;
}

/* If the call is a tail call, an event that waits for the return of the first function goes on
 * waiting, unless the second function has an event, too. */
uint32_t plain_enter(uint32_t users, uint64_t ip, const struct fsite_slot *slot,
		     const struct ftrace_regs *regs, const struct shadow *shadow, bool is_tail)
{
	bool is_profiled = users & 1u << FTRACE_PROFILE && profile_enter(slot, shadow);
	bool is_open = is_tail && is_followed(shadow) && libcall_is_open(shadow);

	if (users & 1u << FTRACE_LIBC)
		libcall_follow(shadow, ip, regs, libcall_has_time(libcall_number_of(ip)) ?
			       ftrace_hit_ns() : 0);
	else if (!is_open)
		libcall_forget(shadow);
	if (!is_profiled)
		profile_leave_out(shadow);
	return is_profiled || is_open || users & 1u << FTRACE_LIBC ? 1u << FTRACE_PROFILE : 0;
}

/* If the call has made a tail call, the profiler's time for it ends now.  An event goes on
 * waiting for the return value, which is that of the function that is called last. */
void plain_leave(const struct shadow *shadow, uint64_t value, uint32_t marks)
{
	struct libcall_hit hit;

	/* acquire; mate: set_active() [ftrace.active] */
	if (__atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE) & 1u << FTRACE_PROFILE)
		profile_leave(shadow);
	if (marks || !libcall_leave(shadow, value, &hit))
		return;
	if (libcall_has_time(hit.number))
		hit.now_ns = ftrace_hit_ns();
	ftrace_call_slowly(libcall_record, (uint64_t)&hit, 0, 0);
}

/* ---- apply the server's setting for the profiler, under runtime_lock() ---- */

static uint64_t wanted_session;		/* the session that the server has set; 0:
					 * profiling is off */
static uint64_t applied_session;	/* the server's session for which `profile`
					 * was made */
static uint64_t last_session;		/* last value of profile.session */

void profile_set_session(uint64_t session)
{
	wanted_session = session;
}

static int make_calls(void)
{
	if (!calls)
		calls = memory_alloc_table(SHADOW_ENTRIES * sizeof(*calls));
	return calls ? 0 : -ENOMEM;
}

static bool has_range(const struct object *object, int form)
{
	return object->figures && object->sites.maps[form].slots;
}

static void put_range(struct profile *new, const struct object *object, int form)
{
	struct range range = {
		.slots = object->sites.maps[form].slots,
		.nr = object->sites.nr, .figures = object->figures,
	};
	uint32_t at = new->nr++;

	for (; at && new->ranges[at - 1].slots > range.slots; at--)
		new->ranges[at] = new->ranges[at - 1];
	new->ranges[at] = range;
}

/* Make a profile of all objects that have figures.  Returns NULL if there is no memory. */
static struct profile *make_profile(void)
{
	/* top is NULL if there was no memory for the top buffer; in this case no
	 * option was ever set. */
	const struct buffer *top = buffer_top();
	uint64_t options = top ? __atomic_load_n(&top->shared->options, __ATOMIC_RELAXED) : 0;
	struct profile *new;
	uint32_t nr = 0;

	for (const struct object *o = object_first(); o; o = o->next)
		for (int form = 0; form < FSITE_FORMS; form++)
			nr += has_range(o, form);
	/* Allocate one range more, which stays empty: range_of() needs at least one. */
	new = memory_alloc(sizeof(*new) + (nr + 1) * sizeof(new->ranges[0]));
	if (!new)
		return NULL;
	for (const struct object *o = object_first(); o; o = o->next)
		for (int form = 0; form < FSITE_FORMS; form++)
			if (has_range(o, form))
				put_range(new, o, form);
	new->nr_cpus = root_nr_cpus();
	/* A bit that is set means that the option differs from its default, which is on. */
	new->is_cpu_time = options & OPTION_SLEEP_TIME;
	new->is_self_time = options & OPTION_GRAPH_TIME;
	return new;
}

/* Publish @new as the current profile.  Release; mate: profile_now() [profile.now] */
static void publish_profile(struct profile *new)
{
	struct profile *old = profile;

	__atomic_store_n(&profile, new, __ATOMIC_RELEASE);
	if (old)
		grace_free(old);
}

/* Returns true if calls that began with the old profile may end with @new.  In this
 * case @new must get the session number of the old profile. */
static bool can_go_on(const struct profile *new)
{
	return profile && wanted_session == applied_session &&
	       profile->is_cpu_time == new->is_cpu_time;
}

int profile_apply(void)
{
	struct profile *new = NULL;
	int r = wanted_session ? make_calls() : 0;

	if (wanted_session && !r) {
		new = make_profile();
		r = new ? 0 : -ENOMEM;
	}
	if (new)
		new->session = can_go_on(new) ? profile->session : ++last_session;
	applied_session = wanted_session;
	publish_profile(new);
	return r;
}

void profile_forget(const struct object *object)
{
	for (int form = 0; form < FSITE_FORMS; form++)
		for (uint32_t i = 0; profile && i < profile->nr; i++)
			if (profile->ranges[i].slots == object->sites.maps[form].slots)
				__atomic_store_n(&profile->ranges[i].nr, 0,
						 __ATOMIC_RELAXED);
}

void profile_after_fork(bool is_late)
{
	if (profile)
		profile->session = ++last_session;
	if (is_late)
		publish_profile(NULL);
}

void profile_detach(void)
{
	profile_after_fork(true);
}
