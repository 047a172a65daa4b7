/* SPDX-License-Identifier: MIT */
/* Addresses of the traced program -> the objects that they are in, and their files. */
#ifndef ULF_SERVER_OBJECTS_H
#define ULF_SERVER_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "abi/control.h"
#include "symbols/elf.h"
#include "symbols/parse_wire.h"

struct elf_params;
struct params;
struct root;
struct symbols_from;

/* What is loaded to several places is read once. */
struct object_file {
	char *path;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	bool is_parsed;			/* it was tried */
	bool is_readable;
	struct parse_job *job;		/* that parses it; NULL: none */
	struct elf_symbols symbols;
	struct params *params;		/* NULL: not asked for yet */
	/* for its strings: the file that was parsed */
	struct stat st;
	struct parse_segment segments[PARSE_SEGMENTS_MAX];
	uint32_t nr_segments;
};

struct object {
	bool is_tried;
	bool is_program;		/* it has no module's name */
	struct object_file *file;	/* NULL: none that is readable */
	uint64_t bias;			/* address in memory - in the file */
};

/*
 * Empty; files are parsed when an address in them is first asked for.
 *
 * Nothing here waits for a parser in the server: a file that is still being parsed has
 * no names, and root->is_parsing is set; then the caller must try again later.
 */
/* root_part.init and root_part.done */
int objects_init(struct root *root);
void objects_done(struct root *root);
/* root_part.has_unsaved: names were read from files that may be gone by now. */
bool objects_have_files(const struct root *root);

/* The object that @addr is in, as it is in that record; or NULL. */
struct object *objects_find(struct root *root, const struct symbols_from *from,
			    uint64_t addr);
/* Parse the files of all objects and wait for it, 250 ms in all of a root's life.  For
 * callers that cannot try again later; returns at once if all are parsed. */
void objects_wait(struct root *root);
/* root_part.stop_waiting: objects_wait() of @root returns at once from now on. */
void objects_wait_no_more(struct root *root);
/* Parse the files of all objects without waiting.  -ERESTART: some are not parsed yet. */
int objects_parse(struct root *root);
/* root_part.settled: take the results of parsers that have ended, and charge them to the
 * root. */
void objects_settle(struct root *root, bool is_awaited);
/* The constant string at @addr of the object, up to 4 KiB of it; to be freed.  NULL: there
 * is none, or the file has changed. */
char *objects_string(const struct root *root, const struct object *object, uint64_t addr);
/* Have all names of @symbols demangled, once.  @path: the file, for error_log; @bytes_left:
 * that the result may have, less by what it has.  0: it was tried; -ERESTART: not yet. */
int objects_demangle(struct root *root, const struct elf_symbols *symbols,
		     const char *path, uint64_t *bytes_left);
/* The name of @symbol, a row of @symbols, as C++ writes it.  @path: the file, for
 * error_log. */
const char *objects_plain(struct root *root, const struct elf_symbols *symbols,
			  const struct elf_symbol *symbol, const char *path);
/* Report in error_log that the parser failed on the file at @path.  @why NULL: nothing to
 * report. */
void objects_log(struct root *root, const char *path, const char *why);
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
