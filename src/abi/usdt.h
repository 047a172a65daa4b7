/* SPDX-License-Identifier: MIT */
/*
 * The table of the USDT probes of a file: the notes in its section .note.stapsdt.  A parser
 * makes the table from the file, the server stores it in another file (moved_file.h), and
 * processes read it.  The arguments of the probes are parsed already, so that a process
 * parses no text.
 *
 *	struct usdt_head
 *	struct usdt_event	[nr_events]
 *	struct usdt_site	[nr_sites]	sorted by address
 *	struct usdt_arg		[nr_args]	those of site 0, then those of site 1, ...
 *	char			[strings_bytes]	names, each with a NUL
 *	struct moved_head	[moved_bytes]	a table of moved instructions (moved.h) with a row
 *						for each site that can be traced; aligned to 8
 *						bytes
 *
 * A probe that is at several places of the file is one event with several sites.
 *
 * The table is input: usdt_check() (src/arch) must accept it before it is used.
 */
#ifndef ULF_ABI_USDT_H
#define ULF_ABI_USDT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>


#define USDT_MAGIC		0x32647375u	/* the bytes "usd2" */
#define USDT_BYTES_MAX		(16u << 20)	/* greatest size of a table */
#define USDT_EVENTS_MAX		4096u
#define USDT_SITES_MAX		32768u
#define USDT_ARGS_MAX		12u		/* maximum number of arguments of a
						 * probe */
#define USDT_NAME_MAX		64u		/* maximum length of a name without
						 * its NUL */
#define USDT_JUMP_BYTES		5u		/* size of the jump that replaces the
						 * instructions at a site, bytes; its
						 * first byte replaces the NOP */

/* Reasons why a site cannot be patched: X(name, text for users). */
#define USDT_REASONS(X)								\
	X(NONE, "it can be traced")						\
	X(NOT_CODE, "its address is not in the code of the file")		\
	X(NOT_NOP, "the instruction there is not a NOP of one byte")		\
	X(NEIGHBOUR, "another probe is less than five bytes after it")		\
	X(TRACEPOINT, "a tracepoint of ulf is less than five bytes after it")	\
	X(SEMAPHORE, "its semaphore is not in the data of the file")

enum usdt_reason {
#define USDT_REASON_ENUM(name, text) USDT_BY_##name,
	USDT_REASONS(USDT_REASON_ENUM)
#undef USDT_REASON_ENUM
	USDT_REASONS_NR,
};

struct moved_head;

struct usdt_event {
	uint32_t provider, name;	/* offsets in the strings */
	uint8_t nr_args;		/* number of arguments of the event's probes,
					 * at most USDT_ARGS_MAX */
	uint8_t reserved[3];
	uint8_t bytes[USDT_ARGS_MAX];	/* size of each argument in a record: 1, 2, 4
					 * or 8; 0: the argument is left out, because
					 * no site has its value */
	uint8_t is_signed[USDT_ARGS_MAX];
	uint32_t reserved2;
};

struct usdt_site {
	uint64_t vaddr;			/* address of the NOP in the file */
	uint64_t semaphore;		/* address in the file of a uint16_t, the
					 * semaphore, which the program tests before
					 * it computes the arguments; 0: the probe has
					 * no semaphore */
	uint32_t event;			/* number of the event of this site in the
					 * table */
	uint32_t first_arg;		/* number of the site's first argument in the
					 * table; the site has as many arguments as
					 * its event */
	uint8_t reason;			/* enum usdt_reason */
	uint8_t original[USDT_JUMP_BYTES];	/* the bytes that the file has at
						 * @vaddr; 0 if the site cannot be
						 * patched (@reason) */
	uint8_t reserved[2];
};

/* How the value of a probe's argument is found when a thread is at the site. */
enum usdt_arg_kind {
	USDT_UNKNOWN,			/* the value is not known, and 0 is recorded */
	USDT_CONSTANT,			/* @value */
	USDT_ADDRESS,			/* the value is @value plus the object's load
					 * address */
	USDT_REGISTER,			/* the value is in register @base, shifted
					 * right by @shift bits */
	USDT_MEMORY,			/* the value is in memory at @value + @base +
					 * @index * @scale */
	USDT_OBJECT,			/* the value is in memory at @value plus the
					 * object's load address */
	USDT_ARG_KINDS,
};

#define USDT_NO_REGISTER	0xffu	/* value of usdt_arg.base and usdt_arg.index
					 * if there is no such register */
#define USDT_RSP		4u
#define USDT_REGISTERS		16u	/* number of registers; they are numbered as
					 * in instructions: rax, rcx, rdx, rbx, rsp,
					 * rbp, rsi, rdi, r8 to r15 */

struct usdt_arg {
	uint64_t value;
	uint8_t bytes;			/* number of bytes to load: 1, 2, 4 or 8; 0
					 * for USDT_UNKNOWN */
	uint8_t is_signed;		/* 1: the value is sign-extended */
	uint8_t kind;			/* enum usdt_arg_kind */
	uint8_t base, index;		/* numbers of the two registers, or
					 * USDT_NO_REGISTER */
	uint8_t scale;			/* 1, 2, 4 or 8 */
	uint8_t shift;			/* 0 or 8 */
	uint8_t reserved;
};

struct usdt_head {
	uint32_t magic;			/* USDT_MAGIC; a table with another layout has
					 * another magic */
	uint32_t head_bytes;		/* sizeof(struct usdt_head) */
	uint32_t nr_events, nr_sites, nr_args;
	uint32_t strings_bytes;
	uint32_t build_id_bytes;	/* size of the build id, bytes; 0: the object
					 * has no build id */
	uint32_t moved_bytes;		/* size of the table of moved instructions; 0: the code
					 * could not be analysed */
	uint8_t build_id[32];
	uint64_t text, text_end;	/* range of the object's code, which contains
					 * all sites that can be patched */
	uint64_t text_off;		/* offset in the file of the code at address
					 * @text, bytes */
};

static_assert(sizeof(struct usdt_event) == 40, "ABI");
static_assert(sizeof(struct usdt_site) == 32, "ABI");
static_assert(sizeof(struct usdt_arg) == 16, "ABI");
static_assert(sizeof(struct usdt_head) == 88, "ABI");

/* ---- functions that return the arrays of a table that usdt_check() has
 * accepted ---- */

static inline const struct usdt_event *usdt_events(const struct usdt_head *head)
{
	return (const struct usdt_event *)(head + 1);
}

static inline const struct usdt_site *usdt_sites(const struct usdt_head *head)
{
	return (const struct usdt_site *)(usdt_events(head) + head->nr_events);
}

static inline const struct usdt_arg *usdt_args(const struct usdt_head *head)
{
	return (const struct usdt_arg *)(usdt_sites(head) + head->nr_sites);
}

static inline const char *usdt_strings(const struct usdt_head *head)
{
	return (const char *)(usdt_args(head) + head->nr_args);
}

/* Returns the table of moved instructions, or NULL. */
static inline const struct moved_head *usdt_moved(const struct usdt_head *head)
{
	const char *end = usdt_strings(head) + head->strings_bytes;
	size_t at = ((size_t)(end - (const char *)head) + 7) & ~(size_t)7;

	return head->moved_bytes ?
	       (const struct moved_head *)(const void *)((const char *)head + at) : NULL;
}

/* ---- the objects of a root that have probes ---- */

#define ABI_USDT_MAGIC		0x31756261u	/* the bytes "abu1" */
#define ABI_USDT_OBJECTS_MAX	1024u

/* An object that has USDT probes: a row of the block abi_control.usdt. */
struct abi_usdt_object {
	uint64_t text;			/* address of the object's code in memory */
	uint64_t table;			/* number in the name of the file with the
					 * table of probes (moved_file.h) */
};

/* The block of the arena at the offset abi_control.usdt.  The server publishes the block,
 * and does not change it afterwards. */
struct abi_usdt {
	uint32_t magic;			/* ABI_USDT_MAGIC */
	uint32_t bytes;			/* size of the block */
	uint32_t nr_objects;
	uint32_t reserved;
	struct abi_usdt_object objects[];
};

static_assert(sizeof(struct abi_usdt_object) == 16, "ABI");
static_assert(sizeof(struct abi_usdt) == 16, "ABI");

#endif
