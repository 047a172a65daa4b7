/* SPDX-License-Identifier: MIT */
/* The benchmark's results: kept by name, printed as one table of medians. */
#ifndef ULF_BENCH_TABLE_H
#define ULF_BENCH_TABLE_H

#include <stdio.h>

/* Keep a value.  A name that no row of the table has ends the program. */
void table_add(const char *name, double value);

/* Print the table and the RATIO lines.  0, or 1 if a required value is
 * missing. */
int table_print(int nr_rounds);

#endif
