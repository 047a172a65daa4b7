/* SPDX-License-Identifier: MIT */
#include "export/intern.h"

#include <stdlib.h>

static uint32_t slot_of(const struct intern *intern, const void *key)
{
	uint32_t mask = intern->nr_slots - 1;
	uint32_t at = (uint32_t)((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (intern->keys[at] && intern->keys[at] != key)
		at = (at + 1) & mask;
	return at;
}

static bool grow(struct intern *intern)
{
	struct intern new = { .nr_slots = intern->nr_slots ? 2 * intern->nr_slots : 256,
			      .nr = intern->nr };

	new.keys = calloc(new.nr_slots, sizeof(*new.keys));
	new.ids = calloc(new.nr_slots, sizeof(*new.ids));
	if (!new.keys || !new.ids) {
		intern_done(&new);
		return false;
	}
	for (uint32_t i = 0; i < intern->nr_slots; i++) {
		uint32_t at;

		if (!intern->keys[i])
			continue;
		at = slot_of(&new, intern->keys[i]);
		new.keys[at] = intern->keys[i];
		new.ids[at] = intern->ids[i];
	}
	intern_done(intern);
	*intern = new;
	return true;
}

uint32_t intern_id(struct intern *intern, const void *key, bool *ret_is_new)
{
	uint32_t at;

	*ret_is_new = false;
	if (2 * intern->nr >= intern->nr_slots && !grow(intern))
		return 0;
	at = slot_of(intern, key);
	if (!intern->keys[at]) {
		intern->keys[at] = key;
		intern->ids[at] = ++intern->nr;
		*ret_is_new = true;
	}
	return intern->ids[at];
}

void intern_done(struct intern *intern)
{
	free(intern->keys);
	free(intern->ids);
	*intern = (struct intern){ 0 };
}
