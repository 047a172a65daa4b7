/* SPDX-License-Identifier: MIT */
/* The state of an instance for its readers of trace_pipe. */
#ifndef ULF_TRACEFS_PIPE_H
#define ULF_TRACEFS_PIPE_H

#include <stdint.h>

#include "abi/control.h"
#include "server/core/instance.h"
#include "server/part_numbers.h"

/* The CPUs of an instance that readers of trace_pipe have reserved.  This is the state
 * of INSTANCE_PART_PIPES. */
struct instance_pipes {
	uint64_t cpus[ABI_CPUS / 64];	/* bitmap of the CPUs whose trace_pipe is
					 * open */
};

/* Return the state of INSTANCE_PART_PIPES of @instance. */
static inline struct instance_pipes *instance_pipes(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_PIPES];
}

#endif
