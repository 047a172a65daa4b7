/* SPDX-License-Identifier: MIT */
/* Where the modules of this test find the function that they call: at a fixed address, as
 * an IFUNC resolver has no relocated pointer of its own. */
#ifndef TESTS_FORK_LOCKS_HOOK_H
#define TESTS_FORK_LOCKS_HOOK_H

#define HOOK_PAGE	0x10000000ul

struct hooks {
	void (*before_register)(void);	/* the module is about to be registered */
	void (*in_constructor)(void);
	void (*in_resolver)(void);
};

#define HOOKS	((volatile struct hooks *)HOOK_PAGE)

#endif
