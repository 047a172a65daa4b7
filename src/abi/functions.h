/* SPDX-License-Identifier: MIT */
/*
 * Which functions are traced.  The server makes one piece of it in the arena,
 * does not change it, and says in abi_control.functions where it is.  Only if there is no
 * room for another one, and somebody traces no more, it takes his bit from all users in
 * there and changes the serial.  Offsets are from the piece's start; addresses are those
 * in the object's file, to which `bias` is added in memory.
 */
#ifndef ULF_ABI_FUNCTIONS_H
#define ULF_ABI_FUNCTIONS_H

#include <assert.h>
#include <stdint.h>

#define ABI_FUNCTIONS_MAGIC	0x33636e66u	/* "fnc3" */
#define ABI_FUNCTIONS_BYTES_MAX	(256u << 20)
#define ABI_FUNCTIONS_BUFFERS	16		/* ABI_BUFFERS */

/* Users of a function; bits 0..15: the tracer of that buffer, which is function_graph if
 * abi_functions.graphs has the bit, else function. */
/* Marks for graph tracers, which count only if one is among the users: */
#define ABI_FUNCTIONS_START	(1u << 17)	/* they follow from here on in */
#define ABI_FUNCTIONS_SKIP	(1u << 18)	/* they leave this and all that it
						 * calls out */
#define ABI_FUNCTIONS_PROBES	(1u << 19)	/* commands (abi/rules.h) of some
						 * buffer */
#define ABI_FUNCTIONS_PROFILE	(1u << 20)	/* the profiler */
#define ABI_FUNCTIONS_STACK	(1u << 21)	/* the stack tracer */
#define ABI_FUNCTIONS_STACK_LIST (1u << 22)	/* it is in stack_trace_filter */
#define ABI_FUNCTIONS_TOUCHED	(1u << 23)	/* the server's: it was traced once */
/* Those that are no users: */
#define ABI_FUNCTIONS_MARKS	(ABI_FUNCTIONS_START | ABI_FUNCTIONS_SKIP | \
				 ABI_FUNCTIONS_STACK_LIST | ABI_FUNCTIONS_TOUCHED)

/* The server's: a function that is in some buffer's list. */
struct abi_function_lists {
	uint32_t row;			/* of the table */
	uint16_t filter, notrace;	/* a bit for each buffer */
};

struct abi_function_object {
	uint64_t bias;
	uint64_t text, text_end;
	uint64_t table;			/* the addresses of its entries */
	uint32_t nr;			/* of them */
	uint32_t users;			/* uint32_t [nr]: who traces it */
	uint32_t lists;			/* struct abi_function_lists [nr_lists] */
	uint32_t nr_lists;
	uint32_t path;			/* NUL terminated */
	uint32_t path_bytes;
	uint16_t build_id_bytes;
	uint16_t kind;			/* of table: enum fsite_kind */
	uint32_t reserved;
	uint64_t id;			/* where it has its build id; 0: not */
	uint8_t build_id[32];
	uint64_t figures;		/* struct abi_figure [CPUs][nr], an offset
					 * in the file; 0: none */
};

struct abi_functions {
	uint32_t magic;
	uint32_t bytes;			/* all of it */
	uint64_t serial;		/* another one for each piece */
	uint32_t nr_objects;
	uint32_t graphs;		/* buffers with function_graph, a bit each */
	uint32_t graph_depth;		/* max_graph_depth; 0: no limit */
	uint32_t has_starts;		/* graph tracers follow only ABI_FUNCTIONS_START */
	uint64_t thresh_ns;		/* shorter calls are not recorded */
	uint64_t profile_session;	/* another one each time that profiling is
					 * switched on; 0: it is off */
	uint8_t graph_sessions[ABI_FUNCTIONS_BUFFERS];	/* changes each time that the
					 * buffer gets function_graph */
	struct abi_function_object objects[];
};

static_assert(sizeof(struct abi_function_object) == 112, "ABI");
static_assert(sizeof(struct abi_functions) == 64, "ABI");

#endif
