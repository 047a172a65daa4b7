/* SPDX-License-Identifier: MIT */
/*
 * The functions of libc that have events (abi/libc_events.h).  While one of these events is
 * on, its functions are traced for the user ABI_FUNCTIONS_LIBC (abi/functions.h), and the
 * objects that contain the functions must be analysed.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_LIBCALLS_H
#define ULF_SERVER_FUNCTION_LIBCALLS_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct function_object;
struct instance;
struct root;

/* A set of events is a bitmap: the bit of an event is 1 << its number in enum
 * libcall_event_id. */

/* ---- functions of function_libcalls.c ---- */

/* Return the number of @event, enum libcall_event_id; -1 if @event is no event of libc's
 * functions. */
int libcall_event_number(const struct event *event);
/* Return a bitmap of the events that are on in at least one instance. */
uint32_t libcalls_on(const struct root *root);
/* Return the address in memory of the function @number if its event is in @events, else 0.  A
 * process has written the address, so it may be any number. */
uint64_t libcall_address(const struct root *root, uint32_t number, uint32_t events);
/* Return true if a function whose event is on, or is about to be switched on, is at an address from
 * @start to before @end. */
bool libcalls_are_in(const struct root *root, uint64_t start, uint64_t end);
/* Return true if a function of one of @events is in @object, and can be traced. */
bool libcalls_have(const struct root *root, const struct function_object *object, uint32_t events);
/* Set the bit ABI_FUNCTIONS_LIBC in @users for the functions of @object whose event is on.
 * @users: one word for each row of the object's table of function sites. */
void libcalls_mark(const struct root *root, const struct function_object *object, uint32_t *users);

/* ---- functions of function_libcalls_part.c ---- */

/*
 * Method root_part.event_need: have the objects analysed that @event needs.  Returns 0; -ERESTART
 * if files are still being parsed; -EOPNOTSUPP, with the reason in error_log, if no function of the
 * event can be traced; or another -errno.
 */
int libcalls_need(struct instance *instance, const struct event *event);
/* Method root_part.settings_changed: publish the functions of the events that are on. */
void libcalls_settle(struct root *root);
/* Methods root_part.prepare, .tick and .settled: apply events that a process has switched on
 * itself, because the boot settings name them. */
int libcalls_prepare(struct root *root);
void libcalls_tick(struct root *root);
void libcalls_settled(struct root *root, bool is_awaited);

#endif
