/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the parts (core/part.h) of roots and of instances, in the order in which their
 * methods are called.  daemon/parts.c has the methods, one row for each number.
 *
 * A part keeps its state of a root in root->part_state[NUMBER], and its state of an instance
 * in instance->part_state[NUMBER].  Only the accessor in the header of the part reads
 * these arrays, for example root_events() in rules/events.h: so each state has one type.
 */
#ifndef ULF_SERVER_PART_NUMBERS_H
#define ULF_SERVER_PART_NUMBERS_H

enum root_part_number {
	ROOT_PART_COMMS,
	ROOT_PART_OBJECTS,
	ROOT_PART_SYMBOLS,
	ROOT_PART_PRINTK,
	ROOT_PART_EVENTS,
	ROOT_PART_BOOT,
	ROOT_PART_FUNCTIONS,
	ROOT_PART_PROFILE,		/* must come after FUNCTIONS, because the
					 * profiler's figures refer to functions that
					 * FUNCTIONS loads */
	ROOT_PART_STACK_TRACER,
	ROOT_PART_RULES,
	ROOT_PART_SUGGEST,
	ROOT_PART_RINGS,		/* must come after BOOT: prepare() of RINGS must
					 * run after prepare() of BOOT */
	NR_ROOT_PARTS,
};

enum instance_part_number {
	INSTANCE_PART_RINGS,
	INSTANCE_PART_RULES,
	INSTANCE_PART_FUNCTIONS,	/* load() of RULES calls load_rule() of this
					 * part */
	INSTANCE_PART_PIDS,
	INSTANCE_PART_LINES,
	INSTANCE_PART_PIPES,
	INSTANCE_PART_EVENTS,		/* must be last, so that its drop() runs
					 * first */
	NR_INSTANCE_PARTS,
};

#endif
