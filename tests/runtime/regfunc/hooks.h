/* SPDX-License-Identifier: MIT */
/* What the functions of mod_fn.c do: set by the program before it loads it. */
#ifndef HOOKS_H
#define HOOKS_H

struct hooks {
	int (*reg)(void);
	void (*unreg)(void);
};

extern struct hooks *hooks_of_module;

#endif
