/* SPDX-License-Identifier: MIT */
/* Find the objects that processes have mapped, and let parsers read the probes in these
 * objects; see usdt.h. */
#include "server/usdt/usdt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "server/core/apply.h"
#include "server/core/beat.h"
#include "server/core/block.h"
#include "server/core/option_bits.h"
#include "server/core/process.h"
#include "server/core/program.h"
#include "server/core/shm.h"
#include "server/functions/function_moved.h"
#include "server/names/objects.h"
#include "symbols/localfile.h"
#include "symbols/parse.h"
#include "symbols/parse_result.h"

#define BYTES_MAX	(256ull << 20)	/* maximum number of bytes of files that parsers
					 * read for one root */
#define FILES_MAX	4096u		/* maximum number of files whose results are kept
					 * for one root */
#define LINES_MAX	65536u		/* maximum number of lines of /proc/PID/maps that are
					 * read in one look at all processes */
#define ID_SALT		0x7564736900000001ull	/* number that makes the name of a table
						 * of probes differ from the name of the
						 * table of moved functions of the same
						 * file */

/* Return true if the option usdt is on in at least one instance: the events are the same
 * in all instances. */
static bool is_wanted(const struct root *root)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		if (instance_options(instance) & OPTION_USDT)
			return true;
	return false;
}

/* ---- files ---- */

static void file_free(struct usdt_file *file)
{
	parse_free(file->job);
	parsed_free(file->parsed);
	free(file->path);
	free(file);
}

void usdt_done(struct root *root)
{
	struct root_usdt *usdt = root_usdt(root);
	struct usdt_file *file;

	while ((file = usdt->files)) {
		usdt->files = file->next;
		file_free(file);
	}
	memset(usdt, 0, sizeof(*usdt));
}

/* An executable mapping of a file, as /proc/PID/maps shows it. */
struct mapped {
	const char *path;
	uint64_t start, off, ino;
	uint32_t dev_major, dev_minor;
};

/* Start the parser for @file.  If the file cannot be opened, or is not the one that is
 * mapped, it is remembered as a file without a table. */
static int start_parser(struct root *root, struct usdt_file *file, const struct mapped *mapped)
{
	struct parse_want want = {
		.owner = root, .request = {
			.job = PARSE_USDT,
			.bytes_left = BYTES_MAX - root_usdt(root)->bytes_read,
		},
	};
	struct function_moved identity = { .id = 0 };
	struct program_file found;
	int r;

	program_file_find(root, file->path, &found);
	r = localfile_open(found.path, &want.fd);
	program_file_done(&found);
	if (r)
		return r;
	r = function_moved_identify(want.fd, &identity);
	if (!r && identity.file.ino != mapped->ino)
		r = -ENOENT;
	if (r) {
		close(want.fd);
		return r;
	}
	file->file = identity.file;
	file->id = identity.id ^ ID_SALT;
	/* Store the device numbers of /proc/PID/maps, because processes compare with
	 * these. stat() may return other numbers. */
	file->file.dev_major = mapped->dev_major;
	file->file.dev_minor = mapped->dev_minor;
	return parse_start(&want, &file->job);
}

/* Take the result of the parser, which has ended.  The bytes that the parser has read
 * count against the root's limit, even if the parser has failed. */
static void end_parser(struct root *root, struct usdt_file *file)
{
	struct root_usdt *usdt = root_usdt(root);
	const char *why = parse_why(file->job);

	file->parsed = parse_map_result(file->job);
	if (file->parsed && usdt_check(file->parsed->map, file->parsed->bytes)) {
		file->table = file->parsed->map;
		file->file.table_bytes = file->parsed->bytes;
	} else if (file->parsed && !why) {
		why = "The parser gave a wrong result";
	}
	usdt->bytes_read += min_u64(parse_bytes_read(file->job), BYTES_MAX - usdt->bytes_read);
	objects_log(root, file->path, why);
	parse_free(file->job);
	file->job = NULL;
}

static struct usdt_file *find_file(const struct root_usdt *usdt, const struct mapped *mapped,
				   uint32_t *ret_nr)
{
	struct usdt_file *file;

	*ret_nr = 0;
	for (file = usdt->files; file; file = file->next, ++*ret_nr)
		if (file->file.ino == mapped->ino &&
		    file->file.dev_minor == mapped->dev_minor &&
		    file->file.dev_major == mapped->dev_major &&
		    !strcmp(file->path, mapped->path))
			break;
	return file;
}

/* Find the file of the mapping @mapped among the known files, or add it.  Returns 0;
 * -ERESTART if the file cannot be parsed yet; or another -errno. */
static int get_file(struct root *root, const struct mapped *mapped, struct usdt_file **ret_file)
{
	struct root_usdt *usdt = root_usdt(root);
	uint32_t nr;
	int r;

	*ret_file = find_file(usdt, mapped, &nr);
	if (*ret_file)
		return 0;
	if (nr >= FILES_MAX)
		return -ENOMEM;
	if (!parse_has_room(root))
		return -ERESTART;
	*ret_file = calloc(1, sizeof(**ret_file));
	if (*ret_file)
		(*ret_file)->path = strdup(mapped->path);
	if (!*ret_file || !(*ret_file)->path) {
		free(*ret_file);
		return -ENOMEM;
	}
	r = start_parser(root, *ret_file, mapped);
	if (r == -EBUSY) {
		file_free(*ret_file);
		return -ERESTART;
	}
	(*ret_file)->file.ino = mapped->ino;
	(*ret_file)->file.dev_major = mapped->dev_major;
	(*ret_file)->file.dev_minor = mapped->dev_minor;
	(*ret_file)->next = usdt->files;
	usdt->files = *ret_file;
	return 0;
}

/* ---- objects ---- */

static void add_object(struct root_usdt *usdt, struct usdt_file *file, uint64_t text)
{
	for (uint32_t i = 0; i < usdt->nr_objects; i++)
		if (usdt->objects[i].text == text && usdt->objects[i].file == file)
			return;
	if (usdt->nr_objects < ABI_USDT_OBJECTS_MAX)
		usdt->objects[usdt->nr_objects++] = (struct usdt_object){ file, text };
}

static int see_mapping(struct root *root, const struct mapped *mapped)
{
	struct root_usdt *usdt = root_usdt(root);
	struct usdt_file *file;
	int r = get_file(root, mapped, &file);

	if (!r && file->job && parse_poll(file->job) == -EINPROGRESS)
		r = -ERESTART;
	if (r) {
		usdt->is_parsing |= r == -ERESTART;
		return r == -ERESTART ? 0 : r;
	}
	if (file->job)
		end_parser(root, file);
	if (file->table)
		add_object(usdt, file, mapped->start - mapped->off + file->table->text_off);
	return 0;
}

/* Handle one line of /proc/PID/maps. */
static int see_line(struct root *root, const struct program_names *program, char *line)
{
	struct mapped mapped = { .path = NULL };
	char rights[8];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%*x %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		   " %n", &mapped.start, rights, &mapped.off, &mapped.dev_major,
		   &mapped.dev_minor, &mapped.ino, &at) != 6 ||
	    rights[2] != 'x' || line[at] != '/' || !mapped.ino)
		return 0;
	mapped.path = strcmp(line + at, program->now) ? line + at : program->path;
	return see_mapping(root, &mapped);
}

static int see_process(struct root *root, const struct process *process, uint32_t *lines)
{
	struct program_names program;
	FILE *maps = process_maps_open(process);
	char *line = NULL;
	size_t capacity = 0;
	int r = 0;

	if (!maps)
		return 0;
	program_names_find(root, process->pid, &program);
	for (; !r && *lines && getline(&line, &capacity, maps) > 0; --*lines)
		r = see_line(root, &program, line);
	free(line);
	fclose(maps);
	beat();
	return r;
}

/* Find the objects with probes that the processes have mapped now.  Returns 0; -ERESTART
 * if files are still being parsed; or -ENOMEM. */
static int look(struct root *root)
{
	struct root_usdt *usdt = root_usdt(root);
	uint32_t lines = LINES_MAX;
	int r = 0;

	usdt->nr_objects = 0;
	usdt->is_parsing = false;
	process_scan(root);
	for (uint32_t slot = 0; !r && slot <= PROCESS_CREATOR; slot++) {
		const struct process *process = root->process[slot];

		if (process && process->pidfd >= 0)
			r = see_process(root, process, &lines);
	}
	return r ? r : usdt->is_parsing ? -ERESTART : 0;
}

/* ---- settings ---- */

/* Publish the objects with probes, as the option usdt and the mappings of the processes
 * require.  *@ret_changed is set to true if the caller must call apply_start(). */
static int refresh(struct root *root, bool *ret_changed)
{
	bool want = is_wanted(root);
	int r = 0;

	*ret_changed = false;
	root_want_objects(root, ABI_WANTS_USDT, want);
	if (want && root->nr_live)
		r = look(root);
	else if (!want)
		root_usdt(root)->nr_objects = 0;
	return r ? r : usdt_publish(root, ret_changed);
}

static int refresh_and_apply(struct root *root)
{
	struct apply apply;
	bool is_changed;
	int r = refresh(root, &is_changed);

	if (is_changed)
		apply_start(root, &apply);
	return r;
}

int usdt_option_changed(struct instance *instance)
{
	bool is_changed;

	return refresh(instance->root, &is_changed);
}

/* Return true if the option usdt is on, or was on so that its block is still published. */
static bool is_used(const struct root *root)
{
	return root->state == SERVER_ROOT_ALIVE &&
	       (is_wanted(root) || root_usdt(root)->block.off);
}

void usdt_tick(struct root *root)
{
	if (is_used(root))
		refresh_and_apply(root);
}

int usdt_prepare(struct root *root)
{
	return is_used(root) && refresh_and_apply(root) == -ERESTART ? -ERESTART : 0;
}

bool usdt_answer(struct root *root)
{
	return usdt_prepare(root) == 0;
}

void usdt_settle(struct root *root)
{
	for (struct usdt_file *file = root_usdt(root)->files; file; file = file->next)
		if (file->job && parse_poll(file->job) != -EINPROGRESS)
			end_parser(root, file);
}

void usdt_settled(struct root *root, bool is_awaited)
{
	if (!is_awaited && root_usdt(root)->is_parsing)
		usdt_tick(root);
}

int usdt_load(struct root *root)
{
	static const struct block_size size = {
		.at = offsetof(struct abi_usdt, bytes), .min = sizeof(struct abi_usdt),
		.max = sizeof(struct abi_usdt) +
		       ABI_USDT_OBJECTS_MAX * sizeof(struct abi_usdt_object),
	};
	uint32_t bytes;
	void *copy;
	int r = block_copy(root, shm_load(&root->control->usdt), &size,
			   &root_usdt(root)->block, &copy, &bytes);

	/* Do not keep the copy of the block: the next look at the mappings of the processes
	 * finds the objects again. */
	if (!r)
		free(copy);
	return r;
}
