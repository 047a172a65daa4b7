/* SPDX-License-Identifier: MIT */
/*
 * Files of programs that are parsed for their functions; functions.c uses the results.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_READ_H
#define ULF_SERVER_FUNCTION_READ_H

#include "server/functions/functions.h"

/* One table of a file that is being parsed, or a result that no object has taken yet. */
struct function_read {
	struct function_read *next;
	char *path;
	uint16_t kind;			/* kind of the table: enum fsite_kind */
	uint32_t build_id_bytes;	/* 0: the file may have any build id */
	uint8_t build_id[32];
	struct parse_job *job;		/* NULL: the file cannot be read, or was parsed */
	bool is_wanted;			/* the last functions_refresh() needed it */
	/* The result: */
	struct elf_sites sites;
	struct elf_symbols symbols;
	const char **names;		/* raw names, one for each site; NULL: no name */
	uint32_t next_kind;		/* kind of the file's next table; FSITE_KINDS: none */
};

/*
 * Get the result for one table of the file at @path, or start to parse the file.
 * @known: kind of the table, and build id of the file if that is known.
 * Returns 0 (a file that cannot be read has no functions); -ERESTART if it is not parsed
 * yet: call again later; or -ENOMEM.
 */
int function_read_get(struct root *root, const char *path,
		      const struct abi_function_object *known,
		      struct function_read **ret_read);
/*
 * Let a parser demangle the names of @object.  Returns 0 if that was done or has failed;
 * -ERESTART if the parser is still working.
 */
int function_read_demangle(struct root *root, struct function_object *object);
/* Remove @read from the list and free it.  Kills a parser that is still working. */
void function_read_forget(struct functions *functions, struct function_read *read);
/*
 * Free the reads that the last functions_refresh() did not need: no process has mapped their
 * files any more.
 */
void function_reads_drop_unwanted(struct functions *functions);

#endif
