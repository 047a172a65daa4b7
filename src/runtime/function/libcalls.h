/* SPDX-License-Identifier: MIT */
/*
 * The events of the system ulf_libc: calls of functions of libc.  A function with such an event
 * has the user FTRACE_LIBC.
 *
 *	malloc() entered	a table row per call, beside its shadow (shadow.h), gets the
 *				arguments; the return address becomes that of the body
 *	malloc() returns	the event is recorded with the row and the return value
 *
 *	free() entered		the event is recorded; nothing more is known at the return
 *
 * libcalls.c runs at hits, with general registers only.  libcall_events.c makes the events and
 * records them.  libcall_sites.c and libcall_addresses.c find the functions.
 */
#ifndef ULF_RUNTIME_LIBCALLS_H
#define ULF_RUNTIME_LIBCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/libc_events.h"
#include "arch/arch.h"
#include <ulf/event.h>

struct shadow;

#define LIBCALL_ARGS_MAX	4u	/* number of arguments that are kept until the return */

/* For a function that locks a mutex, args[0] is the mutex, and libulf stores these values in
 * args[]: */
#define LIBCALL_ARG_START	1	/* time of the call, from ftrace_hit_ns() */
#define LIBCALL_ARG_OWNER	2	/* id of the thread that held the mutex at that
					 * time */

/* A call for which an event is recorded. */
struct libcall_hit {
	enum libcall_number number;
	uint64_t call_site;		/* return address of the call */
	const uint64_t *args;
	uint64_t value;			/* the return value; at the entry 0 */
	uint64_t now_ns;		/* ftrace_hit_ns() at the return, if libcall_has_time() */
};

/* The event of each function, by enum libcall_number: enum libcall_event_id. */
extern const uint8_t libcall_event_of[LIBCALL_NR] FTRACE_HIDDEN;
/* The tracepoints of the events, by enum libcall_event_id.  Their only probes are those that
 * record the events. */
extern struct tracepoint libcall_tracepoints[LIBCALL_NR_EVENTS] FTRACE_HIDDEN;

/* A call whose event is recorded at its return. */
struct libcall_row {
	uint64_t args[LIBCALL_ARGS_MAX];
	uint32_t number;		/* enum libcall_number + 1; 0: the call has no event */
	uint32_t reserved;
};

extern uint64_t libcall_sites[LIBCALL_NR] FTRACE_HIDDEN;	/* address of the site of each
								 * function; 0: none */
extern struct libcall_row *libcall_rows FTRACE_HIDDEN;	/* for each entry of the table
							 * of shadows, the call whose
							 * event is recorded at the
							 * return; NULL: not allocated
							 * yet */

/* ---- at hits: any thread and any signal handler ---- */

/* When the event of a call must be recorded. */
enum libcall_when {
	LIBCALL_NEVER,			/* the event is off, or the function has none */
	LIBCALL_NOW,
	LIBCALL_AT_RETURN,
};

/* Handle the entry of the function with the site @ip, which returns to @call_site.  Sets *@ret
 * unless the result is LIBCALL_NEVER. */
enum libcall_when libcall_enter(uint64_t ip, uint64_t call_site, const struct ftrace_regs *regs,
				struct libcall_hit *ret) FTRACE_HIDDEN;
/* Returns the number of the function with the site @ip, or LIBCALL_NR. */
uint32_t libcall_number_of(uint64_t ip) FTRACE_HIDDEN;
/* Returns true if the event of the function @number needs the times of entry and return. */
bool libcall_has_time(uint32_t number) FTRACE_HIDDEN;
/* Store the arguments of the call with @shadow, because its event is recorded at the return:
 * libcall_enter() has returned LIBCALL_AT_RETURN.  @now_ns: ftrace_hit_ns() if
 * libcall_has_time() is true, else 0. */
void libcall_follow(const struct shadow *shadow, uint64_t ip, const struct ftrace_regs *regs,
		    uint64_t now_ns) FTRACE_HIDDEN;
/* Note that the followed call with @shadow has no event to record at its return. */
void libcall_forget(const struct shadow *shadow) FTRACE_HIDDEN;
/* Returns true if the event of the call with @shadow must be recorded at its return.  The users of
 * the call must have FTRACE_PROFILE. */
bool libcall_is_open(const struct shadow *shadow) FTRACE_HIDDEN;
/* Called when the call with @shadow has returned @value.  Returns false if no event must be
 * recorded, else fills in *@ret. */
bool libcall_leave(const struct shadow *shadow, uint64_t value,
		   struct libcall_hit *ret) FTRACE_HIDDEN;
/* Record the event of @hit, a struct libcall_hit *.  Hits call this function through
 * ftrace_call_slowly(), which saves all registers.  Returns 0. */
uint64_t libcall_record(uint64_t hit, uint64_t, uint64_t) FTRACE_HIDDEN;

/* ---- settings ---- */

/* The addresses of the functions, by enum libcall_number; 0: there is no such function.
 * libcalls_init() sets them. */
extern uint64_t libcall_addresses[LIBCALL_NR];
/* Find the addresses of the functions of libc.  Only libulf.so has this function.  May call any
 * function of libc. */
void libcalls_find(uint64_t ret_addresses[LIBCALL_NR]) __attribute__((weak)) FTRACE_HIDDEN;

/* Method init of the part: register the events, and store the addresses of the functions in the
 * root's memory. */
void libcalls_init(void);
/* Find the sites of the functions, and make the table of calls.  Called before sites get the user
 * FTRACE_LIBC.  The caller holds runtime_lock().  Returns 0 or -ENOMEM. */
int libcalls_prepare(void);

#endif
