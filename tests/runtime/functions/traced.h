/* SPDX-License-Identifier: MIT */
/* The traced functions.  tests/build/sites.sh compiles them in many ways. */
#ifndef TESTS_TRACED_H
#define TESTS_TRACED_H

int one(int x);
double two(double x, int nr, ...);
int caller(int x);

/* maximal number of bytes of an entry */
#define NR_FRESH	20
extern int (*const fresh[NR_FRESH])(int x);

#endif
