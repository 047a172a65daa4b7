/* SPDX-License-Identifier: MIT */
/*
 * The formats of trace_printk().  The server reads them from the program's heap and
 * finds them by their addresses.  A format does not change once it is stored, so each
 * format is read once.  Formats are in lists, newest first.  So if a program keeps
 * reporting that its tables have changed, the server only checks the start of each
 * list.
 */
#include "server/names/printk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/part_numbers.h"

#define FORMATS_MAX	65536u
#define TEXT_BYTES_MAX	65536u		/* maximum length of one format of trace_printk(),
					 * bytes */
#define ALL_BYTES_MAX	(32u << 20)	/* maximum total length of all formats of
					 * trace_printk(), bytes */

struct printk_format {
	uint32_t off;			/* offset, in the root's memory, of the text of
					 * the format */
	char *text;
};

struct printk_formats {
	struct printk_format *table;	/* sorted by @off */
	uint32_t nr, cap;		/* number of formats in @table, and number for which
					 * @table has space */
	uint64_t bytes;			/* total length of the texts of all formats in
					 * @table, bytes */
	uint32_t tables_seen;		/* value that abi_control.tables_changed had when
					 * the formats were last read */
	bool is_full;			/* true: a limit was reached, so the server reads
					 * no more formats */
	uint32_t first[ABI_PRINTK_LISTS];	/* for each list of formats in the heap:
						 * offset of the newest format that the
						 * server has read */
};

/* Return the formats of trace_printk() that the server has read for @root, or NULL if
 * none was needed yet. */
static struct printk_formats *root_printk(const struct root *root)
{
	return root->part_state[ROOT_PART_PRINTK];
}

bool printk_has_formats(const struct root *root)
{
	return shm_load(&root->control->printk) != 0;
}

void printk_formats_done(struct root *root)
{
	struct printk_formats *formats = root_printk(root);

	if (!formats)
		return;
	for (uint32_t i = 0; i < formats->nr; i++)
		free(formats->table[i].text);
	free(formats->table);
	free(formats);
	root->part_state[ROOT_PART_PRINTK] = NULL;
}

/* Return the address of the @bytes bytes at offset @off of the root's memory, or NULL if
 * they do not lie in the heap. */
static void *heap_at(const struct root *root, uint64_t off, uint64_t bytes)
{
	if (off % 4 || off < root->heap_off || off > root->arena_off ||
	    bytes > root->arena_off - off)
		return NULL;
	return (char *)root->memory->addr + off;
}

static int add_format(struct printk_formats *formats, uint32_t off, const char *shared,
		      uint32_t bytes)
{
	struct printk_format *table;
	char *text;

	if (formats->nr == FORMATS_MAX || bytes > ALL_BYTES_MAX - formats->bytes)
		return -E2BIG;
	if (formats->nr == formats->cap) {
		uint32_t cap = formats->cap ? formats->cap * 2 : 64;

		table = realloc(formats->table, cap * sizeof(*table));
		if (!table)
			return -ENOMEM;
		formats->table = table;
		formats->cap = cap;
	}
	text = malloc(bytes + 1ul);
	if (!text)
		return -ENOMEM;
	memcpy(text, shared, bytes);
	text[bytes] = '\0';
	formats->table[formats->nr++] = (struct printk_format){ off, text };
	formats->bytes += bytes;
	/* cppcheck-suppress memleak ; the table has @text now */
	return 0;
}

/*
 * Read those formats of a list that are newer than the format at offset @known.  The
 * newest format comes first, so each offset must be lower than the one before.  If an
 * offset is not, the list is damaged, and the function stops.
 */
static int read_list(struct root *root, uint32_t off, uint32_t known)
{
	for (uint32_t last = UINT32_MAX; off > known && off < last; ) {
		const struct abi_printk *shared = heap_at(root, off, sizeof(*shared));
		uint32_t text = off + (uint32_t)sizeof(*shared), bytes;
		const char *at;
		int r;

		if (!shared)
			return 0;
		bytes = shm_load(&shared->text_bytes);
		at = heap_at(root, text, bytes);
		if (!at || bytes > TEXT_BYTES_MAX)
			return 0;
		r = add_format(root_printk(root), text, at, bytes);
		if (r)
			return r;
		last = off;
		off = shm_load(&shared->next);
	}
	return 0;
}

static int compare_formats(const void *pa, const void *pb)
{
	const struct printk_format *a = pa, *b = pb;

	return (a->off > b->off) - (a->off < b->off);
}

/* Merge the new formats into the older ones: formats->table has the older ones first,
 * sorted, and the new ones from element @nr_old on. */
static int sort_new(struct printk_formats *formats, uint32_t nr_old)
{
	uint32_t nr_new = formats->nr - nr_old, at = formats->nr;
	struct printk_format *table = formats->table, *new;

	if (!nr_new)
		return 0;
	new = malloc(nr_new * sizeof(*new));
	if (!new) {
		qsort(table, formats->nr, sizeof(*table), compare_formats);
		return -ENOMEM;
	}
	memcpy(new, table + nr_old, nr_new * sizeof(*new));
	qsort(new, nr_new, sizeof(*new), compare_formats);
	while (nr_new)			/* merge from the end of @table, where there is space:
					 * the new formats were there, and are now in @new */
		table[--at] = nr_old && table[nr_old - 1].off > new[nr_new - 1].off ?
			      table[--nr_old] : new[--nr_new];
	free(new);
	return 0;
}

static int read_lists(struct root *root, const struct abi_printk_table *table)
{
	struct printk_formats *formats = root_printk(root);
	int r = 0;

	for (uint32_t i = 0; !r && i < ABI_PRINTK_LISTS; i++) {
		uint32_t first = shm_load(&table->first[i]);

		r = read_list(root, first, formats->first[i]);
		if (!r && first > formats->first[i])
			formats->first[i] = first;
	}
	formats->is_full |= r == -E2BIG;
	return r;
}

static int refresh_formats(struct root *root)
{
	uint32_t tables = shm_load(&root->control->tables_changed);
	const struct abi_printk_table *table =
		heap_at(root, shm_load(&root->control->printk), sizeof(*table));
	struct printk_formats *formats = root_printk(root);
	uint32_t nr_old;
	int r;

	if (!formats)
		formats = root->part_state[ROOT_PART_PRINTK] = calloc(1, sizeof(*formats));
	if (!formats)
		return -ENOMEM;
	if (!table || formats->is_full || (formats->nr && formats->tables_seen == tables))
		return 0;
	nr_old = formats->nr;
	r = read_lists(root, table);
	if (r != -ENOMEM)
		formats->tables_seen = tables;
	if (sort_new(formats, nr_old))
		r = -ENOMEM;
	return r == -ENOMEM ? r : 0;
}

static const char *find_format(const struct printk_formats *formats, uint32_t off)
{
	const struct printk_format wanted = { .off = off }, *found;

	if (!formats || !formats->nr)
		return NULL;
	found = bsearch(&wanted, formats->table, formats->nr, sizeof(wanted),
			compare_formats);
	return found ? found->text : NULL;
}

const char *printk_find(struct root *root, uint64_t addr)
{
	uint64_t off = addr - shm_load(&root->control->map_addr);
	const char *text;

	if (off > UINT32_MAX)
		return NULL;
	text = find_format(root_printk(root), (uint32_t)off);
	if (!text && root_is_usable(root) && !refresh_formats(root))
		text = find_format(root_printk(root), (uint32_t)off);
	return text;
}

int printk_list(struct root *root,
		void (*put)(void *arg, uint64_t addr, const char *text), void *arg)
{
	uint64_t base = shm_load(&root->control->map_addr);
	int r = refresh_formats(root);

	for (uint32_t i = 0; !r && i < root_printk(root)->nr; i++)
		put(arg, base + root_printk(root)->table[i].off,
		    root_printk(root)->table[i].text);
	return r;
}
