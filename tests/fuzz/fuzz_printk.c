/* SPDX-License-Identifier: MIT */
/*
 * Random formats of trace_printk() with random arguments: printk_text() reads nothing outside
 * of both, and its text stays within its limit.
 *
 * An input is a format, a NUL, and the bytes of the arguments.  Inputs come from libFuzzer,
 * as in fuzz_print.c (with src/event/printk*.c print_num.c, src/base/text.c), or from
 * fuzz_printk [COUNT [SEED]].
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/print_impl.h"
#include "event/printk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_OUTPUT = 4096 };

static void put_pointer(void *ctx, char letter, uint64_t value,
			struct num_spec spec, struct text *out)
{
	(void)ctx;
	text_putc(out, letter ? letter : '-');
	print_address(out, value, spec);
}

/* Print to a buffer for @max bytes that cannot grow, as the runtime does. */
static void print(const char *fmt, const void *args, size_t bytes, size_t max)
{
	char *room = malloc(max + 1);
	struct text out = { .data = room, .cap = max + 1, .max = max };
	int r;

	if (!room)
		abort();
	r = printk_text(fmt, args, bytes, put_pointer, NULL, &out);
	if (out.data != room || out.len > max ||
	    (r && r != -EBADMSG && r != -EINVAL))
		abort();
	free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	struct printk_arg args[PRINTK_ARGS_MAX];
	size_t bytes;
	uint8_t *copy;
	char *fmt;

	if (!nul)
		return 0;
	bytes = size - (size_t)(nul + 1 - data);
	/* Copy format and arguments, so that the sanitizer finds a read beyond their ends. */
	fmt = strdup((const char *)data);
	copy = malloc(bytes ? bytes : 1);
	if (!fmt || !copy)
		abort();
	memcpy(copy, nul + 1, bytes);
	if (printk_args(fmt, args) > PRINTK_ARGS_MAX)
		abort();
	print(fmt, copy, bytes, MAX_OUTPUT);
	print(fmt, copy, bytes, 20);
	free(copy);
	free(fmt);
	return 0;
}

#ifndef FUZZ_LIBFUZZER

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static const char *const tokens[] = {
	"%", "%d", "%s", "%*d", "%.*s", "%*.*s", "%-32767d", "%99999999999d", "%hhd",
	"%hd", "%lld", "%c", "%p", "%pS", "%pI6c", "%f", "%Lg", "%.300e", "%a", "%n",
	"%%", "%ls", "0", "-", "+", "#", " ", ".", "*", "l", "h", "z", "x", "X", "o",
	"text", "\n", "%1$d", "%5%", "%.s", "%.-5d",
};

static size_t make_input(uint8_t input[512])
{
	size_t len = 0, bytes = random_below(64);

	for (uint64_t nr = random_below(12); nr; nr--) {
		const char *token = tokens[random_below(sizeof(tokens) /
							sizeof(tokens[0]))];

		len += (size_t)sprintf((char *)input + len, "%s", token);
	}
	input[len++] = '\0';
	for (; bytes; bytes--)
		input[len++] = random_below(3) ? (uint8_t)random_below(256) : 0;
	return len;
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 20000000 : 300000;
	uint8_t input[512];

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	for (uint64_t i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(input, make_input(input));
	printf("%llu inputs\n", (unsigned long long)count);
	return 0;
}

#endif
