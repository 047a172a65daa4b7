/* SPDX-License-Identifier: MIT */
/* Find the object (program or shared library) at an address, and read its file. */
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

/* A file that is loaded as one or several objects.  The file is read only once. */
struct object_file {
	char *path;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	bool is_parsed;			/* true: the file was parsed, even if this has
					 * failed */
	bool is_readable;		/* true: the file was parsed without an error */
	bool has_cxx;			/* true: the file was parsed and has C++ symbols */
	struct parse_job *job;		/* job of the parser that works on the file; NULL
					 * if there is none */
	struct elf_symbols symbols;
	struct params *params;		/* cache of the parameters of functions in the
					 * file; NULL if no parameters were requested yet */
	/* Result of stat() and segments of the file at the time when it was parsed.
	 * Constant strings are read from the file later. */
	struct stat st;
	struct parse_segment segments[PARSE_SEGMENTS_MAX];
	uint32_t nr_segments;
};

/* An object that is loaded at an address. */
struct object {
	bool is_tried;			/* true: the server has looked for the file of
					 * this object */
	bool is_program;		/* true: the object is the program itself, whose
					 * functions are shown without a module */
	struct object_file *file;	/* file of the object; NULL if the object has no
					 * valid path */
	uint64_t bias;			/* load bias of the object: address in memory
					 * minus address in the file */
};

/*
 * The objects of a root, as the server knows them.  A file is parsed when an address in
 * it is first looked up.
 *
 * In a process with an event loop (the server), the functions below do not wait for a
 * parser, except objects_wait().  While a file is being parsed, the server knows no
 * name in it.  Then objects_has_missing() returns true, and the caller must try again
 * later.
 */
/* Method root_part.init: allocate an empty struct objects for @root.  Returns 0 or
 * -ENOMEM. */
int objects_init(struct root *root);
/* Method root_part.done: free the struct objects of @root, and kill its parsers. */
void objects_done(struct root *root);
/* Forget that results were missing, so that objects_has_missing() returns false again.
 * Must be called before names, strings or parameters are looked up. */
void objects_clear_missing(struct root *root);
/* Return true if a result was missing since objects_clear_missing(), because a file is still
 * being parsed.  Then the caller must look names up again later. */
bool objects_has_missing(const struct root *root);
/* Method root_part.has_unsaved: return true if the server has names from files, because
 * these files are possibly gone by now. */
bool objects_have_files(const struct root *root);

/* Return the object that contained @addr when the record described by @from was written;
 * NULL if it is unknown. */
struct object *objects_find(struct root *root, const struct symbols_from *from,
			    uint64_t addr);
/*
 * Parse the files of all objects and wait for the results, up to 250 ms in the whole
 * life of a root.  For callers that cannot try again later.  Returns at once if all
 * files are parsed.
 */
void objects_wait(struct root *root);
/* Make objects_wait() of @root return at once from now on. */
void objects_stop_waiting(struct root *root);
/*
 * Parse the files of all objects without waiting.  Returns 0, or -ERESTART if some files
 * are not parsed yet.
 */
int objects_parse(struct root *root);
/* Method root_part.settled: take the results of parsers that have ended.  The bytes that
 * the parsers have read count against the root's limit. */
void objects_settle(struct root *root, bool is_awaited);
/*
 * Return the constant string at address @addr of @object, but at most its first 4 KiB.
 * The caller frees the string.  Returns NULL if there is no such string, or the file
 * has changed.
 */
char *objects_string(const struct root *root, const struct object *object, uint64_t addr);
/*
 * objects_demangle - demangle all names of @symbols, unless this was done before
 * @path: path of the file, for error_log
 * @bytes_left: maximum size of the result, bytes; the size of the result is subtracted
 *
 * Returns 0 if the names are demangled, or if this has failed; -ERESTART if the parser is
 * working.
 */
int objects_demangle(struct root *root, const struct elf_symbols *symbols,
		     const char *path, uint64_t *bytes_left);
/*
 * Demangle the names of all objects.  Starts as many parsers as it can.  Returns 0 if
 * this is finished, even if it has failed; -ERESTART if a parser is working, so that the
 * caller must call again later.
 */
int objects_demangle_all(struct root *root);
/*
 * Return the demangled name of @symbol, a row of @symbols.  If there is no demangled name, return
 * the raw name.  @path: path of the file, for error_log.  Afterwards objects_has_missing() may
 * return true.
 */
const char *objects_plain(struct root *root, const struct elf_symbols *symbols,
			  const struct elf_symbol *symbol, const char *path);
/*
 * Report in error_log that the parser has failed on the file at @path.  Does nothing if
 * @why is NULL.
 */
void objects_log(struct root *root, const char *path, const char *why);
/*
 * Return the parameters of the function that contains @addr, or NULL if they are unknown.
 * The result is valid until the next call.
 */
const struct elf_params *objects_params(struct root *root,
					const struct symbols_from *from, uint64_t addr);
/* Iterate over the objects that may contain @addr, or over all objects if @addr is 0.
 * *@at must be 0 for the first call.  Returns NULL after the last object. */
struct object *objects_next(struct root *root, uint64_t addr, uint32_t *at);

/* Return true if @object was possibly at @addr when the record described by @from was
 * written.  Returns false if it is known that another object was there. */
bool objects_can_be(const struct root *root, const struct symbols_from *from,
		    uint64_t addr, const struct abi_object *object);
/*
 * objects_enter - add an object, which the server has found in a process, to the root's
 * table of objects
 * @object: the row to add; this function sets the members `since` and `is_there`
 *	@known: number of rows in the table when the caller last found the object
 *	there; only later rows can describe another object at its addresses; 0 if
 *	the caller never found the object there
 *
 * Does nothing if the object is in the table already, or if the table is full.
 */
void objects_enter(struct root *root, const struct abi_object *object, uint32_t known);
/* Return the number of rows in the root's table of objects. */
uint32_t objects_nr_rows(const struct root *root);

#endif
