/* SPDX-License-Identifier: MIT */
/* The console: a terminal for the user that has started the mini kernel. */
#ifndef MINI_TTY_H
#define MINI_TTY_H

#include <mini/types.h>

extern bool boot_console;	/* true: there is a console; set by main() */

int tty_init(void);

#endif
