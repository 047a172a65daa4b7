/* SPDX-License-Identifier: MIT */
/* Addresses of the traced program -> the objects that they are in, and their files. */
#ifndef ULF_SERVER_OBJECTS_H
#define ULF_SERVER_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "server/elf.h"

struct elf_args;
struct elf_params;
struct root;
struct symbols_from;

/* What is loaded to several places is read once. */
struct object_file {
	char *path;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	bool is_readable;
	bool is_args_tried;
	struct elf_symbols symbols;
	struct elf_args *args;		/* NULL: not tried, or there are none */
};

struct object {
	bool is_tried;
	bool is_program;		/* it has no module's name */
	struct object_file *file;	/* NULL: none that is readable */
	uint64_t bias;			/* address in memory - in the file */
};

/* Empty; files are read when an address in them is first asked for. */
struct objects *objects_new(void);
void objects_free(struct objects *objects);
/* Was any file read? */
bool objects_have_files(const struct objects *objects);

/* The object that @addr is in, as it is in that record; or NULL. */
struct object *objects_find(struct root *root, const struct symbols_from *from,
			    uint64_t addr);
/* The parameters of the function that @addr is in; NULL: not known.  Good until
 * the next call. */
const struct elf_params *objects_params(struct root *root,
					const struct symbols_from *from, uint64_t addr);
/* The next of those that may have @addr (0: of all), from *@at on, which is 0 for
 * the first.  NULL behind the last. */
struct object *objects_next(struct root *root, uint64_t addr, uint32_t *at);

/* May @object be what was at @addr when that record was written?  No: another one is
 * known to have been there. */
bool objects_can_be(const struct root *root, const struct symbols_from *from,
		    uint64_t addr, const struct abi_object *object);
/* The server sees it loaded, as from now; `since` and `is_there` are filled in.  For
 * nothing if it is known already, or there is no room.  @known: it was when there were
 * that many rows, so only what came later can be in its place; 0: nobody knows. */
void objects_tell(struct root *root, const struct abi_object *object, uint32_t known);
uint32_t objects_nr_rows(const struct root *root);

#endif
