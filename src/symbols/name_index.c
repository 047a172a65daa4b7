/* SPDX-License-Identifier: MIT */
/* A hash table of names.  The rows with the same hash value form a chain, because several
 * rows may have the same name or the same hash. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/name_index.h"

static uint32_t hash_name(const char *name, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	return hash;
}

int name_index_init(struct name_index *index, const char *const *names, uint32_t nr)
{
	*index = (struct name_index){ .names = names };
	while (index->mask < nr)
		index->mask = 2 * index->mask + 1;
	index->first = calloc(index->mask + 1ul, sizeof(*index->first));
	index->next = calloc(nr + 1ul, sizeof(*index->next));
	if (!index->first || !index->next) {
		name_index_done(index);
		return -ENOMEM;
	}
	for (uint32_t i = nr; i--; ) {
		uint32_t *first;

		if (!names[i])
			continue;
		first = &index->first[hash_name(names[i], strlen(names[i])) & index->mask];
		index->next[i] = *first;
		*first = i + 1;
	}
	return 0;
}

void name_index_done(struct name_index *index)
{
	free(index->first);
	free(index->next);
	*index = (struct name_index){ 0 };
}

uint32_t name_index_find(const struct name_index *index, const char *name,
			 size_t len, uint32_t from)
{
	uint32_t at;

	if (!index->first)
		return 0;
	at = from ? index->next[from - 1] : index->first[hash_name(name, len) & index->mask];
	while (at && (strncmp(index->names[at - 1], name, len) ||
		      index->names[at - 1][len]))
		at = index->next[at - 1];
	return at;
}
