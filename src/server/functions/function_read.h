/* SPDX-License-Identifier: MIT */
/*
 * Let parsers read the files of programs and libraries, to find their functions;
 * functions.c uses the results.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_READ_H
#define ULF_SERVER_FUNCTION_READ_H

#include "server/functions/function_moved.h"
#include "server/functions/functions.h"
#include "server/functions/moved_cache.h"

/* One table of function sites in a file, while the file is being parsed and until the
 * result is used. */
struct function_read {
	struct function_read *next;
	char *path;
	uint16_t kind;			/* kind of the table of function sites (enum
					 * fsite_kind) */
	uint32_t build_id_bytes;	/* length of the file's build id; 0 if the file
					 * may have any build id */
	uint8_t build_id[32];
	struct parse_job *job;		/* job of the parser; NULL if the file cannot be
					 * read, or if the parser has ended */
	struct moved_cache cache;	/* files of the cache for the analysis, while @job
					 * runs; only if @kind is FSITE_MOVED */
	bool is_wanted;			/* true: the last call of functions_refresh()
					 * needed the result */
	/* The result: */
	struct elf_sites sites;
	struct elf_symbols symbols;
	struct function_moved moved;	/* if @kind is FSITE_MOVED */
	const char **names;		/* raw name of each function site; NULL if the
					 * site has no name */
	uint32_t next_kind;		/* kind of the next table of function sites in
					 * this file; FSITE_TABLES if there is no other
					 * table */
};

/*
 * Get the result for one table of function sites in the file at @path, or start to
 * parse the file.
 * @known: kind of the table, and build id of the file if it is known.  Returns 0, also
 * for a file that cannot be read, which then has no functions; -ERESTART if the file
 * is not parsed yet, so that the caller must call again later; or -ENOMEM.
 */
int function_read_get(struct root *root, const char *path,
		      const struct abi_function_object *known,
		      struct function_read **ret_read);
/* Let a parser demangle the names of @object.  Returns 0 if this is finished, even if it
 * has failed; -ERESTART if the parser is still working. */
int function_read_demangle(struct root *root, struct function_object *object);
/* Remove @read from functions->reads and free it.  A parser that is still working is
 * killed. */
void function_read_forget(struct functions *functions, struct function_read *read);
/*
 * Free each struct function_read whose result the last functions_refresh() did not need:
 * no process has mapped the file any more.
 */
void function_reads_drop_unwanted(struct functions *functions);

#endif
