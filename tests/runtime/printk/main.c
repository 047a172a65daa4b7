/* SPDX-License-Identifier: MIT */
/*
 * trace_printk() and its kin from wherever a program may call them, and with
 * pointers to nothing.  What they print is tests/lang/printk.
 *
 * no-sanitize: address it follows pointers into what is the sanitizer's own
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include "parts.h"

int main(void)
{
	test_contexts();		/* before there are rings */
	test_pointers();
	test_modules();
	return 0;
}
