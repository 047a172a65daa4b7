/* SPDX-License-Identifier: MIT */
/*
 * The messages and results between the server and its parser processes
 * (docs/design/symbols.md, "The parser").  The server treats everything that it receives
 * as hostile: a file may have taken over the parser.
 */
#ifndef ULF_SYMBOLS_PARSE_WIRE_H
#define ULF_SYMBOLS_PARSE_WIRE_H

#include <stdint.h>

#include "symbols/elf_args.h"
#include "symbols/elf_debug.h"

enum parse_job_id {
	PARSE_SYMBOLS,			/* list the functions of a file */
	PARSE_SITES,			/* list the functions of a file, and find out which of
					 * them can be traced */
	PARSE_DEMANGLE,			/* demangled C++ names */
	PARSE_PARAMS,			/* a session: answer queries about the parameters of
					 * functions */
	PARSE_USDT,			/* list the USDT probes of a file: the result is a
					 * table of abi/usdt.h, or empty */
	PARSE_JOBS,
};

struct parse_request {
	uint32_t job;			/* enum parse_job_id */
	uint32_t kind;			/* for PARSE_SITES: kind of the table of function
					 * entries to read (enum fsite_kind); FSITE_MOVED:
					 * analyse the code instead */
	uint64_t bytes_left;		/* maximum number of bytes that the parser may
					 * read */
	uint32_t build_id_bytes;	/* length of @build_id, which the file must have; 0 if
					 * any file is accepted */
	uint8_t build_id[32];
	uint32_t cache;			/* which of the cache files PARSE_FD_OLD and
					 * PARSE_FD_NEW are valid: PARSE_CACHE_ bits */
	uint32_t reserved;
};

#define PARSE_CACHE_OLD		1u	/* in a request: PARSE_FD_OLD is a cache file with a
					 * table; in a result: the parser has used this table */
#define PARSE_CACHE_NEW		2u	/* in a request: the parser must also write the table
					 * to the cache file PARSE_FD_NEW; in a result: the
					 * parser has done so */

/* Descriptors that are sent with a request, and their numbers in the parser. */
enum parse_fd {
	PARSE_FD_CHANNEL	= 3,	/* the channel to the server, a SOCK_SEQPACKET socket */
	PARSE_FD_RESULT		= 4,	/* the result: a memfd */
	PARSE_FD_INPUT		= 5,	/* the file */
	PARSE_FD_OLD		= 6,	/* a cache file with a table of moved functions
					 * (symbols/elf_moved_cache.h) */
	PARSE_FD_NEW		= 7,	/* an empty cache file for the new table of moved
					 * functions */
	PARSE_FDS		= 5,	/* number of descriptors */
};

/* ---- messages ---- */

enum parse_message_type {
	PARSE_STARTED,			/* sent by the zygote when it has forked the parser;
					 * carries the parser's pidfd */
	PARSE_EXITED,			/* sent by the zygote when the parser has ended;
					 * .value is the status from waitpid() */
	PARSE_ASK,			/* request of a parser to open the file that .ask
					 * describes; the answer carries the descriptor */
	PARSE_DONE,			/* sent by a parser that has finished its job; .value
					 * is 0 if the result is complete, or -errno */
	PARSE_QUERY,			/* query of the server to a session about the function
					 * at .addr */
	PARSE_ANSWER,			/* answer of a session: struct parse_answer */
};

struct parse_message {
	uint32_t type;
	int32_t value;
	uint64_t bytes_left;		/* in PARSE_DONE: number of bytes that the parser was
					 * still allowed to read */
	uint64_t addr;
	struct elf_ask ask;
};

#define PARSE_PARAM_NAME	256u	/* maximum length of a parameter's name with its
					 * NUL, bytes; longer names are cut */

struct parse_param {			/* a parameter of a function, as in struct
					 * elf_param */
	uint64_t bytes;
	uint8_t kind, is_on_stack, nr_words;
	uint8_t regs[2];
	uint8_t has_name;
	char name[PARSE_PARAM_NAME];
};

#define PARSE_PARAMS_MAX	64u

struct parse_answer {
	uint32_t type;			/* PARSE_ANSWER */
	uint32_t nr;			/* number of params */
	uint64_t addr;
	uint32_t is_known;
	uint32_t is_over;		/* 1 if a search took too long, so that the server
					 * must not send further queries; else 0 */
	struct parse_param params[];	/* @nr elements */
};

#define PARSE_ANSWER_MAX \
	(sizeof(struct parse_answer) + PARSE_PARAMS_MAX * sizeof(struct parse_param))

/* ---- results ---- */

#define PARSE_MAGIC		0x70666c75u
#define PARSE_SEGMENTS_MAX	16u

struct parse_symbol {
	uint64_t addr, size;
	uint64_t name;			/* offset of the symbol's name in the strings of
					 * the result */
};

/* A segment of the file that is mapped read-only. */
struct parse_segment {
	uint64_t addr, off, bytes;
};

/*
 * The result of PARSE_SYMBOLS and PARSE_SITES:
 *
 *	struct parse_head
 *	char			[moved_bytes]	table of moved functions (abi/moved.h),
 *						padded to a multiple of 8 bytes
 *	struct parse_symbol	[nr_symbols]	sorted by address
 *	uint64_t		[nr_sites]	addresses
 *	uint32_t		[nr_sites]	rows in the file's table
 *	uint32_t		[nr_sites]	1 + number of the symbol; 0: none
 *	char			[strings_bytes]	a name for each symbol, in their order
 */
struct parse_head {
	uint32_t magic;
	uint32_t nr_symbols;
	uint64_t first, end;		/* range of the addresses of the file, as the file gives
					 * them, without the load address */
	uint64_t strings_bytes;
	uint32_t nr_segments;
	uint32_t kind, next_kind;	/* @kind: enum fsite_kind of the sites.  @next_kind:
					 * kind of the file's next table of function entries
					 * after @kind; FSITE_MOVED: no further table was made
					 * by a compiler */
	uint32_t nr_rows, nr_sites;
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	uint64_t table, text, text_end, text_off, id;
	uint64_t moved_bytes;		/* length of the table of moved functions; not 0 only
					 * if @kind is FSITE_MOVED.  Then the function sites
					 * are in that table, and nr_sites is 0 */
	uint32_t left_out;		/* reason why the file has no table of moved
					 * functions: enum elf_left_out */
	uint32_t cache;			/* what the parser has done with the cache files for
					 * the table of moved functions: PARSE_CACHE_ bits */
	struct parse_segment segments[PARSE_SEGMENTS_MAX];
};

/*
 * The result of PARSE_DEMANGLE.  The input of this job is the strings in the result of
 * PARSE_SYMBOLS or PARSE_SITES.
 *
 *	struct parse_plain_head
 *	uint32_t		[nr]	1 + offset in the strings; 0: not a C++ name
 *	char			[strings_bytes]
 */
struct parse_plain_head {
	uint32_t magic;
	uint32_t nr;
	uint64_t strings_bytes;
};

#endif
