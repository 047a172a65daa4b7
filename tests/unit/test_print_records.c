/* SPDX-License-Identifier: MIT */
/*
 * The printer compared with the kernel: tests/data/records has records of a running kernel,
 * and the texts that it printed, with and without the option `fields`.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "event/format.h"
#include "event/print.h"
#include "event_data.h"

enum { MAX_FACTS = 32 };

/* A value that the kernel knew and the record does not contain. */
struct fact {
	uint64_t key, value;
	char name[64];
};

struct record {
	char event[256];
	uint8_t bytes[1024];
	size_t len;
	struct fact ptrs[MAX_FACTS], syms[MAX_FACTS], names[MAX_FACTS];
	size_t nr_ptrs, nr_syms, nr_names;
	char text[2048], fields[2048];
};

static int record_symbol(void *ctx, uint64_t addr, enum print_symbol style,
			 struct text *out)
{
	const struct record *r = ctx;

	for (size_t i = 0; i < r->nr_syms; i++) {
		if (r->syms[i].key == addr && r->syms[i].value == style) {
			text_puts(out, r->syms[i].name);
			return 0;
		}
	}
	return -ENOENT;
}

static uint64_t record_hash_ptr(void *ctx, uint64_t ptr)
{
	const struct record *r = ctx;

	for (size_t i = 0; i < r->nr_ptrs; i++) {
		if (r->ptrs[i].key == ptr)
			return r->ptrs[i].value;
	}
	return 0;
}

static int record_name(void *ctx, const char *name, size_t len,
		       int64_t *ret_value)
{
	const struct record *r = ctx;

	for (size_t i = 0; i < r->nr_names; i++) {
		if (strlen(r->names[i].name) == len &&
		    memcmp(r->names[i].name, name, len) == 0) {
			*ret_value = r->names[i].value;
			return 0;
		}
	}
	return -ENOENT;
}

static void read_bytes(struct record *r, const char *hex)
{
	unsigned int byte;

	for (r->len = 0; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		assert_true(r->len < sizeof(r->bytes));
		r->bytes[r->len++] = byte;
	}
}

static struct fact *add_fact(struct fact *facts, size_t *nr)
{
	assert_true(*nr < MAX_FACTS);
	return &facts[(*nr)++];
}

static void read_line(struct record *r, const char *line)
{
	struct fact *fact;
	char system[64], name[64];

	if (sscanf(line, "event %63s %63s", system, name) == 2) {
		snprintf(r->event, sizeof(r->event), "formats/%s/%s", system,
			 name);
	} else if (strncmp(line, "bytes ", 6) == 0) {
		read_bytes(r, line + 6);
	} else if (strncmp(line, "ptr ", 4) == 0) {
		fact = add_fact(r->ptrs, &r->nr_ptrs);
		assert_int_equal(sscanf(line, "ptr %lx %lx", &fact->key,
					&fact->value), 2);
	} else if (strncmp(line, "sym ", 4) == 0) {
		fact = add_fact(r->syms, &r->nr_syms);
		assert_int_equal(sscanf(line, "sym %lx %lu %63[^\n]", &fact->key,
					&fact->value, fact->name), 3);
	} else if (strncmp(line, "name ", 5) == 0) {
		fact = add_fact(r->names, &r->nr_names);
		assert_int_equal(sscanf(line, "name %63s %lu", fact->name,
					&fact->value), 2);
	} else if (strncmp(line, "text ", 5) == 0) {
		snprintf(r->text, sizeof(r->text), "%s", line + 5);
	} else if (strncmp(line, "fields ", 7) == 0) {
		snprintf(r->fields, sizeof(r->fields), "%s", line + 7);
	} else {
		fail_msg("what is this: %s", line);
	}
}

static void check_record(struct record *r)
{
	const struct print_env env = { .ctx = r, .symbol = record_symbol,
				       .hash_ptr = record_hash_ptr };
	const struct print_names names = { .ctx = r, .lookup = record_name };
	struct print_program *program;
	struct event_format *fmt;
	struct text out;
	char *text = read_data(r->event);

	assert_non_null(text);
	assert_int_equal(event_format_parse("sys", text, &fmt), 0);
	free(text);
	assert_int_equal(print_compile_names(fmt, &names, &program, NULL), 0);

	text_init(&out, 4096);
	assert_int_equal(print_record(program, r->bytes, r->len, &env, &out), 0);
	assert_string_equal(text_str(&out), r->text);
	text_reset(&out);
	assert_int_equal(print_record_fields(fmt, r->bytes, r->len, &env, &out), 0);
	assert_string_equal(text_str(&out), r->fields);

	text_done(&out);
	print_program_free(program);
	event_format_free(fmt);
}

static void records_print_as_the_kernel_printed_them(void **state)
{
	char *data = read_data("records"), *line, *next;
	static struct record r;
	int nr_records = 0;

	(void)state;
	assert_non_null(data);
	for (line = data; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (line[0] == '#')
			continue;
		if (line[0]) {
			read_line(&r, line);
		} else if (r.len) {
			check_record(&r);
			memset(&r, 0, sizeof(r));
			nr_records++;
		}
	}
	free(data);
	assert_true(nr_records >= 70);
}

/* Errors of formats that need something of the kernel that no format file contains. */
static const char *const unknowable[] = { "unknown name", "unknown function" };

struct score {
	size_t nr, nr_compiled, nr_unknown[2];
};

static void compile_one(const char *text, const struct print_names *names,
			struct score *score)
{
	struct print_program *program;
	struct event_format *fmt;
	struct print_error err;
	size_t i = 0;
	int ret;

	assert_int_equal(event_format_parse("sys", text, &fmt), 0);
	ret = print_compile_names(fmt, names, &program, &err);
	score->nr++;
	if (!ret) {
		score->nr_compiled++;
		print_program_free(program);
	} else {
		assert_int_equal(ret, -EINVAL);
		assert_non_null(err.remedy);
		while (i < 2 && strcmp(unknowable[i], err.message) != 0)
			i++;
		if (i == 2)
			fail_msg("%s: %s at %zu: %.30s", fmt->name, err.message,
				 err.pos, fmt->print_fmt + err.pos);
		score->nr_unknown[i]++;
	}
	event_format_free(fmt);
}

static struct score compile_all(const struct print_names *names)
{
	char *all = read_kernel_formats(), *pos = all, *text;
	struct score score = { .nr = 0 };

	assert_non_null(all);
	while ((text = next_kernel_format(&pos))) {
		compile_one(text, names, &score);
		free(text);
	}
	free(all);
	return score;
}

/* Acts as if the program had recorded the values of all its enums. */
static int enum_value(void *ctx, const char *name, size_t len, int64_t *ret_value)
{
	(void)ctx;
	*ret_value = (int64_t)len;
	return name[0] >= 'A' && name[0] <= 'Z' ? 0 : -ENOENT;
}

static void kernel_formats_compile(void **state)
{
	const struct print_names names = { .lookup = enum_value };
	struct score score = compile_all(NULL), told = compile_all(&names);

	(void)state;
	print_message("print fmts that compile: %zu of %zu; %zu: %s, %zu: %s; "
		      "with the values of enums: %zu\n", score.nr_compiled,
		      score.nr, score.nr_unknown[0], unknowable[0],
		      score.nr_unknown[1], unknowable[1], told.nr_compiled);
	assert_int_equal(score.nr, 1178);
	assert_int_equal(score.nr_compiled, 1151);
	assert_int_equal(told.nr_compiled, 1162);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_print_as_the_kernel_printed_them),
		cmocka_unit_test(kernel_formats_compile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
