/* SPDX-License-Identifier: MIT */
/*
 * The file tracing_cpumask: the CPUs that record, as a mask in the kernel's form.  A
 * mask consists of hexadecimal numbers of 32 bits with commas between them; the number
 * with the bits of the highest CPUs comes first.  Example: with 40 CPUs, "01,00000003"
 * means the CPUs 0, 1 and 32.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "server/core/root.h"
#include "server/rings/options.h"
#include "tracefs/files.h"

#define WORD_BITS	32u
#define WORDS_MAX	(ABI_CPUS / WORD_BITS)

static uint32_t words_of(uint32_t nr_cpus)
{
	return (nr_cpus + WORD_BITS - 1) / WORD_BITS;
}

int tracing_cpumask_show(struct tracefs_node *node, struct text *out)
{
	const struct instance *instance = tracefs_instance(node);
	uint32_t nr_cpus = node->root->nr_cpus;

	for (uint32_t i = words_of(nr_cpus); i-- > 0; ) {
		uint32_t bits = nr_cpus - i * WORD_BITS, word = 0;

		if (bits > WORD_BITS)
			bits = WORD_BITS;
		for (uint32_t bit = 0; bit < bits; bit++)
			if (instance_has_cpu(instance, i * WORD_BITS + bit))
				word |= 1u << bit;
		text_printf(out, "%0*" PRIx32 "%c", (int)(bits + 3) / 4, word,
			    i ? ',' : '\n');
	}
	return 0;
}

static bool is_between(char c)
{
	return c == ',' || isspace((unsigned char)c);
}

/* Parse the hexadecimal number that ends before @text[*@end], and set *@end to the index
 * of the number's first digit. */
static int parse_word(const char *text, size_t *end, uint32_t *ret_word)
{
	uint32_t word = 0;

	for (uint32_t shift = 0; *end && !is_between(text[*end - 1]); shift += 4) {
		char c = text[--*end];

		if (!isxdigit((unsigned char)c))
			return -EINVAL;
		if (shift >= WORD_BITS)
			return -EOVERFLOW;
		word |= (uint32_t)(isdigit((unsigned char)c) ? c - '0' :
				   (c | 0x20) - 'a' + 10) << shift;
	}
	*ret_word = word;
	return 0;
}

/* Parse a mask of CPUs backwards from its end, where the lowest CPUs are.  Returns
 * -EOVERFLOW if the mask names a CPU that does not exist. */
static int parse_mask(const char *text, size_t len, uint32_t nr_cpus,
		      uint32_t words[WORDS_MAX])
{
	uint32_t nr = 0, spare = words_of(nr_cpus) * WORD_BITS - nr_cpus;
	int r;

	for (;;) {
		while (len && is_between(text[len - 1]))
			len--;
		if (!len)
			break;
		if (nr == words_of(nr_cpus))
			return -EOVERFLOW;
		r = parse_word(text, &len, &words[nr]);
		if (r)
			return r;
		nr++;
	}
	if (nr == words_of(nr_cpus) && spare &&
	    words[nr - 1] >> (WORD_BITS - spare))
		return -EOVERFLOW;
	return 0;
}

ssize_t tracing_cpumask_store(struct tracefs_file *file, const char *buf, size_t size,
			      pid_t tid)
{
	uint32_t words[WORDS_MAX] = { 0 };
	uint64_t cpus[ABI_CPUS / 64];
	int r = parse_mask(buf, strnlen(buf, size), file->node->root->nr_cpus,
			   words);

	(void)tid;
	if (r)
		return r;
	for (size_t i = 0; i < ABI_CPUS / 64; i++)
		cpus[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
	instance_set_cpus(tracefs_instance(file->node), cpus);
	return (ssize_t)size;
}
