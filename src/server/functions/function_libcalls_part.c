/* SPDX-License-Identifier: MIT */
/* The events of libc's functions as a part of roots; see core/part.h. */
#include <errno.h>
#include <string.h>

#include "abi/libc_events.h"
#include "abi/own_systems.h"
#include "event/format.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/functions/function_libcalls.h"
#include "server/functions/functions.h"
#include "server/rules/events.h"

static bool can_trace(const struct root *root, uint32_t events)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = 0; i < functions->nr_objects; i++)
		if (libcalls_have(root, functions->objects[i], events))
			return true;
	return false;
}

static const char *reason_of(const struct root *root, uint32_t events)
{
	for (uint32_t i = 0; i < LIBCALL_NR; i++)
		if (libcall_address(root, i, events))
			return "The function of this event cannot be traced; "
			       "untraceable_functions has the reason";
	return "The program is static, or its libc has no such function";
}

int libcalls_need(struct instance *instance, const struct event *event)
{
	struct root *root = instance->root;
	int number = event->is_own ? libcall_event_number(event) : -1, r;

	if (number < 0 || !root->nr_live)
		return 0;
	root_functions(root)->libcalls_needed |= 1u << number;
	r = functions_refresh(root);
	if (r || can_trace(root, 1u << number))
		return r;
	error_log_add(instance, ABI_LIBC_SYSTEM, reason_of(root, 1u << number),
		      event->format->name, 0);
	return -EOPNOTSUPP;
}

void libcalls_settle(struct root *root)
{
	struct functions *functions = root_functions(root);
	uint32_t events = libcalls_on(root);
	int r;

	if (events == functions->libcalls_published)
		return;
	r = events & ~functions->libcalls_published ? functions_publish(root) :
						      functions_publish_off(root);
	if (r)
		error_log_add(&root->top, ABI_LIBC_SYSTEM, strerrordesc_np(-r),
			      "the functions of libc whose events are on", 0);
	else
		functions->libcalls_published = events;
}

int libcalls_prepare(struct root *root)
{
	struct apply apply;
	int r;

	if (!root->nr_live || events_refresh(root) ||
	    libcalls_on(root) == root_functions(root)->libcalls_published)
		return 0;
	r = functions_refresh(root);
	if (!r)
		apply_start(root, &apply);
	return r == -ERESTART ? r : 0;
}

void libcalls_tick(struct root *root)
{
	libcalls_prepare(root);
}

void libcalls_settled(struct root *root, bool is_awaited)
{
	if (!is_awaited)
		libcalls_prepare(root);
}
