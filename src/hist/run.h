/* SPDX-License-Identifier: MIT */
/*
 * Run histogram programs (abi/hist.h).  These functions are part of libulf and of the server,
 * which runs programs for trace_marker.  They allocate nothing and do not change errno.  They
 * may be called in any context: a thread that takes a lock of a table has its signals
 * blocked, and waits for a bounded time.
 *
 * Tables are in memory that other processes can write to.  All functions compute addresses
 * from a private struct hist_view and from indices that they have checked.  Whatever a
 * table contains, they read and write nothing outside of it.
 */
#ifndef HIST_RUN_H
#define HIST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/hist.h"
#include "arch/arch.h"

/* ---- tables ---- */

/* A table as this process uses it.  The view is private memory, and was checked when it was
 * made. */
struct hist_view {
	char *base;			/* address of the table */
	struct arch_figures figures;	/* the figures of the table, in the form that rseq
					 * sections use */
	struct hist_geometry geometry;
	struct hist_layout layout;
};

/* Returns true if the numbers of @geo are within their limits, and @bytes is the size of a
 * table with this geometry. */
bool hist_geometry_is_valid(const struct hist_geometry *geo, uint64_t bytes);
/* Set up a view of the table at @base, which must be a multiple of HIST_TABLE_ALIGN.
 * @geo: geometry of the table: a private copy that hist_geometry_is_valid() has accepted. */
void hist_view_init(struct hist_view *view, void *base, const struct hist_geometry *geo);

/* ---- programs ---- */

/*
 * Check that a program is safe to run: every count, register, offset, kind and geometry.  Two
 * checks are left to the caller: that the tables lie in the arena, and which fields of a
 * record are addresses (HIST_OP_STR_PTR, HIST_OP_PEEK).
 * @program: 8-aligned and private.
 * @record_bytes: size of the fixed part of the event's records.
 * @nr_slots: number of rule words in use.
 * Returns 0 or -EINVAL.
 */
int hist_verify(const void *program, size_t bytes, uint32_t record_bytes, uint32_t nr_slots);

/* A program that is ready to run.  All pointers are to private memory. */
struct hist_unit {
	const struct hist_program *program;
	const struct hist_insn *insns;		/* the arrays of @program */
	const struct hist_key *keys;
	const uint8_t *vals;
	const struct hist_ref *refs;
	const struct hist_var *vars;
	const struct hist_action *actions;
	const struct hist_param *params;
	const struct hist_view *views;		/* array with a view of each table of @program */
	uint32_t nr_regs;			/* number of registers that @program uses */
	/* for HIST_DO_TRACE: maximum size of the record of each action, bytes */
	uint32_t record_max[HIST_ACTIONS_MAX];
};

/* Prepare a verified program.  @views: a view of each table of @program, in the order of the
 * tables.  @program and @views must exist as long as @unit is used. */
void hist_unit_init(struct hist_unit *unit, const struct hist_program *program,
		    const struct hist_view *views);

/* Callbacks and values that a program needs at a hit.  @ctx is the first argument of each
 * callback.  The callbacks run in the context of hist_run(). */
struct hist_context {
	void *ctx;
	uint32_t cpu;			/* number of the current CPU, for HIST_OP_CPU */
	bool has_rseq;			/* true: this process may use rseq, after
					 * arch_rseq_init().  false: all figures are added to
					 * the table's last part, under its lock */
	/* Callback that returns the time, by the buffer's clock.  Called at most once in a
	 * run. */
	uint64_t (*now)(void *ctx);
	/* Callback that stores the name of the thread, padded with NULs.  NULL: the name is
	 * "". */
	void (*get_comm)(void *ctx, char ret_comm[HIST_COMM_LEN]);
	/* Callback that stores at most @max return addresses, and returns their number.
	 * NULL: there is no stack. */
	uint32_t (*stack)(void *ctx, uint64_t *ret_ips, uint32_t max);
	/* Callback that copies @bytes bytes from @address of the process.  Returns how many
	 * bytes could be copied, possibly 0.  NULL: nothing can be read. */
	size_t (*peek)(void *ctx, uint64_t address, void *to, size_t bytes);
	/*
	 * Callback that records the dynamic event whose row has the number @row.  There are
	 * ULF_RECORD_HEADROOM bytes before @entry; its first 8 bytes, struct trace_entry, are
	 * not filled in.  @bytes is a multiple of 4.  @entry NULL: the record is too big, so
	 * count it as lost.  If this callback is NULL, no event is recorded.
	 */
	void (*emit)(void *ctx, uint32_t row, void *entry, size_t bytes);
};

/*
 * Run a program for a record of @bytes bytes.  A record that is shorter than the program
 * expects is not counted.  Returns true if a snapshot must be taken after the record is
 * written.
 */
bool hist_run(const struct hist_unit *unit, const void *entry, size_t bytes,
	      const struct hist_context *context);

/* ---- update a table ---- */

/*
 * Find the entry of a key.
 * @key: the key, of @nr words.  @hash: hist_hash() of the key, with the seed of the table.
 * Returns the index of the entry, or -1.
 */
int64_t hist_find(const struct hist_view *view, const uint64_t *key, uint32_t nr, uint64_t hash);
/*
 * Find the entry of a key, or insert the key.
 * @comm: name of this thread, for a table with HIST_GEO_COMM; else unused.
 * Returns the index of the entry, or -1 if the table is full.
 */
int64_t hist_insert(const struct hist_view *view, const uint64_t *key, uint32_t nr,
		    uint64_t hash, const char comm[HIST_COMM_LEN]);
/*
 * Commit a hit of entry @index: hits + 1, sums + values.
 * @values: geometry.nr_vals numbers.
 * @has_rseq: see struct hist_context.
 * Returns false if the lock of the last part is needed, and has not become free for a long
 * time.
 */
bool hist_commit(const struct hist_view *view, uint32_t index, const uint64_t *values,
		 bool has_rseq);
/* Commit a hit as hist_commit() does if @has_rseq is false. */
bool hist_commit_locked(const struct hist_view *view, uint32_t index, const uint64_t *values);
/* Count a hit as dropped.  @cpu: number of the current CPU; any number is allowed. */
void hist_drop(const struct hist_view *view, uint32_t cpu);

/* ---- functions by which the server reads a table ---- */

/* Add up the hits and sums of an entry over all parts of the table: one for each CPU, and the
 * last one. @ret_sums has geometry.nr_vals elements.  Each part is read consistently.  Returns
 * the hits. */
uint64_t hist_read_figures(const struct hist_view *view, uint32_t index, uint64_t *ret_sums);
/* Returns the number of hits that were dropped. */
uint64_t hist_read_dropped(const struct hist_view *view);
/* Returns the index of the entry to which slot @slot of the table refers, or -1 if the slot
 * is free or invalid. */
int64_t hist_read_slot(const struct hist_view *view, uint32_t slot);

#endif
