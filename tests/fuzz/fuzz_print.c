/* SPDX-License-Identifier: MIT */
/*
 * Hostile formats and records: with any text of a format file, and any bytes of a record,
 * reading the format and printing the record must do no harm.
 *
 * An input is the text of a format file, a NUL, and the bytes of a record.
 *
 *   libFuzzer:  clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZ_LIBFUZZER \
 *                 -std=gnu11 -D_GNU_SOURCE -Isrc -Itests tests/fuzz/fuzz_print.c \
 *                 src/event/format*.c src/event/print*.c src/event/type.c src/base/text.c
 *   by itself:  with -fsanitize=address,undefined instead, and without -DFUZZ_LIBFUZZER;
 *                 fuzz_print [COUNT [SEED]] mutates the formats of tests/data
 */
#include <ftw.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "event/print.h"
#include "event_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MAX_OUTPUT = 1 << 16 };

static int fuzz_symbol(void *ctx, uint64_t addr, enum print_symbol style,
		       struct text *out)
{
	(void)ctx;
	if (addr & 1)
		return -1;
	text_printf(out, "sym%d", (int)style);
	return 0;
}

static uint64_t fuzz_hash_ptr(void *ctx, uint64_t ptr)
{
	(void)ctx;
	return ptr * 0x9e3779b97f4a7c15;
}

static int fuzz_string(void *ctx, uint64_t addr, struct text *out)
{
	(void)ctx;
	if (addr & 1)
		return -1;
	text_puts(out, "string");
	return 0;
}

static int fuzz_lookup(void *ctx, const char *name, size_t len,
		       int64_t *ret_value)
{
	(void)ctx;
	*ret_value = len - 8;
	return name[0] >= 'A' && name[0] <= 'Z' ? 0 : -1;
}

/* A format that is written as text must be read back as an equal format. */
static void check_round_trip(const struct event_format *fmt)
{
	struct event_format *again;
	struct text one, two;

	text_init(&one, 1 << 24);
	text_init(&two, 1 << 24);
	event_format_text(fmt, &one);
	if (event_format_parse("fuzz", text_str(&one), &again) == 0) {
		event_format_text(again, &two);
		if (strcmp(text_str(&one), text_str(&two)) != 0)
			abort();
		event_format_free(again);
	} else {
		abort();
	}
	text_done(&one);
	text_done(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct print_names names = { .lookup = fuzz_lookup };
	static const struct print_env env = { .symbol = fuzz_symbol,
					      .hash_ptr = fuzz_hash_ptr,
					      .string = fuzz_string };
	const uint8_t *nul = memchr(data, 0, size);
	struct print_program *program = NULL;
	struct event_format *fmt;
	struct print_error err;
	struct text out;
	uint8_t *rec;
	size_t len;

	if (!nul || event_format_parse("fuzz", (const char *)data, &fmt) != 0)
		return 0;
	check_round_trip(fmt);

	/* Copy the record, so that the sanitizer finds a read beyond its end. */
	len = size - (nul + 1 - data);
	rec = malloc(len ? len : 1);
	if (!rec)
		abort();
	memcpy(rec, nul + 1, len);
	text_init(&out, FUZZ_MAX_OUTPUT);
	if (print_compile_names(fmt, &names, &program, &err) == 0)
		print_record(program, rec, len, &env, &out);
	else if (!err.message || err.pos > strlen(fmt->print_fmt))
		abort();
	print_program_free(program);
	text_reset(&out);
	print_record_fields(fmt, rec, len, &env, &out);
	text_done(&out);
	free(rec);
	event_format_free(fmt);
	return 0;
}

#ifndef FUZZ_LIBFUZZER

enum { MAX_SEEDS = 256, MAX_INPUT = 1 << 16, MAX_RECORD = 400 };

static char *seeds[MAX_SEEDS];
static size_t nr_seeds;
static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static int add_seed(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_F && nr_seeds < MAX_SEEDS) {
		seeds[nr_seeds] = read_path(path);
		nr_seeds += seeds[nr_seeds] != NULL;
	}
	return 0;
}

static const char *const tokens[] = {
	"(", ")", "{", "}", "({", "})", "[", "]", ",", "\"", "%s", "%d", "%p",
	"%pS", "%pI6c", "%*pbl", "%*ph", "%pISpc", "%*.*s", "%-32767d", "REC",
	"REC->", "->", "&", "*", "-", "~", "!", "<<", ">>", "/", "%", "?", ":",
	" ?: ", "1", "0", "-1", "0x7fffffff", "0xffffffffffffffff", "sizeof(",
	"(int)", "(u8 *)", "(unsigned long)", "(foo_t)", "__get_str(",
	"__get_dynamic_array(", "__get_dynamic_array_len(", "__print_flags(",
	"__print_symbolic(", "__print_array(", "__print_hex(", "__get_bitmask(",
	"__print_dynamic_array(", "__print_hex_dump(\"\", 2, 16, 1, ",
	"({ int x = ", "; x; })", "__typeof__(", "NULL", "FOO", "\\", "'a'",
	"%ptR", "%ptT", "%pe", "%*pE", "%p4cc", "%pUL", ".tv_sec", "(void)",
	"struct timespec", "__print_ns_to_secs(", "__builtin_bswap32(",
	"__data_loc ", "__rel_loc ", "char[16]", "[0]", "offset:", "size:4;",
	"size:0;", "4294967295", "65535", "\n", "\t",
};

struct input {
	char text[MAX_INPUT];
	size_t len;
};

/* Replace @old bytes at @pos by the @len bytes of @with. */
static void replace(struct input *in, size_t pos, size_t old, const char *with,
		    size_t len)
{
	if (pos + old > in->len || in->len - old + len >= sizeof(in->text))
		return;
	memmove(in->text + pos + len, in->text + pos + old, in->len - pos - old);
	memcpy(in->text + pos, with, len);
	in->len += len - old;
}

static void mutate(struct input *in)
{
	const char *fmt = memmem(in->text, in->len, "print fmt: ", 11);
	size_t start = fmt && random_below(4) ? fmt - in->text + 11 : 0;
	size_t pos = start + random_below(in->len - start + 1);
	const char *other, *token;
	char copy[64];
	size_t len;

	switch (random_below(6)) {
	case 0:
		if (pos < in->len)
			in->text[pos] ^= 1 << random_below(7);
		break;
	case 1:
		replace(in, pos, random_below(12), "", 0);
		break;
	case 2:
		token = tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))];
		replace(in, pos, random_below(3), token, strlen(token));
		break;
	case 3:
		len = random_below(sizeof(copy));
		if (pos + len <= in->len) {
			memcpy(copy, in->text + pos, len);
			replace(in, start + random_below(in->len - start + 1), 0,
				copy, len);
		}
		break;
	case 4:
		other = seeds[random_below(nr_seeds)];
		len = strlen(other);
		len -= random_below(len);
		other += strlen(other) - len;
		replace(in, pos, 0, other, len > 40 ? 40 : len);
		break;
	case 5:
		if (pos < in->len && in->text[pos] >= '0' && in->text[pos] <= '9')
			in->text[pos] = '0' + random_below(10);
		break;
	}
}

static void add_record(struct input *in)
{
	size_t len = random_below(MAX_RECORD);
	uint8_t byte;

	in->text[in->len++] = '\0';
	for (size_t i = 0; i < len && in->len < sizeof(in->text); i++) {
		/* Prefer small numbers, so that offsets and lengths often fit. */
		byte = random_below(3) ? random_below(2) * 8 : random_below(256);
		in->text[in->len++] = byte;
	}
}

static int fuzz_run(unsigned long count, uint64_t seed)
{
	static struct input in;
	char path[1024];

	data_path(path, sizeof(path), "formats");
	if (nftw(path, add_seed, 16, FTW_PHYS) != 0 || !nr_seeds)
		return -1;
	random_state = seed ? seed : 1;
	for (unsigned long i = 0; i < count; i++) {
		const char *base = seeds[random_below(nr_seeds)];

		in.len = strlen(base);
		memcpy(in.text, base, in.len);
		for (uint64_t n = random_below(6); n > 0; n--)
			mutate(&in);
		add_record(&in);
		LLVMFuzzerTestOneInput((const uint8_t *)in.text, in.len);
	}
	while (nr_seeds > 0)
		free(seeds[--nr_seeds]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");
	unsigned long count = form && strcmp(form, "long") == 0 ? 1000000 : 30000;

	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	if (fuzz_run(count, argc > 2 ? strtoull(argv[2], NULL, 0) : 1) != 0) {
		fprintf(stderr, "no formats: run it in the top directory, "
			"or set ULF_SRC\n");
		return 1;
	}
	return 0;
}

#endif
