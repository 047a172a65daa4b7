/* SPDX-License-Identifier: MIT */
/*
 * Fast conversion of numbers to decimal digits, two digits at a time.  A fast conversion
 * matters because a line of `trace` consists mostly of numbers.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 20 };		/* number of digits of the largest 64-bit number */

/*
 * Write the decimal digits of @value so that the last one is before @end: at most
 * DIGITS_MAX digits, and no NUL.  Returns the address of the first digit.
 */
static inline char *digits_put(char *end, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

#endif
