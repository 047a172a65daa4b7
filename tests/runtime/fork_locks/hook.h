/* SPDX-License-Identifier: MIT */
/* The modules of this test find the function that they call at a fixed address, because an
 * IFUNC resolver cannot use its own relocated pointers. */
#ifndef TESTS_FORK_LOCKS_HOOK_H
#define TESTS_FORK_LOCKS_HOOK_H

#define HOOK_PAGE	0x10000000ul

struct hooks {
	void (*before_register)(void);	/* before libulf registers the module */
	void (*in_constructor)(void);
	void (*in_resolver)(void);
};

#define HOOKS	((volatile struct hooks *)HOOK_PAGE)

#endif
