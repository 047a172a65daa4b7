/* SPDX-License-Identifier: MIT */
/* Makes a module of the kernel a module of the sample program, which insmod can load. */
#ifndef LINUX_MODULE_H
#define LINUX_MODULE_H

#include <ulf/tracing.h>

#define __init
#define __exit
/* The functions have the names of the macros.  The preprocessor does not expand a name again
 * in its own expansion. */
#define module_init(fn)	int (module_init)(void) { return fn(); }
#define module_exit(fn)	void (module_exit)(void) { fn(); }
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)

int (module_init)(void);
void (module_exit)(void);

#endif
