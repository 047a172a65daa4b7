/* SPDX-License-Identifier: MIT */
/* What the parts of this test share. */
#ifndef REGFUNC_H
#define REGFUNC_H

#include <semaphore.h>
#include <stdbool.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#include "fn_trace.h"

extern struct driver d;			/* the root that is looked at */

/* ---- calls.c: the functions of the program's events, and what they may do ---- */
extern int nr_reg, nr_unreg;		/* calls of fn_hit's */
extern int (*reg_does)(void), (*unreg_does)(void);	/* besides counting */
void want(const char *name, bool on);
void test_calls(void);

/* One that takes its time. */
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
