/* SPDX-License-Identifier: MIT */
/*
 * Print histograms for other programs: as JSON, and in the text format of Prometheus.
 *
 * Strings of the traced program may not be valid UTF-8, but both formats must be.  Each
 * invalid byte becomes U+FFFD.
 */
#ifndef ULF_CLI_HIST_EXPORT_H
#define ULF_CLI_HIST_EXPORT_H

#include "cli/hist_text.h"

/* The origin of histograms. */
struct hist_origin {
	const char *root;		/* path of the root or the instance; NULL: a file */
	const char *event;		/* SYSTEM:EVENT; NULL: not known */
};

/* Append one JSON object with all histograms. */
void hist_put_json(const struct hist_text *hist, const struct hist_origin *origin,
		   struct text *out);

/*
 * Append all histograms as metrics of Prometheus.
 *
 * A histogram whose key has a bucket (.log2, .buckets) becomes a metric of the type histogram,
 * with a label for each other field of the key.  Any other becomes counters of its hits and its
 * values.  Returns 0 or -ENOMEM.
 */
int hist_put_prometheus(const struct hist_text *hist, const struct hist_origin *origin,
			struct text *out);

/* Append @span with invalid UTF-8 replaced.  @put_char: appends a valid character in another
 * form, and returns true; or returns false, and the character is appended as it is. */
void hist_put_utf8(struct span span, bool (*put_char)(char c, struct text *out),
		   struct text *out);
/* Append @number, with its sign if the field is signed. */
void hist_put_number(const struct hist_field *field, uint64_t number, struct text *out);
/* Cut the next function off the lines of a stack.  Returns false if there is none. */
bool hist_next_frame(struct span *stack, struct span *ret_frame);

#endif
