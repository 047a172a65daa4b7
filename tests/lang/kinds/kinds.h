/* SPDX-License-Identifier: MIT */
#ifndef KINDS_H
#define KINDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Hits the tracepoints that are made in create.c; what @probe has added up. */
int hit_made_here(void (*probe)(void *data, int *value, int by));
/* Gives the custom events their tracepoints; how many have one. */
int attach_custom(void);

#ifdef __cplusplus
}
#endif

#endif
