/* SPDX-License-Identifier: MIT */
/* Declarations that the files of src/datfile share. */
#ifndef ULF_DAT_IMPL_H
#define ULF_DAT_IMPL_H

#include <string.h>

#include "datfile/dat_format.h"
#include "datfile/datfile.h"

#define DAT_EVENT_IDS	65536u		/* number of possible ids of events: an id has 16 bits */

/* Where the records of one CPU are in the file. */
struct dat_cpu {
	uint32_t cpu;
	uint64_t off, bytes;		/* offset and size of the CPU's data in the file */
};

struct dat_buffer {
	struct datfile_buffer public;
	bool is_packed;			/* true: the records of all CPUs are compressed */
	struct dat_cpu *cpus;		/* the CPUs: an array with public.nr_cpus elements */
};

/* An option of a trace.dat.  The bytes at @data were allocated for the option. */
struct dat_option {
	uint16_t id;
	uint32_t bytes;
	uint8_t *data;			/* @bytes bytes and a NUL */
};

/* The contents of a section after decompression, with a NUL after the last byte. */
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
	uint32_t page_bytes;		/* size of a page of the ring buffer on the machine
					 * that was traced */
	bool is_packed;			/* true: the header of the file names a compression,
					 * so sections may be compressed */
	struct dat_option *options;
	uint32_t nr_options;
	struct dat_buffer *buffers;
	uint32_t nr_buffers;
	struct dat_text facts;		/* facts that ulf has added: the lines of
					 * DAT_SECTION_ULF, each ended by a NUL */

	struct datfile_event **events;	/* events by id: an array of DAT_EVENT_IDS pointers;
					 * NULL for an id that no event has */
	struct datfile_event **list;	/* all events: an array of @nr_events pointers */
	uint32_t nr_events;

	struct dat_text cmdlines;
	struct dat_thread *threads;	/* hash table of threads with nr_threads elements, a
					 * power of two */
	uint32_t nr_threads, nr_used;
	struct dat_text kallsyms;
	struct datfile_symbol *symbols;	/* array of nr_symbols symbols, sorted by address */
	uint32_t nr_symbols;
	struct dat_text printk;
	struct dat_string *strings;	/* array of nr_strings strings, sorted by address */
	uint32_t nr_strings;
};

/* The rest of a section, not parsed yet: the bytes from @at to before @end. */
struct dat_reader {
	const uint8_t *at, *end;
};

/* Skip the next @bytes bytes of a section.  Returns their address, or NULL if the section has
 * fewer bytes left. */
static inline const void *dat_take(struct dat_reader *reader, uint64_t bytes)
{
	const void *at = reader->at;

	if ((uint64_t)(reader->end - reader->at) < bytes)
		return NULL;
	reader->at += bytes;
	return at;
}

/* Read the next number, of 2, 4 or 8 bytes, and skip it.  Returns false if the section has
 * fewer bytes left. */
static inline bool dat_take_number(struct dat_reader *reader, uint32_t bytes, uint64_t *ret_number)
{
	const void *at = dat_take(reader, bytes);

	*ret_number = 0;
	if (at)
		memcpy(ret_number, at, bytes);
	return at;
}

/* Return the next string of a section, and skip it.  Returns NULL if the rest of the section
 * has no NUL. */
static inline const char *dat_take_text(struct dat_reader *reader)
{
	const uint8_t *nul = memchr(reader->at, 0, (size_t)(reader->end - reader->at));

	return nul ? dat_take(reader, (uint64_t)(nul + 1 - reader->at)) : NULL;
}

/* Read @bytes bytes at offset @off of the file.  Returns 0; -EBADMSG if the file is too
 * short; or another -errno. */
int dat_read(const struct datfile *file, uint64_t off, void *to, uint64_t bytes);
/* dat_pack.c: decompress @from to exactly @to_bytes bytes.  Returns 0 or -EBADMSG. */
int dat_unpack(const void *from, size_t bytes, void *to, size_t to_bytes);

/* ---- dat_events.c and dat_names.c: read a section; the functions return 0 or -errno ---- */

/* Read the formats of events from a section.  @is_ftrace: true for the section with the
 * events of the system ftrace; false for the section of all other systems. */
int dat_events_read(struct datfile *file, const struct dat_text *section, bool is_ftrace);
/* Free the events of @file. */
void dat_events_done(struct datfile *file);
/* Parse the sections cmdlines, kallsyms and printk, which dat_open.c has read. */
int dat_names_read(struct datfile *file);
/* Free the names of @file. */
void dat_names_done(struct datfile *file);

#endif
