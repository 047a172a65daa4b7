/* SPDX-License-Identifier: MIT */
/*
 * Tags: which graph tracers follow a call.  Several buffers may have function_graph at
 * once.  Each time that a buffer gets function_graph it gets a tag, from 1 to
 * SHADOW_TAG_MAX.  A tag is reused only after all other tags were used.  The shadow of a
 * call contains the tags of the buffers that have recorded its entry.  A buffer records the
 * return only if it still has one of these tags.  So a buffer that got function_graph after
 * the entry does not record the return, even if it had function_graph before.
 *
 * shadow.word has one of these two forms (b: the offset of the function's body):
 *
 *	31    30 .. 24     23    22 .. 5   4 .. 0
 *	0     tag          0     b         0		simple: one graph tracer is the only user
 *	1     users >> 1         b         tag		all other calls
 *
 * users: the upper eight bits of enum ftrace_user, FTRACE_GRAPH to 31.  FTRACE_GRAPH,
 * FTRACE_START, FTRACE_SKIP and FTRACE_CPU_TIME apply to the tag in bits 4 .. 0; all other bits
 * apply to every tag.  FTRACE_CPU_TIME without FTRACE_GRAPH means SHADOW_MANY: this form
 * cannot express the tags of the call.  They are in its struct shadow_tags in the table
 * shadow_many, which has a bit for each tag.  That table is made before a second buffer gets
 * function_graph.
 *
 * ftrace.S handles only simple calls, and compares their tag with the tag of the ring set.
 *
 * word			writer			readers
 * shadow.word		the thread whose stack	that thread
 *			it is
 * shadow_tags		that thread		that thread
 * fsite_slot.body.word	the agent, while	ftrace.S: the tag, if a graph tracer is the
 *			graph_set has no rings	only user of the site
 * ring_set.tag		the agent, before	ftrace.S
 *			graph_set is the set
 * All are private memory of the process.
 */
#ifndef ULF_RUNTIME_SHADOW_TAGS_H
#define ULF_RUNTIME_SHADOW_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"

#define SHADOW_TAG_MAX	31u
/* bits of shadow.word that contain the offset of the body */
#define SHADOW_BODY_MASK	(GRAPH_BODIES_BYTES - GRAPH_BODY_BYTES)
#define SHADOW_MORE	(1u << 31)	/* bit of shadow.word: the call is not simple */
#define SHADOW_USERS	(0xffu << FTRACE_GRAPH)
/* A bit in the users of a call.  If it is set without FTRACE_GRAPH, the tags of the
 * call are in shadow_many. */
#define SHADOW_MANY	(1u << FTRACE_CPU_TIME)
#define SHADOW_ALL	UINT32_MAX	/* all tags, also those that buffers get later */

/* The graph tracers that take part in a call.  Each uint32_t is a set of tags, one bit
 * for each tag.  The members from `starts` to `insides` contain the tags for which the
 * call has a mark; the comment of each member says which mark. */
struct shadow_tags {
	uint32_t users;			/* tags that will record the exit: they
					 * have recorded the entry, or wait for
					 * tracing_thresh */
	uint32_t starts;		/* tags with the mark FTRACE_START, which callees
					 * inherit */
	uint32_t skips;			/* tags with the mark FTRACE_SKIP, which callees
					 * inherit */
	uint32_t cpu_times;		/* tags with the mark FTRACE_CPU_TIME */
	uint32_t handlers;		/* tags with the mark FTRACE_HANDLER */
	uint32_t insides;		/* tags with the mark FTRACE_IN_HANDLER, which
					 * callees inherit */
	uint64_t cpu_ns;		/* value of ftrace_cpu_ns() at the entry of the
					 * call, for the tags in @cpu_times */
};

extern struct shadow_tags *shadow_many;	/* array of SHADOW_ENTRIES elements; NULL: not
					 * allocated yet */

/* Make the table shadow_many, for several graph tracers, unless it exists.  The caller holds
 * runtime_lock().  Returns 0 or -ENOMEM. */
int shadow_many_make(void);

/* Returns the tags of the graph tracers in @users. */
static inline uint32_t shadow_tags_of(uint32_t users)
{
	uint32_t tags = 0;

	users &= __atomic_load_n(&ftrace_state.graphs, __ATOMIC_RELAXED);
	for (; users; users &= users - 1)
		tags |= 1u << ftrace_state.tag_of[__builtin_ctz(users)];
	return tags;
}

/* Returns the offset of the function's body in ftrace_bodies. */
static inline uint32_t shadow_body(const struct shadow *shadow)
{
	return shadow->word & SHADOW_BODY_MASK;
}

/* Returns the users and marks of a call, in the bits of enum ftrace_user.  SHADOW_MANY
 * may be set, too. */
static inline uint32_t shadow_users(const struct shadow *shadow)
{
	return shadow->word & SHADOW_MORE ? shadow->word << 1 & SHADOW_USERS :
					    1u << FTRACE_GRAPH;
}

static inline bool shadow_is_simple(const struct shadow *shadow)
{
	return !(shadow->word & SHADOW_MORE);
}

static inline bool shadow_is_many(const struct shadow *shadow)
{
	return (shadow_users(shadow) & (1u << FTRACE_GRAPH | SHADOW_MANY)) == SHADOW_MANY;
}

/* Returns those users of a call that have no tag: the bits FTRACE_GRAPH_OPS and
 * FTRACE_PROFILE. */
static inline uint32_t shadow_others(const struct shadow *shadow)
{
	return shadow_users(shadow) & (1u << FTRACE_GRAPH_OPS | 1u << FTRACE_PROFILE);
}

/* Returns the tags of a call that has SHADOW_MANY.  @at: shadow of the call, in the
 * table of shadows. */
static inline struct shadow_tags *shadow_many_at(const struct shadow *at)
{
	return shadow_many + (at - shadow_entries);
}

/* Returns the tags of a call; none if @at is NULL.  @at: shadow of the call, in the
 * table of shadows. */
static inline struct shadow_tags shadow_tags(const struct shadow *at)
{
	struct shadow_tags tags = { .users = 0 };
	uint32_t users, tag;

	if (!at)
		return tags;
	if (shadow_is_many(at))
		return *shadow_many_at(at);
	users = shadow_users(at);
	tag = shadow_is_simple(at) ? at->word >> 24 : at->word;
	tag = 1u << (tag & SHADOW_TAG_MAX) & ~1u;	/* no buffer has tag 0 */
	tags.users = users >> FTRACE_GRAPH & 1 ? tag : 0;
	tags.starts = users >> FTRACE_START & 1 ? tag : 0;
	tags.skips = users >> FTRACE_SKIP & 1 ? tag : 0;
	tags.cpu_times = users >> FTRACE_CPU_TIME & 1 ? tag : 0;
	tags.handlers = users >> FTRACE_HANDLER & 1 ? SHADOW_ALL : 0;
	tags.insides = users >> FTRACE_IN_HANDLER & 1 ? SHADOW_ALL : 0;
	tags.cpu_ns = at->time_ns;
	return tags;
}

/* Returns the tags that have a bit in any member except handlers and insides.  In these
 * two members usually all tags have a bit, or none. */
static inline uint32_t shadow_tags_single(const struct shadow_tags *tags)
{
	return tags->users | tags->starts | tags->skips | tags->cpu_times;
}

/* Returns true if a call with @tags needs SHADOW_MANY. */
static inline bool shadow_tags_are_many(const struct shadow_tags *tags)
{
	uint32_t single = shadow_tags_single(tags);

	return single & (single - 1) || (tags->handlers && ~tags->handlers) ||
	       (tags->insides && ~tags->insides);
}

/* Returns the value of shadow.word for a call that the users @tags and @others follow.
 * @is_many: the caller writes the tags to shadow_many, so use SHADOW_MANY even if the
 * tags do not need it. */
static inline uint32_t shadow_word(uint32_t body, uint32_t others, bool is_many,
				   const struct shadow_tags *tags)
{
	uint32_t single = shadow_tags_single(tags), users = others;
	uint32_t tag = single ? (uint32_t)__builtin_ctz(single) : 0;

	if (is_many)
		return body | (users | SHADOW_MANY) >> 1 | SHADOW_MORE;
	users |= (tags->handlers ? 1u << FTRACE_HANDLER : 0) |
		 (tags->insides ? 1u << FTRACE_IN_HANDLER : 0) |
		 (tags->starts ? 1u << FTRACE_START : 0) |
		 (tags->skips ? 1u << FTRACE_SKIP : 0);
	if (!users && tags->users && !tags->cpu_times)
		return body | tag << 24;
	if (tags->users)
		users |= 1u << FTRACE_GRAPH | (tags->cpu_times ? 1u << FTRACE_CPU_TIME : 0);
	return body | users >> 1 | tag | SHADOW_MORE;
}

/*
 * shadow_new_tag - choose the tag of a buffer that gets function_graph
 * @used: tags of other buffers, a bit each; at most ABI_BUFFERS - 1, so one is free
 * @old: tags that buffers had until now; they are chosen only if all others are used
 *
 * Returns the next tag after the one that was chosen last.  If possible, the tag is
 * in a lane without a tag of @used or @old.  The reason: a thread may have left the
 * slot of one tracer and be about to enter the lane, in which it must not find the
 * rings of another tracer.  The caller is the agent and holds runtime_lock().
 */
uint8_t shadow_new_tag(uint32_t used, uint32_t old);

/* Returns the buffers whose tags must change by the settings @graph: those that get or
 * lose function_graph, and those that have lost it and got it again since the last
 * settings.  The caller is the agent and holds runtime_lock(). */
uint32_t shadow_tags_changed(const struct ftrace_graph_settings *graph);
/* Give tags to the buffers of @changed that get function_graph.  None of them may be active.
 * The caller is the agent and holds runtime_lock(). */
void shadow_tags_assign(uint32_t changed, const struct ftrace_graph_settings *graph);

#endif
