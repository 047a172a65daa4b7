/* SPDX-License-Identifier: MIT */
/* Actions of the functions in mod_fn.c.  The program sets them before it loads the module. */
#ifndef HOOKS_H
#define HOOKS_H

struct hooks {
	int (*reg)(void);
	void (*unreg)(void);
};

extern struct hooks *hooks_of_module;

#endif
