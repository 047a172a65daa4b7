/* SPDX-License-Identifier: MIT */
/*
 * TESTPOINT("ring.close.commit") marks a step that others can observe.  In the
 * product it is nothing; tests build with -DULF_TESTPOINTS and are called
 * there, to delay, stop or kill the process between two steps.
 */
#ifndef ULF_BASE_TESTPOINT_H
#define ULF_BASE_TESTPOINT_H

#ifdef ULF_TESTPOINTS
extern void (*testpoint_hook)(const char *name);
#define TESTPOINT(name) do {				\
	if (testpoint_hook)				\
		testpoint_hook(name);			\
} while (0)
#else
#define TESTPOINT(name) do { } while (0)
#endif

#endif
