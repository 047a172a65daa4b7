/* SPDX-License-Identifier: MIT */
#ifndef KINDS_H
#define KINDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Hit the tracepoints that create.c makes.  Returns the sum that @probe has computed. */
int hit_made_here(void (*probe)(void *data, int *value, int by));
/* Attach the custom events to their tracepoints.  Returns how many are attached. */
int attach_custom(void);

#ifdef __cplusplus
}
#endif

#endif
