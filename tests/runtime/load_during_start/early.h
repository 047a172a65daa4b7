/* SPDX-License-Identifier: MIT */
#ifndef EARLY_H
#define EARLY_H

/* Let the thread load its module, if it has not done so.  Returns the result of dlopen(). */
void *early_loaded(void);

#endif
