/* SPDX-License-Identifier: MIT */
/* Give tags to buffers and to slots; see shadow_tags.h. */
#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"

/* ---- choose a tag for a buffer ---- */

/* Returns all tags, used or not, that share a lane with a tag of @tags. */
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
	static uint32_t last;		/* the tag that was chosen last; protected by
					 * runtime_lock() */
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

/* ---- give tags to the buffers that get function_graph ---- */

static uint8_t graph_sessions[ABI_BUFFERS];	/* for each buffer, the session in
						 * which it got its tag */

uint32_t shadow_tags_changed(const struct ftrace_graph_settings *graph)
{
	uint32_t changed = ftrace_state.graphs ^ graph->buffers;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++)
		if (graph->buffers >> i & 1 && graph_sessions[i] != graph->sessions[i])
			changed |= 1u << i;
	return changed;
}

void shadow_tags_assign(uint32_t changed, const struct ftrace_graph_settings *graph)
{
	uint32_t used = shadow_tags_of(ftrace_state.graphs & ~changed);
	uint32_t old = shadow_tags_of(ftrace_state.graphs & changed);

	for (uint32_t left = graph->buffers & changed; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		uint8_t tag = shadow_new_tag(used, old);

		used |= 1u << tag;
		ftrace_state.tag_buffers[tag] = ftrace_state.buffers[i];
		ftrace_state.tag_of[i] = tag;
		graph_sessions[i] = graph->sessions[i];
	}
}

/* ---- compute the tags and hooks in the slots of sites ---- */

/* Returns true if a graph tracer is the only user in @users.  If settings could not be
 * applied, @users may have a buffer that has no tag. */
static bool is_one_graph(uint32_t users)
{
	uint32_t buffers = users & ~(1u << FTRACE_GRAPH);

	return users != buffers && buffers & ftrace_state.graphs &&
	       !(buffers & (buffers - 1));
}

/* Returns the tag of the only graph tracer in @users. */
static uint32_t tag_of(uint32_t users)
{
	return ftrace_state.tag_of[__builtin_ctz(users)];
}

void (*ftrace_entry_of(const struct fsite_slot *slot))(void)
{
	static void (*const lanes[FTRACE_LANES])(void) = {
		ftrace_entry_graph0, ftrace_entry_graph1, ftrace_entry_graph2,
		ftrace_entry_graph3,
	};
	uint32_t users = slot->users;

	if (is_one_graph(users) && slot->body.at)
		return lanes[tag_of(users) % FTRACE_LANES];
	if (users & FTRACE_FUNCTION_MASK && !(users & (users - 1)))
		return ftrace_entry_function;
	return ftrace_entry;
}

uint32_t ftrace_word_of(const struct fsite_slot *slot)
{
	uint32_t body = slot->body.word & SHADOW_BODY_MASK;
	uint32_t tag = is_one_graph(slot->users) ? tag_of(slot->users) : 0;

	return body | tag << 24;
}
