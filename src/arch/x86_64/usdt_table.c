/* SPDX-License-Identifier: MIT */
/* Check tables of USDT probes; see usdt_table.h. */
#include "arch/x86_64/usdt_table.h"

#include <string.h>

#include "arch/x86_64/moved.h"

static bool is_size(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool check_head(const struct usdt_head *head, uint64_t bytes)
{
	uint64_t fixed;

	if (bytes < sizeof(*head) || bytes > USDT_BYTES_MAX || head->magic != USDT_MAGIC ||
	    head->head_bytes != sizeof(*head) || head->nr_events > USDT_EVENTS_MAX ||
	    head->nr_sites > USDT_SITES_MAX ||
	    head->nr_args > USDT_SITES_MAX * USDT_ARGS_MAX ||
	    head->build_id_bytes > sizeof(head->build_id) || head->text > head->text_end)
		return false;
	fixed = sizeof(*head) + head->nr_events * sizeof(struct usdt_event) +
		head->nr_sites * sizeof(struct usdt_site) +
		head->nr_args * sizeof(struct usdt_arg);
	fixed += head->strings_bytes;
	if (head->moved_bytes)
		fixed = (fixed + 7) & ~7ull;
	return fixed <= bytes && bytes - fixed == head->moved_bytes;
}

/* Returns true if a valid name of an event or a directory is at the offset
 * @at. */
static bool check_name(const struct usdt_head *head, uint32_t at)
{
	const char *name = usdt_strings(head) + at;
	uint32_t left, len;

	if (at >= head->strings_bytes)
		return false;
	left = head->strings_bytes - at;
	len = (uint32_t)strnlen(name, left);
	if (!len || len == left || len > USDT_NAME_MAX)
		return false;
	for (uint32_t i = 0; i < len; i++)
		if (!((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z') &&
		    !(i && name[i] >= '0' && name[i] <= '9') && name[i] != '_')
			return false;
	return true;
}

static bool check_event(const struct usdt_head *head, const struct usdt_event *event)
{
	if (!check_name(head, event->provider) || !check_name(head, event->name) ||
	    event->nr_args > USDT_ARGS_MAX)
		return false;
	for (uint32_t i = 0; i < event->nr_args; i++)
		if (event->bytes[i] && !is_size(event->bytes[i]))
			return false;
	return true;
}

/*
 * Check the row of a site.  The jump at the site must replace neither bytes that another jump
 * replaces, nor bytes that are the distance of another jump.
 */
static bool check_site(const struct usdt_head *head, const struct usdt_site *site,
		       const struct usdt_site *next)
{
	const struct usdt_event *events = usdt_events(head);

	if (site->event >= head->nr_events || site->reason >= USDT_REASONS_NR ||
	    site->first_arg > head->nr_args ||
	    events[site->event].nr_args > head->nr_args - site->first_arg)
		return false;
	if (next && next->vaddr < site->vaddr)
		return false;
	if (site->reason)
		return true;
	return site->vaddr >= head->text && site->vaddr < head->text_end &&
	       head->text_end - site->vaddr >= USDT_JUMP_BYTES &&
	       (!next || next->vaddr - site->vaddr >= USDT_JUMP_BYTES);
}

/*
 * Check the table of moved instructions: each of its rows must belong to a site, and must have
 * the original bytes of this site.
 */
static bool check_places(const struct usdt_head *head)
{
	const struct moved_head *moved = usdt_moved(head);
	uint32_t nr = 0;

	if (!moved)
		return true;
	if (!moved_check(moved, head->moved_bytes) || moved->nr_syscalls ||
	    moved->text < head->text || moved->text_end > head->text_end)
		return false;
	for (uint32_t i = 0; i < head->nr_sites; i++) {
		const struct usdt_site *site = &usdt_sites(head)[i];
		const struct moved_row *row = site->reason ? NULL : moved_find(moved, site->vaddr);

		nr += row != NULL;
		if (row && (row->lead || row->class == MOVED_BYTE ||
			    (row->class != MOVED_REFUSED &&
			     memcmp(moved_original(moved, row), site->original,
				    sizeof(site->original)))))
			return false;
	}
	return nr == moved->nr_rows;
}

static bool is_register(uint8_t number)
{
	return number < USDT_REGISTERS || number == USDT_NO_REGISTER;
}

static bool check_arg(const struct usdt_arg *arg)
{
	return arg->kind < USDT_ARG_KINDS && is_register(arg->base) && is_register(arg->index) &&
	       (arg->shift == 0 || arg->shift == 8) && is_size(arg->scale) &&
	       (arg->kind == USDT_UNKNOWN || is_size(arg->bytes)) &&
	       (arg->kind != USDT_REGISTER || arg->base != USDT_NO_REGISTER);
}

bool usdt_check(const void *table, uint64_t bytes)
{
	const struct usdt_head *head = table;

	if (!check_head(head, bytes))
		return false;
	for (uint32_t i = 0; i < head->nr_events; i++)
		if (!check_event(head, &usdt_events(head)[i]))
			return false;
	for (uint32_t i = 0; i < head->nr_sites; i++) {
		const struct usdt_site *site = &usdt_sites(head)[i];

		if (!check_site(head, site, i + 1 < head->nr_sites ? site + 1 : NULL))
			return false;
	}
	for (uint32_t i = 0; i < head->nr_args; i++)
		if (!check_arg(&usdt_args(head)[i]))
			return false;
	return check_places(head);
}
