/* SPDX-License-Identifier: MIT */
/* Find the objects that processes have mapped, and their functions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "event/tracer.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/process.h"
#include "server/core/program.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/function_libcalls.h"
#include "server/functions/function_mods.h"
#include "server/functions/function_need.h"
#include "server/functions/function_read.h"
#include "server/functions/function_search.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "server/names/objects.h"
#include "server/names/symbols.h"
#include "server/rules/rules.h"

#define EMPTY_MAX		8192u	/* if a root has this number of objects or more, no
					 * further objects without functions are remembered */
#define FUNCTIONS_MAX		4000000u	/* maximum number of functions of a root */
#define LINE_NS			10000u	/* time in which the budget grows by one line, ns */
/* Cost of other work than reading /proc/PID/maps, as a number of lines of the budget. */
#define LINES_PROCESS		50u	/* cost of a process, in lines of the budget */
#define LINES_OBJECT		100u	/* cost of a new object, in lines of the budget */
#define OBJECTS_LINE		256u	/* number of objects with which a mapping can be
					 * compared for the cost of one line */

/* ---- functions that find the objects that processes have mapped ---- */

static void object_free(struct function_object *object)
{
	if (!object)
		return;
	elf_sites_done(&object->sites);
	elf_symbols_done(&object->symbols);
	function_moved_done(&object->moved);
	name_index_done(&object->index);
	name_index_done(&object->written_index);
	free(object->names);
	free(object->written);
	free(object->path);
	free(object->module);
	free(object);
}

static char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;

	return strndup(file, symbols_module_len(file));
}

/* Make space in the arrays of @functions for one more object, which has @nr functions. */
static int grow_lists(struct functions *functions, uint32_t nr)
{
	uint32_t all = functions->nr + nr;
	struct function_object **objects;
	bool *is_touched;

	if (functions->nr_objects >= FUNCTION_OBJECTS_MAX || all > FUNCTIONS_MAX)
		return -ENOMEM;
	objects = realloc(functions->objects,
			  (functions->nr_objects + 1) * sizeof(*objects));
	if (!objects)
		return -ENOMEM;
	functions->objects = objects;
	is_touched = realloc(functions->is_touched, all + 1ul);
	if (!is_touched)
		return -ENOMEM;
	memset(is_touched + functions->nr, 0, nr + 1ul);
	functions->is_touched = is_touched;
	for (int list = 0; list < FUNCTION_LISTS; list++) {
		uint16_t *bits = realloc(functions->lists[list],
					 (all + 1ul) * sizeof(*bits));

		if (!bits)
			return -ENOMEM;
		memset(bits + functions->nr, 0, (nr + 1ul) * sizeof(*bits));
		functions->lists[list] = bits;
	}
	return 0;
}

/* Make an object from the result of a parser.  A file that cannot be read becomes an
 * object without functions, so that the server does not try to read it again. */
static int read_object(struct root *root, const char *path,
		       const struct abi_function_object *known,
		       struct function_object **ret_object, uint32_t *ret_next_kind)
{
	struct function_object *object;
	struct function_read *read;
	int r = function_read_get(root, path, known, &read);

	if (r)
		return r;
	object = calloc(1, sizeof(*object));
	if (!object)
		return -ENOMEM;
	object->path = strdup(path);
	if (!program_is(root, path))
		object->module = short_name(path);
	object->bias = known->bias;
	object->sites = read->sites;
	object->symbols = read->symbols;
	object->names = read->names;
	object->moved = read->moved;
	object->is_moved = read->kind == FSITE_MOVED;
	*ret_next_kind = read->next_kind;
	read->sites = (struct elf_sites){ 0 };
	read->moved = (struct function_moved){ .head = NULL };
	read->symbols = (struct elf_symbols){ 0 };
	read->names = NULL;
	function_read_forget(root_functions(root), read);
	if (!object->path || (object->sites.nr &&
			      name_index_init(&object->index, object->names,
					      object->sites.nr))) {
		object_free(object);
		return -ENOMEM;
	}
	*ret_object = object;
	return 0;
}

void functions_done(struct root *root)
{
	struct functions *functions = root_functions(root);

	while (functions->reads)
		function_read_forget(functions, functions->reads);
	function_searches_done(functions);
	for (uint32_t i = 0; i < functions->nr_objects; i++)
		object_free(functions->objects[i]);
	free(functions->objects);
	for (int list = 0; list < FUNCTION_LISTS; list++)
		free(functions->lists[list]);
	free(functions->is_touched);
	if (functions->round.maps)
		fclose(functions->round.maps);
	*functions = (struct functions){ 0 };
}

/* Add @object to the root's objects, or free @object if there is an error.  A file
 * without functions is added, too, so that it is not read again. */
static int add_object(struct functions *functions, struct function_object *object)
{
	bool is_needed = object->sites.nr || functions->nr_objects < EMPTY_MAX;
	int r = is_needed ? grow_lists(functions, object->sites.nr) : 0;

	if (r || !is_needed) {
		object_free(object);
		return r;
	}
	object->is_there = object->is_seen = true;
	object->first = functions->nr;
	functions->nr += object->sites.nr;
	functions->objects[functions->nr_objects++] = object;
	return 0;
}

int functions_add(struct root *root, const char *path,
		  const struct abi_function_object *known,
		  struct function_object **ret_object)
{
	struct function_object *object;
	uint32_t next_kind;
	int r = read_object(root, path, known, &object, &next_kind);

	*ret_object = NULL;
	if (r)
		return r;
	if (!object->sites.nr) {
		object_free(object);
		return 0;
	}
	*ret_object = object;
	return add_object(root_functions(root), object);
}

/* A mapping of a file's code; the whole file if the program has reported it (@row). */
struct file_mapping {
	const char *path;
	uint64_t start, end, off;	/* addresses of the mapping in memory, and offset of
					 * its start in the file */
	uint64_t inode;			/* inode number of the file; 0 if unknown */
	uint32_t dev_major, dev_minor;	/* device of the file, if @inode is not 0 */
	const struct abi_object *row;	/* row of the table of objects in which the
					 * program has reported the object; NULL if the
					 * mapping was read from /proc/PID/maps */
};

static uint64_t bias_of(const struct function_object *object,
			const struct file_mapping *mapping)
{
	const struct elf_sites *sites = &object->sites;

	if (!sites->nr && !object->moved.head)
		return mapping->start;
	if (mapping->row)
		return mapping->start - arch_page_start(object->symbols.first);
	return mapping->start - mapping->off - sites->text + sites->text_off;
}

/* Fill @row with the addresses and the path of @object.  Returns false if the addresses are
 * unknown, or the path is too long. */
static bool fill_row(const struct function_object *object, struct abi_object *row)
{
	*row = (struct abi_object){
		.start = object->bias + arch_page_start(object->symbols.first),
		.end = object->bias + object->symbols.end,
		.build_id_bytes = object->sites.build_id_bytes,
	};
	memcpy(row->build_id, object->sites.build_id, sizeof(row->build_id));
	if (!object->symbols.end || strlen(object->path) >= sizeof(row->path))
		return false;
	strcpy(row->path, object->path);
	return true;
}

/*
 * Add a row for @object to the root's table of objects, because its functions may be
 * traced from now on.  With this row the server finds @object for an address in a later
 * record.  If two processes have different objects at one address, the newer row hides
 * the older row.  Then every round would add rows for both objects again.  To avoid
 * this, compare an object that the last round has found only with the rows that were
 * added since that round.
 */
static void enter_object(struct root *root, const struct function_object *object)
{
	struct abi_object row;

	if (fill_row(object, &row))
		objects_enter(root, &row,
			      object->was_there ? root_functions(root)->nr_rows : 0);
}

/* Parse a file for all tables of function sites that compilers made.  All of them must be
 * added together, because a file is not parsed again once a table of it is known. */
static int parse_kinds(struct root *root, const char *path,
		       struct abi_function_object known)
{
	int r = 0;

	while (!r && known.kind < FSITE_TABLES) {
		struct function_read *read;

		r = function_read_get(root, path, &known, &read);
		if (!r)
			known.kind = (uint16_t)read->next_kind;
	}
	return r;
}

/* Store in @object to which file it belongs, and at which address the file is mapped. */
static void place_object(struct function_object *object, const struct file_mapping *mapping)
{
	struct abi_moved_file *file = &object->moved.file;

	object->bias = bias_of(object, mapping);
	object->inode = mapping->inode;
	if (!object->is_moved || !mapping->inode)
		return;
	/*
	 * Compare the device numbers of /proc/PID/maps, as processes do; those of stat() may
	 * differ.  If they have changed, let store_tables() write the table's file again.
	 */
	object->moved.is_stored &= file->dev_major == mapping->dev_major &&
				   file->dev_minor == mapping->dev_minor;
	file->dev_major = mapping->dev_major;
	file->dev_minor = mapping->dev_minor;
}

static struct abi_function_object known_file(const struct file_mapping *mapping,
					     enum fsite_kind kind)
{
	struct abi_function_object known = { .kind = (uint16_t)kind };

	if (mapping->row && mapping->row->build_id_bytes <= sizeof(known.build_id)) {
		known.build_id_bytes = mapping->row->build_id_bytes;
		memcpy(known.build_id, mapping->row->build_id, known.build_id_bytes);
	}
	return known;
}

/* Wait until the files that are mapped before this one are parsed: functions are numbered
 * in the order of the mappings. */
static int wait_for_earlier(const struct root *root)
{
	return root_functions(root)->is_parsing ? -ERESTART : 0;
}

/* Add an object for each table of function sites in a mapped file.  For a file without
 * tables, add one object without functions. */
static int add_mapped(struct root *root, const struct file_mapping *mapping)
{
	struct abi_function_object known = known_file(mapping, 0);
	struct functions *functions = root_functions(root);
	uint32_t next_kind, nr = functions->nr, first = functions->nr_objects;
	struct function_object *object;
	int r = parse_kinds(root, mapping->path, known);

	if (!r)
		r = wait_for_earlier(root);
	while (!r && known.kind < FSITE_TABLES) {
		bool is_first = !known.kind;

		r = read_object(root, mapping->path, &known, &object, &next_kind);
		if (r)
			return r;
		known.kind = (uint16_t)next_kind;
		place_object(object, mapping);
		if (!object->sites.nr && !is_first) {
			object_free(object);
			continue;
		}
		enter_object(root, object);
		r = add_object(functions, object);
	}
	if (!r && first < functions->nr_objects)
		functions->objects[first]->can_move = functions->nr == nr;
	return r;
}

/* Drop the functions of @object if another file than the mapped one is at its path now. */
static void drop_replaced(struct function_object *object, const struct file_mapping *mapping)
{
	if (!object->moved.head || !mapping->inode ||
	    object->moved.file.ino == mapping->inode)
		return;
	name_index_done(&object->index);
	elf_sites_done(&object->sites);
	object->moved.head = NULL;
	object->moved.left_out = ELF_LEFT_OUT_REPLACED;
}

/* Analyse the code of a mapped file, and add an object for its functions.  @plain: the file's
 * object without functions. */
static int add_moved(struct root *root, const struct file_mapping *mapping,
		     struct function_object *plain)
{
	struct abi_function_object known = known_file(mapping, FSITE_MOVED);
	struct function_object *object;
	struct function_read *read;
	uint32_t next_kind;
	int r = function_read_get(root, mapping->path, &known, &read);

	if (!r)
		r = wait_for_earlier(root);
	if (!r)
		r = read_object(root, mapping->path, &known, &object, &next_kind);
	if (r)
		return r;
	drop_replaced(object, mapping);
	place_object(object, mapping);
	enter_object(root, object);
	r = add_object(root_functions(root), object);
	plain->is_analysed = !r;
	return r;
}

/*
 * Return true if @path is the object's path, or this path with " (deleted)", which the
 * kernel adds if the file was removed.  A new file at the path does no harm, because
 * is_mapped() also compares the inode.
 */
static bool is_path_of(const struct function_object *object, const char *path)
{
	size_t len = strlen(object->path);

	return !strncmp(object->path, path, len) &&
	       (!path[len] || (object->inode && !strcmp(path + len, PROGRAM_DELETED)));
}

/* Return true if @mapping is a mapping of @object.  A program that was built again has
 * another inode, so it is another object. */
static bool is_mapped(const struct function_object *object,
		      const struct file_mapping *mapping)
{
	return object->bias == bias_of(object, mapping) &&
	       (!object->inode || !mapping->inode || object->inode == mapping->inode) &&
	       is_path_of(object, mapping->path);
}

static void use_lines(struct functions_round *round, uint32_t nr)
{
	round->lines -= nr < round->lines ? nr : round->lines;
}

/* Mark the known objects of @mapping as seen.  *@ret_plain: the object without functions
 * whose file has not been analysed, or NULL. */
static bool see_known(struct root *root, const struct file_mapping *mapping,
		      struct function_object **ret_plain)
{
	struct functions *functions = root_functions(root);
	bool is_known = false, is_analysed = false;

	*ret_plain = NULL;
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		if (!is_mapped(object, mapping))
			continue;
		if (mapping->inode)
			place_object(object, mapping);
		object->is_there = object->is_seen = true;
		enter_object(root, object);
		is_known = true;
		is_analysed |= object->is_moved;
		if (object->can_move)
			*ret_plain = object;
	}
	if (is_analysed && *ret_plain) {
		(*ret_plain)->is_analysed = true;
		*ret_plain = NULL;
	}
	return is_known;
}

static int see_mapping(struct root *root, const struct file_mapping *mapping)
{
	struct functions *functions = root_functions(root);
	struct function_object *plain;
	bool is_known;
	int r = 0;

	use_lines(&functions->round, functions->nr_objects / OBJECTS_LINE);
	is_known = see_known(root, mapping, &plain);
	if (!is_known)
		r = add_mapped(root, mapping);
	if (!is_known && !r)
		see_known(root, mapping, &plain);
	if (!r && plain && (functions_must_move(root, plain) ||
			    libcalls_are_in(root, mapping->start, mapping->end)))
		r = add_moved(root, mapping, plain);
	if (r == -ERESTART)
		functions->is_parsing = true;
	else if (!is_known)
		use_lines(&functions->round, LINES_OBJECT);
	return r == -ERESTART ? 0 : r;
}

static bool is_newest(const struct root *root, uint32_t nr, const struct abi_object *row)
{
	for (uint32_t i = objects_nr_rows(root); i-- > nr + 1; ) {
		const struct abi_object *other = &root->objects_table[i];

		if (shm_load(&other->is_there) && other->start < row->end &&
		    row->start < other->end)
			return false;
	}
	return true;
}

/* Use the objects that the program itself has reported.  Called if the server is not
 * allowed to read the mappings of a process. */
static int see_reported(struct root *root)
{
	int r = 0;

	for (uint32_t i = objects_nr_rows(root); !r && i--; ) {
		struct abi_object row =
			*(const volatile struct abi_object *)&root->objects_table[i];
		struct file_mapping mapping = {
			.path = row.path, .start = row.start, .end = row.end, .row = &row,
		};

		row.path[sizeof(row.path) - 1] = '\0';
		if (row.is_there && row.path[0] == '/' && is_newest(root, i, &row))
			r = see_mapping(root, &mapping);
	}
	return r;
}

/*
 * Replace \012 by a newline: the kernel prints newlines so in /proc/PID/maps, but does
 * not escape backslashes.  So if a file exists whose name contains \012 itself, the path
 * is not changed.
 */
static void decode_newlines(char *path)
{
	char *to = path;

	if (!strstr(path, "\\012") || !access(path, F_OK))
		return;
	while (*path) {
		bool is_newline = !strncmp(path, "\\012", 4);

		*to++ = is_newline ? '\n' : *path;
		path += is_newline ? 4 : 1;
	}
	*to = '\0';
}

/* Handle one line of /proc/PID/maps. */
static int see_line(struct root *root, const struct program_names *program, char *line)
{
	struct file_mapping mapping = { .row = NULL };
	char rights[8];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		   " %n", &mapping.start, &mapping.end, rights, &mapping.off, &mapping.dev_major,
		   &mapping.dev_minor, &mapping.inode, &at) != 7 ||
	    rights[2] != 'x' || line[at] != '/')
		return 0;
	decode_newlines(line + at);
	mapping.path = strcmp(line + at, program->now) ? line + at : program->path;
	return see_mapping(root, &mapping);
}

/* Open /proc/PID/maps of @process, unless it is open.  An open file shows the memory at
 * the time of the open(), so after exec() it has no more lines. */
static void round_open_maps(struct functions_round *round, const struct process *process)
{
	if (round->maps && round->pid == process->pid)
		return;
	if (round->maps)
		fclose(round->maps);
	round->maps = process_maps_open(process);
	round->is_hidden |= !round->maps && (errno == EACCES || errno == EPERM);
	round->pid = process->pid;
}

/* Read the mappings of @process.  Returns -EAGAIN if there are more lines than the budget
 * allows. */
static int see_process(struct root *root, const struct process *process)
{
	struct functions_round *round = &root_functions(root)->round;
	struct program_names program;
	char *line = NULL;
	size_t capacity = 0;
	int r = 0;

	use_lines(round, LINES_PROCESS);
	program_names_find(root, process->pid, &program);
	round_open_maps(round, process);
	while (round->maps && !r) {
		if (!round->lines) {
			r = -EAGAIN;
			break;
		}
		use_lines(round, 1);
		if (getline(&line, &capacity, round->maps) <= 0)
			break;
		r = see_line(root, &program, line);
	}
	free(line);
	if (round->maps && r != -EAGAIN) {
		fclose(round->maps);
		round->maps = NULL;
	}
	return r;
}

/* Return true if a lower process slot has this process, too, and its mappings are read
 * for that slot. */
static bool has_lower_slot(const struct root *root, const struct process *process)
{
	for (uint32_t i = 0; i < process->slot; i++)
		if (root->process[i] && root->process[i]->pidfd >= 0 &&
		    root->process[i]->pid == process->pid)
			return true;
	return false;
}

static void round_start(struct root *root)
{
	struct functions *functions = root_functions(root);
	struct functions_round *round = &functions->round;

	functions->is_parsing = false;
	function_reads_drop_unwanted(functions);
	round->is_open = true;
	round->is_hidden = false;
	round->slot = 0;
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		object->was_there = object->is_there;
		object->is_seen = !root->nr_live && object->is_there;
	}
}

static int round_end(struct root *root)
{
	struct functions *functions = root_functions(root);
	struct functions_round *round = &functions->round;
	int r = round->is_hidden ? see_reported(root) : 0;

	round->is_open = false;
	for (uint32_t i = 0; i < functions->nr_objects; i++)
		functions->objects[i]->is_there = functions->objects[i]->is_seen;
	functions->nr_rows = objects_nr_rows(root);
	return r;
}

static void refill_lines(struct functions_round *round)
{
	uint64_t now = server_now_ns();
	uint64_t left = round->lines_left + (now - round->lines_ns) / LINE_NS;

	round->lines_left = left < FUNCTIONS_LINES_MAX ? (uint32_t)left :
							 FUNCTIONS_LINES_MAX;
	round->lines_ns = now;
}

static int refresh_round(struct root *root, uint32_t lines)
{
	struct functions *functions = root_functions(root);
	struct functions_round *round = &functions->round;
	int r = 0;

	process_scan(root);
	functions_see_wants(root);
	refill_lines(round);
	lines = lines < round->lines_left ? lines : round->lines_left;
	round->lines = lines;
	if (!round->is_open)
		round_start(root);
	for (; !r && round->slot <= PROCESS_CREATOR; round->slot += !r) {
		const struct process *process = root->process[round->slot];

		if (process && process->pidfd >= 0 && !has_lower_slot(root, process))
			r = round->lines ? see_process(root, process) : -EAGAIN;
	}
	if (!r)
		r = round_end(root);
	else if (r != -EAGAIN)
		round->is_open = false;
	round->lines_left -= lines - round->lines;
	if (r == -EAGAIN)
		r = 0;
	if (!r && functions->is_parsing)
		return -ERESTART;
	return r ? r : function_mods_come(root);
}

int functions_refresh(struct root *root)
{
	struct functions *functions = root_functions(root);
	int r = 0;

	/* If a round has already begun, finish it and run another one: the first round
	 * possibly missed mappings that were made after its start. */
	if (functions->round.is_open)
		r = refresh_round(root, FUNCTIONS_LINES_MAX);
	if (!r)
		r = refresh_round(root, FUNCTIONS_LINES_MAX);
	return !r && functions->round.is_open ? -ERESTART : r;
}

/* ---- functions that have libraries analysed ---- */

int functions_need(struct root *root, const struct function_match *match)
{
	const struct functions *functions = root_functions(root);
	bool is_missing = false;

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];

		if (!function_object_must_be_analysed(object) ||
		    (match && !function_match_has_module(match, object)))
			continue;
		object->is_needed = is_missing = true;
	}
	return is_missing ? functions_refresh(root) : 0;
}

int functions_refresh_listed(const struct instance *instance)
{
	return functions_take_all(instance) ? functions_refresh_all(instance->root) :
					      functions_refresh(instance->root);
}

int functions_refresh_all(struct root *root)
{
	int r = functions_refresh(root);

	return r ? r : functions_need(root, NULL);
}

/* ---- functions that find symbols by address ---- */

bool function_object_is(const struct function_object *object, const struct object *in)
{
	const struct object_file *file = in->file;

	return object->bias == in->bias &&
	       object->sites.build_id_bytes == file->build_id_bytes &&
	       (file->build_id_bytes ?
		!memcmp(object->sites.build_id, file->build_id, file->build_id_bytes) :
		!strcmp(object->path, file->path));
}

/* Find the symbol at @addr in @object.  *@ret_symbols: the symbol table that has the symbol. */
static const struct elf_symbol *find_in_object(const struct function_object *object,
					       uint64_t addr,
					       const struct elf_symbols **ret_symbols)
{
	const struct elf_symbol *symbol =
		elf_symbols_find(&object->symbols, addr - object->bias);

	*ret_symbols = symbol ? &object->symbols : &object->moved.made;
	return symbol ? symbol : elf_symbols_find(*ret_symbols, addr - object->bias);
}

int functions_find_symbol(const struct root *root, const struct symbols_from *from,
			  uint64_t addr, const struct object *in,
			  struct function_symbol *ret_symbol)
{
	const struct functions *functions = root_functions(root);

	for (uint32_t i = functions->nr_objects; i--; ) {
		const struct function_object *object = functions->objects[i];
		const struct elf_symbols *symbols;
		const struct elf_symbol *symbol = find_in_object(object, addr, &symbols);
		struct abi_object row;

		fill_row(object, &row);
		if (symbol && (!in || function_object_is(object, in)) &&
		    objects_can_be(root, from, addr, &row)) {
			*ret_symbol = (struct function_symbol){
				.symbol = symbol, .start = object->bias + symbol->addr,
				.symbols = symbols, .path = object->path,
			};
			return 0;
		}
	}
	return -ENOENT;
}

/* ---- functions that publish the functions of new objects ---- */

/* Publish the functions, and also the rules, because the rules contain the addresses of
 * functions that have commands. */
static int publish_all(struct root *root)
{
	struct instance *instance;
	int r = 0;

	for_each_instance(instance, root)
		if (!r && instance_functions(instance)->probes)
			r = rules_publish(instance);
	return r ? r : functions_publish(root);
}

int functions_tick(struct root *root, uint32_t lines)
{
	struct functions *functions = root_functions(root);

	/* true: the block is the previous server's, and processes are possibly not
	 * notified of it */
	bool is_another_ones = functions->block.off && !functions->block_objects;
	struct apply apply;
	int r = 0;

	functions_see_wants(root);
	if ((is_another_ones || functions_are_wanted(root)) && root->nr_live) {
		r = lines < FUNCTIONS_LINES_MAX ? refresh_round(root, lines) :
						  functions_refresh(root);
		if (!r && functions_have_changed(root) &&
		    (!publish_all(root) ||
		     (is_another_ones && !functions_publish_off(root))))
			apply_start(root, &apply);
	}
	return r == -ERESTART ? r : 0;
}

/* ---- functions for instances that are removed ---- */

void functions_leave(struct instance *instance)
{
	struct root *root = instance->root;
	struct functions *functions = root_functions(root);

	for (uint32_t nr = 0; nr < functions->nr; nr++) {
		functions_put(functions, FUNCTION_FILTER, instance->number,
			      nr, false);
		functions_put(functions, FUNCTION_NOTRACE, instance->number,
			      nr, false);
	}
	shm_store(&instance->abi->tracer, TRACER_NOP);
	functions_publish_off(root);
}
