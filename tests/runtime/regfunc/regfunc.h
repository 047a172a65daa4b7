/* SPDX-License-Identifier: MIT */
/* Shared by the parts of this test. */
#ifndef REGFUNC_H
#define REGFUNC_H

#include <semaphore.h>
#include <stdbool.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#include "fn_trace.h"

extern struct driver d;			/* the root of the test */

/* ---- calls.c: the functions of the program's events, and what they do ---- */
extern int nr_reg, nr_unreg;		/* calls of the functions of fn_hit */
extern int (*reg_does)(void), (*unreg_does)(void);	/* called after the calls are counted */
void want(const char *name, bool on);
void test_calls(void);

/* A function that waits until the test lets it end. */
extern sem_t has_begun, may_end;
extern bool has_ended;
int take_long(void);

/* ---- modules.c ---- */
void *module_load(void);
void test_modules(void);

/* ---- processes.c ---- */
extern const struct self_role roles[];
void test_fork(void);
void test_fork_under_way(void);
void test_fork_inside(void);
void test_ends(void);

#endif
