/* SPDX-License-Identifier: MIT */
/*
 * A writer is stopped after every single instruction of a write, and at each
 * of these points one of three things happens to it: it is killed; another
 * writer on the same CPU writes to the same ring; or it gets a signal whose
 * handler writes to the same ring.  Each time every record must be there, whole
 * and once.
 *
 * The writer is traced with ptrace(): once step by step, to learn its path, and
 * then with a breakpoint on each instruction of it.  What it passes more than
 * once (in a loop) is reached by stepping.  A step would abort its rseq section
 * at once, so the tracer takes the word that names the section away while it
 * steps, and puts it back where the writer is to be interrupted.
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
	uint32_t fill;			/* records before it */
	uint32_t bytes;			/* what its size depends on */
	bool has_extend;
	bool is_refused;
};

/* Numbers of records; those before are numbered from 0. */
#define STEP_STEPPED	1000u
#define STEP_INTRUDER	2000u
#define STEP_HANDLER	3000u
#define STEP_LATER	4000u

struct step_stage;

struct step_ops {
	/* An empty ring for the scenario; sets ->view. */
	void (*reset)(struct step_stage *st);
	uint32_t fill_bytes;		/* of the records before */
	/* What write() needs, made beforehand; some 4 KiB at @buffer. */
	void (*prepare)(struct step_stage *st, void *buffer, uint32_t number,
			uint32_t bytes);
	/* 0, or what ring_write() returns; if it cannot tell, 0. */
	int (*write)(struct step_stage *st, void *buffer, uint64_t now_ns);
	bool can_tell;
	/* Is the record whole?  Its number. */
	bool (*parse)(struct step_stage *st, const struct ring_record *record,
		      uint32_t *ret_number);
};

/* What writer and tracer share. */
struct step_shared {
	uint32_t phase;			/* 1: about to write, 2: has written */
	int32_t result, handler_result;
	uint32_t handled;
};

struct step_stage {
	const struct step_ops *ops;
	const struct step_scenario *scenario;
	struct step_shared *shared;
	struct ring_view view;
	bool has_section;		/* the writer uses rseq */
	uint32_t short_stride;		/* in the short form, of how many
					 * points one is tried */
	uint64_t now_ns;
	unsigned long path[STEPS_MAX];	/* addresses of its instructions */
	uint32_t nr_path;
	uint64_t nr_points;		/* where it was interrupted */
	uint32_t nr_failures;
	bool is_by_steps;		/* to each point */
};

/* This thread, and those that it makes, on one CPU.  -ENOSYS: no rseq. */
int step_init(struct step_stage *st, uint32_t *ret_cpu);
/* All points of all scenarios; only some if ULF_TORTURE is not "long".  Ends the
 * program (77) where ptrace() is not allowed. */
void step_sweep(struct step_stage *st, const struct step_scenario *scenarios,
		size_t nr);
/* Let it be stepped through, with nothing taken away: no section ever gets
 * through.  The number of steps; 0: it did not end. */
uint32_t step_debug(struct step_stage *st, const struct step_scenario *scenario);
void step_fail(struct step_stage *st, const char *where, uint32_t at,
	       const char *what, long value);
/* The last line.  Returns the exit status. */
int step_report(const struct step_stage *st);

#endif
