/* SPDX-License-Identifier: MIT */
/* Choose tags; see shadow_tags.h. */
#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"

/* Returns all tags, used or not, of the lanes of @tags. */
static uint32_t lane_mates(uint32_t tags)
{
	uint32_t lanes = 0, mates = 0;

	for (uint32_t tag = 0; tag <= SHADOW_TAG_MAX; tag++)
		lanes |= (tags >> tag & 1) << tag % FTRACE_LANES;
	for (uint32_t tag = 0; tag <= SHADOW_TAG_MAX; tag++)
		mates |= (lanes >> tag % FTRACE_LANES & 1) << tag;
	return mates;
}

uint8_t shadow_new_tag(uint32_t used, uint32_t old)
{
	static uint32_t last;		/* under runtime_lock() */
	uint32_t avoided = lane_mates(used | old);

	if (avoided == UINT32_MAX)
		avoided = used | old;
	if ((avoided | 1) == UINT32_MAX)
		avoided = used;
	do
		last = last % SHADOW_TAG_MAX + 1;
	while (avoided >> last & 1);
	return (uint8_t)last;
}
