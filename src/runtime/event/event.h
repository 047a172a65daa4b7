/* SPDX-License-Identifier: MIT */
/* Switch events on and off. */
#ifndef ULF_RUNTIME_EVENT_EVENT_H
#define ULF_RUNTIME_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <ulf/event.h>

struct buffer;

/* Returns the fields of @event.  An event that libulf itself has made has no function that
 * returns them: its fields follow the struct. */
static inline const struct ulf_field *event_fields(const struct ulf_event *event)
{
	return event->fields ? event->fields() : (const struct ulf_field *)(event + 1);
}

/* ---- functions whose caller holds runtime_lock() ---- */

/* Returns the buffers to which the records of @event must go, one bit for each buffer. */
uint32_t event_wanted(const struct ulf_event *event);
/* Report to the server that @event cannot be switched on: @error is -errno. */
void event_set_failed(const struct ulf_event *event, int error);
/* Apply abi_event.wanted to the events of @module: add and remove their probes.  Sites are not
 * patched.  Events whose tracepoint has a regfunc or unregfunc are left to event_make_calls().
 * Returns 0 or the first -errno. */
int event_apply(struct ulf_module *module);
/* Apply abi_event.wanted to the events of all modules, and patch their sites.  Returns 0
 * or the first -errno. */
int event_apply_all(void);
/* Return true if an event whose tracepoint has a regfunc or unregfunc must be switched on or
 * off, to agree with abi_event.wanted.  The first function checks the events of all registered
 * modules, the second function those of @module. */
bool event_has_calls_to_make(void);
bool event_module_has_calls_to_make(const struct ulf_module *module);
/* Called if no thread can call regfunc and unregfunc.  Events that should be on get
 * @error (-errno) as abi_event.failed.  Events that should be off are switched off
 * without a call of unregfunc. */
void event_give_up_calls(int error);
/* Called in a child of fork(): event_detach() if the child has no root from now on,
 * event_after_claim() if it has claimed a process slot.  @is_late: the server may have
 * freed blocks that the child still uses.  The events stay switched on, but their records
 * go nowhere until the settings are applied. */
void event_detach(void);
void event_after_claim(bool is_late);
/* Switch all events of @module off, without a call of unregfunc. */
void event_stop_module(struct ulf_module *module);
/* Switch all events of all modules off, and patch their sites.  Returns 0 or -errno. */
int event_stop_all(void);
/* Returns true if probes of @module may run at sites of other modules, because @module has
 * custom events. */
bool event_module_is_custom(const struct ulf_module *module);
/* Called in a child of fork(): correct ulf_event.is_on.  Another thread of the parent may
 * have changed the probes without having written is_on yet. */
void event_after_fork(const struct ulf_module *module);
/* Called when @buffer has a new set of rings: let its plain events (plan.c) use that
 * set. */
void event_use_set(const struct buffer *buffer);

/* ---- functions whose caller is a thread of libc without runtime_lock() ---- */

/* Switch those events on and off whose tracepoint has a regfunc or unregfunc, until all
 * registered modules agree with abi_event.wanted.  Calls these functions of the program.
 * Returns 0 or the first -errno. */
int event_make_calls(void);
/* Called while @module is being loaded: switch those of its events on whose tracepoint has a
 * regfunc or unregfunc.  Calls these functions of the program.  Returns 0 or the first
 * -errno. */
int event_make_calls_coming(struct ulf_module *module);
/* Called while @module is being unloaded: switch those of its events off whose tracepoint has a
 * regfunc or unregfunc.  Waits for calls of these functions that other threads have begun. */
void event_make_calls_going(struct ulf_module *module);
/* Remove custom events of other modules from the tracepoints of @module.  The caller must
 * hold the modules' lock. */
void event_detach_from(const struct ulf_module *module);

#endif
