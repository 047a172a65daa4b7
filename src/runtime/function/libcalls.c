/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions of libc, at their entry and their return.  The code runs at hits, so it uses
 * general registers only.
 *
 * word			writer				readers
 * libcall_sites[n]	the agent, before the site of	threads, at hits
 *			the function has FTRACE_LIBC
 * libcall_rows[i]	the thread whose stack it is,	that thread
 *			before the shadow of the call
 *
 * A thread that finds an old value in libcall_sites[n] does not know the function, and records
 * nothing.  The row of a call has a meaning only while the users of its shadow have FTRACE_PROFILE.
 * A SIGKILL at any point loses the event of the call that has not returned.
 */
#include "runtime/function/libcalls.h"

#include <pthread.h>

#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"

const uint8_t libcall_event_of[LIBCALL_NR] = {
#define EVENT_OF(number, id, name, event) [number] = LIBCALL_EVENT_##event,
	LIBCALLS(EVENT_OF)
#undef EVENT_OF
};

uint64_t libcall_addresses[LIBCALL_NR];
uint64_t libcall_sites[LIBCALL_NR];
struct libcall_row *libcall_rows;

/* ---- hits ---- */

static struct libcall_row *row_of(const struct shadow *shadow)
{
	return libcall_rows + (shadow - shadow_entries);
}

uint32_t libcall_number_of(uint64_t ip)
{
	uint32_t number = 0;

	while (number < LIBCALL_NR &&
	       __atomic_load_n(&libcall_sites[number], __ATOMIC_RELAXED) != ip)
		number++;
	return number;
}

static bool is_on(uint32_t number)
{
	const struct tracepoint *tp = &libcall_tracepoints[libcall_event_of[number]];

	return __atomic_load_n(&tp->enabled, __ATOMIC_RELAXED);
}

bool libcall_has_time(uint32_t number)
{
	return number < LIBCALL_NR &&
	       libcall_event_of[number] == LIBCALL_EVENT_MUTEX_CONTENDED;
}

/* Returns true if @lock, the argument of pthread_mutex_lock(), is held by another thread.  The
 * call is about to begin and will read the mutex itself, so this function can read it, too. */
static bool is_contended(const pthread_mutex_t *lock)
{
	uint32_t word = (uint32_t)__atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED);
	uint32_t owner = (uint32_t)__atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED);

	return word && owner != ulf_this_thread->tid;
}

enum libcall_when libcall_enter(uint64_t ip, uint64_t call_site, const struct ftrace_regs *regs,
				struct libcall_hit *ret)
{
	uint32_t number = libcall_number_of(ip);

	if (number == LIBCALL_NR || !is_on(number) ||
	    (libcall_has_time(number) && !is_contended((const pthread_mutex_t *)regs->args[0])))
		return LIBCALL_NEVER;
	*ret = (struct libcall_hit){
		.number = number, .call_site = call_site, .args = regs->args,
	};
	return number == LIBCALL_FREE || number == LIBCALL_CTYPE_INIT ||
	       number == LIBCALL_CALL_TLS_DTORS ? LIBCALL_NOW : LIBCALL_AT_RETURN;
}

void libcall_follow(const struct shadow *shadow, uint64_t ip, const struct ftrace_regs *regs,
		    uint64_t now_ns)
{
	struct libcall_row *row = row_of(shadow);

	for (uint32_t i = 0; i < LIBCALL_ARGS_MAX; i++)
		row->args[i] = regs->args[i];
	row->number = libcall_number_of(ip) + 1;
	if (now_ns) {
		const pthread_mutex_t *lock = (const pthread_mutex_t *)regs->args[0];

		row->args[LIBCALL_ARG_START] = now_ns;
		row->args[LIBCALL_ARG_OWNER] =
			(uint32_t)__atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED);
	}
}

void libcall_forget(const struct shadow *shadow)
{
	if (libcall_rows)
		row_of(shadow)->number = 0;
}

bool libcall_is_open(const struct shadow *shadow)
{
	return libcall_rows && row_of(shadow)->number;
}

bool libcall_leave(const struct shadow *shadow, uint64_t value, struct libcall_hit *ret)
{
	uint32_t number = libcall_is_open(shadow) ? row_of(shadow)->number - 1 : LIBCALL_NR;

	if (number >= LIBCALL_NR || !is_on(number))
		return false;
	*ret = (struct libcall_hit){
		.number = number, .call_site = shadow->ret, .args = row_of(shadow)->args,
		.value = value,
	};
	return true;
}
