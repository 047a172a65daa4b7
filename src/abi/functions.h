/* SPDX-License-Identifier: MIT */
/*
 * The functions that are traced.  The server writes them as one block in the arena,
 * publishes it in abi_control.functions and does not change it afterwards.  There is one
 * exception.  If a user of functions (such as a tracer) ends and there is no space for a
 * new block, the server clears the bit of this user in the published block and changes
 * the serial number.
 *
 * Offsets are from the start of the block.  Addresses are those in the object's file;
 * add `bias` to get the address in memory.
 */
#ifndef ULF_ABI_FUNCTIONS_H
#define ULF_ABI_FUNCTIONS_H

#include <assert.h>
#include <stdint.h>

#define ABI_FUNCTIONS_MAGIC	0x33636e66u	/* the bytes "fnc3" */
#define ABI_FUNCTIONS_BYTES_MAX	(256u << 20)
#define ABI_FUNCTIONS_BUFFERS	16		/* number of buffers; equal to ABI_BUFFERS */

/* The users of a function are bits in a word of 32 bits.  Bit n (0..15) is the tracer of
 * buffer n.  If bit n is also set in abi_functions.graphs, this tracer is a graph tracer:
 * it traces the returns of functions, too. */
/* The bits from bit 16 on of a function's word are marks or other users of the
 * function.  The marks START and SKIP matter only if a graph tracer is among the
 * users. */
#define ABI_FUNCTIONS_START	(1u << 17)	/* graph tracers trace this function
						 * and all functions that it calls */
#define ABI_FUNCTIONS_SKIP	(1u << 18)	/* graph tracers trace neither this
						 * function nor functions that it calls */
#define ABI_FUNCTIONS_PROBES	(1u << 19)	/* user: commands of set_ftrace_filter
						 * (abi/rules.h) in some buffer */
#define ABI_FUNCTIONS_PROFILE	(1u << 20)	/* user: the profiler */
#define ABI_FUNCTIONS_STACK	(1u << 21)	/* user: the stack tracer */
#define ABI_FUNCTIONS_STACK_LIST (1u << 22)	/* mark: the function is in stack_trace_filter */
#define ABI_FUNCTIONS_TOUCHED	(1u << 23)	/* mark for the server only: the
						 * function is traced now or was
						 * traced before */
#define ABI_FUNCTIONS_LIBC	(1u << 24)	/* user: the events of the system ulf_libc
						 * (libc_events.h) */
/* All marks: those bits of a function's word that do not stand for users. */
#define ABI_FUNCTIONS_MARKS	(ABI_FUNCTIONS_START | ABI_FUNCTIONS_SKIP | \
				 ABI_FUNCTIONS_STACK_LIST | ABI_FUNCTIONS_TOUCHED)

/* A function that is in set_ftrace_filter or set_ftrace_notrace of some buffer.  Only a
 * server that restarts reads this struct. */
struct abi_function_lists {
	uint32_t row;			/* row of the function in the object's table of
					 * function entries */
	uint16_t filter, notrace;	/* bit n is 1 if the function is in
					 * set_ftrace_filter (set_ftrace_notrace) of
					 * buffer n */
};

/* An object that has traceable functions. */
struct abi_function_object {
	uint64_t bias;			/* address of a byte in memory minus its address
					 * in the object's file */
	uint64_t text, text_end;	/* addresses of the start and the end of the
					 * object's text */
	uint64_t table;			/* address of the object's table of function
					 * entries; if @kind is FSITE_MOVED: the number
					 * that names the file with the table
					 * (moved_file.h) */
	uint32_t nr;			/* number of rows in the table of function entries */
	uint32_t users;			/* offset of uint32_t [nr]: the users and marks
					 * of each function */
	uint32_t lists;			/* offset of struct abi_function_lists [nr_lists] */
	uint32_t nr_lists;
	uint32_t path;			/* offset of the object's path, NUL terminated */
	uint32_t path_bytes;		/* size of the path, bytes */
	uint16_t build_id_bytes;
	uint16_t kind;			/* kind of the table of function entries: enum
					 * fsite_kind */
	uint32_t reserved;
	uint64_t id;			/* address of the object's build id; 0: the
					 * build id is not in memory */
	uint8_t build_id[32];
	uint64_t figures;		/* offset in the root's memory of the
					 * profiler's figures, struct abi_figure
					 * [CPUs][nr]; 0: there are no figures */
};

struct abi_functions {
	uint32_t magic;
	uint32_t bytes;			/* size of the block, bytes */
	uint64_t serial;		/* serial number of the block; no two blocks
					 * have the same number */
	uint32_t nr_objects;
	uint32_t graphs;		/* bit n is 1 if the tracer of buffer n is a graph
					 * tracer, such as function_graph */
	uint32_t graph_depth;		/* max_graph_depth; 0: no limit */
	uint32_t has_starts;		/* is 1 if graph tracers trace only functions
					 * with the mark ABI_FUNCTIONS_START and the
					 * functions that these call */
	uint64_t thresh_ns;		/* tracing_thresh in ns: shorter calls are not
					 * recorded; 0: no limit */
	uint64_t profile_session;	/* number that changes each time a user
					 * switches the profiler on; 0 while the
					 * profiler is off */
	/* for each buffer, a number that changes each time a graph tracer becomes
	 * its tracer */
	uint8_t graph_sessions[ABI_FUNCTIONS_BUFFERS];
	struct abi_function_object objects[];
};

static_assert(sizeof(struct abi_function_object) == 112, "ABI");
static_assert(sizeof(struct abi_functions) == 64, "ABI");

#endif
