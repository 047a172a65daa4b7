/* SPDX-License-Identifier: MIT */
/* What is traced; tests/build/sites.sh compiles it in many ways. */
#ifndef TESTS_TRACED_H
#define TESTS_TRACED_H

int one(int x);
double two(double x, int nr, ...);
int caller(int x);

/* As many as an entry may have bytes. */
#define NR_FRESH	20
extern int (*const fresh[NR_FRESH])(int x);

#endif
