/* SPDX-License-Identifier: MIT */
/* What a module of the kernel's needs to be one of the sample program's: insmod. */
#ifndef LINUX_MODULE_H
#define LINUX_MODULE_H

#include <ulf/tracing.h>

#define __init
#define __exit
/* A name is not replaced twice: the functions are called what the macros are. */
#define module_init(fn)	int (module_init)(void) { return fn(); }
#define module_exit(fn)	void (module_exit)(void) { fn(); }
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)

int (module_init)(void);
void (module_exit)(void);

#endif
