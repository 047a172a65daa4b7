/* SPDX-License-Identifier: MIT */
/*
 * The text that trace_printk() and related functions print, in C and in C++.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include "lib/said.h"
#include "parts.h"

int main(void)
{
	said_start();
	test_conversions();
	test_cxx();
	return 0;
}
