/* SPDX-License-Identifier: MIT */
/* The file untraceable_events, with one line for each probe: PROVIDER:NAME ADDRESS FILE,
 * a tab, and the reason. */
#include <inttypes.h>

#include "server/usdt/usdt.h"
#include "tracefs/files.h"

static const char *const reasons[USDT_REASONS_NR] = {
#define REASON_TEXT(name, text)	[USDT_BY_##name] = text,
	USDT_REASONS(REASON_TEXT)
#undef REASON_TEXT
};

static void print_object(const struct usdt_object *object, struct text *out)
{
	const struct usdt_head *table = object->file->table;
	const char *strings = usdt_strings(table);

	for (uint32_t i = 0; i < table->nr_sites; i++) {
		const struct usdt_site *site = &usdt_sites(table)[i];
		const struct usdt_event *event = &usdt_events(table)[site->event];
		size_t start = out->len;

		if (site->reason == USDT_BY_NONE)
			continue;
		text_printf(out, "%s:%s 0x%" PRIx64 " %s", strings + event->provider,
			    strings + event->name, site->vaddr, object->file->path);
		text_one_line(out, start);
		text_printf(out, "\t%s\n", reasons[site->reason]);
	}
}

int untraceable_events_show(struct tracefs_node *node, struct text *out)
{
	const struct root_usdt *usdt = root_usdt(node->root);

	for (uint32_t i = 0; i < usdt->nr_objects; i++)
		print_object(&usdt->objects[i], out);
	return 0;
}
