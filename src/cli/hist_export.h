/* SPDX-License-Identifier: MIT */
/*
 * Print histograms for other programs: as JSON, and in the text format of Prometheus.
 *
 * Both formats must be valid UTF-8, but strings of the traced program are possibly not.
 * Each invalid byte becomes U+FFFD.
 */
#ifndef ULF_CLI_HIST_EXPORT_H
#define ULF_CLI_HIST_EXPORT_H

#include "cli/hist_text.h"

/* Where the histograms of an export come from. */
struct hist_origin {
	const char *root;		/* path of the root or the instance with the
					 * histograms; NULL: they were read from a file */
	const char *event;		/* event of the histograms as SYSTEM:EVENT; NULL: not
					 * known */
};

/* Append a JSON object that contains all histograms. */
void hist_put_json(const struct hist_text *hist, const struct hist_origin *origin,
		   struct text *out);

/*
 * Append all histograms as metrics of Prometheus.
 *
 * A histogram whose key has a bucket (.log2, .buckets) becomes a metric of the type
 * histogram, with a label for each other field of the key.  Every other histogram becomes
 * counters of its hits and its values.  Returns 0 or -ENOMEM.
 */
int hist_put_prometheus(const struct hist_text *hist, const struct hist_origin *origin,
			struct text *out);

/* Append the text of @span, in which each invalid byte of UTF-8 is replaced.  @put_char:
 * callback that appends a valid character in another form and returns true; or returns false,
 * so that the character is appended unchanged. */
void hist_put_utf8(struct span span, bool (*put_char)(char c, struct text *out),
		   struct text *out);
/* Append @number, with its sign if @field is signed. */
void hist_put_number(const struct hist_field *field, uint64_t number, struct text *out);
/* Cut the next function off @stack, the lines of a stack.  Returns false if no function is
 * left. */
bool hist_next_frame(struct span *stack, struct span *ret_frame);

#endif
