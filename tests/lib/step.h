/* SPDX-License-Identifier: MIT */
/*
 * A writer is stopped after every single instruction of a write.  At each of these points one
 * of three things happens: the writer is killed, another writer on the same CPU writes to the
 * same ring, or the writer gets a signal whose handler writes to the same ring.  Every record
 * must then be in the ring, whole and once.
 *
 * The writer is traced with ptrace(): first by single steps, to learn its path, and then with
 * a breakpoint on each instruction.  Instructions that the writer passes more than once, in a
 * loop, are reached by single steps.  A step would abort the rseq section, so the tracer
 * clears the word that names the section while it steps, and restores it at the point of
 * interruption.
 */
#ifndef ULF_TESTS_STEP_H
#define ULF_TESTS_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/ring.h"

#define STEPS_MAX	5000

struct step_scenario {
	const char *name;
	bool is_slow, is_given, overwrite;
	uint32_t fill;			/* number of records written before */
	uint32_t bytes;			/* determines the size of the record */
	bool has_extend;
	bool is_refused;
};

/* Numbers of records.  The records written before have numbers from 0 on. */
#define STEP_STEPPED	1000u
#define STEP_INTRUDER	2000u
#define STEP_HANDLER	3000u
#define STEP_LATER	4000u

struct step_stage;

/* The writer is interrupted at a point by one of these. */
enum step_action { STEP_KILL, STEP_INTRUDE, STEP_SIGNAL, STEP_ACTIONS };

struct step_point {
	enum step_action action;
	uint32_t step;			/* number of instructions that the writer has run */
	int intruder_result;		/* result of the intruder's write() */
	bool is_killed;
};

struct step_ops {
	/* Make an empty ring for the scenario, and set ->view. */
	void (*reset)(struct step_stage *st);
	uint32_t fill_bytes;		/* size of the records written before */
	/* Prepare the data that write() needs in @buffer, which has some 4 KiB. */
	void (*prepare)(struct step_stage *st, void *buffer, uint32_t number,
			uint32_t bytes);
	/* Write the record.  Returns the result of ring_write(), or 0 if write() does not
	 * know it. */
	int (*write)(struct step_stage *st, void *buffer, uint64_t now_ns);
	bool knows_refusal;
	/* Returns true if the record is whole, and stores its number. */
	bool (*parse)(struct step_stage *st, const struct ring_record *record,
		      uint32_t *ret_number);
	/* Check what is there after the point, if write() writes to something other than a
	 * ring; NULL: the ring is checked.  Reports mistakes by step_fail_at().  Returns 1 if
	 * the stepped write has happened, else 0. */
	int (*check)(struct step_stage *st, const struct step_point *point);
};

/* Memory that writer and tracer share. */
struct step_shared {
	uint32_t phase;			/* 1: the writer is about to write, 2: it has written */
	int32_t result, handler_result;
	uint32_t handled;
};

struct step_stage {
	const struct step_ops *ops;
	const struct step_scenario *scenario;
	struct step_shared *shared;
	struct ring_view view;
	bool has_section;		/* the writer uses rseq */
	uint32_t short_stride;		/* In the short form, one of this number of points is
					 * tried. */
	uint64_t now_ns;
	unsigned long path[STEPS_MAX];	/* addresses of the writer's instructions */
	uint32_t nr_path;
	uint64_t nr_points;		/* number of points at which the writer was interrupted */
	uint32_t nr_failures;
	bool is_by_steps;		/* reach each point by single steps */
};

/* Bind this thread, and the threads that it creates later, to one CPU.  Returns -ENOSYS if
 * there is no rseq. */
int step_init(struct step_stage *st, uint32_t *ret_cpu);
/* Try all points of all scenarios, or only some if ULF_TORTURE is not "long".  Ends the
 * program (status 77) if ptrace() is not allowed. */
void step_sweep(struct step_stage *st, const struct step_scenario *scenarios,
		size_t nr);
/* Single-step the writer like a debugger, without clearing the word, so that each step aborts
 * the rseq section.  Returns the number of steps, or 0 if the write did not end. */
uint32_t step_debug(struct step_stage *st, const struct step_scenario *scenario);
void step_fail(struct step_stage *st, const char *where, uint32_t at,
	       const char *what, long value);
/* Report that @what is wrong after the point. */
void step_fail_at(struct step_stage *st, const struct step_point *point, const char *what,
		  long value);
/* Print the last line.  Returns the exit status. */
int step_report(const struct step_stage *st);

#endif
