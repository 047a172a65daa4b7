/* SPDX-License-Identifier: MIT */
/*
 * Programs that the texts of histograms become: their instructions, and what they count.
 * Also what ulf adds to the kernel's language.
 */
#include "hist_run.h"

#include <ulf/record.h>

#include "hist/show.h"
#include "hist_world.h"

/* The fields of struct rec, and some of other types at the same places. */
static const struct {
	const char *type, *name;
	uint32_t offset, size;
	bool is_signed;
	uint8_t filter;
} fields[] = {
	{ "int", "i", AT(i), 4, true, 0 }, { "unsigned int", "u", AT(u), 4, false, 0 },
	{ "u64", "l", AT(l), 8, false, 0 }, { "char[16]", "array", AT(array), 16, true, 0 },
	{ "__data_loc char[]", "loc", AT(loc), 4, true, 0 },
	{ "__rel_loc char[]", "rel", AT(rel), 4, true, 0 },
	{ "const char *", "ptr", AT(ptr), 8, false, 0 },
	{ "const char *", "str", AT(ptr), 8, false, FILTER_PTR_STRING },
	{ "s16", "h", AT(h), 2, true, 0 }, { "s8", "b", AT(b), 1, true, 0 },
	{ "u8", "ub", AT(ub), 1, false, 0 }, { "u16", "uh", AT(uh), 2, false, 0 },
	{ "bool", "flag", AT(ub), 1, false, 0 }, { "s64", "sl", AT(l), 8, true, 0 },
	{ "double", "d", AT(l), 8, true, 0 }, { "float", "f", AT(i), 4, true, 0 },
	{ "__data_loc unsigned long[]", "ips", AT(loc), 4, false, 0 },
	{ "__data_loc cpumask_t", "mask", AT(loc), 4, false, 0 },
	{ "int[3]", "list", AT(i), 12, true, 0 }, { "u8[4]", "quad", AT(i), 4, false, 0 },
	{ "void *", "fn", AT(ptr), 8, false, FILTER_TRACE_FN },
};

static struct world world;
static struct event_format *start, *end;

static struct event_format *make_event(const char *system, const char *name)
{
	struct event_format *fmt = event_format_alloc(system, name, 1, "");

	assert_non_null(fmt);
	world.events[world.nr_events++] = fmt;
	return fmt;
}

static struct event_format *make_rec_event(const char *name)
{
	struct event_format *fmt = make_event("test", name);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		assert_int_equal(event_format_add_field(fmt, fields[i].type, fields[i].name,
							fields[i].offset, fields[i].size,
							fields[i].is_signed), 0);
		fmt->fields[i].filter = fields[i].filter;
	}
	return fmt;
}

static int make_world(void **state)
{
	struct event_format *synth;

	(void)state;
	synth = make_event("synthetic", "pair");
	assert_int_equal(event_format_add_field(synth, "u64", "lat", 8, 8, false), 0);
	assert_int_equal(event_format_add_field(synth, "int", "id", 16, 4, true), 0);
	assert_int_equal(event_format_add_field(synth, "char[16]", "text", 24, 16, true), 0);
	assert_int_equal(event_format_add_field(synth, "__data_loc char[]", "dyn", 40, 4, true),
			 0);
	assert_int_equal(event_format_add_field(synth, "__data_loc unsigned long[]", "ips", 44, 4,
						false), 0);
	start = make_rec_event("start");
	end = make_rec_event("end");
	return 0;
}

static int free_world(void **state)
{
	(void)state;
	world_done(&world);
	return 0;
}

/* Write a text.  Returns 0 or -errno; fails if the text of the mistake is another one than
 * @error (NULL: none). */
static int write_to(const struct event_format *fmt, const char *text, const char *error,
		    struct world_hist **ret_hist)
{
	char command[1024];
	struct hist_errors errors = { .command = command };
	const char *found = NULL;
	int r;

	snprintf(command, sizeof(command), "hist:%s", text);
	r = world_write(&world, fmt, text, &errors, ret_hist);
	if (errors.nr)
		found = hist_error_text(errors.list[errors.nr - 1].code);
	if (strcmp(found ?: "", error ?: "") != 0)
		fail_msg("%s: %s, not %s", text, found, error);
	return r;
}

static struct hist_program *compile_on(const struct event_format *fmt,
				       const struct world_hist *hist)
{
	struct hist_program *program;

	assert_int_equal(hist_compile(hist->def, fmt, world_place, &world, 0, &program), 0);
	assert_int_equal(hist_verify(program, program->bytes, sizeof(struct rec), 0), 0);
	return program;
}

/* ---- instructions ---- */

static const char *const op_names[HIST_OPS] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "const", "time", "cpu", "add", "sub",
	"mul", "div", "neg", "log2", "sublog2", "bucket", "ref", "array", "loc", "rel", "ptr",
	"comm", "stack", "stack_loc", "peek", "peek_str", "sext", "bits",
};

/* "s32 r0 @8" */
static void put_insn(const struct hist_insn *insn, struct text *out)
{
	bool has_a = insn->op >= HIST_OP_ADD && insn->op <= HIST_OP_BUCKET;
	bool has_b = insn->op >= HIST_OP_ADD && insn->op <= HIST_OP_DIV;

	text_printf(out, "%s r%u", op_names[insn->op], insn->dst);
	if (insn->op <= HIST_OP_LOAD_S32 || (insn->op >= HIST_OP_STR_ARRAY && insn->offset))
		text_printf(out, " @%u", insn->offset);
	if (insn->size)
		text_printf(out, ":%u", insn->size);
	if (has_a)
		text_printf(out, " r%u", insn->a);
	if (has_b)
		text_printf(out, " r%u", insn->b);
	if (insn->value || insn->op == HIST_OP_REF || insn->op == HIST_OP_CONST)
		text_printf(out, " %llu", (unsigned long long)insn->value);
}

/* "KEY INSNS | INSNS | keys | values" */
static void put_program(const struct hist_program *p, struct text *out)
{
	for (uint32_t i = 0; i < p->nr_insns; i++) {
		if (i == p->nr_key_insns)
			text_puts(out, " | ");
		else if (i)
			text_puts(out, "; ");
		put_insn(&hist_insns(p)[i], out);
	}
	for (uint32_t i = 0; i < p->nr_keys; i++)
		text_printf(out, "%sr%u", i ? " " : " > ", hist_keys(p)[i].reg);
	for (uint32_t i = 0; i < p->nr_vals; i++)
		text_printf(out, "%sr%u", i ? " " : " + ", hist_vals(p)[i]);
	for (uint32_t i = 0; i < p->nr_vars; i++)
		text_printf(out, "%sr%u", i ? " " : " = ", hist_vars(p)[i].reg);
}

static void programs_are_short(void **state)
{
	static const struct {
		const char *text, *program;
	} cases[] = {
		{ "keys=i", "s32 r0 @8 > r0" },
		{ "keys=i:vals=l", "s32 r0 @8 | u64 r0 @16 > r0 + r0" },
		{ "keys=i.log2:vals=l", "s32 r0 @8; log2 r0 r0 | u64 r0 @16 > r0 + r0" },
		{ "keys=l:vals=l", "u64 r0 @16 > r0 + r0" },
		{ "keys=l.log2:vals=l", "u64 r0 @16; log2 r1 r0 > r1 + r0" },
		{ "keys=l.log2=3", "u64 r0 @16; sublog2 r0 r0 3 > r0" },
		{ "keys=l.buckets=100", "u64 r0 @16; bucket r0 r0 100 > r0" },
		{ "keys=ub,uh,h", "u8 r0 @59; u16 r1 @60; s16 r2 @56 > r0 r1 r2" },
		{ "keys=b,u,flag", "s8 r0 @58; u32 r1 @12; u8 r2 @59 > r0 r1 r2" },
		{ "keys=array", "array r0 @24:16 > r0" },
		{ "keys=loc,rel", "loc r0 @40; rel r1 @44 > r0 r1" },
		{ "keys=ptr", "u64 r0 @48 > r0" },
		{ "keys=str", "ptr r0 @48 > r0" },
		{ "keys=quad", "u32 r0 @8 > r0" },
		{ "keys=mask", "u32 r0 @40 > r0" },
		{ "keys=ips", "u32 r0 @40 > r0" },
		{ "keys=ips.stacktrace", "stack_loc r0 @40 > r0" },
		{ "keys=stacktrace", "stack r0 > r0" },
		{ "keys=common_cpu", "cpu r0 > r0" },
		{ "keys=5", "const r0 5 > r0" },
		{ "keys=hitcount", "const r0 1 > r0" },
		{ "keys=hitcount.log2", "const r0 1 > r0" },
		{ "keys=common_pid.execname", "s32 r0 @4 > r0" },
		{ "keys=common_timestamp", "time r0 > r0" },
		{ "keys=common_timestamp.usecs", "time r0; const r1 1000; div r0 r0 r1 > r0" },
		{ "keys=common_timestamp.usecs:clock=counter", "time r0 > r0" },
		{ "keys=i:x=common_timestamp,y=common_timestamp.usecs",
		  "s32 r0 @8 | time r0; const r1 1000; div r0 r0 r1 > r0 = r0 r0" },
		{ "keys=i:vals=l*2+u", "s32 r0 @8 | u64 r0 @16; const r1 2; mul r0 r0 r1; "
		  "u32 r1 @12; add r0 r0 r1 > r0 + r0" },
		{ "keys=i:vals=-(l),l/u,l-1", "s32 r0 @8 | u64 r0 @16; neg r1 r0; u32 r2 @12; "
		  "div r2 r0 r2; const r3 1; sub r0 r0 r3 > r0 + r1 r2 r0" },
		{ "keys=i:vals=hitcount.percent", "s32 r0 @8 | const r0 1 > r0 + r0" },
		{ "keys=i:x=common_pid.execname", "s32 r0 @8 | comm r0 > r0 = r0" },
		{ "keys=i:x=l+1,y=$x*2,z=$y",
		  "s32 r0 @8 | u64 r0 @16; const r1 1; add r0 r0 r1; const r1 2; mul r1 r0 r1 "
		  "> r0 = r0 r1 r1" },
		{ "keys=i:x=l-$other", "s32 r0 @8 | u64 r0 @16; ref r1 0; sub r0 r0 r1 > r0 = r0" },
	};
	struct world_hist *hist;
	struct text out;

	(void)state;
	text_init(&out, 4096);
	assert_int_equal(write_to(end, "keys=i:other=l", NULL, &hist), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hist_program *program;

		if (write_to(start, cases[i].text, NULL, &hist) != 0)
			fail_msg("%s", cases[i].text);
		program = compile_on(start, hist);
		text_reset(&out);
		put_program(program, &out);
		if (strcmp(text_str(&out), cases[i].program) != 0)
			fail_msg("%s: %s\nnot %s", cases[i].text, text_str(&out),
				 cases[i].program);
		free(program);
		world_forget(&world, 1);
	}
	text_done(&out);
	world_forget(&world, 0);
}

/* ---- mistakes that only ulf knows, and its own texts ---- */

static void wrong_texts_are_refused(void **state)
{
	static const struct {
		const char *text;
		int errnum;
		const char *error;
	} cases[] = {
		{ "keys=d", EINVAL, "Floating-point field can not be used in a histogram" },
		{ "keys=i:vals=f", EINVAL, "Floating-point field can not be used in a histogram" },
		{ "keys=i:x=d*2", EINVAL, "Floating-point field can not be used in a histogram" },
		{ "keys=loc.log2", EINVAL, "String or stack can not have buckets" },
		{ "keys=str.buckets=3", EINVAL, "String or stack can not have buckets" },
		{ "keys=i:vals=str", EINVAL, "String or stack can not be a value" },
		{ "keys=i:x=str+1", EINVAL, "String type can not be an operand in expression" },
		{ "keys=i:x=ips.stacktrace+1", EINVAL,
		  "String type can not be an operand in expression" },
		{ "keys=i.log2=0", EINVAL, "Invalid field modifier" },
		{ "keys=i.log2=17", EINVAL, "Invalid field modifier" },
		{ "keys=i.log2=", EINVAL, "Invalid field modifier" },
		{ "keys=i.log2=x", EINVAL, "Invalid field modifier" },
		{ "keys=i:vals=l.log2=3", EINVAL, "Invalid field modifier" },
		{ "keys=i:x=l.log2=3", EINVAL, "Invalid field modifier" },
		{ "keys=loc.stacktrace", EINVAL, "Invalid field modifier" },
		{ "keys=list", ENOMEM, NULL },
		{ "keys=fn", ENOMEM, NULL },
	};
	struct world_hist *hist;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (write_to(start, cases[i].text, cases[i].error, &hist) != -cases[i].errnum)
			fail_msg("%s", cases[i].text);
	}
}

static void own_texts_are_shown(void **state)
{
	static const char *const texts[][2] = {
		{ "keys=l.log2=3:sort=l",
		  "hist:keys=l.log2=3:vals=hitcount:sort=l.log2=3:size=2048" },
		{ "keys=ips.stacktrace:x=ips.stacktrace",
		  "hist:keys=ips.stacktrace:vals=hitcount:x=ips:sort=hitcount:size=2048" },
		{ "keys=str:x=str,y=$x",
		  "hist:keys=str:vals=hitcount:x=str,y=str:sort=hitcount:size=2048" },
	};
	struct world_hist *hist;
	struct text out;

	(void)state;
	text_init(&out, 4096);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(write_to(start, texts[i][0], NULL, &hist), 0);
		text_reset(&out);
		hist_def_show(hist->def, &out);
		assert_string_equal(text_str(&out), texts[i][1]);
		world_forget(&world, 0);
	}
	text_done(&out);
}

static void many_values_are_possible(void **state)
{
	char text[1024] = "keys=i:vals=l";
	struct world_hist *hist;

	(void)state;
	for (int i = 1; i < (int)HIST_VALS_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",l+%d", i);
	assert_int_equal(write_to(start, text, NULL, &hist), 0);
	assert_int_equal(hist->def->nr_vals, HIST_VALS_MAX);
	free(compile_on(start, hist));
	world_forget(&world, 0);
	strcat(text, ",l");
	assert_int_equal(write_to(start, text, NULL, &hist), -EINVAL);
}

/* All 64 registers hold variables at the end: one more is refused. */
static void too_many_registers_are_refused(void **state)
{
	char text[4096] = "keys=i:vals=u*3:x=l";
	struct hist_program *program;
	struct world_hist *hist;

	(void)state;
	for (int i = 1; i < (int)HIST_VARS_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",v%d=l+%d", i, i);
	assert_int_equal(write_to(start, text, NULL, &hist), 0);
	assert_int_equal(hist_compile(hist->def, start, world_place, &world, 0, &program),
			 -E2BIG);
	world_forget(&world, 0);
}

/* Each variable uses the one before it twice: the program stays as long as the text. */
static void chains_of_variables_stay_short(void **state)
{
	char text[2048] = "keys=i:v0=l+1";
	struct hist_program *program;
	struct world_hist *hist;

	(void)state;
	for (int i = 1; i < 50; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",v%d=$v%d+$v%d", i,
			 i - 1, i - 1);
	assert_int_equal(write_to(start, text, NULL, &hist), 0);
	program = compile_on(start, hist);
	assert_int_equal(program->nr_insns, 1 + 3 + 49);
	free(program);
	world_forget(&world, 0);
}

/* A text that removes a histogram may define the variables of the histogram again. */
static void texts_that_remove_find_their_histogram(void **state)
{
	static const struct {
		const char *text;
		bool is_same;
	} cases[] = {
		{ "keys=i:x=l-1:vals=u:onmax($x).save(loc)", true },
		{ "vals=u:key=i:size=256:onmax($x).save(loc):x=l-1", true },
		{ "keys=i:x=u*2:vals=u:onmax($x).save(loc)", false },
		{ "keys=i:x=l*2:vals=u:onmax($x).save(loc)", true },
		{ "keys=i:x=l:vals=u:onmax($x).save(loc)", false },
		{ "keys=i:y=l-1:vals=u:onmax($y).save(loc)", false },
		{ "keys=i:x=l-1:vals=u:onmax($x).save(rel)", false },
		{ "keys=i:x=l-1:vals=u:onchange($x).save(loc)", false },
		{ "keys=i:x=l-1:vals=u", false },
		{ "keys=i:x=l-1:vals=u.hex:onmax($x).save(loc)", false },
		{ "keys=i:x=l-1:vals=u:sort=u:onmax($x).save(loc)", false },
		{ "keys=u:x=l-1:vals=u:onmax($x).save(loc)", false },
	};
	struct hist_env env = world_env(&world, start);
	struct hist_errors errors = { .command = "" };
	struct world_hist *hist;
	struct hist_def *def;

	(void)state;
	assert_int_equal(write_to(start, cases[0].text, NULL, &hist), 0);
	assert_int_equal(write_to(start, cases[0].text, "Variable already defined", &hist),
			 -EINVAL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(hist_parse(cases[i].text, true, &env, &errors, &def), 0);
		if (hist_def_is_same(def, world.hists[0].def) != cases[i].is_same)
			fail_msg("%s", cases[i].text);
		hist_def_free(def);
	}
	world_forget(&world, 0);
}

/* ---- what programs count ---- */

/* A histogram that runs. */
struct running {
	struct world_hist *hist;
	struct hist_program *program;
	struct hist_unit unit;
	struct hist_view views[HIST_TABLES_MAX];
	void *table;
};

static void start_running(struct running *r, const struct event_format *fmt, const char *text,
			  const struct running *other)
{
	memset(r, 0, sizeof(*r));
	assert_int_equal(write_to(fmt, text, NULL, &r->hist), 0);
	r->table = hist_table_make(&r->hist->table.geometry, &r->views[0]);
	if (other)
		r->views[1] = other->views[0];
	r->program = compile_on(fmt, r->hist);
	hist_unit_init(&r->unit, r->program, r->views);
}

static void stop_running(struct running *r)
{
	free(r->program);
	free(r->table);
}

static bool hit(const struct running *r, const struct rec *rec)
{
	return hist_run(&r->unit, rec, sizeof(*rec), &context);
}

static uint64_t read_hits(const struct running *r, uint64_t key, uint64_t *ret_sums)
{
	const struct hist_view *view = &r->views[0];
	uint64_t none[HIST_VALS_MAX];
	int64_t index = hist_find(view, &key, 1, hist_hash(view->geometry.seed, &key, 1));

	return index < 0 ? 0 : hist_read_figures(view, (uint32_t)index, ret_sums ?: none);
}

static void sums_are_counted(void **state)
{
	struct rec rec = new_rec();
	struct running r;
	uint64_t sums[3];

	(void)state;
	start_running(&r, start, "keys=i:vals=l,l/u,-(h)", NULL);
	hit(&r, &rec);
	rec.l = 24;
	hit(&r, &rec);
	assert_int_equal(read_hits(&r, (uint64_t)-5, sums), 2);
	assert_int_equal(sums[0], 1024);
	assert_int_equal(sums[1], 1000 / 7 + 24 / 7);
	assert_int_equal(sums[2], 4);
	stop_running(&r);
	world_forget(&world, 0);
}

static void put_nothing(void *ctx, struct text *out)
{
	(void)ctx;
	(void)out;
}

/* Linux 6.12 prints keys in this order. */
static void signed_expressions_are_sorted_by_sign(void **state)
{
	static const char *const lines[] = {
		"{ i-1: 18446744073709551608 }", "{ i-1: 18446744073709551612 }",
		"{ i-1: 18446744073709551615 }", "{ i-1:          1 }", "{ i-1:          4 }",
	};
	static const int32_t values[] = { 5, -3, 0, 2, -7 };
	const struct hist_show_env env = { .put_trigger = put_nothing };
	struct rec rec = new_rec();
	struct running r;
	const char *at;
	struct text out;

	(void)state;
	text_init(&out, 1 << 16);
	start_running(&r, start, "keys=i-1:sort=i-1", NULL);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		rec.i = values[i];
		hit(&r, &rec);
	}
	assert_int_equal(hist_show(r.hist->def, &r.views[0], &env, &out), 0);
	at = text_str(&out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		at = strstr(at, lines[i]);
		assert_non_null(at);
	}
	text_done(&out);
	stop_running(&r);
	world_forget(&world, 0);
}

/* The record of the synthetic event `pair`. */
struct pair {
	uint64_t head, lat;
	int32_t id, pad;
	char text[16];
	uint32_t dyn, ips;
};

static void pairs_make_synthetic_events(void **state)
{
	struct rec rec = new_rec();
	struct running a, b;
	struct pair pair;

	(void)state;
	start_running(&a, start, "keys=i:ts=l,id=i,name=array", NULL);
	start_running(&b, end, "keys=i:lat=l-$ts:onmatch(test.start)."
		      "pair($lat,$id,$name,loc,common_stacktrace)", &a);
	nr_emitted = 0;
	hit(&b, &rec);
	assert_int_equal(nr_emitted, 0);
	hit(&a, &rec);
	rec.l += 42;
	memcpy(rec.array, "other", 6);
	hit(&b, &rec);
	assert_int_equal(nr_emitted, 1);
	assert_int_equal(emitted_row, 0);
	memcpy(&pair, emitted, sizeof(pair));
	assert_int_equal(pair.lat, 42);
	assert_int_equal(pair.id, -5);
	assert_string_equal(pair.text, "array");
	assert_string_equal(emitted + (pair.dyn & 0xffff), "loc");
	assert_int_equal(pair.ips >> 16, 3 * 8);
	/* $ts is an operand, so the hit took its value */
	hit(&b, &rec);
	assert_int_equal(nr_emitted, 1);
	stop_running(&b);
	stop_running(&a);
	world_forget(&world, 0);
}

static void maxima_are_saved(void **state)
{
	struct rec rec = new_rec();
	const struct hist_var_def *vars;
	struct running r;
	const char *at;

	(void)state;
	start_running(&r, start, "keys=u:x=l*2:onmax($x).save(sl,loc)", NULL);
	hit(&r, &rec);
	rec.l = 500;
	hit(&r, &rec);
	vars = r.hist->def->vars;
	assert_int_equal(r.hist->def->nr_vars, 4);
	at = r.views[0].base + r.views[0].layout.entries_off + r.views[0].layout.vars_off;
	assert_int_equal(*(const uint64_t *)(at + vars[0].offset), 1000);
	assert_int_equal(*(const uint64_t *)(at + vars[1].offset), 2000);
	assert_int_equal(*(const int64_t *)(at + vars[2].offset), 1000);
	assert_string_equal(at + vars[3].offset, "loc");
	stop_running(&r);
	world_forget(&world, 0);
}

/* A row of the event may have its fields at other places, and strings of another size. */
static void rows_have_their_own_layout(void **state)
{
	struct event_format *fmt = event_format_alloc("test", "start", 2, "");
	struct hist_program *program;
	struct world_hist *hist;
	struct text out;

	(void)state;
	text_init(&out, 4096);
	assert_int_equal(event_format_add_field(fmt, "u16", "l", 8, 2, false), 0);
	assert_int_equal(event_format_add_field(fmt, "char[64]", "array", 10, 64, true), 0);
	assert_int_equal(event_format_add_field(fmt, "int", "loc", 80, 4, true), 0);
	assert_int_equal(write_to(start, "keys=array:vals=l", NULL, &hist), 0);
	assert_int_equal(hist_compile(hist->def, fmt, world_place, &world, 0, &program), 0);
	put_program(program, &out);
	assert_string_equal(text_str(&out), "array r0 @10:16 | u16 r0 @8 > r0 + r0");
	free(program);
	assert_int_equal(write_to(start, "keys=loc", NULL, &hist), 0);
	assert_int_equal(hist_compile(hist->def, fmt, world_place, &world, 0, &program),
			 -EINVAL);
	assert_int_equal(write_to(start, "keys=u", NULL, &hist), 0);
	assert_int_equal(hist_compile(hist->def, fmt, world_place, &world, 0, &program),
			 -EINVAL);
	text_done(&out);
	event_format_free(fmt);
	world_forget(&world, 0);
}

/* Only the first histogram has a table. */
static const struct hist_table_ref *place_first(void *ctx, const struct hist_def *def)
{
	const struct world *w = ctx;

	return def == w->hists[0].def ? &w->hists[0].table : NULL;
}

static void references_are_known(void **state)
{
	struct hist_program *program;
	struct world_hist *a, *b, *c;

	(void)state;
	assert_int_equal(write_to(end, "keys=i:lat=l:onmax($lat).save(loc)", NULL, &a), 0);
	assert_int_equal(write_to(start, "keys=i:x=l-$lat", NULL, &b), 0);
	assert_int_equal(write_to(end, "keys=u", NULL, &c), 0);
	assert_true(hist_def_refers_to(b->def, a->def));
	assert_false(hist_def_refers_to(a->def, b->def));
	assert_false(hist_def_refers_to(c->def, a->def));
	assert_int_equal(hist_compile(b->def, start, place_first, &world, 0, &program), -ENOENT);
	assert_int_equal(hist_compile(a->def, end, place_first, &world, 0, &program), 0);
	free(program);
	world_forget(&world, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_short),
		cmocka_unit_test(wrong_texts_are_refused),
		cmocka_unit_test(own_texts_are_shown),
		cmocka_unit_test(many_values_are_possible),
		cmocka_unit_test(too_many_registers_are_refused),
		cmocka_unit_test(chains_of_variables_stay_short),
		cmocka_unit_test(texts_that_remove_find_their_histogram),
		cmocka_unit_test(sums_are_counted),
		cmocka_unit_test(signed_expressions_are_sorted_by_sign),
		cmocka_unit_test(pairs_make_synthetic_events),
		cmocka_unit_test(maxima_are_saved),
		cmocka_unit_test(rows_have_their_own_layout),
		cmocka_unit_test(references_are_known),
	};

	return cmocka_run_group_tests(tests, make_world, free_world);
}
