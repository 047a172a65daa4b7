/* SPDX-License-Identifier: MIT */
/* The results of the benchmark, which are stored by name and printed as one table of
 * medians. */
#ifndef ULF_BENCH_TABLE_H
#define ULF_BENCH_TABLE_H

#include <stdio.h>

/* Store a value of the row @name.  If there is no such row the program exits. */
void table_add(const char *name, double value);

/*
 * Print the table and the RATIO lines.
 * Returns 0, or 1 if a ratio could not be computed.
 */
int table_print(int nr_rounds);

#endif
