/* SPDX-License-Identifier: MIT */
/* Check a control block, which a hostile program may have written. */
#include <errno.h>
#include <stdbool.h>

#include "server/core/root_peek.h"

/* Limit of the size that the tables and the heap of a root take together, bytes.  In the
 * default layout they take 35 MB. */
#define CONTROL_BYTES_MAX	(1ull << 30)

/* Return true if a table of @rows rows at offset @off lies between the control block and
 * the arena. */
static bool is_table(const struct abi_control *control, uint64_t off,
		     uint64_t rows, uint64_t row_bytes)
{
	return off % 8 == 0 && off >= sizeof(*control) &&
	       off <= control->arena_off &&
	       rows * row_bytes <= control->arena_off - off;
}

int root_check_control(const struct abi_control *c)
{
	if (c->magic != ABI_MAGIC)		/* [root.magic] */
		return -EBADMSG;
	if (c->version != ABI_VERSION || c->control_bytes != sizeof(*c))
		return -EPROTONOSUPPORT;
	if (c->arena_off % ABI_ALIGN || c->arena_off > CONTROL_BYTES_MAX ||
	    c->map_bytes < c->arena_off || c->map_bytes > 1ull << 46 ||
	    !c->nr_cpus || c->nr_cpus > ABI_CPUS)
		return -EBADMSG;
	if (!is_table(c, c->processes_off, ABI_PROCESSES,
		      sizeof(struct abi_process)) ||
	    !is_table(c, c->modules_off, ABI_MODULES,
		      sizeof(struct abi_module)) ||
	    !is_table(c, c->comms_off, ABI_COMMS, sizeof(struct abi_comm)) ||
	    !is_table(c, c->events_off, ABI_EVENTS, sizeof(struct abi_event)) ||
	    !is_table(c, c->buffers_off, ABI_BUFFERS,
		      sizeof(struct abi_buffer)) ||
	    (c->objects_off && !is_table(c, c->objects_off, ABI_OBJECTS,
					 sizeof(struct abi_object))) ||
	    !is_table(c, c->heap_off, 0, 1))
		return -EBADMSG;
	return 0;
}
