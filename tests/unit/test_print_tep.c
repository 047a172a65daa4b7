/* SPDX-License-Identifier: MIT */
/*
 * The printer compared with libtraceevent: random records of the kernel's events must give
 * the same text, where that library prints what the kernel prints.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <event-parse.h>
#include <trace-seq.h>

#include "base/text.h"
#include "event/format.h"
#include "event/print.h"
#include "event_data.h"

enum { RECORDS = 25, RECORD_MAX = 8192 };

/* Parts of formats for which libtraceevent differs from the kernel. */
static const struct {
	const char *text, *why;
} wrong[] = {
	{ "%#", "%#x: 0 has no prefix" },
	{ "%-8s", "no width for what __print_symbolic() does not know" },
	{ "%pIS", "nothing for an address of another family" },
	{ "char * ", "strings that are not in the record" },
	{ "buf[];", "arrays without a length" },
};

static uint64_t random_state = 88172645463325252;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void put_letters(uint8_t *to, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = 'a' + random_u64() % 26;
}

/*
 * Write a number that libtraceevent prints correctly: it does not know that short and char
 * have signs, nor that expressions and __print_symbolic() keep them, and it reads beyond
 * arrays and shifts by too many bits.
 */
static void put_number(uint8_t *to, uint32_t size, bool is_signed, bool is_tame)
{
	uint64_t value = random_u64();

	if (value & 1)
		value &= 0xff;
	if (size < 4)
		value &= 15;
	else if (is_signed && is_tame)
		value &= (1ull << (size * 8 - 1)) - 1;
	memcpy(to, &value, size);
}

struct record {
	uint8_t data[RECORD_MAX];
	size_t len;
};

static void put_dynamic(struct record *r, const struct event_field *field)
{
	uint32_t elem = event_field_elem_size(field), start, loc;
	size_t len = random_u64() % 5 * elem;

	r->len = (r->len + 7) & ~7ul;
	start = r->len;
	if (strstr(field->type, "char")) {
		len = random_u64() % 20 + 1;
		put_letters(r->data + start, len - 1);
	} else {
		put_letters(r->data + start, len);
	}
	r->len += len;
	if (field->kind == FIELD_REL_LOC)
		start -= field->offset + 4;
	loc = start | (uint32_t)len << 16;
	memcpy(r->data + field->offset, &loc, 4);
}

static void put_field(struct record *r, const struct event_field *field,
		      bool is_tame)
{
	uint8_t *to = r->data + field->offset;
	uint32_t elem = event_field_elem_size(field);

	if (strstr(field->type, "char[")) {
		put_letters(to, random_u64() % field->size);
	} else if (strcmp(field->type, "bool") == 0) {
		*to = random_u64() & 1;
	} else if (elem <= 8) {
		for (uint32_t i = 0; i + elem <= field->size; i += elem)
			put_number(to + i, elem, field->is_signed, is_tame);
	} else {
		put_letters(to, field->size);
	}
}

static void make_record(const struct event_format *fmt, struct record *r)
{
	bool is_tame = strstr(fmt->print_fmt, "__print_") ||
		       strpbrk(fmt->print_fmt, "?/>");
	const struct event_field *field;

	memset(r, 0, sizeof(*r));
	r->len = 8;
	memcpy(r->data, &(uint16_t){ fmt->id }, 2);
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		field = &fmt->fields[i];
		assert_true(field->offset + field->size < RECORD_MAX / 2);
		if (field->offset + field->size > r->len)
			r->len = field->offset + field->size;
	}
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		field = &fmt->fields[i];
		if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC)
			put_dynamic(r, field);
		else
			put_field(r, field, is_tame);
	}
}

static void compare(const struct event_format *fmt,
		    const struct print_program *program, struct tep_handle *tep)
{
	struct tep_record tep_record = { .ts = 0 };
	static struct record r;
	struct trace_seq seq;
	struct text out;

	text_init(&out, 1 << 20);
	trace_seq_init(&seq);
	for (int i = 0; i < RECORDS; i++) {
		make_record(fmt, &r);
		tep_record.data = r.data;
		tep_record.size = r.len;
		trace_seq_reset(&seq);
		tep_print_event(tep, &seq, &tep_record, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&seq);
		text_reset(&out);
		assert_int_equal(print_record(program, r.data, r.len, NULL, &out), 0);
		if (strcmp(text_str(&out), seq.buffer) != 0)
			fail_msg("%s: %s\nulf:           %s\nlibtraceevent: %s",
				 fmt->name, fmt->print_fmt, text_str(&out),
				 seq.buffer);
	}
	trace_seq_destroy(&seq);
	text_done(&out);
}

/* Returns true if @text has a plain %p, which libtraceevent prints with 0x and without
 * leading zeros. */
static bool has_plain_pointer(const char *text)
{
	for (; (text = strstr(text, "%p")); text++) {
		if (!isalnum((unsigned char)text[2]))
			return true;
	}
	return false;
}

static bool is_wrong(const char *text)
{
	if (has_plain_pointer(text))
		return true;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (strstr(text, wrong[i].text))
			return true;
	}
	return false;
}

/* Returns true if the texts could be compared. */
static bool compare_event(const char *text)
{
	struct tep_handle *tep = tep_alloc();
	struct print_program *program = NULL;
	bool is_compared = false;
	struct event_format *fmt;
	struct tep_event *event;

	assert_non_null(tep);
	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	assert_int_equal(event_format_parse("sys", text, &fmt), 0);
	if (!is_wrong(text) && print_compile(fmt, &program) == 0 &&
	    tep_parse_format(tep, &event, text, strlen(text), "sys") == 0) {
		compare(fmt, program, tep);
		is_compared = true;
	}
	print_program_free(program);
	event_format_free(fmt);
	tep_free(tep);
	return is_compared;
}

static void random_records_print_alike(void **state)
{
	char *all = read_kernel_formats(), *pos = all, *text;
	size_t nr = 0, nr_compared = 0;

	(void)state;
	assert_non_null(all);
	while ((text = next_kernel_format(&pos))) {
		nr++;
		nr_compared += compare_event(text);
		free(text);
	}
	free(all);
	print_message("events printed as libtraceevent prints them: %zu of %zu\n",
		      nr_compared, nr);
	assert_true(nr_compared >= 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_records_print_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
