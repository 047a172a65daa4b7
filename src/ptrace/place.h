/* SPDX-License-Identifier: MIT */
/* Find a place for a carrier: memory for code that a thread of the program executes
 * (arch/arch.h). */
#ifndef ULF_PTRACE_PLACE_H
#define ULF_PTRACE_PLACE_H

#include <stdint.h>

#include "ptrace/target.h"

/*
 * place_find - find ARCH_CARRIER_MAX bytes of memory that can be executed and are not in use
 * @ret_address: set on success.
 * Returns 0, -ENOSPC (there is no such place) or another -errno.
 */
int place_find(const struct target *target, uint64_t *ret_address);

#endif
