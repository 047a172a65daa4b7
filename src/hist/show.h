/* SPDX-License-Identifier: MIT */
/*
 * Print a histogram as the kernel's file `hist` does, including the kernel's order of entries
 * whose sort keys are equal.
 *
 * Any process of the root can write to the table (abi/hist.h) while it is read.  So the table
 * is copied once, each number of the copy is checked, and only the copy is sorted.
 *
 * These functions run in the server's thread.  They take no lock and do not sleep.
 */
#ifndef HIST_SHOW_H
#define HIST_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "hist/run.h"

struct hist_def;
struct hist_show;
struct text;

/* Callbacks of hist_show().  @ctx is the first argument of each callback. */
struct hist_show_env {
	void *ctx;
	/* Callback that appends the line of the trigger, as `trigger` shows it, without its
	 * newline. */
	void (*put_trigger)(void *ctx, struct text *out);
	/* Callback that appends the name of the function that contains @ip, with
	 * +0xOFFSET/0xSIZE if @has_offset is true.  Appends nothing if the function is
	 * unknown. */
	void (*put_symbol)(void *ctx, uint64_t ip, bool has_offset, struct text *out);
	/* Optional callback: returns true if hist_show_step() must return now.  Called about
	 * every 50 us. */
	bool (*is_spent)(void *ctx);
};

/*
 * hist_show - append a histogram, from "# event histogram" to the line "Dropped:"
 * @def: definition of the histogram
 * @view: table of the histogram, with the geometry of @def
 *
 * The caller writes two newlines between the histograms of one event.  Returns 0, -ENOMEM, or
 * the error of @out.
 */
int hist_show(const struct hist_def *def, const struct hist_view *view,
	      const struct hist_show_env *env, struct text *out);

/*
 * Functions for large tables, which are printed in steps: 131072 entries take some 200 ms.
 *
 * hist_show_start() makes a printer.  Its arguments must stay valid until hist_show_free().
 * hist_show_step() continues until env->is_spent() returns true.  hist_show_step() returns 1
 * when the whole text is appended to @out, 0 if it must be called again, or -errno.
 */
int hist_show_start(const struct hist_def *def, const struct hist_view *view,
		    const struct hist_show_env *env, struct hist_show **ret_show);
int hist_show_step(struct hist_show *show, struct text *out);
/* Free a printer that hist_show_start() has made, possibly before it is done.  NULL is
 * allowed. */
void hist_show_free(struct hist_show *show);

#endif
