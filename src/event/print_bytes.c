/* SPDX-License-Identifier: MIT */
/* Print bytes and bitmaps. */
#include "event/print_impl.h"

void print_bytes(struct text *out, const uint8_t *mem, size_t len, char separator)
{
	for (size_t i = 0; i < len; i++) {
		if (i && separator)
			text_putc(out, separator);
		print_hex(out, mem[i], 2);
	}
}

static bool is_bit_set(const uint8_t *mem, size_t bit)
{
	return mem[bit / 8] >> (bit % 8) & 1;
}

/* Print a bitmap as hexadecimal numbers of 32 bits, with commas between them.  The number
 * with the highest bits is first.  Example: ff,00000001 */
void print_bitmap(struct text *out, const uint8_t *mem, size_t nr_bits)
{
	size_t top = (nr_bits + 31) / 32 * 32;
	uint32_t word;

	for (size_t base = top; base > 0;) {
		size_t bits = base > nr_bits ? nr_bits - (base - 32) : 32;

		base -= 32;
		word = 0;
		for (size_t i = bits; i-- > 0;)
			word = word << 1 | is_bit_set(mem, base + i);
		print_hex(out, word, (bits + 3) / 4);
		if (base)
			text_putc(out, ',');
	}
}

/* Print the numbers of the bitmap's set bits, as ranges.  Example: 0-3,7,9-10 */
void print_bitmap_list(struct text *out, const uint8_t *mem, size_t nr_bits)
{
	bool is_first = true;
	size_t i = 0, start;

	while (i < nr_bits) {
		if (!is_bit_set(mem, i)) {
			i++;
			continue;
		}
		for (start = i; i < nr_bits && is_bit_set(mem, i); i++)
			;
		if (!is_first)
			text_putc(out, ',');
		is_first = false;
		print_dec(out, start, false);
		if (i - start > 1) {
			text_putc(out, '-');
			print_dec(out, i - 1, false);
		}
	}
}
