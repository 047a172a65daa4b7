/* SPDX-License-Identifier: MIT */
/* Text that users write into the trace. */
#ifndef ULF_SERVER_MARKER_H
#define ULF_SERVER_MARKER_H

#include <stddef.h>
#include <sys/types.h>

struct instance;

/* The bytes of @text that were recorded, in the name of thread @tid; -EBADF
 * while tracing is off. */
ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid);

#endif
