/* SPDX-License-Identifier: MIT */
/* What ftrace.S offers, and what it needs. */
#ifndef ULF_ARCH_FTRACE_H
#define ULF_ARCH_FTRACE_H

#define GRAPH_BODIES_BYTES	0x800000
#define GRAPH_BODY_BYTES	32
#define GRAPH_BODY_RETURN	6	/* where the function returns to */
#define GRAPH_BODY_LANDING	11	/* where an exception comes to */
#define GRAPH_BODY_SITE		24

#include "arch/x86_64/fsite.h"

#ifndef __ASSEMBLER__
#include <assert.h>
#include <stddef.h>

#define FTRACE_HIDDEN	__attribute__((visibility("hidden")))

struct buffer;

/* A page of bodies begins with these, for unwinders. */
struct graph_page {
	const uint64_t *keys;
	const void *shadows;
	const uint64_t *cfa_bias;	/* ftrace_cfa_bias */
	uint64_t reserved;
};

struct graph_body {
	uint8_t code[16];
	uint64_t target;		/* the site + 5 */
	uint64_t site;
};
static_assert(offsetof(struct graph_body, site) == GRAPH_BODY_SITE, "asm");

/* The registers of a traced function that C may change, as they were. */
#define FTRACE_ARGS	6
struct ftrace_regs {
	uint64_t args[FTRACE_ARGS];	/* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t rax, r10, r11;
};

/* ---- given by ftrace.S ---- */

/* Write into the hooks below what is known now: offsets from the thread pointer.
 * Before any of them is called; one caller at a time. */
struct ftrace_offsets {
	ptrdiff_t this;			/* ftrace_this */
	ptrdiff_t rseq;			/* arch_rseq_offset */
};
int ftrace_hooks_make(const struct ftrace_offsets *offsets) FTRACE_HIDDEN;

/* What slots call in common cases. */
void ftrace_entry_function(void) FTRACE_HIDDEN;
void ftrace_entry_graph0(void) FTRACE_HIDDEN;
void ftrace_entry_graph1(void) FTRACE_HIDDEN;
void ftrace_entry_graph2(void) FTRACE_HIDDEN;
void ftrace_entry_graph3(void) FTRACE_HIDDEN;

/* Room for them: whole pages. */
extern uint8_t ftrace_graph_bodies[2 * GRAPH_BODIES_BYTES] FTRACE_HIDDEN;
/* GRAPH_BODIES_BYTES of it, aligned; before ftrace_hooks_make() where no code is. */
extern uint8_t *ftrace_bodies FTRACE_HIDDEN;
/* Is it a return address that the graph tracer has put there? */
static inline bool ftrace_is_body(uint64_t ret)
{
	return ret - (uint64_t)ftrace_bodies < GRAPH_BODIES_BYTES;
}
void ftrace_graph_return(void) FTRACE_HIDDEN;
void ftrace_graph_landing(void) FTRACE_HIDDEN;

/* Any C, where vectors must be kept. */
uint64_t ftrace_call_slowly(uint64_t (*fn)(uint64_t, uint64_t, uint64_t),
			    uint64_t a, uint64_t b, uint64_t c) FTRACE_HIDDEN;

/* Write @entry, of 8 bytes at least, with *@time set to the record's before it is
 * copied.  False: it is not as simple as that, and nothing was written. */
bool arch_words_append(const struct buffer *buffer, const void *entry,
		       uint32_t bytes, uint64_t *time) FTRACE_HIDDEN;

/* ---- needed by it; general registers only ---- */

/* At the entry of the function with the site @ip.  @place: where its return address
 * is; @behind: the slot + 6.  Returns 1 if the slot is to go on by way of its
 * body, which stands in *@place then, + GRAPH_BODY_RETURN. */
uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *behind,
		    const struct ftrace_regs *regs) FTRACE_HIDDEN;
/* The function has returned @value; returns where to. */
uint64_t ftrace_graph_left(uint64_t *place, uint64_t value) FTRACE_HIDDEN;
/* An exception has left the function; returns its return address. */
uint64_t ftrace_graph_landed(const uint64_t *place) FTRACE_HIDDEN;
/* Unwinders add it to the CFA of bodies: 0, or 1 (runtime/function/personality.c, where their
 * personality routine is, too). */
extern uint64_t ftrace_cfa_bias FTRACE_HIDDEN;
/* The page of the graph tracer's @ring is full.  Not 0: there is room for @bytes now. */
struct abi_ring;
uint32_t ftrace_graph_room(uint32_t bytes, uint64_t now_ns,
			   struct abi_ring *ring) FTRACE_HIDDEN;
/* Calls that could not be followed. */
extern uint32_t ftrace_graph_lost FTRACE_HIDDEN;
/* What xsave is to keep, and how many bytes that takes. */
struct ftrace_vectors {
	uint64_t parts;
	uint32_t bytes;
};
extern struct ftrace_vectors ftrace_vectors FTRACE_HIDDEN;

#endif
#endif
