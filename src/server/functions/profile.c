/* SPDX-License-Identifier: MIT */
/*
 * The function profiler.  Processes count calls (runtime/function/profile.c) in blocks
 * of shared memory (abi/profile.h).  The server allocates these blocks and prints the
 * figures.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "abi/functions.h"
#include "abi/profile.h"
#include "abi/ring.h"
#include "base/bits.h"
#include "base/text.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/functions/profile.h"
#include "server/print/graph.h"

#define BLOCKS_MAX	1024u		/* maximum number of blocks of figures that are
					 * read; needed because a hostile program may link
					 * blocks in a circle */

/* ---- functions that allocate memory for figures ---- */

static uint64_t head_bytes(const struct function_object *object)
{
	return ALIGN_UP(sizeof(struct abi_profile) + strlen(object->path) + 1, 64);
}

static uint64_t block_bytes(const struct root *root,
			    const struct function_object *object)
{
	return head_bytes(object) + (uint64_t)root->nr_cpus * object->sites.nr_rows *
	       sizeof(struct abi_figure);
}

uint64_t profile_figures(const struct function_object *object)
{
	return object->profile.off ? object->profile.off + head_bytes(object) : 0;
}

static bool is_profiled(const struct root *root, const struct function_object *object)
{
	struct function_tracers tracers = functions_tracers(root);
	uint32_t i = 0;

	while (i < object->sites.nr &&
	       !(function_users(root_functions(root), &tracers, object->first + i) &
		 ABI_FUNCTIONS_PROFILE))
		i++;
	return i < object->sites.nr;
}

/* Make a block for the figures of @object.  When the block is complete, it is published
 * as the first element of the list of blocks. */
static int make_block(struct root *root, struct function_object *object)
{
	uint32_t path_bytes = (uint32_t)strlen(object->path) + 1;
	struct abi_profile *profile;
	struct block_draft draft;
	int r = block_begin(root, block_bytes(root, object), head_bytes(object), &draft);

	if (r)
		return r;
	profile = draft.map->addr;
	*profile = (struct abi_profile){
		.magic = ABI_PROFILE_MAGIC, .nr = object->sites.nr_rows,
		.nr_cpus = root->nr_cpus, .bias = object->bias,
		.kind = object->sites.kind,
		.path_bytes = path_bytes,
		.next = shm_load(&root->control->profile),
	};
	memcpy(profile + 1, object->path, path_bytes);
	return block_publish(root, &draft, &object->profile, &root->control->profile);
}

int profile_make_blocks(struct root *root)
{
	const struct functions *functions = root_functions(root);
	int r = 0;

	for (uint32_t i = 0; profile_is_on(root) && !r && i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		if (object->is_there && !object->profile.off &&
		    is_profiled(root, object))
			r = make_block(root, object);
	}
	return r;
}

bool profile_is_on(const struct root *root)
{
	return root_functions(root)->profile_session;
}

bool profile_is_there(const struct root *root)
{
	return shm_load(&root->control->profile);
}

void profile_list_blocks(const struct root *root, struct extent_list *list)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = 0; i < functions->nr_objects; i++)
		arena_list_block(list, &functions->objects[i]->profile);
}

void profile_start(struct root *root)
{
	struct functions *functions = root_functions(root);

	shm_store(&root->control->profile, 0);
	for (uint32_t i = 0; i < functions->nr_objects; i++)
		block_retire(root, &functions->objects[i]->profile, NULL);
	timebase_need(root);
	/* Mark the top instance's buffer as used.  Then the root is kept after the
	 * program has ended, so that the figures can be read. */
	shm_store(&root->top.abi->used, 1);
	functions->profile_session = server_now_ns();
}

void profile_stop(struct root *root)
{
	root_functions(root)->profile_session = 0;
}

/* ---- functions that load the blocks of figures of the previous server ---- */

static struct function_object *find_object(const struct functions *functions,
					   const char *path,
					   const struct abi_profile *head)
{
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		if (object->bias == head->bias && object->sites.kind == head->kind &&
		    !strcmp(object->path, path))
			return object;
	}
	return NULL;
}

/*
 * Find the object to which the figures of @head belong, or add the object.  An object
 * that is added is marked as not loaded: otherwise the block of functions would contain
 * it.
 */
static int object_of(struct root *root, const char *path,
		     const struct abi_profile *head,
		     struct function_object **ret_object)
{
	struct abi_function_object known = {
		.kind = (uint16_t)head->kind, .bias = head->bias,
	};
	int r = 0;

	*ret_object = find_object(root_functions(root), path, head);
	if (!*ret_object) {
		r = functions_add(root, path, &known, ret_object);
		if (!r && *ret_object)
			(*ret_object)->is_there = false;
	}
	return r;
}

static bool is_head(const struct root *root, const struct abi_profile *head)
{
	const char *path = (const char *)(head + 1);

	return head->magic == ABI_PROFILE_MAGIC && head->nr_cpus == root->nr_cpus &&
	       head->path_bytes && head->path_bytes <= ABI_PAGE_BYTES_MIN - sizeof(*head) &&
	       !path[head->path_bytes - 1] && head->kind < FSITE_KINDS;
}

/* Retire the block of figures at @off, which no object uses. */
static void retire_block(struct root *root, uint64_t off, const struct abi_profile *head)
{
	uint64_t bytes = ALIGN_UP(sizeof(*head) + (uint64_t)head->path_bytes, 64) +
			 (uint64_t)head->nr_cpus * head->nr * sizeof(struct abi_figure);
	struct abi_ring_ref ref = { off, ABI_PAGE_ALIGN(bytes) };

	block_retire(root, &ref, NULL);
}

/*
 * Load the block of figures at @off.  @head: a copy of the first bytes of the block.
 * *@ret_is_used is set to false if the block cannot be used, for example because the
 * object's file has changed.
 */
static int load_block(struct root *root, uint64_t off, const struct abi_profile *head,
		      bool *ret_is_used)
{
	struct abi_ring_ref ref = { .off = off };
	struct function_object *object;
	int r = object_of(root, (const char *)(head + 1), head, &object);

	*ret_is_used = false;
	if (r || !object || object->sites.nr_rows != head->nr ||
	    object->sites.kind != head->kind)
		return r;
	ref.bytes = ABI_PAGE_ALIGN(block_bytes(root, object));
	if (!object->profile.off && arena_has(root, &ref))
		object->profile = ref;
	*ret_is_used = object->profile.off == off;
	return 0;
}

/* Set the member `next` of the block of figures at @off.  If @off is 0, set the start of
 * the list of blocks. */
static void set_next(struct root *root, uint64_t off, uint64_t next)
{
	struct mapping *map;

	if (!off) {
		shm_store(&root->control->profile, next);
	} else if (!mapping_new(root->fd, off, ABI_PAGE_BYTES_MIN, &map)) {
		shm_store(&((struct abi_profile *)map->addr)->next, next);
		mapping_put(map);
	}
}

/* Copy the first ABI_PAGE_BYTES_MIN bytes of the block of figures at @off.  Returns
 * false if there is no valid block. */
static bool read_head(const struct root *root, uint64_t off, char page[ABI_PAGE_BYTES_MIN])
{
	struct abi_ring_ref ref = { off, ABI_PAGE_BYTES_MIN };
	struct mapping *map;

	if (!arena_has(root, &ref) ||
	    mapping_new(root->fd, off, ABI_PAGE_BYTES_MIN, &map))
		return false;
	memcpy(page, map->addr, ABI_PAGE_BYTES_MIN);
	mapping_put(map);
	return is_head(root, (const struct abi_profile *)page);
}

/* Start to parse the files to which the blocks of figures belong.  Returns 0, or
 * -ERESTART if files are still being parsed.  Changes nothing else. */
static int parse_blocks(struct root *root)
{
	uint64_t off = shm_load(&root->control->profile);
	char page[ABI_PAGE_BYTES_MIN] __attribute__((aligned(8)));
	const struct abi_profile *head = (const struct abi_profile *)page;
	uint32_t left = BLOCKS_MAX;
	int r = 0;

	while (off && left-- && read_head(root, off, page)) {
		const char *path = (const char *)(head + 1);
		struct abi_function_object known = { .kind = (uint16_t)head->kind };

		if (!find_object(root_functions(root), path, head) &&
		    functions_parse(root, path, &known) == -ERESTART)
			r = -ERESTART;
		off = head->next;
	}
	return r;
}

int profile_load(struct root *root)
{
	uint64_t off = shm_load(&root->control->profile), last = 0;
	char page[ABI_PAGE_BYTES_MIN] __attribute__((aligned(8)));
	const struct abi_profile *head = (const struct abi_profile *)page;
	uint32_t left = BLOCKS_MAX;
	int r = parse_blocks(root);

	while (off && !r && left--) {
		bool is_used;

		if (!read_head(root, off, page))
			break;
		r = load_block(root, off, head, &is_used);
		if (is_used) {
			last = off;
		} else if (!r) {
			retire_block(root, off, head);
			set_next(root, last, head->next);
		}
		off = head->next;
	}
	return r;
}

/* ---- functions that print the figures ---- */

/* The figures of one line of trace_stat/functionN. */
struct row {
	const char *name;
	uint64_t hits, time_ns;
	unsigned __int128 squares;
};

struct rows {
	struct row *all;
	size_t nr, capacity;
};

static int add_row(struct rows *rows, const char *name,
		   const struct abi_figure *figure)
{
	uint64_t hits = shm_load(&figure->hits);
	struct row *grown;

	if (!hits)
		return 0;
	if (rows->nr == rows->capacity) {
		rows->capacity = rows->capacity ? rows->capacity * 2 : 256;
		grown = realloc(rows->all, rows->capacity * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		rows->all = grown;
	}
	rows->all[rows->nr++] = (struct row){
		.name = name ? name : "[unknown]",
		.hits = hits,
		.time_ns = shm_load(&figure->time_ns),
		.squares = (unsigned __int128)shm_load(&figure->squares_high) << 64 |
			   shm_load(&figure->squares),
	};
	return 0;
}

static int add_object(const struct root *root, const struct function_object *object,
		      uint32_t cpu, struct rows *rows)
{
	const struct abi_figure *figures;
	struct mapping *map;
	int r;

	if (!object->profile.off)
		return 0;
	r = mapping_new(root->fd, object->profile.off, object->profile.bytes, &map);
	if (r)
		return r;
	figures = (void *)((char *)map->addr + head_bytes(object));
	figures += (size_t)cpu * object->sites.nr_rows;
	for (uint32_t i = 0; !r && i < object->sites.nr; i++) {
		const char *module;

		r = add_row(rows, function_shown(&root->top, object->first + i, &module),
			    &figures[object->sites.rows[i]]);
	}
	mapping_put(map);
	return r;
}

/* Compare two lines for qsort(): the line with the longest time comes first. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

/*
 * Return the variance of the times of a function's calls, in us * us / 1000.  With n
 * calls this is (n * sum of squares - square of the sum) / (n * (n - 1)).  Calls that
 * have not returned yet count in n, too.
 */
static uint64_t row_variance(const struct row *row)
{
	unsigned __int128 n = row->hits, sum = row->time_ns;
	unsigned __int128 all = n * row->squares, part = sum * sum;
	unsigned __int128 by = n * (n - 1) * 1000;

	return by && all > part ? (uint64_t)((all - part) / by) : 0;
}

static void print_row(const struct row *row, struct text *out)
{
	size_t start = out->len;

	text_printf(out, "  %-30.30s  %10" PRIu64 "    ", row->name, row->hits);
	text_one_line(out, start);
	graph_print_us(row->time_ns, out);
	text_puts(out, "    ");
	graph_print_us(row->time_ns / row->hits, out);
	text_puts(out, "    ");
	graph_print_us(row_variance(row), out);
	text_putc(out, '\n');
}

static void print_rows(const struct rows *rows, uint64_t thresh_ns,
			struct text *out)
{
	text_puts(out, "  Function                               "
		  "Hit    Time            Avg             s^2\n"
		  "  --------                               "
		  "---    ----            ---             ---\n");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->all[i];

		if (row->time_ns / row->hits >= thresh_ns)
			print_row(row, out);
	}
}

int profile_print(const struct root *root, uint32_t cpu, struct text *out)
{
	const struct functions *functions = root_functions(root);
	struct rows rows = { 0 };
	int r = cpu < root->nr_cpus ? 0 : -ENODEV;

	for (uint32_t i = 0; !r && i < functions->nr_objects; i++)
		r = add_object(root, functions->objects[i], cpu, &rows);
	if (!r && rows.nr)
		qsort(rows.all, rows.nr, sizeof(*rows.all), compare_rows);
	if (!r)
		print_rows(&rows, functions->thresh_ns, out);
	free(rows.all);
	return r;
}
