/* SPDX-License-Identifier: MIT */
/* The interface of ftrace.S: functions that ftrace.S provides, and functions that it calls. */
#ifndef ULF_ARCH_FTRACE_H
#define ULF_ARCH_FTRACE_H

#define GRAPH_BODIES_BYTES	0x800000
#define GRAPH_BODY_BYTES	32
#define GRAPH_BODY_RETURN	6	/* offset in a body of the instruction to
					 * which the traced function returns, bytes */
#define GRAPH_BODY_LANDING	11	/* offset in a body of the instruction to
					 * which unwinders jump after an exception,
					 * bytes */
#define FTRACE_LANES		4	/* number of lanes, which are entries of ftrace.S; a
					 * graph tracer with tag t uses lane t % FTRACE_LANES */

#include "arch/x86_64/fsite.h"

#ifndef __ASSEMBLER__
#include <assert.h>
#include <stddef.h>

#define FTRACE_HIDDEN	__attribute__((visibility("hidden")))

struct buffer;

/*
 * The start of a memory page that contains bodies, the code to which traced functions return.
 * Unwinders read these words (see ftrace.S).
 */
struct graph_page {
	const uint64_t *keys;
	const void *shadows;
	const uint64_t *cfa_bias;	/* address of ftrace_cfa_bias, the number that
					 * unwinders add to the CFA of bodies */
	uint64_t reserved;
};

/* A body (see ftrace.S). */
struct graph_body {
	uint8_t code[16];
	uint64_t target;		/* address at which the function continues:
					 * the result of fsite_continue() */
	uint64_t site;			/* address of the site */
};

#define FTRACE_ARGS	6		/* number of registers that may hold arguments */

/*
 * The registers that C code may change.  Their values are those at the entry of the
 * traced function.
 */
struct ftrace_regs {
	uint64_t args[FTRACE_ARGS];	/* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t rax, r10, r11;
};

/* ---- functions that ftrace.S provides ---- */

/* Offsets of thread-local variables from the thread pointer, bytes. */
struct ftrace_offsets {
	ptrdiff_t this;			/* offset of ftrace_this */
	ptrdiff_t rseq;			/* the value of arch_rseq_offset */
};
/*
 * ftrace_hooks_make - write the values in @offsets into the instructions of the
 * hooks of ftrace.S
 *
 * Must be called before any hook runs, and never by two threads at the same time.
 * Returns 0 or -errno; after an error, the next call continues with the instruction
 * that could not be written.  After success, further calls do nothing.
 */
int ftrace_hooks_make(const struct ftrace_offsets *offsets) FTRACE_HIDDEN;

/*
 * Entries of ftrace.S that slots call in frequent cases: one for the function tracer, and
 * FTRACE_LANES for graph tracers.  ftrace_entry_of() selects the entry of a slot.
 */
void ftrace_entry_function(void) FTRACE_HIDDEN;
void ftrace_entry_graph0(void) FTRACE_HIDDEN;
void ftrace_entry_graph1(void) FTRACE_HIDDEN;
void ftrace_entry_graph2(void) FTRACE_HIDDEN;
void ftrace_entry_graph3(void) FTRACE_HIDDEN;

/* Memory for the bodies.  Only a half of it is used, so that the used part can be
 * aligned to its own size. */
extern uint8_t ftrace_graph_bodies[2 * GRAPH_BODIES_BYTES] FTRACE_HIDDEN;
/* Start of the used part of ftrace_graph_bodies, which has GRAPH_BODIES_BYTES and is
 * aligned to this size.  Before ftrace_hooks_make() this is an address at which no code
 * can be, so ftrace_is_body() is false for every address of code. */
extern uint8_t *ftrace_bodies FTRACE_HIDDEN;
/* Returns true if @ret is a return address that the graph tracer has put on the stack. */
static inline bool ftrace_is_body(uint64_t ret)
{
	return ret - (uint64_t)ftrace_bodies < GRAPH_BODIES_BYTES;
}
/*
 * The code to which bodies jump: ftrace_graph_return() after the function has returned, and
 * ftrace_graph_landing() after an exception has left the function.
 */
void ftrace_graph_return(void) FTRACE_HIDDEN;
void ftrace_graph_landing(void) FTRACE_HIDDEN;

/* Write the code and the data of the body for the site at address @site to @body
 * (fhooks.c).  @place: the address at which the body will run.  @target: the address at
 * which the function continues. */
void graph_body_init(struct graph_body *body, const uint8_t *place, uint64_t site,
		     uint64_t target) FTRACE_HIDDEN;

/* Registers, by their DWARF numbers, in which ftrace_graph_landing() expects the exception and
 * the address of _Unwind_Resume(): rax and rdx. */
#define GRAPH_LANDING_EXCEPTION	0
#define GRAPH_LANDING_RESUME	1

/* ftrace_call_slowly - call @fn(@a, @b, @c) and return its result.  @fn may be any C
 * function, because ftrace_call_slowly() saves and restores the vector registers. */
uint64_t ftrace_call_slowly(uint64_t (*fn)(uint64_t, uint64_t, uint64_t),
			    uint64_t a, uint64_t b, uint64_t c) FTRACE_HIDDEN;

/*
 * Write a record to the ring of the current CPU.
 * @entry: @bytes bytes, at least 8.
 * @time: this function stores the record's time in *@time and then copies @entry; so @time
 * may point into @entry.
 * Returns false if nothing was written: the record is too big, its page is full, or the
 * rseq section was aborted.
 */
bool arch_words_append(const struct buffer *buffer, const void *entry,
		       uint32_t bytes, uint64_t *time) FTRACE_HIDDEN;

/* ---- functions that ftrace.S calls; they may use general registers only ---- */

/*
 * Handle the entry of a function with the site @ip.
 * @place: address of the return address on the stack.
 * @after: the address after the call of the slot: slot + FSITE_SLOT_CALL.
 * Returns 1 if the slot must continue with its body.  *@place is then the address of
 * the body + GRAPH_BODY_RETURN.  Otherwise returns 0.
 */
uint32_t ftrace_hit(uint64_t ip, uint64_t *place, const uint8_t *after,
		    const struct ftrace_regs *regs) FTRACE_HIDDEN;
/*
 * Handle the return of a function that has returned @value.  @place: address at which
 * the return address of the function was on the stack.
 * Returns the original return address.
 */
uint64_t ftrace_graph_left(uint64_t *place, uint64_t value) FTRACE_HIDDEN;
/*
 * Handle an exception that has left a function.  @place: address at which the return
 * address of the function is on the stack.
 * Returns the original return address.
 */
uint64_t ftrace_graph_landed(const uint64_t *place) FTRACE_HIDDEN;
/* The number, 0 or 1, that unwinders add to the CFA of bodies.  See
 * runtime/function/personality.c, which also has the personality routine of bodies. */
extern uint64_t ftrace_cfa_bias FTRACE_HIDDEN;
/*
 * Make space for a record of @bytes in @ring, a ring of the graph tracer's buffer whose
 * open page is full.
 * Returns 0 if there is still no space.
 */
struct abi_ring;
uint32_t ftrace_graph_room(uint32_t bytes, uint64_t now_ns,
			   struct abi_ring *ring) FTRACE_HIDDEN;
/* Number of function calls that the graph tracer could not trace. */
extern uint32_t ftrace_graph_lost FTRACE_HIDDEN;
/* The state components that ftrace_call_slowly() must save with xsave. */
struct ftrace_vectors {
	uint64_t parts;			/* mask of state components */
	uint32_t bytes;			/* bytes of the save area */
};
extern struct ftrace_vectors ftrace_vectors FTRACE_HIDDEN;
/* Compute ftrace_vectors (fstate.c).  Call this with the runtime's lock held, before any
 * hook is called.  A second call does nothing.  Returns false if the CPU or the kernel
 * cannot save the registers. */
bool ftrace_vectors_init(void) FTRACE_HIDDEN;

#endif
#endif
