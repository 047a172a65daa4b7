/* SPDX-License-Identifier: MIT */
/*
 * trace_printk() and related functions in every context in which a program may call them, and
 * with invalid pointers.  tests/lang/printk tests the text that they print.
 *
 * no-sanitize: address it reads pointers into the sanitizer's memory
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include "parts.h"

int main(void)
{
	test_contexts();		/* runs before there are rings */
	test_pointers();
	test_modules();
	return 0;
}
