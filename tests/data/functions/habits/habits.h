/* SPDX-License-Identifier: MIT */
/*
 * Programs that are hard for tracers, and that check that they work.  They know nothing of
 * ulf: tests/tracefs/function/graph_unusual_programs.tc builds them in many ways and traces
 * all of their functions.
 */
#ifndef HABITS_H
#define HABITS_H

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%s:%d: not true: %s\n",	\
				     __FILE__, __LINE__, #condition);	\
			std::_Exit(1);					\
		}							\
	} while (0)

#define NOINLINE	__attribute__((noinline))

/* Each function runs the tests of one file. */
void leaves_frames(void);	/* leaves.cpp */
void ends_threads(void);	/* ends.cpp */
void switches_stacks(void);	/* stacks.cpp */
void starts_processes(void);	/* processes.cpp */
void looks_at_itself(void);	/* looks.cpp */
void plugs_in(const char *library);	/* plugs.cpp */
void plugs_out(const char *library);

#endif
