/* SPDX-License-Identifier: MIT */
/*
 * Filters: random texts are compiled, and a program that compiles must verify and run.  Then
 * programs are damaged, and a program that verifies must run.  Records are random, too, and
 * have exactly the length that their fields claim, so that the sanitizer finds a read beyond
 * it.
 *
 *	fuzz-fuzz_filter [COUNT [SEED]]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "event/format.h"
#include "filter/filter.h"
#include "filter/run.h"

enum { FIXED_BYTES = 88, RECORD_MAX = 200, DAMAGES = 8 };

static const struct {
	const char *type, *name;
	uint32_t offset, size;
	bool is_signed;
} fields[] = {
	{ "int", "i", 8, 4, true }, { "u8", "ub", 12, 1, false },
	{ "s16", "h", 14, 2, true }, { "u64", "ul", 16, 8, false },
	{ "char[16]", "arr", 24, 16, false },
	{ "__data_loc char[]", "str", 40, 4, false },
	{ "__rel_loc char[]", "rel", 44, 4, false },
	{ "const char *", "ptr", 48, 8, false },
	{ "__data_loc cpumask_t", "mask", 56, 4, false },
	{ "__rel_loc unsigned long[]", "bits", 60, 4, false },
	{ "int[3]", "list", 64, 12, true }, { "long", "l", 80, 8, true },
	{ "double", "d", 16, 8, true }, { "float", "f", 8, 4, true },
};

static const char *const tokens[] = {
	"i", "ub", "h", "ul", "arr", "str", "rel", "ptr", "mask", "bits", "list",
	"l", "d", "f", "1.5", "-2.5e3", "1e999",
	"CPU", "COMM", "common_pid", "nosuch", ".function", ".ustring",
	"==", "!=", "<", "<=", ">", ">=", "&", "~", "=", "|", "&&", "||", "!",
	"(", ")", " ", "\t", "0", "1", "-1", "0x7f", "017", "99999999999999999999",
	"\"", "'", "\"abc\"", "'a*'", "\"*\"", "\"[a-\"", "\"?\\\\\"", "\"!x\"",
	"CPUS{", "CPUS{0-1}", "CPUS{1}", "CPUS{all}", "CPUS{0-N:1/2}", "CPUS{,}",
	"}", "f", "0x1000", ";", "\xff", "ONE", "ONEE", "one", "\"one\"", "'o ne'", "CPUS",
	"CPUS_ONE", "twice",
};

/* Terms that are right, so that the parser gets further than the first token. */
static const char *const terms[] = {
	"i == 1", "ub & 0x7f", "h < -1", "ul >= 5", "arr == \"abc\"",
	"arr ~ '*b*'", "str != \"\"", "str ~ \"a?\"", "rel == 'x'", "ptr ~ \"*\"",
	"mask & CPUS{0-1}", "mask == CPUS{1}", "bits != CPUS{0,1}", "l <= 0",
	"CPU == 1", "CPU & CPUS{0-1}", "COMM ~ \"w*\"", "ul.function == f ",
	"list > 1", "i & CPUS{0-1}", "ptr.ustring == \"q\"", "i == ONE", "h != \"one\"",
	"ub & TWO", "ul >= ONE", "i == one", "CPU == ONE", "l & 'o ne'", "list == ONE",
};

/* Names for numbers, as the server passes them: they do not end with a NUL. */
static const struct {
	const char *name;
	size_t len;
	uint64_t value;
	bool is_constant;
} names[] = {
	{ "ONEX", 3, 1, true }, { "TWOX", 3, 2, true }, { "CPUS_ONE", 8, 1, true },
	{ "oneX", 3, 1, false }, { "o ne", 4, UINT64_MAX, false }, { "", 0, 3, false },
	{ "twice", 5, 1, false }, { "twice", 5, 2, false }, { "1", 1, 7, false },
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

static struct event_format *make_format(void)
{
	struct event_format *fmt = event_format_alloc("fuzz", "fuzz", 1, "");

	if (!fmt)
		abort();
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (event_format_add_field(fmt, fields[i].type, fields[i].name,
					   fields[i].offset, fields[i].size,
					   fields[i].is_signed) != 0)
			abort();
	}
	return fmt;
}

static int find_functions(void *ctx, const char *name, size_t len,
			  struct filter_range *ret_ranges)
{
	uint32_t nr;

	(void)ctx;
	if (!len || *name != 'f')
		return -ENOENT;
	nr = len < FILTER_RANGES_MAX ? (uint32_t)len : FILTER_RANGES_MAX;
	for (uint32_t i = 0; i < nr; i++)
		ret_ranges[i] = (struct filter_range){ 0x1000 * i, 0x1000 * i + 0x800 };
	return (int)nr;
}

static void each_name(void *ctx, const struct event_format *fmt, uint32_t offset,
		      filter_name_fn *each, void *arg)
{
	(void)ctx;
	(void)fmt;
	if (offset > FIXED_BYTES)
		abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		each(arg, names[i].name, names[i].len, names[i].value,
		     names[i].is_constant);
}

static void get_comm(char ret_comm[FILTER_COMM_LEN])
{
	memset(ret_comm, 'w', FILTER_COMM_LEN);
}

static void random_text(struct text *out)
{
	text_reset(out);
	for (uint64_t n = 1 + random_below(12); n > 0; n--) {
		if (random_below(3))
			text_puts(out, PICK(terms));
		else
			text_puts(out, PICK(tokens));
		if (random_below(4))
			text_puts(out, random_below(2) ? " && " : "||");
		if (!random_below(6))
			text_puts(out, random_below(2) ? "(" : ")");
	}
}

/* Prefer small numbers, so that offsets and lengths often fit. */
static void random_record(uint8_t *rec, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		rec[i] = random_below(3) ? random_below(12) * 8 : random_below(256);
}

static void run(const struct filter_program *program)
{
	const struct filter_context ctx = {
		.cpu = (uint32_t)random_below(4), .tid = (uint32_t)getpid(),
		.get_comm = get_comm,
	};
	size_t bytes = random_below(8) ? FIXED_BYTES + random_below(RECORD_MAX) :
		random_below(FIXED_BYTES);
	uint8_t *rec = malloc(bytes ? bytes : 1);

	if (!rec)
		abort();
	random_record(rec, bytes);
	filter_match(program, rec, bytes, &ctx);
	free(rec);
}

static void damage(struct filter_program *program, size_t bytes)
{
	uint8_t *data = (uint8_t *)program;

	for (uint64_t n = 1 + random_below(4); n > 0; n--) {
		size_t at = random_below(bytes);

		if (random_below(2))
			data[at] ^= 1u << random_below(8);
		else
			data[at] = random_below(2) ? random_below(40) : 0xff;
	}
}

/* Run damaged copies of @program.  A copy has exactly the size of a program, as in the
 * runtime. */
static void run_damaged(const struct filter_program *program)
{
	size_t bytes = filter_program_bytes(program);
	struct filter_program *copy = malloc(bytes);

	if (!copy)
		abort();
	for (int i = 0; i < DAMAGES; i++) {
		memcpy(copy, program, bytes);
		damage(copy, bytes);
		if (filter_verify(copy, bytes, FIXED_BYTES) == 0)
			run(copy);
	}
	free(copy);
}

static void fuzz_one(const struct event_format *fmt, struct text *text)
{
	static const struct filter_env env = {
		.nr_cpus = 3, .functions = find_functions, .names = each_name,
	};
	struct event_filter filter = { 0 };
	struct nearest near;
	struct text shown;

	random_text(text);
	if (event_filter_store(&filter, fmt, text->data, text->len, &env) == 0) {
		if (filter.program) {
			if (filter_verify(filter.program,
					  filter_program_bytes(filter.program),
					  FIXED_BYTES) != 0)
				abort();
			run(filter.program);
			run_damaged(filter.program);
		}
	} else if (filter.error.pos > strlen(filter.text) + 2) {
		abort();
	} else {
		const char *name = filter_error_near(fmt, filter.text, &env,
						     &filter.error, &near);

		if (name && !*name)
			abort();
		/* The error may be at any place and have any code. */
		filter.error.pos = (uint32_t)random_below(strlen(filter.text) + 4);
		filter.error.code = random_below(FILTER_NR_ERRORS);
		filter_error_near(fmt, filter.text, &env, &filter.error, &near);
	}
	text_init(&shown, 1 << 16);
	event_filter_show(&filter, &shown);
	text_done(&shown);
	event_filter_done(&filter);
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");
	unsigned long count = form && strcmp(form, "long") == 0 ? 3000000 : 60000;
	struct event_format *fmt = make_format();
	struct text text;

	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	if (!random_state)
		random_state = 1;
	text_init(&text, FILTER_TEXT_MAX - 1);
	while (count-- > 0)
		fuzz_one(fmt, &text);
	text_done(&text);
	event_format_free(fmt);
	return 0;
}
