/* SPDX-License-Identifier: MIT */
/* Files of programs that are parsed for their functions; see functions.c. */
#ifndef ULF_SERVER_FUNCTION_READ_H
#define ULF_SERVER_FUNCTION_READ_H

#include "server/functions/functions.h"

/* A file that is being parsed, or a result that no object has taken yet. */
struct function_read {
	struct function_read *next;
	char *path;
	uint16_t kind;
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	struct parse_job *job;		/* NULL: it cannot be read, or is done */
	bool is_wanted;			/* by the last functions_refresh() */
	/* what came of it */
	struct elf_sites sites;
	struct elf_symbols symbols;
	const char **names;
	uint32_t next_kind;		/* of the file's next table */
};

/* Return the parsed file, or start to parse it.  A file that cannot be read has no
 * functions.  -ERESTART: not parsed yet; -ENOMEM. */
int function_read_get(struct root *root, const char *path,
		      const struct abi_function_object *known,
		      struct function_read **ret_read);
/* Have the names of @object demangled.  -ERESTART: not yet; 0: it was tried. */
int function_read_demangle(struct root *root, struct function_object *object);
/* Free @read, and kill a parser that is still at work. */
void function_read_forget(struct functions *functions, struct function_read *read);
/* Drop reads that the last round did not ask for: no process has mapped these files any
 * more. */
void function_reads_drop_unwanted(struct functions *functions);

#endif
