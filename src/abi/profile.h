/* SPDX-License-Identifier: MIT */
/*
 * The figures of the function profiler.  The server creates one block of the arena for
 * each object with profiled functions and describes the object in it; processes add to
 * the figures.  abi_control.profile is the offset of the first block, and each block has
 * the offset of the next one.  The blocks are kept, even if the processes end, until a
 * user switches profiling on again.
 *
 *	member		writers				readers
 *	figures		processes, relaxed atomic adds	the server
 *	other members	the server, before it publishes	all
 *
 * Each figure is only a sum, so the order of the adds does not matter.  A process that is
 * killed between two adds has counted a call without its time.
 */
#ifndef ULF_ABI_PROFILE_H
#define ULF_ABI_PROFILE_H

#include <assert.h>
#include <stdint.h>

#define ABI_PROFILE_MAGIC	0x31667270u	/* the bytes "prf1" */

/* The figures of one function for its calls on one CPU. */
struct abi_figure {
	uint64_t hits;			/* number of calls */
	uint64_t time_ns;		/* sum of the times of calls that have
					 * returned, ns */
	uint64_t squares, squares_high;	/* sum of the squares of the times, ns * ns, as a
					 * number of 128 bits: the square of five seconds
					 * does not fit into 64 bits */
};

struct abi_profile {
	uint32_t magic;
	uint32_t nr;			/* number of rows in the object's table of
					 * function entries */
	uint32_t nr_cpus;		/* number of CPUs for which there are figures */
	uint32_t path_bytes;		/* size of the path of the object with its
					 * NUL, bytes; the path follows this struct */
	uint32_t kind;			/* kind of the table of function entries: enum
					 * fsite_kind */
	uint32_t reserved;
	uint64_t bias;			/* address of a byte in memory minus its address
					 * in the object's file */
	uint64_t next;			/* offset of the next profiler block in the
					 * root's memory; 0: this is the last block */
	/* This struct is followed by the path and, at the next multiple of 64, by
	 * struct abi_figure [nr_cpus][nr]. */
};

static_assert(sizeof(struct abi_figure) == 32, "ABI");
static_assert(sizeof(struct abi_profile) == 40, "ABI");

#endif
