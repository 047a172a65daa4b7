/* SPDX-License-Identifier: MIT */
/*
 * The text of `hist`: tests/data/hist/show.txt has what Linux 6.12 printed for triggers and
 * records.  The triggers are parsed and compiled, and the records counted, as in a server and a
 * traced program.  The order of the entries is compared, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "event_data.h"
#include "hist_program.h"
#include "hist_world.h"

#include "hist/show.h"
#include "hist/update.h"

#define REC_BYTES	1024u
#define REC_DATA	512u		/* where the strings of dynamic fields are */

/* ---- a histogram of the event of show.sh ---- */

static struct world world;
static const struct event_format *event;

struct fixture {
	struct world_hist *hist;
	struct hist_def *def;
	void *table;
	struct hist_view view;
	struct hist_program *program;
	struct hist_unit unit;
	struct hist_show_env env;
	struct text out;
	bool is_spent;
	uint64_t stack[HIST_STACK_DEPTH];
	uint32_t nr_ips;		/* number of return addresses in @stack */
	const char *comm;
};

static void put_trigger(void *ctx, struct text *out)
{
	hist_def_show(((struct fixture *)ctx)->def, out);
	text_puts(out, " [active]");
}

static void put_symbol(void *ctx, uint64_t ip, bool has_offset, struct text *out)
{
	static const char *const names[] = {
		NULL, "ksys_write", "__x64_sys_write", "do_syscall_64",
	};

	(void)ctx;
	if (ip < 0x1000 || ip >= 0x4000)
		return;
	text_puts(out, names[ip >> 12]);
	if (has_offset)
		text_printf(out, "+0x%llx/0x100", (unsigned long long)ip & 0xfff);
}

/* Return true at every second call. */
static bool is_spent(void *ctx)
{
	struct fixture *f = ctx;

	f->is_spent = !f->is_spent;
	return f->is_spent;
}

/* Write the trigger @text, "hist:...", to the event. */
static void start(struct fixture *f, const char *text)
{
	struct hist_errors errors = { .command = text };
	int r;

	memset(f, 0, sizeof(*f));
	r = world_write(&world, event, text + strlen("hist:"), &errors, &f->hist);
	if (r)
		fail_msg("%s: %s", text, errors.nr ? hist_error_text(errors.list[0].code) :
						     strerror(-r));
	f->def = f->hist->def;
	f->hist->table.geometry.seed = 0x1234567;
	f->table = hist_table_make(&f->hist->table.geometry, &f->view);
	assert_int_equal(hist_compile(f->def, event, world_place, &world, 0, &f->program), 0);
	assert_int_equal(hist_verify(f->program, f->program->bytes, world_record_bytes(event), 0),
			 0);
	hist_unit_init(&f->unit, f->program, &f->view);
	f->env = (struct hist_show_env){
		.ctx = f, .put_trigger = put_trigger, .put_symbol = put_symbol,
	};
	text_init(&f->out, 1u << 28);
	f->comm = "sh";
}

static void end(struct fixture *f)
{
	text_done(&f->out);
	free(f->program);
	free(f->table);
	world_forget(&world, 0);
}

/* Print, also in many steps, and compare. */
static void check_text(struct fixture *f, const char *expected)
{
	struct hist_show *show;
	int r;

	text_reset(&f->out);
	f->env.is_spent = NULL;
	assert_int_equal(hist_show(f->def, &f->view, &f->env, &f->out), 0);
	assert_string_equal(text_str(&f->out), expected);
	text_reset(&f->out);
	f->env.is_spent = is_spent;
	assert_int_equal(hist_show_start(f->def, &f->view, &f->env, &show), 0);
	do
		r = hist_show_step(show, &f->out);
	while (!r);
	hist_show_free(show);
	assert_int_equal(r, 1);
	assert_string_equal(text_str(&f->out), expected);
}

/* ---- records ---- */

static uint64_t test_now(void *ctx)
{
	(void)ctx;
	return 12345678;
}

static void test_comm(void *ctx, char *ret_comm)
{
	strncpy(ret_comm, ((struct fixture *)ctx)->comm, HIST_COMM_LEN);
}

static uint32_t test_stack(void *ctx, uint64_t *ret_ips, uint32_t max)
{
	struct fixture *f = ctx;
	uint32_t nr = f->nr_ips < max ? f->nr_ips : max;

	memcpy(ret_ips, f->stack, nr * sizeof(*ret_ips));
	return nr;
}

/* Store the string that begins at @value with a quotation mark. */
static void set_string(char *rec, const struct event_field *field, const char *value)
{
	size_t len = strcspn(value + 1, "\"");

	if (strstr(field->type, "__data_loc")) {
		*(uint32_t *)(rec + field->offset) = (uint32_t)(len + 1) << 16 | REC_DATA;
		memcpy(rec + REC_DATA, value + 1, len);
	} else {
		memcpy(rec + field->offset, value + 1, len < 16 ? len : 15);
	}
}

/* Store the field of "FIELD=VALUE". */
static void set_field(char *rec, const char *token)
{
	size_t len = strcspn(token, "=");
	const struct event_field *field = event_format_find(event, token, len);
	const char *value = token + len + 1;
	uint64_t number = *value == '-' ? (uint64_t)strtoll(value, NULL, 10) :
					  strtoull(value, NULL, 10);

	assert_non_null(field);
	if (*value == '"')
		set_string(rec, field, value);
	else
		memcpy(rec + field->offset, &number, field->size);
}

/* Hit the event with the record "FIELD=VALUE ...". */
static void hit(struct fixture *f, const char *record)
{
	const struct hist_context context = {
		.ctx = f, .cpu = 1, .now = test_now, .get_comm = test_comm, .stack = test_stack,
	};
	char rec[REC_BYTES] = "";
	const char *token = record;

	*(uint32_t *)(rec + event_format_find(event, "dyn", 3)->offset) = 1 << 16 | REC_DATA;
	while (*token) {
		set_field(rec, token);
		token += strcspn(token, "=") + 1;
		token += *token == '"' ? strcspn(token + 1, "\"") + 2 : strcspn(token, " ");
		token += *token == ' ';
	}
	hist_run(&f->unit, rec, sizeof(rec), &context);
}

/* ---- the kernel's answers ---- */

/* Check a case: the trigger, the lines of the records, and the file `hist`. */
static void check_case(char *text)
{
	struct fixture f;

	start(&f, strsep(&text, "\n"));
	while (*text == '>')
		hit(&f, strsep(&text, "\n") + 2);
	check_text(&f, text);
	end(&f);
}

static void text_and_order_are_the_kernels(void **state)
{
	static const char mark[] = "##### hist:";
	char *all = read_data("hist/show.txt"), *text, *next;
	uint32_t nr = 0;

	(void)state;
	assert_non_null(all);
	for (text = strstr(all, mark); text; text = next, nr++) {
		text += strlen("##### ");
		next = strstr(text, mark);
		if (next)
			*next = '\0';
		check_case(text);
		if (next)
			*next = '#';
	}
	assert_int_equal(nr, 55);
	free(all);
}

/* ---- what cannot be asked with injected records ---- */

#define HEADER		"# event histogram\n#\n# trigger info: "
#define DEFAULTS	":vals=hitcount:sort=hitcount:size=2048"
#define HEADER_END	" [active]\n#\n\n"
#define TOTALS(hits, entries, dropped)					\
	"\nTotals:\n    Hits: " #hits "\n    Entries: " #entries "\n    Dropped: " #dropped "\n"

static void thread_names_are_those_of_the_first_hit(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=common_pid.execname");
	hit(&f, "common_pid=45");
	f.comm = "0123456789abcde";
	hit(&f, "common_pid=1234567");
	hit(&f, "common_pid=45");
	check_text(&f, HEADER "hist:keys=common_pid.execname" DEFAULTS HEADER_END
		   "{ common_pid: 0123456789abcde [   1234567] } hitcount:          1\n"
		   "{ common_pid: sh              [        45] } hitcount:          2\n"
		   TOTALS(3, 2, 0));
	/* The name has no NUL. */
	memset((char *)hist_entry(&f.view, 0) + f.view.layout.comm_off, 'x', 16);
	check_text(&f, HEADER "hist:keys=common_pid.execname" DEFAULTS HEADER_END
		   "{ common_pid: 0123456789abcde [   1234567] } hitcount:          1\n"
		   "{ common_pid: xxxxxxxxxxxxxxxx[        45] } hitcount:          2\n"
		   TOTALS(3, 2, 0));
	end(&f);
}

static void stacks_have_a_line_for_each_function(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=common_stacktrace,aaa");
	f.stack[0] = 0x1068;
	f.stack[1] = 0x3043;
	f.nr_ips = 2;
	hit(&f, "aaa=7");
	f.stack[0] = 0x201d;
	f.stack[1] = 0x5000;
	f.nr_ips = 2;
	hit(&f, "aaa=7");
	hit(&f, "aaa=7");
	f.nr_ips = 0;
	for (int i = 0; i < 3; i++)
		hit(&f, "aaa=8");
	check_text(&f, HEADER "hist:keys=common_stacktrace,aaa" DEFAULTS HEADER_END
		   "{ common_stacktrace:\n"
		   "         ksys_write+0x68/0x100\n"
		   "         do_syscall_64+0x43/0x100\n"
		   ", aaa:          7} hitcount:          1\n"
		   "{ common_stacktrace:\n"
		   "         __x64_sys_write+0x1d/0x100\n"
		   "         0x5000\n"
		   ", aaa:          7} hitcount:          2\n"
		   "{ common_stacktrace:\n"
		   ", aaa:          8} hitcount:          3\n"
		   TOTALS(6, 3, 0));
	end(&f);
}

static void names_of_functions_are_padded(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=iii.sym-offset:sort=iii");
	hit(&f, "iii=4200");
	hit(&f, "iii=268435456");
	check_text(&f, HEADER "hist:keys=iii.sym-offset:vals=hitcount:sort=iii.sym-offset:size=2048"
		   HEADER_END
		   "{ iii: [1068] ksys_write+0x68/0x100                                   }"
		   " hitcount:          1\n"
		   "{ iii: [10000000] 0x10000000                                              }"
		   " hitcount:          1\n"
		   TOTALS(2, 2, 0));
	end(&f);
}

/* ulf's own: .log2=2 has 4 buckets for each power of 2. */
static void buckets_of_log2_have_ranges(void **state)
{
	static const char *const records[] = {
		"ggg=0", "ggg=3", "ggg=4", "ggg=7", "ggg=8", "ggg=9", "ggg=11", "ggg=1800",
		"ggg=2047", "ggg=9223372036854775809", "ggg=18446744073709551615",
	};
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=ggg.log2=2:sort=ggg");
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		hit(&f, records[i]);
	check_text(&f, HEADER "hist:keys=ggg.log2=2:vals=hitcount:sort=ggg.log2=2:size=2048"
		   HEADER_END
		   "{ ggg: ~ 0-0 } hitcount:          1\n"
		   "{ ggg: ~ 3-3 } hitcount:          1\n"
		   "{ ggg: ~ 4-4 } hitcount:          1\n"
		   "{ ggg: ~ 7-7 } hitcount:          1\n"
		   "{ ggg: ~ 8-9 } hitcount:          2\n"
		   "{ ggg: ~ 10-11 } hitcount:          1\n"
		   "{ ggg: ~ 1792-2047 } hitcount:          2\n"
		   "{ ggg: ~ 9223372036854775808-11529215046068469759 } hitcount:          1\n"
		   "{ ggg: ~ 16140901064495857664-18446744073709551615 } hitcount:          1\n"
		   TOTALS(11, 9, 0));
	end(&f);
}

/* The kernel prints the address of a saved stack, which is of no use. */
static void saved_stacks_are_printed(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=aaa:vvv=ccc:sort=aaa:onmax($vvv).save(common_stacktrace)");
	f.stack[0] = 0x1068;
	f.stack[1] = 0x3043;
	f.nr_ips = 2;
	hit(&f, "aaa=1 ccc=5");
	hit(&f, "aaa=2");
	check_text(&f, HEADER "hist:keys=aaa:vals=hitcount:vvv=ccc:sort=aaa:size=2048:"
		   "onmax($vvv).save(common_stacktrace)" HEADER_END
		   "{ aaa:          1 } hitcount:          1\n"
		   "\tmax:          5  common_stacktrace: \n"
		   "         ksys_write+0x68/0x100\n"
		   "         do_syscall_64+0x43/0x100\n"
		   "{ aaa:          2 } hitcount:          1\n"
		   "\tmax:          0  common_stacktrace: \n"
		   TOTALS(2, 2, 0));
	end(&f);
}

/* A thread was killed after it had inserted its key. */
static void entries_without_hits_are_left_out(void **state)
{
	static const char comm[HIST_COMM_LEN] = "sh";
	const uint64_t key = 2;
	struct fixture f;
	int64_t index;

	(void)state;
	start(&f, "hist:keys=aaa");
	hit(&f, "aaa=1");
	index = hist_insert(&f.view, &key, 1, hist_hash(f.view.geometry.seed, &key, 1), comm);
	assert_int_equal(index, 1);
	check_text(&f, HEADER "hist:keys=aaa" DEFAULTS HEADER_END
		   "{ aaa:          1 } hitcount:          1\n" TOTALS(1, 1, 0));
	end(&f);
}

static void newlines_in_strings_are_escaped_on_a_terminal(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=name");
	hit(&f, "name=\"a\nb\"");
	f.out.is_for_terminal = true;
	check_text(&f, HEADER "hist:keys=name" DEFAULTS HEADER_END
		   "{ name: a\\nb                                                } "
		   "hitcount:          1\n" TOTALS(1, 1, 0));
	end(&f);
}

/* ---- hostile tables ---- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A sanitizer sees a read outside of the table. */
static void random_tables_are_read_safely(void **state)
{
	static const char *const triggers[] = {
		"hist:keys=name,common_stacktrace,dyn:vals=ggg.percent,ggg.graph:sort=dyn",
		("hist:keys=common_stacktrace,name:vvv=ccc:sort=name.descending,hitcount:"
		 "onmax($vvv).save(eee,name,dyn,common_stacktrace)"),
		"hist:keys=common_pid.execname,ggg.log2,ggg.buckets=3:sort=common_pid",
		"hist:keys=dyn,name:vvv=ccc:sort=dyn:onchange($vvv).snapshot()",
	};

	(void)state;
	for (uint32_t round = 0; round < 40; round++) {
		uint64_t mask = round & 4 ? ~0ull : 127;
		struct fixture f;

		start(&f, triggers[round % 4]);
		for (size_t i = 0; i < f.view.layout.bytes / 8; i++)
			((uint64_t *)f.table)[i] = next_random() & mask;
		((struct hist_table *)f.table)->last_action = 1;
		((struct hist_table *)f.table)->last_entry = round * 100;
		assert_int_equal(hist_show(f.def, &f.view, &f.env, &f.out), 0);
		assert_non_null(strstr(text_str(&f.out), "\nTotals:\n"));
		end(&f);
	}
}

static void a_full_text_is_reported(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "hist:keys=aaa");
	hit(&f, "aaa=1");
	f.out.max = 100;
	assert_int_equal(hist_show(f.def, &f.view, &f.env, &f.out), -E2BIG);
	end(&f);
}

/* The format of the event is at the start of show.txt. */
static int load_event(void **state)
{
	char *text = read_data("hist/show.txt");

	(void)state;
	if (!text)
		return -1;
	*strstr(text, "##### ") = '\0';
	if (event_format_parse("synthetic", text, &world.events[0]))
		return -1;
	free(text);
	world.nr_events = 1;
	event = world.events[0];
	return 0;
}

static int free_event(void **state)
{
	(void)state;
	world_done(&world);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_order_are_the_kernels),
		cmocka_unit_test(thread_names_are_those_of_the_first_hit),
		cmocka_unit_test(stacks_have_a_line_for_each_function),
		cmocka_unit_test(names_of_functions_are_padded),
		cmocka_unit_test(buckets_of_log2_have_ranges),
		cmocka_unit_test(saved_stacks_are_printed),
		cmocka_unit_test(entries_without_hits_are_left_out),
		cmocka_unit_test(newlines_in_strings_are_escaped_on_a_terminal),
		cmocka_unit_test(random_tables_are_read_safely),
		cmocka_unit_test(a_full_text_is_reported),
	};

	return cmocka_run_group_tests(tests, load_event, free_event);
}
