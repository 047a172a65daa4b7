/* SPDX-License-Identifier: MIT */
/* Event descriptions as bytes for the shared memory, see abi_format. */
#include <string.h>

#include "runtime/runtime.h"

/* Appends to @blob, or only counts if that is NULL. */
struct writer {
	char *blob;
	uint32_t bytes;
};

static uint32_t put(struct writer *w, const void *data, size_t bytes)
{
	uint32_t at = w->bytes;

	if (w->blob)
		memcpy(w->blob + at, data, bytes);
	w->bytes += (uint32_t)bytes;
	return at;
}

static uint32_t put_string(struct writer *w, const char *s)
{
	return put(w, s, strlen(s) + 1);
}

uint32_t format_blob(const struct ulf_event *event, void *blob)
{
	const struct ulf_field *fields = event->fields();
	struct abi_format format = { 0 };
	struct writer w = { blob, 0 };
	uint32_t nr = 0;

	while (fields[nr].name)
		nr++;
	format.nr_fields = nr;
	format.entry_bytes = fields[nr].size;
	w.bytes = sizeof(format) + nr * (uint32_t)sizeof(struct abi_field);
	format.system = put_string(&w, event->system);
	format.name = put_string(&w, event->name);
	format.print_fmt = put_string(&w, event->print_fmt);
	for (uint32_t i = 0; i < nr; i++) {
		struct abi_field field = {
			.type = put_string(&w, fields[i].type),
			.name = put_string(&w, fields[i].name),
			.offset = fields[i].offset,
			.size = fields[i].size,
			.len = fields[i].len,
			.kind = fields[i].kind,
			.is_signed = fields[i].is_signed,
		};

		if (blob)
			memcpy((char *)blob + sizeof(format) +
			       i * sizeof(field), &field, sizeof(field));
	}
	if (blob)
		memcpy(blob, &format, sizeof(format));
	return w.bytes;
}
