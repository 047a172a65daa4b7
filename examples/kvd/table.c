/* SPDX-License-Identifier: MIT */
/* The keys and their values: a hash table that doubles its slots when it is full. */
#include <stdlib.h>
#include <string.h>

#include "kvd_trace.h"

struct item {
	struct item *next;
	char *value;
	char key[];
};

static struct {
	struct item **slots;
	unsigned int nr_slots;		/* a power of two; 0: no key yet */
	unsigned int nr_keys;
} table;

static unsigned int slot_of(const char *key, unsigned int nr_slots)
{
	unsigned int hash = 2166136261u;

	while (*key)
		hash = (hash ^ (unsigned char)*key++) * 16777619u;
	return hash & (nr_slots - 1);
}

static struct item *find(const char *key)
{
	struct item *item;

	if (!table.nr_slots)
		return NULL;
	item = table.slots[slot_of(key, table.nr_slots)];
	while (item && strcmp(item->key, key) != 0)
		item = item->next;
	return item;
}

static void add(struct item **slots, unsigned int nr_slots, struct item *item)
{
	struct item **slot = &slots[slot_of(item->key, nr_slots)];

	item->next = *slot;
	*slot = item;
}

static bool grow(void)
{
	unsigned int i, nr_slots = table.nr_slots ? table.nr_slots * 2 : 64;
	struct item **slots = calloc(nr_slots, sizeof(*slots));
	struct item *item, *next;

	if (!slots)
		return false;
	for (i = 0; i < table.nr_slots; i++) {
		for (item = table.slots[i]; item; item = next) {
			next = item->next;
			add(slots, nr_slots, item);
		}
	}
	free(table.slots);
	table.slots = slots;
	table.nr_slots = nr_slots;
	trace_kv_grow(table.nr_keys, nr_slots);
	return true;
}

const char *table_get(const char *key)
{
	const struct item *item = find(key);

	return item ? item->value : NULL;
}

bool table_set(const char *key, const char *value)
{
	struct item *item = find(key);
	char *copy = strdup(value);

	if (!copy)
		return false;
	if (item) {
		free(item->value);
		item->value = copy;
		return true;
	}
	item = malloc(sizeof(*item) + strlen(key) + 1);
	if (!item || (table.nr_keys >= table.nr_slots && !grow())) {
		free(item);
		free(copy);
		return false;
	}
	strcpy(item->key, key);
	item->value = copy;
	add(table.slots, table.nr_slots, item);
	table.nr_keys++;
	return true;
}

unsigned int table_nr_keys(void)
{
	return table.nr_keys;
}

void table_print(FILE *out)
{
	const struct item *item;
	unsigned int i;

	for (i = 0; i < table.nr_slots; i++) {
		for (item = table.slots[i]; item; item = item->next)
			fprintf(out, "%s %s\n", item->key, item->value);
	}
}
