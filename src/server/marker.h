/* SPDX-License-Identifier: MIT */
/* What users write into the trace. */
#ifndef ULF_SERVER_MARKER_H
#define ULF_SERVER_MARKER_H

#include <stddef.h>
#include <sys/types.h>

struct instance;

/* The bytes of @text that were recorded, in the name of thread @tid; -EBADF
 * while tracing is off. */
ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid);
/* The same of bytes as they are; the first four say what they mean, and not
 * even a part is taken if they are missing or there is too much: -EINVAL. */
ssize_t marker_write_raw(struct instance *instance, const char *data, size_t len,
			 pid_t tid);

#endif
