/* SPDX-License-Identifier: MIT */
/*
 * The language of histograms: random texts are parsed.  A text that is taken must print,
 * compile, verify and run on random records.  Histograms stay for a while, so that later
 * texts refer to their variables.
 *
 *	fuzz-fuzz_hist [COUNT [SEED]]
 */
#include "hist_world.h"
#include "hist_program.h"

enum { FIXED_BYTES = 96, RECORD_MAX = 200, KEPT = 24 };

static const struct {
	const char *type, *name;
	uint32_t offset, size;
	bool is_signed;
	uint8_t filter;
} fields[] = {
	{ "int", "ii", 8, 4, true, 0 }, { "u8", "ub", 12, 1, false, 0 },
	{ "s16", "hh", 14, 2, true, 0 }, { "u64", "ul", 16, 8, false, 0 },
	{ "char[16]", "arr", 24, 16, false, 0 }, { "char[300]", "all", 24, 300, false, 0 },
	{ "__data_loc char[]", "str", 40, 4, false, 0 },
	{ "__rel_loc char[]", "rel", 44, 4, false, 0 },
	{ "const char *", "ptr", 48, 8, false, 4 },
	{ "__data_loc unsigned long[]", "ips", 56, 4, false, 0 },
	{ "int[3]", "list", 64, 12, true, 0 }, { "long", "ll", 80, 8, true, 0 },
	{ "double", "dd", 16, 8, true, 0 }, { "char[]", "rest", 96, 0, true, 0 },
};

/* Starts of texts, and more parts, that are right, so that more than the first word is tried. */
static const char *const starts[] = {
	"keys=ii", "keys=ii:v1=ul", "keys=ii:v2=ul-1,v3=arr", "keys=ul:v3=str,v1=common_timestamp",
	"keys=ii:v4=common_timestamp.usecs", "keys=arr,str", "keys=arr,str:v1=ii,w2=4",
	"keys=ul.log2,hh.buckets=3", "keys=stacktrace:v9=stacktrace", "keys=rel,ptr,all",
};

static const char *const attributes[] = {
	"keys=ii", "keys=arr,str", "keys=ul.log2,hh.buckets=3", "keys=stacktrace",
	"keys=ips.stacktrace,ll.log2=4", "keys=rel,ptr,all", "keys=common_pid.execname",
	"keys=ii,ul+hh*2,cpu", "keys=$v1", "vals=ul", "vals=ul,hh.hex,hitcount.percent",
	"vals=-(ul+ii)/3", "vals=$v3", "vals=ul/hh,ll*ll-1", "v1=ul", "v2=ul-$v1,v3=arr",
	"v4=common_timestamp.usecs", "v5=common_timestamp.usecs-$v4", "v6=$v2,v7=$v6*2",
	"v8=$v3,v9=stacktrace", "w1=common_pid.execname", "w2=5*3,w3=$w2+1", "w4=ips.stacktrace",
	"w5=one.two.$v1", "w6=fuzz.one.$v1+fuzz.two.$v2", "sort=hitcount.descending",
	"sort=ul,ii.descending", "size=128", "size=4096", "name=some", "clock=mono", "pause",
	"cont", "clear", "nohitcount", "onmatch(fuzz.one).syn($v1,arr,str)",
	"onmatch(fuzz.two).trace(syn,$v1,$v3,str)", "onmax($v1).save(arr,ul,str,stacktrace)",
	"onchange($v2).snapshot()", "onmax($v1).trace(syn,ul,arr,$v3)",
	"onmatch(fuzz.one).syn(fuzz.one.ul,arr,str)", "onmatch(fuzz.one).syn(ll,fuzz.two.arr,str)",
};

static const char *const tokens[] = {
	"ii", "ub", "hh", "ul", "arr", "str", "ptr", "ips", "list", "ll", "dd", "rest", "hitcount",
	"common_timestamp", "cpu", "stacktrace", "common_pid", "nosuch", "$v1", "$v2", "$", "v1",
	".", ":", ",", "=", "+", "-", "*", "/", "-(", ")", "(", " ", "0", "1", "0x7f", "017", "09",
	"18446744073709551616", ".hex", ".sym", ".sym-offset", ".syscall", ".execname", ".log2",
	".log2=", ".buckets=", ".usecs", ".percent", ".graph", ".stacktrace", "keys=", "vals=",
	"sort=", "size=", "name=", "clock=", "onmatch(", "onmax(", "onchange(", ").", "trace(",
	"save(", "snapshot(", "syn(", "fuzz.one", "fuzz.two.", "x=", "if", "\t", "\xff",
	".descending",
};

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

#define PICK(array) array[random_below(sizeof(array) / sizeof(array[0]))]

static void add_field(struct event_format *fmt, const char *type, const char *name,
		      uint32_t offset, uint32_t size, bool is_signed)
{
	if (event_format_add_field(fmt, type, name, offset, size, is_signed) != 0)
		abort();
}

static struct event_format *add_event(struct world *world, const char *system, const char *name)
{
	struct event_format *fmt = event_format_alloc(system, name, 1, "");

	if (!fmt)
		abort();
	world->events[world->nr_events++] = fmt;
	return fmt;
}

static void make_world(struct world *world)
{
	static const char *const names[] = { "one", "two" };
	struct event_format *fmt = add_event(world, "synthetic", "syn");

	add_field(fmt, "u64", "lat", 8, 8, false);
	add_field(fmt, "char[16]", "name", 16, 16, true);
	add_field(fmt, "__data_loc char[]", "dyn", 32, 4, true);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fmt = add_event(world, "fuzz", names[i]);
		for (size_t j = 0; j < sizeof(fields) / sizeof(fields[0]); j++) {
			add_field(fmt, fields[j].type, fields[j].name, fields[j].offset,
				  fields[j].size, fields[j].is_signed);
			fmt->fields[j].filter = fields[j].filter;
		}
	}
}

static void random_text(struct text *out)
{
	text_reset(out);
	if (random_below(8))
		text_puts(out, PICK(starts));
	for (uint64_t n = random_below(6); n > 0; n--) {
		if (out->len)
			text_putc(out, ':');
		text_puts(out, PICK(attributes));
		while (!random_below(4))
			text_puts(out, PICK(tokens));
	}
	if (!random_below(16) && out->len)
		out->data[random_below(out->len)] = (char)(1 + random_below(255));
}

/* ---- programs run ---- */

static uint64_t get_time(void *ctx)
{
	(void)ctx;
	return random_state;
}

static void get_comm(void *ctx, char ret_comm[HIST_COMM_LEN])
{
	(void)ctx;
	memset(ret_comm, 'w', HIST_COMM_LEN);
}

static uint32_t get_stack(void *ctx, uint64_t *ret_ips, uint32_t max)
{
	(void)ctx;
	for (uint32_t i = 0; i < max; i++)
		ret_ips[i] = i;
	return (uint32_t)random_below(max + 1);
}

static size_t peek(void *ctx, uint64_t address, void *to, size_t bytes)
{
	(void)ctx;
	(void)address;
	memset(to, 'p', bytes);
	return random_below(bytes + 1);
}

static void emit(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	(void)ctx;
	(void)entry;
	if (row || bytes % 4)
		abort();
}

static const struct hist_context context = {
	.cpu = 1, .now = get_time, .get_comm = get_comm, .stack = get_stack, .peek = peek,
	.emit = emit,
};

/* Small numbers, so that offsets and lengths often fit. */
static void random_record(uint8_t *rec, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		rec[i] = (uint8_t)(random_below(3) ? random_below(12) * 8 : random_below(256));
}

static void run_on_record(const struct hist_unit *unit)
{
	size_t bytes = FIXED_BYTES + 240 + random_below(RECORD_MAX);
	uint8_t *rec = malloc(bytes);

	if (!rec)
		abort();
	random_record(rec, bytes);
	hist_run(unit, rec, bytes, &context);
	free(rec);
}

/* Each table has 128 entries, so that it becomes full, and little memory is needed. */
static void run_program(const struct hist_program *p)
{
	struct hist_view views[HIST_TABLES_MAX];
	void *tables[HIST_TABLES_MAX];
	struct hist_unit unit;

	for (uint32_t i = 0; i < p->nr_tables; i++)
		tables[i] = hist_table_make(&hist_tables(p)[i].geometry, &views[i]);
	hist_unit_init(&unit, p, views);
	for (int i = 0; i < 4; i++)
		run_on_record(&unit);
	for (uint32_t i = 0; i < p->nr_tables; i++)
		free(tables[i]);
}

static void make_tables_small(struct world_hist *hist)
{
	struct hist_layout layout;

	hist->table.geometry.nr_entries = HIST_ENTRIES_MIN;
	hist_layout_init(&hist->table.geometry, &layout);
	hist->table.bytes = layout.bytes;
}

/* ---- texts ---- */

static void check_hist(struct world *world, struct world_hist *hist,
		       const struct event_format *fmt)
{
	struct hist_errors errors = { .command = "" };
	struct hist_env env = world_env(world, fmt);
	struct hist_program *program;
	struct hist_def *again;
	struct text out;
	int r;

	text_init(&out, 1 << 20);
	hist_def_show(hist->def, &out);
	errors.command = text_str(&out);
	if (hist_parse(text_str(&out) + strlen("hist:"), true, &env, &errors, &again) == 0)
		hist_def_free(again);
	hist_def_show_debug(hist->def, &out);
	if (out.error || !hist_def_is_same(hist->def, hist->def))
		abort();
	text_done(&out);
	r = hist_compile(hist->def, fmt, world_place, world, 1, &program);
	if (r == -E2BIG)
		return;
	if (r || hist_verify(program, program->bytes, world_record_bytes(fmt), 1) != 0)
		abort();
	run_program(program);
	free(program);
}

static void fuzz_one(struct world *world, struct text *text, struct text *command)
{
	const struct event_format *fmt = world->events[1 + random_below(2)];
	struct hist_errors errors = { .nr = 0 };
	uint32_t nr = world->nr_hists;
	struct world_hist *hist;

	random_text(text);
	text_reset(command);
	text_printf(command, "hist:%s", text_str(text));
	errors.command = text_str(command);
	if (world_write(world, fmt, text_str(text), &errors, &hist) == 0 && hist) {
		for (uint32_t i = nr; i < world->nr_hists; i++)
			make_tables_small(&world->hists[i]);
		check_hist(world, hist, fmt);
	}
	for (uint32_t i = 0; i < errors.nr; i++) {
		if (errors.list[i].pos > strlen(errors.command) ||
		    !*hist_error_text(errors.list[i].code))
			abort();
	}
	if (world->nr_hists > KEPT || !random_below(64))
		world_forget(world, 0);
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");
	unsigned long count = form && strcmp(form, "long") == 0 ? 1000000 : 40000;
	struct world world = { .nr_events = 0 };
	struct text text, command;

	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!random_state)
		random_state = 1;
	make_world(&world);
	text_init(&text, 4096);
	text_init(&command, 8192);
	while (count-- > 0)
		fuzz_one(&world, &text, &command);
	text_done(&text);
	text_done(&command);
	world_done(&world);
	return 0;
}
