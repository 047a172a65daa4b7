/* SPDX-License-Identifier: MIT */
#include "cli/record_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"

#define SECTION_BYTES	(512u << 20)
#define PATH_BYTES	1024

struct sections {
	struct conn *conn;
	struct datfile_writer *writer;
	const struct record_part *part;
	int error;			/* -errno of the first read from the server that has
					 * failed; 0: none */
};

static void note_error(struct sections *sections, int error)
{
	if (error < 0 && !sections->error)
		sections->error = error;
}

/* Read the file @name of the root to @ret_text, which the caller must free even after an error. */
static void read_file(struct sections *sections, const char *name, struct text *ret_text)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", sections->part->root, name);
	note_error(sections, conn_file_text(sections->conn, path, ret_text));
}

/* Read the file @name of the recorded instance, which can be the top instance. */
static void read_instance_file(struct sections *sections, const char *name, struct text *ret_text)
{
	const struct record_part *part = sections->part;
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s%s%s", *part->instance ? "instances/" : "",
		 part->instance, *part->instance ? "/" : "");
	strncat(path, name, sizeof(path) - strlen(path) - 1);
	read_file(sections, path, ret_text);
}

static void put_section(struct sections *sections, enum dat_id id, const struct text *text)
{
	note_error(sections, text->error);
	datfile_writer_section(sections->writer, id, text->data, text->len);
}

/* Write a section with the contents of a file: first the size of the text, as a number of
 * @size_bytes bytes, then the text. */
static void put_sized(struct sections *sections, enum dat_id id, const struct text *file,
		      size_t size_bytes)
{
	const uint64_t bytes = file->len;
	struct text section;

	text_init(&section, SECTION_BYTES);
	text_write(&section, &bytes, size_bytes);
	text_write(&section, file->data, file->len);
	put_section(sections, id, &section);
	text_done(&section);
}

/* ---- events ---- */

static void append_file(struct sections *sections, const char *name, struct text *to)
{
	struct text file;
	uint64_t bytes;

	read_file(sections, name, &file);
	bytes = file.len;
	text_write(to, &bytes, sizeof(bytes));
	text_write(to, file.data, file.len);
	text_done(&file);
}

static void put_header(struct sections *sections)
{
	struct text section;

	text_init(&section, SECTION_BYTES);
	text_write(&section, "header_page", sizeof("header_page"));
	append_file(sections, "events/header_page", &section);
	text_write(&section, "header_event", sizeof("header_event"));
	append_file(sections, "events/header_event", &section);
	put_section(sections, DAT_HEADER_INFO, &section);
	text_done(&section);
}

/* Get the names of the directories in the directory @name of the root, each with a NUL at its
 * end. */
static void list_directories(struct sections *sections, const char *name, struct text *ret_names)
{
	struct text *data = &sections->conn->data;
	char path[PATH_BYTES];
	int r;

	text_init(ret_names, SECTION_BYTES);
	snprintf(path, sizeof(path), "%s/%s", sections->part->root, name);
	r = conn_path(sections->conn, ABI_SOCKET_READDIR, path);
	note_error(sections, r);
	if (r < 0)
		return;
	text_putc(data, '\0');
	/* Each entry consists of the character d or -, a name and a NUL. */
	for (const char *at = data->data, *end = at + data->len - 1; at < end;
	     at += strlen(at) + 1)
		if (*at == 'd')
			text_write(ret_names, at + 1, strlen(at));
}

/* Append the formats of all events of a system.  First comes the number of formats (4 bytes),
 * then for each format its size (8 bytes) and its text. */
static void append_system(struct sections *sections, const char *system, struct text *to)
{
	char path[PATH_BYTES];
	struct text names;
	uint32_t nr = 0;
	size_t nr_at = to->len;

	snprintf(path, sizeof(path), "events/%s", system);
	list_directories(sections, path, &names);
	text_write(to, &nr, sizeof(nr));
	for (const char *at = names.data; at && at < names.data + names.len;
	     at += strlen(at) + 1, nr++) {
		snprintf(path, sizeof(path), "events/%s/%s/format", system, at);
		append_file(sections, path, to);
	}
	if (!to->error)
		memcpy(to->data + nr_at, &nr, sizeof(nr));
	text_done(&names);
}

static void put_events(struct sections *sections)
{
	struct text names, ftrace, systems;
	uint32_t nr = 0;

	list_directories(sections, "events", &names);
	text_init(&ftrace, SECTION_BYTES);
	text_init(&systems, SECTION_BYTES);
	append_system(sections, "ftrace", &ftrace);
	text_write(&systems, &nr, sizeof(nr));
	for (const char *at = names.data; at && at < names.data + names.len;
	     at += strlen(at) + 1) {
		if (!strcmp(at, "ftrace"))
			continue;
		text_write(&systems, at, strlen(at) + 1);
		append_system(sections, at, &systems);
		nr++;
	}
	if (!systems.error)
		memcpy(systems.data, &nr, sizeof(nr));
	put_section(sections, DAT_FTRACE_EVENTS, &ftrace);
	put_section(sections, DAT_EVENT_FORMATS, &systems);
	text_done(&ftrace);
	text_done(&systems);
	text_done(&names);
}

/* ---- names ---- */

static void put_symbols(struct sections *sections)
{
	struct abi_request request = { .op = ABI_SOCKET_SYMBOLS };
	const char *root = sections->part->root;
	struct conn *conn = sections->conn;
	struct text text;
	int r;

	text_init(&text, ABI_SOCKET_SYMBOLS_MAX);
	do {
		request.offset = text.len;
		r = conn_call(conn, &request, root, strlen(root));
		text_write(&text, conn->data.data, conn->data.len);
	} while (!r && !text.error && conn->data.len);
	note_error(sections, r);
	put_sized(sections, DAT_KALLSYMS, &text, 4);
	text_done(&text);
}

static void put_names(struct sections *sections)
{
	struct text file;

	read_file(sections, "printk_formats", &file);
	put_sized(sections, DAT_PRINTK, &file, 4);
	text_done(&file);
	read_file(sections, "saved_cmdlines", &file);
	put_sized(sections, DAT_CMDLINES, &file, 8);
	text_done(&file);
}

/* ---- facts ---- */

/* Append the names of the options that are on, separated by commas.  trace_options shows an
 * option that is off with `no` before its name. */
static void append_options(struct sections *sections, struct text *facts)
{
	const char *separator = "options ";
	struct text file;
	char *line, *rest;

	read_instance_file(sections, "trace_options", &file);
	text_putc(&file, '\0');
	for (line = file.error ? NULL : strtok_r(file.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!strncmp(line, "no", 2))
			continue;
		text_printf(facts, "%s%s", separator, line);
		separator = ",";
	}
	text_putc(facts, '\n');
	text_done(&file);
}

/* Append a fact to a trace.dat: a line with @key and the first line of the file @name. */
static void append_line(struct sections *sections, const char *key, const char *name,
			struct text *facts)
{
	struct text file;

	read_instance_file(sections, name, &file);
	text_printf(facts, "%s %.*s\n", key, (int)strcspn(text_str(&file), "\n"), text_str(&file));
	text_done(&file);
}

static void append_tgids(struct sections *sections, struct text *facts)
{
	struct text file;
	char *line, *rest;

	read_file(sections, "saved_tgids", &file);
	text_putc(&file, '\0');
	for (line = file.error ? NULL : strtok_r(file.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		text_printf(facts, "tgid %s\n", line);
	text_done(&file);
}

static void put_facts(struct sections *sections)
{
	const struct record_part *part = sections->part;
	struct text facts;

	text_init(&facts, SECTION_BYTES);
	text_printf(&facts, "root %s", part->root);
	text_escape_newlines(&facts, 0);
	text_putc(&facts, '\n');
	append_line(sections, "tracer", "current_tracer", &facts);
	append_options(sections, &facts);
	append_tgids(sections, &facts);
	text_printf(&facts, "written %" PRIu64 "\nsaved %" PRIu64 "\nlost %" PRIu64 "\n",
		    part->written, part->saved, part->lost);
	datfile_writer_facts(sections->writer, facts.data, facts.len);
	text_done(&facts);
}

/* ---- options of the trace.dat ---- */

/* Get the name of the clock that is in use, which trace_clock shows in brackets. */
static void read_clock(struct sections *sections, char *clock, size_t bytes)
{
	struct text file;
	const char *start;

	read_instance_file(sections, "trace_clock", &file);
	start = strchr(text_str(&file), '[');
	snprintf(clock, bytes, "%.*s", start ? (int)strcspn(start + 1, "]") : 5,
		 start ? start + 1 : "local");
	text_done(&file);
}

static void put_options(struct sections *sections, const char *clock)
{
	const uint32_t cpus = sections->part->nr;
	const uint64_t id = clock_posix_ns(CLOCK_REALTIME) ^ (uint64_t)getpid() << 40;
	struct utsname name;
	struct text text;

	text_init(&text, PATH_BYTES);
	if (!uname(&name))
		text_printf(&text, "%s %s %s %s", name.sysname, name.nodename, name.release,
			    name.machine);
	datfile_writer_option(sections->writer, DAT_OPTION_CPUCOUNT, &cpus, sizeof(cpus));
	datfile_writer_text(sections->writer, DAT_OPTION_UNAME, text_str(&text));
	datfile_writer_text(sections->writer, DAT_OPTION_VERSION, "ulf " ULF_VERSION);
	datfile_writer_option(sections->writer, DAT_OPTION_TRACEID, &id, sizeof(id));
	text_reset(&text);
	text_printf(&text, "[%s]\n", clock);
	datfile_writer_text(sections->writer, DAT_OPTION_TRACECLOCK, text_str(&text));
	text_done(&text);
}

int record_file_finish(struct conn *conn, struct datfile_writer *writer,
		       const struct record_part *part)
{
	struct sections sections = { .conn = conn, .writer = writer, .part = part };
	char clock[32];

	read_clock(&sections, clock, sizeof(clock));
	put_header(&sections);
	put_events(&sections);
	put_symbols(&sections);
	put_names(&sections);
	put_facts(&sections);
	put_options(&sections, clock);
	if (sections.error)
		cli_error("the file lacks names and formats that the server did not give: %s",
			  strerror(-sections.error));
	if (part->pages)
		datfile_writer_buffer(writer, "", clock, part->page_bytes, part->pages, part->nr);
	return datfile_writer_finish(writer);
}
