/* SPDX-License-Identifier: MIT */
/* Open a trace.dat: read its header, its options and the sections that they name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "datfile/dat_impl.h"

#define OPTIONS_SECTIONS_MAX	1024	/* maximum number of options sections of a trace.dat */
#define OPTIONS_MAX		100000u
#define HEAD_BYTES		256u	/* maximum size of the header of a trace.dat, bytes */

struct section {
	uint16_t id, flags;
	uint64_t off, bytes;		/* @off, @bytes: offset and size of the section's data
					 * in the file */
};

int dat_read(const struct datfile *file, uint64_t off, void *to, uint64_t bytes)
{
	if (off > file->bytes || bytes > file->bytes - off)
		return -EBADMSG;
	while (bytes) {
		ssize_t n = pread(file->fd, to, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EBADMSG;
		to = (uint8_t *)to + n;
		off += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int read_section_head(const struct datfile *file, uint64_t off, struct section *ret_section)
{
	uint8_t head[DAT_SECTION_BYTES];
	int r = dat_read(file, off, head, sizeof(head));

	if (r)
		return r;
	memcpy(&ret_section->id, head, 2);
	memcpy(&ret_section->flags, head + 2, 2);
	memcpy(&ret_section->bytes, head + 8, 8);
	ret_section->off = off + sizeof(head);
	return ret_section->bytes > file->bytes ? -EBADMSG : 0;
}

/* Read the section at offset @off, which must have the id @id.  The caller frees
 * ret_text->data. */
static int read_section(const struct datfile *file, uint64_t off, uint16_t id,
			struct dat_text *ret_text)
{
	uint32_t sizes[2];
	struct section section;
	uint8_t *packed = NULL;
	char *plain;
	int r = read_section_head(file, off, &section);

	if (!r && section.id != id)
		r = -EBADMSG;
	if (r)
		return r;
	sizes[0] = sizes[1] = (uint32_t)min_u64(section.bytes, UINT32_MAX);
	if (section.flags & DAT_SECTION_PACKED) {
		r = dat_read(file, section.off, sizes, sizeof(sizes));
		section.off += sizeof(sizes);
	}
	if (r || sizes[0] > DAT_TEXT_MAX || sizes[1] > DAT_TEXT_MAX)
		return r ? r : -EBADMSG;
	plain = malloc((size_t)sizes[1] + 1);
	if (section.flags & DAT_SECTION_PACKED)
		packed = malloc((size_t)sizes[0] + 1);
	if (!plain || (!packed && (section.flags & DAT_SECTION_PACKED)))
		r = -ENOMEM;
	if (!r)
		r = dat_read(file, section.off, packed ? (void *)packed : plain, sizes[0]);
	if (!r && packed)
		r = dat_unpack(packed, sizes[0], plain, sizes[1]);
	free(packed);
	if (r) {
		free(plain);
		return r;
	}
	plain[sizes[1]] = '\0';
	*ret_text = (struct dat_text){ plain, sizes[1] };
	return 0;
}

/* ---- options ---- */

static int add_option(struct datfile *file, uint16_t id, const uint8_t *data, uint32_t bytes)
{
	struct dat_option *options = file->options;
	uint32_t nr = file->nr_options;

	if (nr >= OPTIONS_MAX)
		return -EBADMSG;
	if (!(nr & (nr + 1))) {
		options = realloc(options, (2 * (size_t)nr + 2) * sizeof(*options));
		if (!options)
			return -ENOMEM;
		file->options = options;
	}
	options[nr] = (struct dat_option){ id, bytes, malloc((size_t)bytes + 1) };
	if (!options[nr].data)
		return -ENOMEM;
	memcpy(options[nr].data, data, bytes);
	options[nr].data[bytes] = '\0';
	file->nr_options++;
	return 0;
}

/* Read one options section.  Sets *@ret_next to the offset of the next options section, or to
 * 0 if there is none. */
static int read_options(struct datfile *file, uint64_t off, uint64_t *ret_next)
{
	struct dat_reader reader;
	struct dat_text text;
	int r = read_section(file, off, DAT_SECTION_OPTIONS, &text);

	*ret_next = 0;
	if (r)
		return r;
	reader = (struct dat_reader){ (uint8_t *)text.data, (uint8_t *)text.data + text.bytes };
	while (!r) {
		uint64_t id, bytes;
		const uint8_t *data;

		if (!dat_take_number(&reader, 2, &id) || !dat_take_number(&reader, 4, &bytes) ||
		    !(data = dat_take(&reader, bytes))) {
			r = -EBADMSG;
		} else if (id == DAT_OPTION_DONE) {
			if (bytes >= 8)
				memcpy(ret_next, data, 8);
			break;
		} else {
			r = add_option(file, (uint16_t)id, data, (uint32_t)bytes);
		}
	}
	free(text.data);
	return r;
}

static int read_all_options(struct datfile *file, uint64_t off)
{
	int r = 0;

	for (int i = 0; !r && off; i++)
		r = i < OPTIONS_SECTIONS_MAX ? read_options(file, off, &off) : -EBADMSG;
	return r;
}

static const struct dat_option *find_option(const struct datfile *file, uint32_t id, uint32_t nth)
{
	for (uint32_t i = 0; i < file->nr_options; i++)
		if (file->options[i].id == id && !nth--)
			return &file->options[i];
	return NULL;
}

/* ---- buffers ---- */

static int read_cpus(struct dat_reader *reader, struct dat_buffer *buffer)
{
	uint32_t nr = buffer->public.nr_cpus;

	buffer->cpus = calloc(nr + 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct dat_cpu *cpu = &buffer->cpus[i];
		uint64_t number;

		if (!dat_take_number(reader, 4, &number) ||
		    !dat_take_number(reader, 8, &cpu->off) ||
		    !dat_take_number(reader, 8, &cpu->bytes))
			return -EBADMSG;
		cpu->cpu = (uint32_t)number;
		buffer->public.bytes += cpu->bytes;
	}
	return 0;
}

static bool is_page_size(uint64_t bytes)
{
	return bytes >= 4096 && bytes <= 1 << 20 && !(bytes & (bytes - 1));
}

static int read_buffer(struct datfile *file, const struct dat_option *option,
		       struct dat_buffer *buffer)
{
	struct dat_reader reader = { option->data, option->data + option->bytes };
	const char *name, *clock;
	uint64_t off, page_bytes, nr_cpus;
	struct section section;
	int r;

	if (!dat_take_number(&reader, 8, &off) || !(name = dat_take_text(&reader)) ||
	    !(clock = dat_take_text(&reader)) || !dat_take_number(&reader, 4, &page_bytes) ||
	    !dat_take_number(&reader, 4, &nr_cpus) || !is_page_size(page_bytes) ||
	    nr_cpus > DAT_CPUS_MAX)
		return -EBADMSG;
	r = read_section_head(file, off, &section);
	if (r || section.id != DAT_BUFFER)
		return r ? r : -EBADMSG;
	buffer->is_packed = section.flags & DAT_SECTION_PACKED;
	buffer->public = (struct datfile_buffer){
		.name = name, .clock = clock,
		.page_bytes = (uint32_t)page_bytes, .nr_cpus = (uint32_t)nr_cpus,
	};
	return read_cpus(&reader, buffer);
}

static int read_buffers(struct datfile *file)
{
	const struct dat_option *option;
	int r = 0;

	file->buffers = calloc(file->nr_options + 1, sizeof(*file->buffers));
	if (!file->buffers)
		return -ENOMEM;
	while (!r && (option = find_option(file, DAT_BUFFER, file->nr_buffers)))
		r = read_buffer(file, option, &file->buffers[file->nr_buffers++]);
	return r;
}

/* ---- sections ---- */

/* Read the section to which the option @id refers.  @ret_text is empty if the file has no
 * such option. */
static int read_named(const struct datfile *file, uint16_t id, struct dat_text *ret_text)
{
	const struct dat_option *option = find_option(file, id, 0);
	uint64_t off;

	if (!option)
		return 0;
	if (option->bytes < 8)
		return -EBADMSG;
	memcpy(&off, option->data, 8);
	return read_section(file, off, id, ret_text);
}

/* Remove the number at the start of a section, the size of the text after it.  @size_bytes:
 * size of that number. */
static int drop_size(struct dat_text *text, size_t size_bytes)
{
	if (!text->data)
		return 0;
	if (text->bytes < size_bytes)
		return -EBADMSG;
	text->bytes -= size_bytes;
	memmove(text->data, text->data + size_bytes, text->bytes + 1);
	return 0;
}

static int read_facts(struct datfile *file)
{
	uint8_t trailer[DAT_TRAILER_BYTES];
	uint64_t off;
	int r;

	if (file->bytes < sizeof(trailer))
		return 0;
	r = dat_read(file, file->bytes - sizeof(trailer), trailer, sizeof(trailer));
	if (r || memcmp(trailer + 8, DAT_TRAILER_MAGIC, 8) != 0)
		return r;
	memcpy(&off, trailer, 8);
	r = read_section(file, off, DAT_SECTION_ULF, &file->facts);
	for (size_t i = 0; !r && i < file->facts.bytes; i++)
		if (file->facts.data[i] == '\n')
			file->facts.data[i] = '\0';
	return r;
}

/* Check that the pages with the records have the layout that dat_cursor.c can parse: the
 * layout of a 64-bit kernel. */
static int check_page_layout(const struct datfile *file)
{
	struct dat_text text = { 0 };
	int r = read_named(file, DAT_HEADER_INFO, &text);

	if (!r && text.data &&
	    !memmem(text.data, text.bytes, "data;\toffset:16;", sizeof("data;\toffset:16;") - 1))
		r = -EPROTONOSUPPORT;
	free(text.data);
	return r;
}

static int read_sections(struct datfile *file)
{
	struct dat_text ftrace = { 0 }, formats = { 0 };
	int r = check_page_layout(file);

	if (!r)
		r = read_named(file, DAT_FTRACE_EVENTS, &ftrace);
	if (!r && ftrace.data)
		r = dat_events_read(file, &ftrace, true);
	free(ftrace.data);
	if (!r)
		r = read_named(file, DAT_EVENT_FORMATS, &formats);
	if (!r && formats.data)
		r = dat_events_read(file, &formats, false);
	free(formats.data);
	if (!r)
		r = read_named(file, DAT_CMDLINES, &file->cmdlines);
	if (!r)
		r = drop_size(&file->cmdlines, 8);
	if (!r)
		r = read_named(file, DAT_KALLSYMS, &file->kallsyms);
	if (!r)
		r = drop_size(&file->kallsyms, 4);
	if (!r)
		r = read_named(file, DAT_PRINTK, &file->printk);
	if (!r)
		r = drop_size(&file->printk, 4);
	if (!r)
		r = read_facts(file);
	return r ? r : dat_names_read(file);
}

/* ---- the header of the file ---- */

static int read_version(struct dat_reader *reader, const char **ret_why)
{
	const size_t before = sizeof(DAT_MAGIC) - 2;	/* number of bytes of the magic before
							 * the version */
	const char *magic = dat_take(reader, before), *version = NULL;

	if (magic && memcmp(magic, DAT_MAGIC, before) == 0)
		version = dat_take_text(reader);
	if (!version) {
		*ret_why = "this is no trace.dat";
		return -EBADMSG;
	}
	if (strcmp(version, "7") != 0) {
		*ret_why = "a trace.dat of another version than 7; `trace-cmd convert "
			   "--file-version 7` makes one";
		return -EPROTONOSUPPORT;
	}
	return 0;
}

static int read_head(struct datfile *file, uint64_t *ret_options, const char **ret_why)
{
	uint8_t head[HEAD_BYTES];
	uint64_t bytes = min_u64(sizeof(head), file->bytes), page_bytes;
	struct dat_reader reader = { head, head + bytes };
	const uint8_t *endian, *long_bytes;
	const char *packing;
	int r = dat_read(file, 0, head, bytes);

	if (!r)
		r = read_version(&reader, ret_why);
	if (r)
		return r;
	endian = dat_take(&reader, 1);
	long_bytes = dat_take(&reader, 1);
	if (!dat_take_number(&reader, 4, &page_bytes) || !(packing = dat_take_text(&reader)) ||
	    !dat_take_text(&reader) || !dat_take_number(&reader, 8, ret_options))
		return -EBADMSG;
	if (*endian || *long_bytes != 8) {
		*ret_why = "the file comes from a machine that is big endian or has 32 bits";
		return -EPROTONOSUPPORT;
	}
	file->is_packed = strcmp(packing, "none") != 0;
	if (file->is_packed && strcmp(packing, "zstd") != 0) {
		*ret_why = "the file is compressed by something else than zstd; `trace-cmd "
			   "convert --compression zstd` changes that";
		return -EPROTONOSUPPORT;
	}
	file->page_bytes = (uint32_t)page_bytes;
	return 0;
}

static int open_fd(struct datfile *file)
{
	struct stat st;

	file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ESPIPE;
	file->bytes = (uint64_t)st.st_size;
	return 0;
}

int datfile_open(const char *path, struct datfile **ret_file, const char **ret_why)
{
	struct datfile *file = calloc(1, sizeof(*file));
	uint64_t options = 0;
	int r;

	*ret_why = NULL;
	if (!file)
		return -ENOMEM;
	file->fd = -1;
	file->path = strdup(path);
	r = file->path ? open_fd(file) : -ENOMEM;
	if (!r)
		r = read_head(file, &options, ret_why);
	if (!r)
		r = read_all_options(file, options);
	if (!r)
		r = read_buffers(file);
	if (!r)
		r = read_sections(file);
	if (r) {
		if (r == -EBADMSG && !*ret_why)
			*ret_why = "the file is damaged, or was cut short";
		datfile_close(file);
		return r;
	}
	*ret_file = file;
	return 0;
}

void datfile_close(struct datfile *file)
{
	if (!file)
		return;
	dat_names_done(file);
	dat_events_done(file);
	for (uint32_t i = 0; file->buffers && i < file->nr_buffers; i++)
		free(file->buffers[i].cpus);
	for (uint32_t i = 0; i < file->nr_options; i++)
		free(file->options[i].data);
	free(file->buffers);
	free(file->options);
	free(file->facts.data);
	free(file->path);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

/* ---- figures ---- */

const char *datfile_path(const struct datfile *file)
{
	return file->path;
}

uint32_t datfile_nr_buffers(const struct datfile *file)
{
	return file->nr_buffers;
}

const struct datfile_buffer *datfile_buffer(const struct datfile *file, uint32_t number)
{
	return &file->buffers[number].public;
}

uint32_t datfile_nr_cpus(const struct datfile *file)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < file->nr_buffers; i++)
		for (uint32_t j = 0; j < file->buffers[i].public.nr_cpus; j++)
			if (file->buffers[i].cpus[j].cpu >= nr)
				nr = file->buffers[i].cpus[j].cpu + 1;
	return nr;
}

const char *datfile_fact(const struct datfile *file, const char *key)
{
	const char *at = file->facts.data, *end = at + file->facts.bytes;
	size_t len = strlen(key);

	for (; at && at < end; at += strlen(at) + 1)
		if (strncmp(at, key, len) == 0 && at[len] == ' ')
			return at + len + 1;
	return NULL;
}

const char *datfile_option(const struct datfile *file, uint32_t id, uint32_t nth)
{
	const struct dat_option *option = find_option(file, id, nth);

	return option ? (const char *)option->data : NULL;
}
