/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"
#include "server/names/symbols.h"
#include "server/print/line_impl.h"
#include "server/print/lines.h"
#include "server/print/tracer.h"

#define ERROR_BYTES	8192u

/* A file whose records are printed, with the state of the server's printer for this file. */
struct source {
	struct report *report;
	struct datfile *file;
	struct lines lines;		/* state of the printer from line to line, for the
					 * CPUs of this file */
	struct lines_stream stream;
	const char *tracer_name;
};

struct report {
	struct report_settings settings;
	struct datfile_stream *stream;
	struct datfile_record record;	/* the current record */
	struct source *sources;		/* array of nr files */
	uint32_t nr;
};

/* ---- names ---- */

static const char *file_comm(void *ctx, int32_t pid)
{
	const struct source *source = ctx;

	return datfile_comm(source->file, pid);
}

static uint32_t file_tgid(void *ctx, int32_t pid)
{
	const struct source *source = ctx;

	return (uint32_t)datfile_tgid(source->file, pid);
}

static int file_symbol(const struct line *line, uint64_t addr, enum print_symbol style,
		       struct text *out)
{
	const struct source *source = line->source->ctx;

	return datfile_print_symbol(source->file, addr, style, out);
}

/* Callback of the printer: append the name of the object that contains @addr.  A trace.dat
 * has no paths of objects, only names of modules. */
static int file_file(const struct line *line, uint64_t addr, struct text *out)
{
	const struct source *source = line->source->ctx;
	const struct datfile_symbol *symbol = datfile_symbol(source->file, addr);

	if (!symbol || !symbol->module)
		return -ENOENT;
	text_puts(out, symbol->module);
	return -ENOENT;		/* also print the address */
}

static const char *file_printk(void *ctx, uint64_t addr)
{
	const struct source *source = ctx;

	return datfile_printk(source->file, addr);
}

static const struct elf_params *file_params(const struct line *line, uint64_t addr)
{
	(void)line;
	(void)addr;
	return NULL;
}

static struct datfile_event *event_of(const struct line *line)
{
	const struct source *source = line->source->ctx;

	return datfile_event(source->file, line->entry.type);
}

static bool file_has_event(const struct line *line)
{
	return event_of(line);
}

static bool file_event(const struct line *line, struct text *out)
{
	const struct source *source = line->source->ctx;
	struct datfile_event *event = event_of(line);
	const struct print_env env = {
		.ctx = source->file, .symbol = datfile_print_symbol,
		.string = datfile_print_string,
	};

	if (!event)
		return false;
	line_print_event(line, event->format, datfile_event_program(event), &env, out);
	return true;
}

static const struct line_names file_names = {
	.comm = file_comm, .tgid = file_tgid, .symbol = file_symbol, .file = file_file,
	.printk = file_printk, .params = file_params, .has_event = file_has_event,
	.event = file_event,
};

/* ---- options and tracer of the recorded instance ---- */

/* Return the options of the recorded instance that the printed lines follow.  Pointers are
 * not hashed, because the file contains their values anyway.  latency-format is left out,
 * because its lines depend on the last record of all CPUs. */
static uint64_t file_options(const struct datfile *file)
{
	const uint64_t never = OPTION_HASH_PTR | OPTION_LATENCY_FMT;
	const char *fact = datfile_fact(file, "options");
	uint64_t options = 0;

	if (!fact)
		return OPTION_DEFAULTS & ~never;
	while (*fact) {
		size_t len = strcspn(fact, ",");

		for (size_t i = 0; i < option_table_rows; i++)
			if (strlen(option_table[i].name) == len &&
			    !memcmp(option_table[i].name, fact, len))
				options |= option_table[i].bit;
		fact += len + (fact[len] == ',');
	}
	return options & ~never;
}

static const struct tracer *tracer_methods(uint32_t number)
{
	static const struct tracer *const methods[NR_TRACERS] = {
#define ROW(id, number, name, methods, help)	[number] = &methods,
		TRACERS(ROW)
#undef ROW
	};

	return methods[number];
}

static uint32_t file_tracer(const struct report *report, const struct datfile *file)
{
	const char *fact = report->settings.is_graph ? tracer_table[TRACER_GRAPH].name :
						       datfile_fact(file, "tracer");

	int number = fact ? tracer_find(fact) : -EINVAL;

	return number < 0 ? TRACER_NOP : (uint32_t)number;
}

static void to_merge_record(const struct datfile_record *record, struct merge_record *ret_record)
{
	*ret_record = (struct merge_record){
		.time = record->time, .data = record->data, .bytes = record->bytes,
		.cpu = record->cpu, .lost = record->lost,
	};
}

static int file_second(void *ctx, int cpu, struct merge_record *ret_record)
{
	const struct report *report = ctx;
	struct datfile_record second;

	if (cpu == CPU_ALL || !datfile_stream_second(report->stream, &second))
		return 0;
	to_merge_record(&second, ret_record);
	return 1;
}

/* Return true if the clock counts ns.  A clock that ulf does not know, from a trace of
 * another machine, is assumed to count ns. */
static bool is_in_ns(const char *clock)
{
	int number = clock_find(clock);

	return number < 0 || clock_is_in_ns(clock_get((uint32_t)number));
}

static void init_source(struct report *report, struct source *source, struct datfile *file)
{
	uint32_t tracer = file_tracer(report, file);
	const char *clock = datfile_nr_buffers(file) ? datfile_buffer(file, 0)->clock : "local";

	*source = (struct source){
		.report = report, .file = file, .tracer_name = tracer_table[tracer].name,
		.stream = {
			.tracer = tracer_methods(tracer),
			.second = file_second,
			.ctx = report,
			.source = {
				.names = &file_names,
				.options = file_options(file),
				.nr_cpus = ABI_CPUS,
				.is_in_ns = is_in_ns(clock),
			},
		},
	};
	if (datfile_nr_cpus(file) < ABI_CPUS)
		source->stream.source.nr_cpus = datfile_nr_cpus(file);
	source->stream.source.ctx = source;
}

/* ---- print ---- */

static int select_events(const struct dat_selection *selection, struct datfile *file)
{
	struct text why;
	int r;

	text_init(&why, ERROR_BYTES);
	r = dat_select_events(selection, file, &why);
	if (why.len)
		cli_error("%s", text_str(&why));
	text_done(&why);
	return r;
}

int report_new(struct datfile *const *files, uint32_t nr, const struct report_settings *settings,
	       struct report **ret_report)
{
	struct report *report = calloc(1, sizeof(*report));
	int r;

	if (!report)
		return -ENOMEM;
	report->settings = *settings;
	report->sources = calloc(nr, sizeof(*report->sources));
	report->nr = nr;
	r = report->sources ? 0 : -ENOMEM;
	for (uint32_t i = 0; !r && i < nr; i++) {
		init_source(report, &report->sources[i], files[i]);
		r = select_events(&report->settings.selection, files[i]);
	}
	if (!r)
		r = datfile_stream_open(files, nr, &report->stream);
	if (r) {
		report_free(report);
		return r;
	}
	*ret_report = report;
	return 0;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	for (uint32_t i = 0; report->sources && i < report->nr; i++)
		lines_done(&report->sources[i].lines);
	datfile_stream_close(report->stream);
	free(report->sources);
	free(report);
}

static uint64_t number_fact(const struct datfile *file, const char *key)
{
	const char *fact = datfile_fact(file, key);

	return fact ? strtoull(fact, NULL, 10) : 0;
}

void report_header(struct report *report, struct text *out)
{
	const struct source *first = &report->sources[0];
	struct line_heads heads = {
		.tracer = first->stream.tracer, .tracer_name = first->tracer_name,
		.options = first->stream.source.options,
		.cpus = (long)first->stream.source.nr_cpus,
	};

	for (uint32_t i = 0; i < report->nr; i++) {
		heads.entries += number_fact(report->sources[i].file, "saved");
		heads.written += number_fact(report->sources[i].file, "written");
	}
	line_print_heads(&heads, out);
}

/* Return true if the record must be printed: the settings select it, and its CPU number is
 * valid. */
static bool is_wanted(const struct report *report, const struct datfile_record *record)
{
	return record->cpu < report->sources[record->number].stream.source.nr_cpus &&
	       dat_select_has(&report->settings.selection, record);
}

/* Print the number of records that were lost before a record, if this record itself is not
 * printed. */
static void print_lost(const struct merge_record *record, struct text *out)
{
	if (record->lost == UINT64_MAX)
		text_printf(out, "CPU:%u [LOST EVENTS]\n", record->cpu);
	else if (record->lost)
		line_print_lost(record->cpu, record->lost, out);
}

int report_next(struct report *report, struct text *out)
{
	struct source *source;
	int r;

	do {
		r = datfile_stream_next(report->stream, &report->record);
		if (r <= 0)
			return r;
	} while (!is_wanted(report, &report->record));
	source = &report->sources[report->record.number];
	to_merge_record(&report->record, &source->lines.record);
	print_lost(&source->lines.record, out);
	source->lines.record.lost = 0;
	out->is_for_terminal = report->settings.is_terminal;
	r = lines_put(&source->lines, &source->stream, out);
	if (r < 0)
		return r;
	lines_pass(&source->lines);
	return out->error ? out->error : 1;
}

/* ---- count ---- */

static int compare_counts(const void *a, const void *b)
{
	const struct report_count *x = a, *y = b;
	int r;

	if (!x->event || !y->event)
		return !x->event - !y->event;
	r = strcmp(x->event->system, y->event->system);
	return r ? r : strcmp(x->event->name, y->event->name);
}

static int count_records(struct datfile_stream *stream, struct report_stats *stats,
			 struct report_count counts[UINT16_MAX + 1])
{
	struct datfile_record record;
	int r;

	while ((r = datfile_stream_next(stream, &record)) > 0) {
		struct report_count *count = &counts[record.event ? record.id : UINT16_MAX];

		count->event = record.event;
		count->records++;
		count->bytes += record.bytes;
		if (!stats->records++)
			stats->first = record.time;
		stats->last = record.time;
		stats->bytes += record.bytes;
		if (record.lost != UINT64_MAX)
			stats->lost += record.lost;
	}
	return r;
}

int report_stats(struct datfile *file, struct report_stats *ret_stats)
{
	struct report_count *counts = calloc(UINT16_MAX + 1, sizeof(*counts));
	struct datfile_stream *stream;
	int r = counts ? datfile_stream_open(&file, 1, &stream) : -ENOMEM;

	*ret_stats = (struct report_stats){ 0 };
	if (!r) {
		r = count_records(stream, ret_stats, counts);
		datfile_stream_close(stream);
	}
	if (r < 0) {
		free(counts);
		return r;
	}
	for (uint32_t i = 0; i <= UINT16_MAX; i++)
		if (counts[i].records)
			counts[ret_stats->nr++] = counts[i];
	qsort(counts, ret_stats->nr, sizeof(*counts), compare_counts);
	ret_stats->counts = counts;
	return 0;
}
