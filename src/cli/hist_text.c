/* SPDX-License-Identifier: MIT */
/*
 * Parse the text of a file `hist`; see hist_text.h.
 *
 *	# event histogram
 *	#
 *	# trigger info: hist:keys=op,size.log2:vals=hitcount,ns:sort=hitcount:size=2048 [active]
 *	#
 *
 *	{ op:          1, size: ~ 2^5  } hitcount:          2  ns:       1730
 *
 *	Totals:
 *	    Hits: 2
 *	    Entries: 1
 *	    Dropped: 0
 */
#include "cli/hist_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRING_WIDTH	50u		/* minimum length of a string in a key, which is
					 * padded with blanks */
#define SAVED_WIDTH	32u		/* minimum length of a string of save(), which is
					 * padded with blanks */

struct parser {
	struct span rest;
	const struct hist_block *block;
	bool has_stack;			/* the key has a stack */
};

/* Skip @text.  Returns false if the rest of the input does not begin with @text. */
static bool skip_text(struct parser *parser, const char *text)
{
	if (!span_starts(parser->rest, text))
		return false;
	parser->rest = span_after(parser->rest, strlen(text));
	return true;
}

static bool skip_span(struct parser *parser, struct span text)
{
	if (parser->rest.len < text.len || memcmp(parser->rest.at, text.at, text.len))
		return false;
	parser->rest = span_after(parser->rest, text.len);
	return true;
}

static struct span skip_blanks(struct span span)
{
	while (span.len && *span.at == ' ')
		span = span_after(span, 1);
	return span;
}

/* Parse the number in a column, and skip the blanks before it. */
static bool take_number(struct parser *parser, unsigned int base, uint64_t *ret_number)
{
	struct span span = skip_blanks(parser->rest);
	size_t len = 0;

	while (len < span.len && !strchr(" \n.},", span.at[len]))
		len++;
	parser->rest = span_after(span, len);
	span.len = len;
	return span_number(span, base, ret_number);
}

/* ---- keys ---- */

/* Skip the label of a field of the key, and the text between label and value.  For common_cpu
 * the label is the name that the user wrote, but the trigger shows common_cpu. */
static bool skip_label(struct parser *parser, const struct hist_field *field)
{
	if (span_is(field->label, "common_cpu") && !span_starts(parser->rest, "common_cpu") &&
	    !skip_text(parser, "cpu") && !skip_text(parser, "CPU"))
		return false;
	skip_span(parser, field->label);
	if (field->form == FIELD_STACK)
		return skip_text(parser, ":\n") || skip_text(parser, ".stacktrace");
	return skip_text(parser, ": ");
}

/* Return true if the text at @parser can follow directly after a field of the key.  @next:
 * the next field of the key; NULL if there is none. */
static bool is_end(struct parser parser, const struct hist_field *next)
{
	if (next)
		return skip_text(&parser, ", ") && skip_label(&parser, next);
	return (parser.has_stack || skip_text(&parser, " ")) && skip_text(&parser, "}") &&
	       (span_starts(parser.rest, " hitcount: ") || span_starts(parser.rest, "  ") ||
		span_starts(parser.rest, "\n"));
}

/* Get the text of a field, up to the start of the next field.  @min: minimum length of the
 * text. */
static bool take_text(struct parser *parser, const struct hist_field *next, size_t min,
		      struct span *ret_text)
{
	struct parser at = *parser;

	if (at.rest.len < min)
		return false;
	for (at.rest = span_after(at.rest, min); at.rest.len; at.rest = span_after(at.rest, 1)) {
		if (is_end(at, next)) {
			*ret_text = (struct span){ parser->rest.at,
						   (size_t)(at.rest.at - parser->rest.at) };
			parser->rest = at.rest;
			return true;
		}
	}
	return false;
}

/* Parse "~ 2^N", which is a bucket of the kernel's .log2: the numbers from 2^(N-1) + 1 to
 * 2^N. */
static bool parse_log2(struct span text, struct hist_value *value)
{
	uint64_t log;

	if (!span_number(span_trim(text), 10, &log) || log > 64)
		return false;
	value->high = log == 64 ? UINT64_MAX : 1ull << log;
	value->low = log ? (1ull << (log - 1)) + 1 : 0;
	return true;
}

/* Parse "~ LOW-HIGH". */
static bool parse_range(struct span text, struct hist_value *value)
{
	struct span low;

	value->kind = VALUE_RANGE;
	if (!span_starts(text, "~ "))
		return false;
	text = span_after(text, 2);
	if (span_starts(text, "2^"))
		return parse_log2(span_after(text, 2), value);
	low = span_cut(&text, '-');
	return span_number(low, 10, &value->low) && span_number(text, 10, &value->high);
}

/* Parse "[ADDRESS] NAME". */
static bool parse_sym(struct span text, struct hist_value *value)
{
	struct span address;

	if (!span_starts(text, "["))
		return false;
	text = span_after(text, 1);
	address = span_cut(&text, ']');
	value->text = span_trim(text.len ? span_after(text, 1) : text);
	return span_number(address, 16, &value->low);
}

/* Parse "NAME [NUMBER]". */
static bool parse_numbered_name(struct span text, struct hist_value *value)
{
	const char *bracket = memrchr(text.at, '[', text.len);
	struct span number;

	if (!bracket || text.at[text.len - 1] != ']')
		return false;
	number = (struct span){ bracket + 1, (size_t)(text.at + text.len - bracket) - 2 };
	number = skip_blanks(number);
	value->text = span_trim((struct span){ text.at, (size_t)(bracket - text.at) });
	return span_number(number, 10, &value->low);
}

/* Parse the value of a field without a modifier.  A number is right-aligned in a column of 10
 * characters, a string is left-aligned in a column of 50 characters. */
static bool parse_plain(struct span text, struct hist_value *value)
{
	struct span number = skip_blanks(text);

	if (text.len >= 10 && text.len < STRING_WIDTH && span_number(number, 10, &value->low))
		return true;
	value->kind = VALUE_TEXT;
	value->text = span_trim(text);
	return true;
}

/* Return the minimum length of a field's text if the text may contain any bytes. */
static size_t min_length(struct parser parser, const struct hist_field *field,
			 const struct hist_field *next)
{
	uint64_t number;

	if (field->form == FIELD_EXECNAME)
		return 16;
	if (field->form != FIELD_PLAIN)
		return 0;
	return take_number(&parser, 10, &number) && is_end(parser, next) ? 0 : STRING_WIDTH;
}

static bool parse_key_field(struct parser *parser, const struct hist_field *field,
			    const struct hist_field *next, struct hist_value *value)
{
	size_t min = min_length(*parser, field, next);
	struct span text;

	*value = (struct hist_value){ .kind = VALUE_NUMBER };
	if (!take_text(parser, next, min, &text))
		return false;
	switch (field->form) {
	case FIELD_HEX:
		return span_number(text, 16, &value->low);
	case FIELD_SYM:
		return parse_sym(text, value);
	case FIELD_SYSCALL:
	case FIELD_EXECNAME:
		return parse_numbered_name(text, value);
	case FIELD_LOG2:
	case FIELD_BUCKETS:
		return parse_range(text, value);
	case FIELD_STACK:
		value->kind = VALUE_TEXT;
		value->text = text;
		return true;
	default:
		return parse_plain(text, value);
	}
}

static bool parse_keys(struct parser *parser, struct hist_entry *entry)
{
	const struct hist_block *block = parser->block;

	for (uint32_t i = 0; i < block->nr_keys; i++) {
		const struct hist_field *next = i + 1 < block->nr_keys ? &block->keys[i + 1] : NULL;

		if (i && !skip_text(parser, ", "))
			return false;
		if (!skip_label(parser, &block->keys[i]) ||
		    !parse_key_field(parser, &block->keys[i], next, &entry->keys[i]))
			return false;
	}
	return skip_text(parser, " }") || skip_text(parser, "}");
}

/* ---- values ---- */

/* Parse a percentage, "12.34". */
static bool take_percent(struct parser *parser, uint64_t *ret_value)
{
	uint64_t whole, part;

	*ret_value = 0;
	if (skip_text(parser, "[ERROR]"))
		return true;
	if (!take_number(parser, 10, &whole) || !skip_text(parser, ".") ||
	    !take_number(parser, 10, &part))
		return false;
	*ret_value = whole * 100 + part;
	return true;
}

/* Parse a bar, which has 20 characters: # or blanks. */
static bool take_bar(struct parser *parser, uint64_t *ret_value)
{
	if (parser->rest.len < 20)
		return false;
	for (*ret_value = 0; *ret_value < 20 && parser->rest.at[*ret_value] == '#';)
		++*ret_value;
	parser->rest = span_after(parser->rest, 20);
	return true;
}

static bool parse_value(struct parser *parser, const struct hist_field *field, uint64_t *ret_value)
{
	if (!skip_text(parser, "  ") || !skip_span(parser, field->label))
		return false;
	if (field->form == FIELD_PERCENT)
		return skip_text(parser, " (%):") && take_percent(parser, ret_value);
	if (!skip_text(parser, ": "))
		return false;
	if (field->form == FIELD_GRAPH)
		return take_bar(parser, ret_value);
	return take_number(parser, field->form == FIELD_HEX ? 16 : 10, ret_value);
}

static bool parse_values(struct parser *parser, struct hist_entry *entry)
{
	const struct hist_block *block = parser->block;

	if (!block->is_nohitcount &&
	    !(skip_text(parser, " hitcount: ") && take_number(parser, 10, &entry->hits)))
		return false;
	for (uint32_t i = 0; i < block->nr_vals; i++) {
		if (!parse_value(parser, &block->vals[i], &entry->vals[i]))
			return false;
	}
	return skip_text(parser, "\n");
}

/* ---- the lines of onmax() and onchange() ---- */

/* Return true if the text at @parser can follow directly after a saved value.  @next: the
 * next saved field; NULL if there is none.  A newline before blanks does not end the value,
 * because the lines of a stack begin with blanks. */
static bool is_saved_end(struct parser parser, const struct hist_field *next)
{
	if (next)
		return skip_text(&parser, "  ") && skip_span(&parser, next->label) &&
		       skip_text(&parser, ": ");
	return skip_text(&parser, "\n") && !span_starts(parser.rest, "         ");
}

static bool parse_saved(struct parser *parser, const struct hist_field *field,
			const struct hist_field *next, struct hist_value *value)
{
	struct span text, number;

	if (!skip_text(parser, "  ") || !skip_span(parser, field->label) ||
	    !skip_text(parser, ": "))
		return false;
	text = parser->rest;
	while (parser->rest.len && !is_saved_end(*parser, next))
		parser->rest = span_after(parser->rest, 1);
	text.len = (size_t)(parser->rest.at - text.at);
	number = skip_blanks(text);
	*value = (struct hist_value){ .kind = VALUE_TEXT, .text = span_trim(text) };
	if (text.len < SAVED_WIDTH && span_number(number, 10, &value->low))
		value->kind = VALUE_NUMBER;
	return true;
}

static bool parse_track(struct parser *parser, struct hist_track *track)
{
	const struct hist_block *block = parser->block;

	track->is_max = skip_text(parser, "\tmax: ");
	if ((!track->is_max && !skip_text(parser, "\tchanged: ")) ||
	    !take_number(parser, 10, &track->value))
		return false;
	for (uint32_t i = 0; i < block->nr_saved; i++) {
		const struct hist_field *next = i + 1 < block->nr_saved ? &block->saved[i + 1] :
									  NULL;

		if (!parse_saved(parser, &block->saved[i], next, &track->saved[i]))
			return false;
	}
	return skip_text(parser, "\n");
}

/* Parse the lines of onmax() and onchange() after an entry; they begin with a tab. */
static int parse_tracks(struct parser *parser, struct hist_entry *entry)
{
	while (span_starts(parser->rest, "\t")) {
		struct hist_track *tracks = realloc(entry->tracks, (entry->nr_tracks + 1) *
						    sizeof(*tracks));

		if (!tracks)
			return -ENOMEM;
		entry->tracks = tracks;
		if (!parse_track(parser, &tracks[entry->nr_tracks++]))
			return -EBADMSG;
	}
	return 0;
}

/* ---- the file ---- */

/* Parse an entry. */
static int parse_entry(struct parser *parser, struct hist_block *block)
{
	struct hist_entry *entry;

	/* If the number of entries is a power of 2, the array is full.  Then double its size. */
	if (!(block->nr_entries & (block->nr_entries - 1))) {
		size_t nr = block->nr_entries ? 2 * (size_t)block->nr_entries : 1;
		struct hist_entry *entries = realloc(block->entries, nr * sizeof(*entries));

		if (!entries)
			return -ENOMEM;
		block->entries = entries;
	}
	entry = &block->entries[block->nr_entries++];
	*entry = (struct hist_entry){ .hits = 0 };
	if (!parse_keys(parser, entry) || !parse_values(parser, entry))
		return -EBADMSG;
	return parse_tracks(parser, entry);
}

/* Skip the lines that the action snapshot() has printed, up to the totals. */
static void skip_snapshot(struct parser *parser)
{
	const char *totals = memmem(parser->rest.at, parser->rest.len, "\nTotals:\n", 9);

	if (span_starts(parser->rest, "\nSnapshot taken") && totals)
		parser->rest = span_after(parser->rest, (size_t)(totals - parser->rest.at));
}

static bool parse_totals(struct parser *parser, struct hist_block *block)
{
	uint64_t entries;

	skip_snapshot(parser);
	return skip_text(parser, "\nTotals:\n    Hits: ") &&
	       take_number(parser, 10, &block->hits) &&
	       skip_text(parser, "\n    Entries: ") && take_number(parser, 10, &entries) &&
	       skip_text(parser, "\n    Dropped: ") && take_number(parser, 10, &block->dropped) &&
	       skip_text(parser, "\n") && entries == block->nr_entries;
}

static int parse_block(struct parser *parser, struct hist_block *block)
{
	int ret;

	parser->block = block;
	block->text = parser->rest;
	if (!skip_text(parser, "# event histogram\n#\n# trigger info: ") ||
	    !hist_trigger_parse(span_cut(&parser->rest, '\n'), block) ||
	    !skip_text(parser, "#\n\n"))
		return -EBADMSG;
	parser->has_stack = false;
	for (uint32_t i = 0; i < block->nr_keys; i++)
		parser->has_stack |= block->keys[i].form == FIELD_STACK;
	while (skip_text(parser, "{ ")) {
		ret = parse_entry(parser, block);
		if (ret < 0)
			return ret;
	}
	if (!parse_totals(parser, block))
		return -EBADMSG;
	block->text.len -= parser->rest.len;
	return 0;
}

/* Parse the next histogram.  There are two newlines between histograms. */
static int add_block(struct parser *parser, struct hist_text *hist)
{
	struct hist_block *blocks = realloc(hist->blocks, (hist->nr + 1) * sizeof(*blocks));

	if (!blocks)
		return -ENOMEM;
	hist->blocks = blocks;
	blocks[hist->nr] = (struct hist_block){ .hits = 0 };
	if (hist->nr && !skip_text(parser, "\n\n"))
		return -EBADMSG;
	return parse_block(parser, &blocks[hist->nr++]);
}

int hist_text_parse(const char *text, struct hist_text *ret_hist, unsigned int *ret_line)
{
	struct parser parser = { .rest = { text, strlen(text) } };
	struct hist_text hist = { NULL, 0 };
	int ret = 0;

	/* The kernel prints this text for an event without histograms. */
	skip_text(&parser, "[empty]\n");
	while (parser.rest.len && !ret)
		ret = add_block(&parser, &hist);
	*ret_hist = hist;
	if (!ret)
		return 0;
	*ret_line = 1;
	for (const char *at = text; at < parser.rest.at; at++)
		*ret_line += *at == '\n';
	hist_text_done(&hist);
	return ret;
}

void hist_block_done(struct hist_block *block)
{
	for (uint32_t i = 0; i < block->nr_entries; i++)
		free(block->entries[i].tracks);
	free(block->entries);
	block->entries = NULL;
	block->nr_entries = 0;
}

void hist_text_done(struct hist_text *hist)
{
	for (uint32_t i = 0; i < hist->nr; i++)
		hist_block_done(&hist->blocks[i]);
	free(hist->blocks);
	*hist = (struct hist_text){ NULL, 0 };
}

/* ---- signs ---- */

/* Return true if @format has a signed field with the name @label, which is a line such as
 * "field:int pid; offset:8;       size:4; signed:1;". */
static bool is_signed_field(const char *format, struct span label)
{
	for (const char *line = format; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");
		const char *end = memchr(line, ';', len), *name = end;

		if (!end || (size_t)(end - line) <= label.len)
			continue;
		name -= label.len;
		if (!memcmp(name, label.at, label.len) && name[-1] == ' ')
			return memmem(line, len, "\tsigned:1;", 10);
	}
	return false;
}

void hist_text_set_format(struct hist_text *hist, const char *format)
{
	for (uint32_t i = 0; i < hist->nr; i++) {
		struct hist_block *block = &hist->blocks[i];

		for (uint32_t k = 0; k < block->nr_keys; k++)
			block->keys[k].is_signed = is_signed_field(format, block->keys[k].label);
		for (uint32_t k = 0; k < block->nr_vals; k++)
			block->vals[k].is_signed = is_signed_field(format, block->vals[k].label);
		for (uint32_t k = 0; k < block->nr_saved; k++)
			block->saved[k].is_signed = is_signed_field(format,
								    block->saved[k].label);
	}
}
