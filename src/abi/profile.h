/* SPDX-License-Identifier: MIT */
/*
 * What the function profiler has counted: for each object with profiled functions
 * one piece of the arena, which the server makes and describes, and whose figures
 * the processes add to.  abi_control.profile names the first, each the next; they
 * stay until profiling is switched on again, whatever becomes of the processes.
 *
 * word		writers				readers
 * figures	relaxed atomic adds: anybody	the server
 * the rest	the server, before it is named	all
 *
 * A figure is a sum, and nothing else is concluded from it, so adds need no order.
 * Who is killed between two of them has counted a call whose time is missing.
 */
#ifndef ULF_ABI_PROFILE_H
#define ULF_ABI_PROFILE_H

#include <assert.h>
#include <stdint.h>

#define ABI_PROFILE_MAGIC	0x31667270u	/* "prf1" */

/* Of a function, on the CPU on which it was called. */
struct abi_figure {
	uint64_t hits;			/* calls */
	uint64_t time_ns;		/* those that have returned took */
	uint64_t squares, squares_high;	/* of their times, ns * ns; added up
					 * in 128 bits: a single one of five
					 * seconds needs more than 64 */
};

struct abi_profile {
	uint32_t magic;
	uint32_t nr;			/* rows of the object's table of entries */
	uint32_t nr_cpus;
	uint32_t path_bytes;		/* of the NUL terminated path, which is
					 * right behind this */
	uint32_t kind;			/* of the table: enum fsite_kind */
	uint32_t reserved;
	uint64_t bias;			/* as abi_function_object's */
	uint64_t next;			/* another object's; 0: none */
	/* then, at a multiple of 64, struct abi_figure [nr_cpus][nr] */
};

static_assert(sizeof(struct abi_figure) == 32, "ABI");
static_assert(sizeof(struct abi_profile) == 40, "ABI");

#endif
