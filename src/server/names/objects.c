/* SPDX-License-Identifier: MIT */
/*
 * Find objects, and read their files.  The program stores in shared memory where its
 * objects are loaded.  The table of modules (abi_module) has the objects with
 * tracepoints.  The table of objects (abi_object) has the objects that were loaded at
 * the program's start, have tracepoints, or were on a stack.  The server adds the
 * objects whose functions are traced to the table of objects.  The names of functions
 * are in the objects' files.  The build id shows whether a file has changed since it
 * was loaded.  A changed file is not used.  If the program's own file has changed, the
 * server finds the original one as long as the program runs (program.c).
 *
 * An object may be loaded at an address where another one was before.  So the search at
 * an address takes the newest abi_object that existed when the record was written.  If
 * there is none, it tries in this order: the record's module; the modules that are
 * loaded now; the abi_objects, newest first; the other modules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "server/core/beat.h"
#include "server/core/error_log.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/program.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/names/objects.h"
#include "server/names/params.h"
#include "server/names/symbols.h"
#include "server/part_numbers.h"
#include "symbols/localfile.h"
#include "symbols/parse.h"
#include "symbols/parse_result.h"

#define PATH_BYTES_MAX	4096u
#define BYTES_MAX	(64u << 20)	/* maximum number of bytes that parsers read
					 * from the files of one root */
#define ARGS_BYTES_MAX	(256u << 20)	/* maximum number of bytes of debug information
					 * that parsers read for one root */
#define OBJECTS		(ABI_MODULES + ABI_OBJECTS)
#define SESSIONS_MAX	8u		/* maximum number of parser sessions of one root;
					 * a session looks for parameters of functions */
#define STRING_BYTES_MAX	4096u
#define WAIT_NS		250000000u	/* maximum total time for which the server waits
					 * for parsers of one root, ns */

struct objects {
	struct object objects[OBJECTS];		/* objects: a row for each abi_module,
						 * then one for each abi_object */
	struct object_file files[OBJECTS];	/* files of the root's objects, in the
						 * order in which they were first used */
	uint32_t nr_files;
	uint64_t bytes_left;			/* number of bytes that parsers may still
						 * read from files of the root */
	uint64_t wait_ns;			/* time that objects_wait() may still
						 * wait, ns */
	bool is_parsing;			/* true: a result was missing, because a file
						 * is being parsed (objects_has_missing()) */
};

static struct objects *root_objects(const struct root *root)
{
	return root->part_state[ROOT_PART_OBJECTS];
}

int objects_init(struct root *root)
{
	struct objects *objects = calloc(1, sizeof(*objects));

	if (!objects)
		return -ENOMEM;
	*objects = (struct objects){ .bytes_left = BYTES_MAX, .wait_ns = WAIT_NS };
	root->part_state[ROOT_PART_OBJECTS] = objects;
	return 0;
}

void objects_done(struct root *root)
{
	struct objects *objects = root_objects(root);

	if (!objects)
		return;
	for (uint32_t i = 0; i < objects->nr_files; i++) {
		free(objects->files[i].path);
		parse_free(objects->files[i].job);
		params_free(objects->files[i].params);
		elf_symbols_done(&objects->files[i].symbols);
	}
	free(objects);
	root->part_state[ROOT_PART_OBJECTS] = NULL;
}

void objects_clear_missing(struct root *root)
{
	if (root_objects(root))
		root_objects(root)->is_parsing = false;
}

bool objects_has_missing(const struct root *root)
{
	return root_objects(root) && root_objects(root)->is_parsing;
}

bool objects_have_files(const struct root *root)
{
	return root_objects(root)->nr_files;
}

/* The description of an object that was read from the root's memory. */
struct object_desc {
	char *path;			/* path of the object's file; NULL if invalid */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* Return a copy of the module's path, or NULL if this path is not valid. */
static char *module_path(const struct root *root, const struct abi_module *module)
{
	uint64_t off = module->path, bytes = module->path_bytes;

	if (!bytes || bytes > PATH_BYTES_MAX || off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		return NULL;
	return strndup((const char *)root->memory->addr + off, bytes);
}

static const struct abi_object *seen_row(const struct root *root, uint32_t number)
{
	return &root->objects_table[number - ABI_MODULES];
}

/* Read the description of the object with the index @number in objects.objects.  The
 * caller frees desc.path. */
static struct object_desc object_describe(const struct root *root, uint32_t number)
{
	struct object_desc desc = { 0 };

	if (number < ABI_MODULES) {
		struct abi_module module = *(const volatile struct abi_module *)
			&root->modules_table[number];

		desc.path = module_path(root, &module);
		desc.build_id_bytes = module.build_id_bytes;
		memcpy(desc.build_id, module.build_id, sizeof(desc.build_id));
	} else {
		struct abi_object object =
			*(const volatile struct abi_object *)seen_row(root, number);

		desc.path = strndup(object.path, sizeof(object.path));
		desc.build_id_bytes = object.build_id_bytes;
		memcpy(desc.build_id, object.build_id, sizeof(desc.build_id));
	}
	if (desc.build_id_bytes > sizeof(desc.build_id))
		desc.build_id_bytes = 0;
	return desc;
}

/* ---- functions that parse the files of objects ---- */

void objects_log(struct root *root, const char *path, const char *why)
{
	if (why)
		error_log_add(&root->top, "symbols", why, path, 0);
}

/* Open @file and fill in the request to parse it.  Returns 0, or -errno if the file cannot
 * be opened. */
static int want_file(struct root *root, const struct object_file *file,
		     enum parse_job_id job, uint64_t bytes_left,
		     struct parse_want *ret_want)
{
	struct program_file found;
	int r;

	*ret_want = (struct parse_want){
		.owner = root, .request = {
			.job = job, .bytes_left = bytes_left,
			.build_id_bytes = file->build_id_bytes,
		},
	};
	memcpy(ret_want->request.build_id, file->build_id, sizeof(file->build_id));
	program_file_find(root, file->path, &found);
	r = localfile_open(found.path, &ret_want->fd);
	/* Pass no path in /proc/self/fd: there are no debug files in this directory. */
	ret_want->path = found.fd < 0 ? file->path : NULL;
	program_file_done(&found);
	return r;
}

/* Start to parse @file.  If no more parsers are allowed now, do nothing, so that the next
 * call tries again. */
static void start_file(struct root *root, struct object_file *file)
{
	struct parse_want want;
	int r;

	if (!parse_has_room(root)) {
		root_objects(root)->is_parsing = true;
		return;
	}
	r = want_file(root, file, PARSE_SYMBOLS, root_objects(root)->bytes_left, &want);
	if (!r && fstat(want.fd, &file->st))
		file->st = (struct stat){ 0 };
	if (!r)
		r = parse_start(&want, &file->job);
	file->is_parsed = r && r != -EBUSY;
	root_objects(root)->is_parsing |= r == -EBUSY;
}

/* Subtract @bytes from *@bytes_left, the number of bytes that the root may still use.  If
 * fewer are left, subtract nothing and return false. */
static bool take_bytes(uint64_t *bytes_left, uint64_t bytes)
{
	bool is_enough = bytes <= *bytes_left;

	*bytes_left -= is_enough ? bytes : 0;
	return is_enough;
}

static bool has_cxx_name(const struct elf_symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->nr; i++)
		if (!strncmp(symbols->rows[i].name, "_Z", 2))
			return true;
	return false;
}

static void end_file(struct root *root, struct object_file *file)
{
	struct objects *objects = root_objects(root);
	const struct parsed_more more = {
		.segments = file->segments, .nr_segments = &file->nr_segments,
	};
	struct parsed *parsed = parse_map_result(file->job);
	uint64_t bytes = parse_bytes_read(file->job);
	const char *why = parse_why(file->job);

	file->is_parsed = true;
	/* Count at least the size of the result, because a parser that a hostile file
	 * has taken over may report too few bytes. */
	if (parsed && parsed->bytes > bytes)
		bytes = parsed->bytes;
	if (!take_bytes(&objects->bytes_left, bytes)) {
		parsed_free(parsed);
	} else if (parsed) {
		file->is_readable = !parsed_check(parsed, &file->symbols, &more);
		file->has_cxx = has_cxx_name(&file->symbols);
		if (!file->is_readable)
			why = "The parser gave a wrong result";
	}
	objects_log(root, file->path, why);
	parse_free(file->job);
	file->job = NULL;
}

/* Return true if names of functions in @file are known.  If the parser is still working
 * on the file, sets objects.is_parsing. */
static bool has_names(struct root *root, struct object_file *file)
{
	if (!file->is_parsed && !file->job)
		start_file(root, file);
	if (file->job && parse_poll(file->job) == -EINPROGRESS)
		root_objects(root)->is_parsing = true;
	else if (file->job)
		end_file(root, file);
	return file->is_readable;
}

/* Return the element of objects.files for the file that @desc describes.  The function
 * becomes the owner of desc->path. */
static struct object_file *get_file(const struct root *root, const struct object_desc *desc)
{
	struct objects *objects = root_objects(root);
	struct object_file *file;

	for (uint32_t i = 0; i < objects->nr_files; i++) {
		file = &objects->files[i];
		if (!strcmp(file->path, desc->path) &&
		    file->build_id_bytes == desc->build_id_bytes &&
		    !memcmp(file->build_id, desc->build_id, file->build_id_bytes)) {
			free(desc->path);
			return file;
		}
	}
	file = &objects->files[objects->nr_files++];	/* each object has one file at most,
							 * so @files has space for one more */
	file->path = desc->path;
	file->build_id_bytes = desc->build_id_bytes;
	memcpy(file->build_id, desc->build_id, file->build_id_bytes);
	return file;
}

static uint32_t nr_modules(const struct root *root)
{
	return min_u32(shm_load(&root->control->nr_modules), ABI_MODULES);
}

uint32_t objects_nr_rows(const struct root *root)
{
	if (!root->objects_table)
		return 0;
	return min_u32(shm_load(&root->control->nr_objects), ABI_OBJECTS);
}

static void try_object(struct root *root, uint32_t number)
{
	struct object *object = &root_objects(root)->objects[number];
	struct object_file *file;
	struct object_desc desc;

	if (number >= ABI_MODULES && !shm_load(&seen_row(root, number)->is_there))
		return;			/* the row is not complete yet, so try later */
	object->is_tried = true;
	desc = object_describe(root, number);
	if (!desc.path)
		return;
	file = get_file(root, &desc);
	object->is_program = program_is(root, file->path);
	object->file = file;
}

static uint64_t object_base(const struct root *root, uint32_t number)
{
	return number < ABI_MODULES ? shm_load(&root->modules_table[number].base) :
				      shm_load(&seen_row(root, number)->start);
}

/* Return object @number, with its present load bias.  Returns NULL if the object's file
 * is not readable, or not parsed yet. */
static struct object *get_object(struct root *root, uint32_t number)
{
	struct object *object = &root_objects(root)->objects[number];

	if (!object->is_tried)
		try_object(root, number);
	if (!object->file || !has_names(root, object->file))
		return NULL;
	object->bias = object_base(root, number) -
		       arch_page_start(object->file->symbols.first);
	return object;
}

static bool is_loaded(const struct root *root, uint32_t row)
{
	return root->modules_seen[row / 64] >> row % 64 & 1;
}

/*
 * Return the number of the object at position @at of the search order: first modules
 * that are loaded, then objects, then modules that were unloaded.  In each group the
 * newest object comes first.  A module has a position in the first group and one in
 * the last group, and one of the two is empty.  So there are 2 * @modules + @seen
 * positions.  Returns -ENOENT if there is no object at this position.
 */
static int object_in_order(const struct root *root, uint32_t modules, uint32_t seen,
			   uint32_t at)
{
	bool is_first = at < modules;
	uint32_t row;

	if (!is_first && at < modules + seen)
		return (int)(ABI_MODULES + modules + seen - 1 - at);
	row = modules - 1 - (is_first ? at : at - modules - seen);
	return is_loaded(root, row) == is_first ? (int)row : -ENOENT;
}

/* Return false if object @number certainly does not contain @addr.  Does not read the
 * object's file. */
static bool can_have(const struct root *root, uint32_t number, uint64_t addr)
{
	const struct abi_object *row;

	if (number < ABI_MODULES)
		return true;
	row = seen_row(root, number);
	return addr - shm_load(&row->start) < shm_load(&row->end) - shm_load(&row->start);
}

/* Return object @number, as get_object() does.  *@ret_is_parsing is set to true if a
 * parser is still working on the object's file. */
static struct object *get_object_now(struct root *root, uint32_t number,
				     bool *ret_is_parsing)
{
	bool was_parsing = root_objects(root)->is_parsing;
	struct object *object;

	root_objects(root)->is_parsing = false;
	object = get_object(root, number);
	*ret_is_parsing = root_objects(root)->is_parsing;
	root_objects(root)->is_parsing |= was_parsing;
	return object;
}

/* Return the next object as objects_next() does.  If @is_strict, return NULL while the
 * object's file is being parsed, because the object may contain @addr. */
static struct object *next_object(struct root *root, uint64_t addr, bool is_strict,
				  uint32_t *at)
{
	uint32_t modules = nr_modules(root), seen = objects_nr_rows(root);

	while (*at < 2 * modules + seen) {
		int number = object_in_order(root, modules, seen, (*at)++);
		struct object *object = NULL;
		bool is_parsing = false;

		if (number >= 0 && (!addr || can_have(root, (uint32_t)number, addr)))
			object = get_object_now(root, (uint32_t)number, &is_parsing);
		if (object || (is_parsing && is_strict))
			return object;
	}
	return NULL;
}

struct object *objects_next(struct root *root, uint64_t addr, uint32_t *at)
{
	return next_object(root, addr, false, at);
}

static bool object_has(const struct object *object, uint64_t addr)
{
	const struct elf_symbols *symbols = &object->file->symbols;
	uint64_t in_file = addr - object->bias;

	return in_file >= symbols->first && in_file < symbols->end;
}

/* Return the number of the object that was at @addr when the record described by @from
 * was written: the times when objects were first seen decide.  Returns -ENOENT if it is
 * unknown. */
static int number_by_time(const struct root *root, const struct symbols_from *from,
			  uint64_t addr)
{
	uint32_t nr = objects_nr_rows(root);
	uint64_t tsc = 0;

	if (!from->instance || nr >= ABI_OBJECTS)
		return -ENOENT;		/* if the table of objects is full, a newer object
					 * may be missing in it */
	for (uint32_t i = nr; i--; ) {
		const struct abi_object *row = &root->objects_table[i];

		if (!shm_load(&row->is_there) || !can_have(root, ABI_MODULES + i, addr))
			continue;
		if (!tsc)
			tsc = timebase_tsc(from->instance, from->time);
		if (shm_load(&row->since) <= tsc)
			return (int)(ABI_MODULES + i);
	}
	return -ENOENT;
}

struct object *objects_find(struct root *root, const struct symbols_from *from,
			    uint64_t addr)
{
	int number = number_by_time(root, from, addr);
	struct object *object = NULL;
	bool is_parsing = false;
	uint32_t at = 0;

	if (number >= 0)
		return get_object(root, (uint32_t)number);
	if (from->module < nr_modules(root))
		object = get_object_now(root, from->module, &is_parsing);
	while (!is_parsing && (!object || !object_has(object, addr))) {
		object = next_object(root, addr, true, &at);
		if (!object)
			return NULL;
	}
	return object;
}

int objects_parse(struct root *root)
{
	root_objects(root)->is_parsing = false;
	for (uint32_t i = 0; i < nr_modules(root); i++)
		get_object(root, i);
	for (uint32_t i = 0; i < objects_nr_rows(root); i++)
		get_object(root, ABI_MODULES + i);
	return root_objects(root)->is_parsing ? -ERESTART : 0;
}

void objects_settle(struct root *root, bool is_awaited)
{
	(void)is_awaited;
	struct objects *objects = root_objects(root);

	for (uint32_t i = 0; i < objects->nr_files; i++) {
		struct object_file *file = &objects->files[i];

		if (file->job)
			has_names(root, file);
	}
}

void objects_stop_waiting(struct root *root)
{
	root_objects(root)->wait_ns = 0;
}

void objects_wait(struct root *root)
{
	struct objects *objects = root_objects(root);
	uint64_t start_ns = server_now_ns(), took_ns = 0;
	bool was_parsing = root_objects(root)->is_parsing;

	while (objects_parse(root) && took_ns < objects->wait_ns) {
		beat();
		for (uint32_t i = 0; i < objects->nr_files; i++)
			if (objects->files[i].job) {
				parse_wait(objects->files[i].job, 10);
				break;
			}
		took_ns = server_now_ns() - start_ns;
	}
	objects->wait_ns -= min_u64(took_ns, objects->wait_ns);
	root_objects(root)->is_parsing = was_parsing;
}

/* ---- functions that read constant strings ---- */

/* Open the file at @path again, to read strings.  Returns -1 if it is not the file that
 * was parsed. */
static int open_again(const char *path, const struct stat *st)
{
	struct stat now;
	int fd;

	if (localfile_open(path, &fd))
		return -1;
	if (!fstat(fd, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino &&
	    now.st_size == st->st_size && now.st_mtim.tv_sec == st->st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == st->st_mtim.tv_nsec)
		return fd;
	close(fd);
	return -1;
}

static int open_parsed(const struct root *root, const struct object_file *file)
{
	struct program_file found;
	int fd = open_again(file->path, &file->st);

	if (fd >= 0)
		return fd;
	program_file_find(root, file->path, &found);
	fd = open_again(found.path, &file->st);
	program_file_done(&found);
	return fd;
}

/* Read the string from the file, in a segment that the parser has found.  This function
 * parses nothing. */
char *objects_string(const struct root *root, const struct object *object, uint64_t addr)
{
	const struct object_file *file = object->file;
	const struct parse_segment *segment = file->segments;
	uint64_t in_file = addr - object->bias, at, bytes;
	char *string;
	int fd;

	while (segment < file->segments + file->nr_segments &&
	       (in_file < segment->addr || in_file - segment->addr >= segment->bytes))
		segment++;
	if (segment == file->segments + file->nr_segments)
		return NULL;
	at = in_file - segment->addr;
	bytes = min_u64(segment->bytes - at, STRING_BYTES_MAX);
	fd = open_parsed(root, file);
	string = fd < 0 ? NULL : calloc(1, bytes + 1);
	if (string &&
	    pread(fd, string, bytes, (off_t)(segment->off + at)) != (ssize_t)bytes) {
		free(string);
		string = NULL;
	}
	if (fd >= 0)
		close(fd);
	return string;
}

/* ---- functions that demangle C++ names ---- */

/* Start to demangle all names in the symbols of a file.  Returns 0; -EBUSY if the caller
 * must try again later; or another -errno. */
static int start_plain(struct root *root, struct parsed *parsed, uint64_t bytes_left)
{
	struct parse_want want = {
		.owner = root, .request = {
			.job = PARSE_DEMANGLE, .bytes_left = bytes_left,
		},
	};

	if (!parse_has_room(root))
		return -EBUSY;
	want.fd = memfd_create("ulf: names", MFD_CLOEXEC);
	if (want.fd < 0)
		return -errno;
	if (write(want.fd, parsed->strings, parsed->strings_bytes) !=
	    (ssize_t)parsed->strings_bytes) {
		close(want.fd);
		return -ENOMEM;
	}
	return parse_start(&want, &parsed->plain_job);
}

static void end_plain(struct root *root, const struct elf_symbols *symbols,
		      const char *path, uint64_t *bytes_left)
{
	struct parsed *parsed = symbols->parsed;
	struct parsed *plain = parse_map_result(parsed->plain_job);
	const char *why = parse_why(parsed->plain_job);

	parsed->is_plain_tried = true;
	if (plain && !take_bytes(bytes_left, plain->bytes))
		parsed_free(plain);
	else if (plain && parsed_check_plain(plain, symbols))
		why = "The parser gave a wrong result";
	objects_log(root, path, why);
	parse_free(parsed->plain_job);
	parsed->plain_job = NULL;
}

int objects_demangle(struct root *root, const struct elf_symbols *symbols,
		     const char *path, uint64_t *bytes_left)
{
	struct parsed *parsed = symbols->parsed;
	int r = 0;

	if (!parsed)
		return 0;
	if (!parsed->is_plain_tried && !parsed->plain_job) {
		r = start_plain(root, parsed, *bytes_left);
		parsed->is_plain_tried = r && r != -EBUSY;
	}
	if (r == -EBUSY ||
	    (parsed->plain_job && parse_poll(parsed->plain_job) == -EINPROGRESS))
		return -ERESTART;
	if (parsed->plain_job)
		end_plain(root, symbols, path, bytes_left);
	return 0;
}

int objects_demangle_all(struct root *root)
{
	struct objects *objects = root_objects(root);
	int r = objects_parse(root);

	for (uint32_t i = 0; i < objects->nr_files; i++) {
		const struct object_file *file = &objects->files[i];

		if (file->symbols.parsed && file->has_cxx &&
		    objects_demangle(root, &file->symbols, file->path, &objects->bytes_left))
			r = -ERESTART;
	}
	return r;
}

const char *objects_plain(struct root *root, const struct elf_symbols *symbols,
			  const struct elf_symbol *symbol, const char *path)
{
	const char *plain;

	if (!symbols->parsed || strncmp(symbol->name, "_Z", 2))
		return symbol->name;
	if (objects_demangle(root, symbols, path, &root_objects(root)->bytes_left))
		root_objects(root)->is_parsing = true;
	plain = parsed_plain(symbols, symbol);
	return plain ? plain : symbol->name;
}

/* ---- functions that find the parameters of functions ---- */

/* If the root has too many parser sessions, or if its sessions have read too many bytes,
 * end the least recently used session. */
static void make_space_for_session(struct objects *objects, uint64_t *ret_bytes_left)
{
	struct params *oldest = NULL;
	uint64_t bytes = 0;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < objects->nr_files; i++) {
		struct params *params = objects->files[i].params;

		if (!params || !params_has_session(params))
			continue;
		nr++;
		bytes += params_bytes(params);
		if (!oldest || params_used_ns(params) < params_used_ns(oldest))
			oldest = params;
	}
	if (nr && (nr >= SESSIONS_MAX || bytes > ARGS_BYTES_MAX / 2)) {
		bytes -= params_bytes(oldest);
		params_stop(oldest);
	}
	*ret_bytes_left = ARGS_BYTES_MAX - min_u64(bytes, ARGS_BYTES_MAX);
}

static int start_session(struct root *root, struct object_file *file)
{
	struct parse_want want;
	uint64_t bytes_left;
	int r;

	if (!parse_has_room(root))
		return -EINPROGRESS;
	make_space_for_session(root_objects(root), &bytes_left);
	r = want_file(root, file, PARSE_PARAMS, bytes_left, &want);
	if (!r)
		r = params_start(file->params, &want);
	return r == -EBUSY ? -EINPROGRESS : r;
}

static const struct elf_params *find_params(struct root *root, struct object_file *file,
					    uint64_t addr)
{
	const struct elf_params *found;
	int r = params_find(file->params, addr, &found);

	if (r == -ENOENT) {
		r = start_session(root, file);
		if (!r)
			r = params_find(file->params, addr, &found);
	}
	root_objects(root)->is_parsing |= r == -EINPROGRESS;
	objects_log(root, file->path, params_why(file->params));
	return r ? NULL : found;
}

const struct elf_params *objects_params(struct root *root,
					const struct symbols_from *from, uint64_t addr)
{
	const struct object *object = objects_find(root, from, addr);
	struct object_file *file = object ? object->file : NULL;

	if (file && !file->params)
		file->params = params_new();
	return file && file->params ? find_params(root, file, addr - object->bias) : NULL;
}

/* ---- functions that add objects to the table of objects ---- */

/* Return true if both rows of the table of objects describe one object.  If there are
 * build ids, compare them, because several paths may lead to one file. */
static bool is_same(const struct abi_object *row, const struct abi_object *object)
{
	return row->start == object->start &&
	       row->build_id_bytes == object->build_id_bytes &&
	       (object->build_id_bytes ?
		!memcmp(row->build_id, object->build_id, sizeof(row->build_id)) :
		!strncmp(row->path, object->path, sizeof(row->path)));
}

/* Return true if @object is in the table of objects already: the newest row at its
 * addresses describes it. */
static bool is_entered(const struct root *root, const struct abi_object *object,
		       uint32_t known)
{
	for (uint32_t i = objects_nr_rows(root); i-- > known; ) {
		const struct abi_object *row = &root->objects_table[i];

		if (shm_load(&row->is_there) && row->start < object->end &&
		    object->start < row->end)
			return is_same(row, object);
	}
	return known;
}

bool objects_can_be(const struct root *root, const struct symbols_from *from,
		    uint64_t addr, const struct abi_object *object)
{
	int number = number_by_time(root, from, addr);

	return number < 0 || is_same(seen_row(root, (uint32_t)number), object);
}

void objects_enter(struct root *root, const struct abi_object *object, uint32_t known)
{
	uint32_t *counter = &root->control->nr_objects;
	uint32_t nr = shm_load(counter);
	struct abi_object *row;

	if (!root->objects_table || is_entered(root, object, known))
		return;
	do {
		if (nr >= ABI_OBJECTS)
			return;
		row = &root->objects_table[nr];
		if (root_reserve(root, row, sizeof(*row)))
			return;
	} while (!__atomic_compare_exchange_n(counter, &nr, nr + 1, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*row = *object;
	row->since = arch_tsc();
	shm_store(&row->is_there, 1);		/* [image.row] */
}
