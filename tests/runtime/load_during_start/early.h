/* SPDX-License-Identifier: MIT */
#ifndef EARLY_H
#define EARLY_H

/* Have the thread load its module, if it has not; returns what dlopen() has. */
void *early_loaded(void);

#endif
