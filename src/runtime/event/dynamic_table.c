/* SPDX-License-Identifier: MIT */
/* The dynamic events that this process has used so far.  This file uses nothing of plans, so
 * the code that runs at each hit does not depend on the code that applies settings. */
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "runtime/event/dynamic.h"
#include "runtime/event/dynamic_table.h"

struct ulf_event *dynamic_table[ABI_DYNAMIC];

const struct ulf_event *dynamic_event(uint32_t row)
{
	/* acquire: the event is complete; mate: dynamic_use() [dynamic.event] */
	return __atomic_load_n(&dynamic_table[row], __ATOMIC_ACQUIRE);
}
