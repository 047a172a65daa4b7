/* SPDX-License-Identifier: MIT */
/* The event model: format files, read and written, and the header files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "event/format.h"
#include "event/type.h"
#include "event_data.h"

static struct event_format *load(const char *name)
{
	char path[256], *text;
	struct event_format *fmt;

	snprintf(path, sizeof(path), "formats/%s", name);
	text = read_data(path);
	assert_non_null(text);
	assert_int_equal(event_format_parse("sys", text, &fmt), 0);
	free(text);
	return fmt;
}

static const struct event_field *find(const struct event_format *fmt,
				      const char *name)
{
	return event_format_find(fmt, name, strlen(name));
}

static int nr_round_trips;

static int round_trip(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	struct event_format *fmt;
	struct text out;
	char *text;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	text = read_path(path);
	assert_non_null(text);
	assert_int_equal(event_format_parse("sys", text, &fmt), 0);
	text_init(&out, 1 << 20);
	event_format_text(fmt, &out);
	assert_int_equal(out.error, 0);
	assert_string_equal(text_str(&out), text);
	text_done(&out);
	event_format_free(fmt);
	free(text);
	nr_round_trips++;
	return 0;
}

static void kernel_formats_survive_a_round_trip(void **state)
{
	char path[1024];

	(void)state;
	data_path(path, sizeof(path), "formats");
	assert_int_equal(nftw(path, round_trip, 16, FTW_PHYS), 0);
	assert_true(nr_round_trips >= 60);
}

static void fields_are_understood(void **state)
{
	static const struct {
		const char *event, *name, *type;
		uint32_t offset, size, array_len, elem;
		bool is_signed;
		enum field_kind kind;
	} cases[] = {
		{ "sched/sched_switch", "prev_comm", "char[16]", 8, 16, 16, 1,
		  false, FIELD_ARRAY },
		{ "sched/sched_switch", "prev_state", "long", 32, 8, 0, 8,
		  true, FIELD_PLAIN },
		{ "sched/sched_switch", "common_pid", "int", 4, 4, 0, 4,
		  true, FIELD_PLAIN },
		{ "net/net_dev_xmit", "name", "__data_loc char[]", 24, 4, 0, 1,
		  false, FIELD_DATA_LOC },
		{ "sample/foo_bar", "list", "__data_loc int[]", 24, 4, 0, 4,
		  true, FIELD_DATA_LOC },
		{ "sample/foo_bar", "cpum", "__data_loc cpumask_t", 36, 4, 0, 1,
		  false, FIELD_DATA_LOC },
		{ "sample/foo_rel_loc", "bitmask", "__rel_loc unsigned long[]",
		  16, 4, 0, 8, false, FIELD_REL_LOC },
		{ "raw_syscalls/sys_enter", "args", "unsigned long[6]", 16, 48,
		  6, 8, false, FIELD_ARRAY },
		{ "ftrace/print", "buf", "char[]", 16, 0, 0, 1, true,
		  FIELD_ARRAY },
		{ "timer/timer_start", "timer", "void *", 8, 8, 0, 8, false,
		  FIELD_PLAIN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_format *fmt = load(cases[i].event);
		const struct event_field *field = find(fmt, cases[i].name);

		assert_non_null(field);
		assert_string_equal(field->type, cases[i].type);
		assert_int_equal(field->offset, cases[i].offset);
		assert_int_equal(field->size, cases[i].size);
		assert_int_equal(field->array_len, cases[i].array_len);
		assert_int_equal(field->is_signed, cases[i].is_signed);
		assert_int_equal(field->kind, cases[i].kind);
		assert_int_equal(event_field_elem_size(field), cases[i].elem);
		event_format_free(fmt);
	}
}

static void names_must_be_whole(void **state)
{
	struct event_format *fmt = load("sched/sched_switch");

	(void)state;
	assert_null(find(fmt, "prev_com"));
	assert_null(find(fmt, "prev_commx"));
	assert_null(event_format_find(fmt, "prev_comm", 0));
	assert_non_null(event_format_find(fmt, "prev_pid + 1", 8));
	event_format_free(fmt);
}

static void formats_are_built_from_parts(void **state)
{
	static const char expected[] =
		"name: ev\nID: 77\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:char b[16];\toffset:16;\tsize:16;\tsigned:1;\n"
		"\tfield:char open[];\toffset:32;\tsize:0;\tsigned:1;\n"
		"\tfield:__data_loc char[] c;\toffset:32;\tsize:4;\tsigned:1;\n"
		"\tfield:__rel_loc int d[];\toffset:36;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc cpumask_t e;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"x\"\n";
	static const struct {
		const char *type, *name;
		uint32_t offset, size;
		bool is_signed;
	} fields[] = {
		{ "u64", "a", 8, 8, false },
		{ "char[16]", "b", 16, 16, true },
		{ "char[]", "open", 32, 0, true },
		{ "__data_loc char[]", "c", 32, 4, true },
		{ "__rel_loc int[]", "d", 36, 4, true },
		{ "__data_loc cpumask_t", "e", 40, 4, false },
	};
	struct event_format *fmt = event_format_alloc("s", "ev", 77, "\"x\"");
	struct text out;

	(void)state;
	assert_non_null(fmt);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_int_equal(event_format_add_field(fmt, fields[i].type,
			fields[i].name, fields[i].offset, fields[i].size,
			fields[i].is_signed), 0);
	text_init(&out, 10000);
	event_format_text(fmt, &out);
	assert_string_equal(text_str(&out), expected);
	assert_int_equal(fmt->fields[4].kind, FIELD_REL_LOC);
	text_done(&out);
	event_format_free(fmt);
}

static void array_lengths_that_are_no_numbers(void **state)
{
	struct event_format *fmt = event_format_alloc("s", "ev", 1, "\"\"");

	(void)state;
	assert_int_equal(event_format_add_field(fmt, "u32[NR_THINGS]", "a", 8,
						24, false), 0);
	assert_int_equal(fmt->fields[0].array_len, 6);
	assert_int_equal(event_format_add_field(fmt, "foo_t[1 + 1]", "b", 32,
						24, false), 0);
	assert_int_equal(fmt->fields[1].array_len, 0);
	assert_int_equal(event_field_elem_size(&fmt->fields[1]), 1);
	event_format_free(fmt);
}

static void wrong_formats_are_refused(void **state)
{
	static const struct {
		const char *from, *to;
	} damages[] = {
		{ "name: ", "nom: " },
		{ "ID: ", "ID: x" },
		{ "ID: ", "ID: 99999999999" },
		{ "common_flags;\toffset:2", "common_flags;\toffset:3" },
		{ "common_pid", "common_tgid" },
		{ "field:long prev_state", "field:prev_state" },
		{ "offset:32;", "offset:;" },
		{ "offset:32;", "offset:4294967296;" },
		{ "size:8;", "size:-8;" },
		{ "prev_state;\toffset:32;\tsize:8;\tsigned:1",
		  "prev_state;\toffset:32;\tsize:8;\tsigned:2" },
		{ "\tfield:long", "    field:long" },
		{ "print fmt: ", "print: " },
	};
	struct event_format *fmt = NULL;
	char *text = read_data("formats/sched/sched_switch"), *bad;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char *at = strstr(text, damages[i].from);

		assert_non_null(at);
		assert_true(asprintf(&bad, "%.*s%s%s", (int)(at - text), text,
				     damages[i].to,
				     at + strlen(damages[i].from)) > 0);
		assert_int_equal(event_format_parse("s", bad, &fmt), -EINVAL);
		free(bad);
	}
	/* A part of the text is never a format, because the last byte must be a newline. */
	for (size_t len = strlen(text); len-- > 0;) {
		text[len] = '\0';
		assert_int_equal(event_format_parse("s", text, &fmt), -EINVAL);
	}
	assert_null(fmt);
	free(text);
}

static void header_page_follows_the_sub_buffer_size(void **state)
{
	struct text out;

	(void)state;
	text_init(&out, 1000);
	event_header_page_text(4096, &out);
	assert_string_equal(text_str(&out),
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	text_reset(&out);
	event_header_page_text(65536, &out);
	assert_non_null(strstr(text_str(&out), "size:65520;"));
	text_done(&out);
}

static void header_event_is_the_kernels(void **state)
{
	struct text out;

	(void)state;
	text_init(&out, 1000);
	event_header_event_text(&out);
	assert_string_equal(text_str(&out),
		"# compressed entry header\n"
		"\ttype_len    :    5 bits\n"
		"\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n"
		"\n"
		"\tpadding     : type == 29\n"
		"\ttime_extend : type == 30\n"
		"\ttime_stamp : type == 31\n"
		"\tdata max type_len  == 28\n");
	text_done(&out);
}

static void types_in_all_spellings(void **state)
{
	static const struct {
		const char *text;
		struct value_type type;
	} cases[] = {
		{ "int", { 4, true, false, false, false } },
		{ "unsigned", { 4, false, false, false, false } },
		{ "long unsigned int", { 8, false, false, false, false } },
		{ "long long", { 8, true, false, false, false } },
		{ "const volatile short", { 2, true, false, false, false } },
		{ "unsigned char", { 1, false, false, false, false } },
		{ "bool", { 1, false, false, true, false } },
		{ "u16", { 2, false, false, false, false } },
		{ "enum pid_type", { 4, false, false, false, false } },
		{ "const char *", { 1, true, true, false, false } },
		{ "const char *const *", { 8, false, true, false, false } },
		{ "void", { 1, false, false, false, false } },
		{ "void *", { 1, false, true, false, false } },
		{ "float", { 4, true, false, false, true } },
		{ "const double", { 8, true, false, false, true } },
		{ "double *", { 8, true, true, false, true } },
		{ "struct page *", { 0, false, true, false, false } },
	};
	struct value_type type;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(type_lookup(cases[i].text, strlen(cases[i].text),
					&type));
		assert_memory_equal(&type, &cases[i].type, sizeof(type));
	}
	assert_false(type_lookup("long double", 11, &type));
	assert_false(type_lookup("foo_t", 5, &type));
	assert_false(type_lookup("struct page", 11, &type));
	assert_false(type_lookup("", 0, &type));
	assert_false(type_lookup("int;", 4, &type));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_formats_survive_a_round_trip),
		cmocka_unit_test(fields_are_understood),
		cmocka_unit_test(names_must_be_whole),
		cmocka_unit_test(formats_are_built_from_parts),
		cmocka_unit_test(array_lengths_that_are_no_numbers),
		cmocka_unit_test(wrong_formats_are_refused),
		cmocka_unit_test(header_page_follows_the_sub_buffer_size),
		cmocka_unit_test(header_event_is_the_kernels),
		cmocka_unit_test(types_in_all_spellings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
