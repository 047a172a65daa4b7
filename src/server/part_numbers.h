/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the parts (core/part.h) of roots and of instances, in the order in which their
 * methods are called.  daemon/parts.c has the methods, one row for each number.
 *
 * A part keeps its state of a root in root->part_state[NUMBER], and its state of an instance
 * in instance->part_state[NUMBER].  Only one function reads an element of these arrays:
 * the accessor in the header of the part, for example root_events() in rules/events.h.
 * So each state is used with one type only.
 */
#ifndef ULF_SERVER_PART_NUMBERS_H
#define ULF_SERVER_PART_NUMBERS_H

enum root_part_number {
	ROOT_PART_COMMS,
	ROOT_PART_OBJECTS,
	ROOT_PART_SYMBOLS,
	ROOT_PART_PRINTK,
	ROOT_PART_EVENTS,
	ROOT_PART_DYNAMIC,		/* the part DYNAMIC must come after EVENTS, because
					 * init() of DYNAMIC adds events */
	ROOT_PART_HIST,			/* the part HIST must come after DYNAMIC, because
					 * done() of HIST releases dynamic events */
	ROOT_PART_BOOT,
	ROOT_PART_FUNCTIONS,
	ROOT_PART_LIBCALLS,		/* the part LIBCALLS must come after BOOT, because
					 * boot settings may switch on events of LIBCALLS, and
					 * after FUNCTIONS, whose state LIBCALLS uses */
	ROOT_PART_USDT,			/* the part USDT must come after BOOT, because
					 * boot settings may set the option usdt */
	ROOT_PART_PROFILE,		/* the part PROFILE must come after FUNCTIONS,
					 * because figures of the profiler refer to
					 * functions that FUNCTIONS loads */
	ROOT_PART_STACK_TRACER,
	ROOT_PART_RULES,
	ROOT_PART_SUGGEST,
	ROOT_PART_RINGS,		/* the part RINGS must come after BOOT, because boot
					 * settings give the sizes of the rings that prepare()
					 * of RINGS makes */
	ROOT_PART_LATE,
	NR_ROOT_PARTS,
};

enum instance_part_number {
	INSTANCE_PART_RINGS,
	INSTANCE_PART_HIST,		/* the part HIST must come before RULES: drop() of
					 * HIST must run after drop() of RULES, and drop() is
					 * called in the opposite order */
	INSTANCE_PART_RULES,
	INSTANCE_PART_FUNCTIONS,	/* the part FUNCTIONS has no method load(): load() of
					 * RULES calls load_rule() of FUNCTIONS */
	INSTANCE_PART_PIDS,
	INSTANCE_PART_LINES,
	INSTANCE_PART_PIPES,
	INSTANCE_PART_DYNAMIC,		/* the part DYNAMIC must come after RULES, because
					 * load() of DYNAMIC attaches event probes */
	INSTANCE_PART_EVENTS,		/* the part EVENTS must be last, so that drop() of
					 * EVENTS runs first: drop() is called in the opposite
					 * order */
	NR_INSTANCE_PARTS,
};

#endif
