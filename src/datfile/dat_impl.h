/* SPDX-License-Identifier: MIT */
/* Declarations that the files of src/datfile share with each other. */
#ifndef ULF_DAT_IMPL_H
#define ULF_DAT_IMPL_H

#include <string.h>

#include "datfile/dat_format.h"
#include "datfile/datfile.h"

#define DAT_EVENT_IDS	65536u		/* ids of events are 16 bits */

/* The records of one CPU in the file. */
struct dat_cpu {
	uint32_t cpu;
	uint64_t off, bytes;		/* where the data is in the file */
};

struct dat_buffer {
	struct datfile_buffer public;
	bool is_packed;			/* true: the records are compressed */
	struct dat_cpu *cpus;		/* array of public.nr_cpus CPUs */
};

/* An option of the file, in memory of its own. */
struct dat_option {
	uint16_t id;
	uint32_t bytes;
	uint8_t *data;			/* @bytes bytes and a NUL */
};

/* A plain section, with a NUL after its last byte. */
struct dat_text {
	char *data;
	size_t bytes;
};

/* A thread, in the hash datfile.threads. */
struct dat_thread {
	int32_t pid, tgid;
	bool is_used;
	char comm[16 + 1];
};

struct dat_string {
	uint64_t addr;
	const char *text;
};

struct datfile {
	int fd;
	char *path;
	uint64_t bytes;			/* size of the file */
	uint32_t page_bytes;		/* size of a page of the machine that was traced */
	bool is_packed;			/* true: the file names a compression */
	struct dat_option *options;
	uint32_t nr_options;
	struct dat_buffer *buffers;
	uint32_t nr_buffers;
	struct dat_text facts;		/* lines of DAT_SECTION_ULF, each ended by a NUL */

	struct datfile_event **events;	/* by id, DAT_EVENT_IDS pointers */
	struct datfile_event **list;	/* array of nr_events events */
	uint32_t nr_events;

	struct dat_text cmdlines;
	struct dat_thread *threads;	/* hash, nr_threads elements, a power of two */
	uint32_t nr_threads, nr_used;
	struct dat_text kallsyms;
	struct datfile_symbol *symbols;	/* array of nr_symbols symbols, by address */
	uint32_t nr_symbols;
	struct dat_text printk;
	struct dat_string *strings;	/* array of nr_strings strings, by address */
	uint32_t nr_strings;
};

/* A part of a section that is parsed: the bytes from @at to @end. */
struct dat_reader {
	const uint8_t *at, *end;
};

/* Take @bytes bytes.  Returns their address, or NULL if there are not so many. */
static inline const void *dat_take(struct dat_reader *reader, uint64_t bytes)
{
	const void *at = reader->at;

	if ((uint64_t)(reader->end - reader->at) < bytes)
		return NULL;
	reader->at += bytes;
	return at;
}

/* Take a number of 2, 4 or 8 bytes.  Returns false if there are not so many bytes. */
static inline bool dat_take_number(struct dat_reader *reader, uint32_t bytes, uint64_t *ret_number)
{
	const void *at = dat_take(reader, bytes);

	*ret_number = 0;
	if (at)
		memcpy(ret_number, at, bytes);
	return at;
}

/* Take a text that ends with a NUL.  Returns NULL if there is none. */
static inline const char *dat_take_text(struct dat_reader *reader)
{
	const uint8_t *nul = memchr(reader->at, 0, (size_t)(reader->end - reader->at));

	return nul ? dat_take(reader, (uint64_t)(nul + 1 - reader->at)) : NULL;
}

/* Read @bytes bytes at @off of the file.  Returns 0, -EBADMSG if the file is too short, or
 * another -errno. */
int dat_read(const struct datfile *file, uint64_t off, void *to, uint64_t bytes);
/* Decompress @from to exactly @to_bytes bytes.  Returns 0 or -EBADMSG (dat_pack.c). */
int dat_unpack(const void *from, size_t bytes, void *to, size_t to_bytes);

/* ---- functions of dat_events.c and dat_names.c: read a section.  Return 0 or -errno ---- */

int dat_events_read(struct datfile *file, const struct dat_text *section, bool is_ftrace);
void dat_events_done(struct datfile *file);
/* Read the sections that are in the file already: cmdlines, kallsyms, printk. */
int dat_names_read(struct datfile *file);
void dat_names_done(struct datfile *file);

#endif
