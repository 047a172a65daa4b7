/* SPDX-License-Identifier: MIT */
/* What users write into the trace. */
#ifndef ULF_SERVER_MARKER_H
#define ULF_SERVER_MARKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct instance;

/* The bytes of @text that were recorded, in the name of thread @tid; -EBADF
 * while tracing is off.  Runs the triggers of ftrace:print. */
ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid);
/* The same of bytes as they are; the first four say what they mean, and not
 * even a part is taken if they are missing or there is too much: -EINVAL. */
ssize_t marker_write_raw(struct instance *instance, const char *data, size_t len,
			 pid_t tid);
/* A text of our own, which is short, from ABI_IP_...; no triggers. */
void marker_say(struct instance *instance, uint64_t ip, const char *text,
		pid_t tid);

#endif
