/* SPDX-License-Identifier: MIT */
/* Read the options of an instance.  rings/options.h changes them. */
#ifndef ULF_SERVER_CORE_OPTION_BITS_H
#define ULF_SERVER_CORE_OPTION_BITS_H

#include <stdint.h>

#include "event/option.h"
#include "server/core/instance.h"
#include "server/core/shm.h"

/* Return the options of @instance that are on, as bits of enum option_bit. */
static inline uint64_t instance_options(const struct instance *instance)
{
	return shm_load(&instance->abi->options) ^ OPTION_DEFAULTS;
}

#endif
