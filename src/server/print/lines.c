/* SPDX-License-Identifier: MIT */
/*
 * Print records as lines, one after the other.  The line of a record may depend on the
 * records before and after it. struct lines collects what a line needs of these
 * records.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "event/option.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/names/objects.h"
#include "server/print/graph.h"
#include "server/print/line.h"
#include "server/print/lines.h"
#include "server/print/tracer.h"
#include "server/rings/merge.h"
#include "server/rings/rings.h"

void lines_done(struct lines *lines)
{
	free(lines->states);
	lines->states = NULL;
	lines->tracer = NULL;
}

/*
 * Return true if "buffer started" must be printed before the current record.  This is so
 * for the first record of each CPU if records were lost, but not for the CPU with which
 * the output begins.
 */
static bool is_start(const struct lines *lines, uint64_t options)
{
	uint32_t cpu = lines->record.cpu;

	return (options & OPTION_ANNOTATE) && lines->is_overrun &&
	       !(lines->cpus[cpu / 64] >> cpu % 64 & 1) && lines->place.number > 1;
}

/* Allocate the state that @tracer keeps for each CPU while it prints, unless the state is
 * already allocated. */
static int need_states(struct lines *lines, const struct tracer *tracer, uint32_t nr_cpus)
{
	if (lines->tracer == tracer)
		return 0;
	lines_done(lines);
	if (tracer->state_bytes)
		lines->states = calloc(nr_cpus, tracer->state_bytes);
	if (tracer->state_bytes && !lines->states)
		return -ENOMEM;
	lines->tracer = tracer;
	return 0;
}

/* Fill lines->place with the data that tracer->print_line() needs: the state of the
 * record's CPU, and the next record of this CPU. */
static int fill_graph_place(struct lines *lines, const struct lines_stream *stream)
{
	const struct tracer *tracer = stream->tracer;
	uint32_t cpu = lines->record.cpu;
	int r = need_states(lines, tracer, stream->source.nr_cpus);

	if (r)
		return r;
	lines->place.tracer = tracer;
	if (lines->states)
		lines->place.state = (char *)lines->states + cpu * tracer->state_bytes;
	if (stream->second(stream->ctx, (int)cpu, &lines->second) > 0)
		lines->place.second = &lines->second;
	lines->place.is_left_out = tracer->hides &&
				   tracer->hides(&lines->record, stream->source.options);
	return 0;
}

/*
 * Fill lines->place for a record of the graph tracer while the buffer has another tracer.
 * A snapshot may contain such records.  As with the graph tracer, a leaf is printed as
 * one line.
 */
static void fill_leaf_place(struct lines *lines, const struct lines_stream *stream)
{
	uint32_t cpu = lines->record.cpu;
	bool is_end;

	if ((stream->source.options & (OPTION_RAW | OPTION_HEX | OPTION_BIN | OPTION_FIELDS)) ||
	    !graph_is_call(&lines->record, &is_end))
		return;
	if (is_end)
		lines->place.is_left_out = lines->leaves[cpu / 64] >> cpu % 64 & 1;
	else if (stream->second(stream->ctx, (int)cpu, &lines->second) > 0)
		lines->place.second = &lines->second;
}

int lines_put(struct lines *lines, const struct lines_stream *stream, struct text *out)
{
	const struct line_source *source = &stream->source;
	struct line_place *place = &lines->place;
	int r = 0;

	*place = (struct line_place){
		.number = place->number,
		.next_time = lines->record.time,
		.is_start = is_start(lines, source->options),
		.is_in_snapshot = lines->is_snapshot,
	};
	if (stream->tracer->print_line)
		r = fill_graph_place(lines, stream);
	else if (((source->options & OPTION_LATENCY_FMT) || source->is_dumped) &&
		 !lines->is_pipe && stream->second(stream->ctx, CPU_ALL, &lines->second) > 0)
		place->next_time = lines->second.time;
	if (!place->tracer)
		fill_leaf_place(lines, stream);
	if (r)
		return r;
	line_print(source, &lines->record, place, out);
	return 1;
}

static int merge_second(void *merge, int cpu, struct merge_record *ret_record)
{
	return merge_peek_second(merge, cpu, ret_record);
}

int lines_print(struct lines *lines, struct text *out)
{
	struct root *root = lines->instance->root;
	struct lines_stream stream = {
		.tracer = instance_tracer(lines->instance),
		.second = merge_second,
		.ctx = lines->merge,
	};
	size_t before = out->len;
	int r;

	if (merge_peek(lines->merge, &lines->record) <= 0)
		return 0;
	line_source_of(lines->instance, &stream.source);
	objects_clear_missing(root);
	r = lines_put(lines, &stream, out);
	if (r <= 0 || !objects_has_missing(root))
		return r;
	text_truncate(out, before);
	return -ERESTART;
}

void lines_pass(struct lines *lines)
{
	uint32_t cpu = lines->record.cpu;

	lines->cpus[cpu / 64] |= 1ull << cpu % 64;
	if (lines->place.tracer && lines->place.tracer->note)
		lines->place.tracer->note(&lines->record, &lines->place);
	lines->leaves[cpu / 64] &= ~(1ull << cpu % 64);
	if (!lines->place.tracer && graph_is_leaf(&lines->record, &lines->place))
		lines->leaves[cpu / 64] |= 1ull << cpu % 64;
	lines->place.number++;
}

void lines_advance(struct lines *lines)
{
	lines_pass(lines);
	merge_advance(lines->merge);
}
