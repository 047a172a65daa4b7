/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace.dat of version 7, as trace-cmd.dat.v7(5) describes them.  Numbers are
 * little endian.
 *
 *	magic, "tracing", "7\0", endian (1), bytes of a long (1), page size (4),
 *	compression name and version (two strings), offset of the first options section (8)
 *	sections: id (2), flags (2), description (4), bytes (8), data
 *
 * A compressed section begins with its sizes, compressed (4) and plain (4).  An options
 * section is a list of id (2), bytes (4) and data; DAT_OPTION_DONE ends the list and names the
 * next options section.  The records of a CPU are pages of the ring buffer.  If they are
 * compressed, they are a number of chunks (4), then chunks: sizes, compressed (4) and plain
 * (4), and the data.
 *
 * ulf adds one section that no option names, so that trace-cmd does not look at it.  The last
 * DAT_TRAILER_BYTES bytes of the file are its offset (8) and DAT_TRAILER_MAGIC.  Its text has
 * a line for each fact that version 7 has no place for: `key value`.
 */
#ifndef ULF_DAT_FORMAT_H
#define ULF_DAT_FORMAT_H

#define DAT_MAGIC		"\x17\x08\x44tracing7"	/* first bytes of a trace.dat; the
							 * string's NUL belongs to them */
#define DAT_TRAILER_MAGIC	"ulf-dat"		/* last bytes of a trace.dat that ulf
							 * has written; the string's NUL
							 * belongs to them */
#define DAT_TRAILER_BYTES	16u
#define DAT_SECTION_BYTES	16u	/* size of the header of a section, bytes */
#define DAT_SECTION_PACKED	1u	/* flag in the header of a section: the section is
					 * compressed */
#define DAT_SIZES_BYTES		8u	/* size of the two numbers before compressed data:
					 * compressed size and plain size */
#define DAT_TEXT_MAX		(512u << 20)	/* maximum size of a section after
						 * decompression, bytes */
#define DAT_CHUNK_MAX		(64u << 20)	/* maximum size of a chunk after
						 * decompression, bytes */
#define DAT_CPUS_MAX		4096u	/* maximum number of CPUs of a buffer in a trace.dat */

/* Ids of sections and of options.  A section and the option that contains its offset have the
 * same id. */
enum dat_id {
	DAT_OPTION_DONE		= 0,
	DAT_SECTION_OPTIONS	= 0,
	DAT_OPTION_CPUSTAT	= 2,
	DAT_BUFFER		= 3,
	DAT_OPTION_TRACECLOCK	= 4,
	DAT_OPTION_UNAME	= 5,
	DAT_OPTION_CPUCOUNT	= 8,
	DAT_OPTION_VERSION	= 9,
	DAT_OPTION_TRACEID	= 11,
	DAT_SECTION_STRINGS	= 15,
	DAT_HEADER_INFO		= 16,
	DAT_FTRACE_EVENTS	= 17,
	DAT_EVENT_FORMATS	= 18,
	DAT_KALLSYMS		= 19,
	DAT_PRINTK		= 20,
	DAT_CMDLINES		= 21,
	DAT_SECTION_ULF		= 0x756c,
};

#endif
