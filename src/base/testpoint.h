/* SPDX-License-Identifier: MIT */
/*
 * TESTPOINT("ring.close.commit") marks a step that other threads or processes can
 * observe.  In the product it expands to nothing.  Tests are built with
 * -DULF_TESTPOINTS: then the macro calls testpoint_hook, which can delay, stop or
 * kill the process at this step.
 */
#ifndef ULF_BASE_TESTPOINT_H
#define ULF_BASE_TESTPOINT_H

#ifdef ULF_TESTPOINTS
/* The function that TESTPOINT() calls.  A test sets this pointer before it runs
 * the tested code.  NULL: TESTPOINT() has no effect. */
extern void (*testpoint_hook)(const char *name);
#define TESTPOINT(name) do {				\
	if (testpoint_hook)				\
		testpoint_hook(name);			\
} while (0)
#else
#define TESTPOINT(name) do { } while (0)
#endif

#endif
