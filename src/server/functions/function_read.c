/* SPDX-License-Identifier: MIT */
/* Let parsers find the functions of files.  A parser is a process without rights. */
#include "server/functions/function_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "server/core/program.h"
#include "server/functions/functions.h"
#include "server/names/objects.h"
#include "symbols/localfile.h"
#include "symbols/parse.h"
#include "symbols/parse_result.h"

#define BYTES_MAX		(1024ull << 20)	/* maximum total size of the files that
						 * are parsed for one root, bytes */

static void read_free(struct function_read *read)
{
	parse_free(read->job);
	moved_cache_close(&read->cache, 0);
	elf_sites_done(&read->sites);
	elf_symbols_done(&read->symbols);
	function_moved_done(&read->moved);
	free(read->names);
	free(read->path);
	free(read);
}

/* Return the length of the build id, but at most the size of build_id[]: the length may
 * come from shared memory. */
static uint32_t id_bytes(const struct abi_function_object *known)
{
	return min_u32(known->build_id_bytes, sizeof(known->build_id));
}

/* Return true if @read is for the table @known of the file at @path.  Each table of
 * function sites has its own struct function_read. */
static bool is_read_of(const struct function_read *read, const char *path,
		       const struct abi_function_object *known)
{
	return read->kind == known->kind && !strcmp(read->path, path) &&
	       read->build_id_bytes == id_bytes(known) &&
	       !memcmp(read->build_id, known->build_id, read->build_id_bytes);
}

static int start_parser(struct root *root, struct function_read *read)
{
	struct parse_want want = {
		.owner = root, .request = {
			.job = PARSE_SITES, .kind = read->kind,
			.bytes_left = BYTES_MAX - root_functions(root)->bytes_read,
			.build_id_bytes = read->build_id_bytes,
		},
	};
	struct program_file file;
	int r;

	memcpy(want.request.build_id, read->build_id, sizeof(read->build_id));
	program_file_find(root, read->path, &file);
	r = localfile_open(file.path, &want.fd);
	/*
	 * Pass no path if file.path is a link that the server has made, because the
	 * parser would search for debug files in the link's directory, where there are
	 * none.
	 */
	want.path = file.fd < 0 ? read->path : NULL;
	program_file_done(&file);
	if (!r && read->kind == FSITE_MOVED && !function_moved_identify(want.fd, &read->moved))
		moved_cache_open(root, &read->moved.file, &read->cache, &want);
	return r ? r : parse_start(&want, &read->job);
}

/* Start to parse a file.  Returns -EBUSY if the caller must try again later.  If the file
 * cannot be opened, makes a struct function_read without a result. */
static int start_read(struct root *root, const char *path,
		      const struct abi_function_object *known,
		      struct function_read **ret_read)
{
	struct functions *functions = root_functions(root);
	struct function_read *read;

	if (!parse_has_room(root))
		return -EBUSY;
	read = calloc(1, sizeof(*read));
	if (read)
		read->path = strdup(path);
	if (!read || !read->path) {
		free(read);
		return -ENOMEM;
	}
	read->kind = known->kind;
	read->build_id_bytes = id_bytes(known);
	memcpy(read->build_id, known->build_id, read->build_id_bytes);
	read->next_kind = FSITE_TABLES;
	read->moved.left_out = ELF_LEFT_OUT_UNREADABLE;
	if (start_parser(root, read) == -EBUSY) {
		read_free(read);
		return -EBUSY;
	}
	read->next = functions->reads;
	functions->reads = read;
	*ret_read = read;
	return 0;
}

/*
 * Convert the parser's result @parsed.  If it is wrong, returns false, and @read has
 * no functions.  *@ret_cache is set to what the parser has done with the files of
 * read->cache: read one, or written one.
 */
static bool take_result(struct function_read *read, struct parsed *parsed, uint32_t *ret_cache)
{
	struct parsed_moved moved = { .table = NULL };
	const struct parsed_more more = {
		.sites = &read->sites, .names = &read->names,
		.next_kind = &read->next_kind, .moved = &moved,
	};

	if (parsed_check(parsed, &read->symbols, &more))
		return false;
	if (read->kind != FSITE_MOVED)
		return read->sites.kind != FSITE_MOVED;
	if (read->sites.kind != FSITE_MOVED ||
	    function_moved_take(&read->moved, &moved, read->path, &read->symbols, &read->sites,
				&read->names))
		return false;
	*ret_cache = moved.cache;
	return true;
}

/* Take the result of the parser, which has ended.  The bytes that the parser has read
 * count against the root's limit, even if the parser has failed. */
static void end_read(struct root *root, struct function_read *read)
{
	struct functions *functions = root_functions(root);
	uint64_t left = BYTES_MAX - functions->bytes_read;
	struct parsed *parsed = parse_map_result(read->job);
	const char *why = parse_why(read->job);
	uint64_t bytes = parse_bytes_read(read->job);
	uint32_t cache = 0;

	/* Count at least the size of the result.  The file may have attacked the parser
	 * and made it report too few bytes. */
	if (parsed && parsed->bytes > bytes)
		bytes = parsed->bytes;
	if (parsed && bytes > left)
		parsed_free(parsed);
	else if (parsed && !take_result(read, parsed, &cache))
		why = "The parser gave a wrong result";
	moved_cache_close(&read->cache, cache);
	functions->bytes_read += min_u64(left, bytes);
	objects_log(root, read->path, why);
	parse_free(read->job);
	read->job = NULL;
}

int function_read_get(struct root *root, const char *path,
		      const struct abi_function_object *known,
		      struct function_read **ret_read)
{
	struct function_read *read = root_functions(root)->reads;
	int r = 0;

	while (read && !is_read_of(read, path, known))
		read = read->next;
	if (!read)
		r = start_read(root, path, known, &read);
	if (r)
		return r == -EBUSY ? -ERESTART : r;
	read->is_wanted = true;
	if (read->job && parse_poll(read->job) == -EINPROGRESS)
		return -ERESTART;
	if (read->job)
		end_read(root, read);
	*ret_read = read;
	return 0;
}

void functions_settle(struct root *root)
{
	for (struct function_read *read = root_functions(root)->reads; read; read = read->next)
		if (read->job && parse_poll(read->job) != -EINPROGRESS)
			end_read(root, read);
}

int function_read_demangle(struct root *root, struct function_object *object)
{
	struct functions *functions = root_functions(root);
	uint64_t left = BYTES_MAX - functions->bytes_read;
	int r = objects_demangle(root, &object->symbols, object->path, &left);

	functions->bytes_read = BYTES_MAX - left;
	return r;
}

int functions_parse(struct root *root, const char *path,
		    const struct abi_function_object *known)
{
	struct function_read *read;

	return function_read_get(root, path, known, &read);
}

void function_read_forget(struct functions *functions, struct function_read *read)
{
	struct function_read **at = &functions->reads;

	while (*at != read)
		at = &(*at)->next;
	*at = read->next;
	read_free(read);
}

void function_reads_drop_unwanted(struct functions *functions)
{
	struct function_read *read, *next;

	for (read = functions->reads; read; read = next) {
		next = read->next;
		if (!read->is_wanted)
			function_read_forget(functions, read);
		else
			read->is_wanted = false;
	}
}
