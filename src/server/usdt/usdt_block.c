/* SPDX-License-Identifier: MIT */
/* Publish the objects with probes in shared memory (abi/usdt.h). */
#include <string.h>

#include "abi/usdt.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/functions/moved_store.h"
#include "server/usdt/usdt.h"

/* Return a checksum of the objects that @usdt would publish.  The checksum is 0 only if there
 * are none. */
static uint64_t checksum(const struct root_usdt *usdt)
{
	uint64_t sum = usdt->nr_objects;

	for (uint32_t i = 0; i < usdt->nr_objects; i++)
		sum = (sum ^ usdt->objects[i].text ^ usdt->objects[i].file->id) *
		      0x9e3779b97f4a7c15;
	return sum | (usdt->nr_objects != 0);
}

static int store_tables(const struct root *root, const struct root_usdt *usdt)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < usdt->nr_objects; i++) {
		struct usdt_file *file = usdt->objects[i].file;

		r = moved_store_table(root, &file->file, file->id, file->table,
				      &file->is_stored);
	}
	return r;
}

static int publish_objects(struct root *root, struct root_usdt *usdt)
{
	uint32_t bytes = (uint32_t)(sizeof(struct abi_usdt) +
				    usdt->nr_objects * sizeof(struct abi_usdt_object));
	struct block_draft draft;
	struct abi_usdt *block;
	int r = block_begin(root, bytes, bytes, &draft);

	if (r)
		return r;
	block = draft.map->addr;
	*block = (struct abi_usdt){
		.magic = ABI_USDT_MAGIC, .bytes = bytes, .nr_objects = usdt->nr_objects,
	};
	for (uint32_t i = 0; i < usdt->nr_objects; i++)
		block->objects[i] = (struct abi_usdt_object){
			.text = usdt->objects[i].text, .table = usdt->objects[i].file->id,
		};
	return block_publish(root, &draft, &usdt->block, &root->control->usdt);
}

int usdt_publish(struct root *root, bool *ret_changed)
{
	struct root_usdt *usdt = root_usdt(root);
	uint64_t sum = checksum(usdt);
	int r;

	*ret_changed = false;
	if (sum == usdt->published && (sum || !usdt->block.off))
		return 0;
	if (usdt->nr_objects) {
		r = store_tables(root, usdt);
		if (!r)
			r = publish_objects(root, usdt);
		if (r)
			return r;
	} else {
		block_retire(root, &usdt->block, &root->control->usdt);
	}
	usdt->published = sum;
	*ret_changed = true;
	return 0;
}

void usdt_list_blocks(const struct root *root, struct extent_list *list)
{
	arena_list_block(list, &root_usdt(root)->block);
}
