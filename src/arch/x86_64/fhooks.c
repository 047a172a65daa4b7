/* SPDX-License-Identifier: MIT */
/* Patch instructions of ftrace.S: write values into these instructions that are known only
 * at run time. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/x86_64/ftrace.h"
#include "arch/x86_64/known.h"
#include "arch/x86_64/codemem.h"
#include "arch/x86_64/patch.h"
#include "base/bits.h"

/* A row of the table of instructions to patch.  @where: distance from this member to the
 * last four bytes of the instruction.  @what (KNOWN_...): the value that these bytes must
 * get.  The macro `known' of record.h creates the rows. */
struct known {
	int32_t where;
	uint32_t what;
};
extern const struct known ftrace_known[] FTRACE_HIDDEN;
extern const struct known ftrace_known_end[] FTRACE_HIDDEN;

static int write_known_value(int fd, const struct known *known, const uint32_t *values)
{
	uint8_t *at = (uint8_t *)&known->where + known->where;
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	word += values[known->what] - UNKNOWN;
	return codemem_write(fd, at, (const uint8_t *)&word, sizeof(word));
}

int ftrace_hooks_make(const struct ftrace_offsets *offsets)
{
	static const struct known *next = ftrace_known;
	uint64_t bodies = ALIGN_UP((uint64_t)ftrace_graph_bodies, GRAPH_BODIES_BYTES);
	const uint32_t values[] = {
		[KNOWN_THIS] = (uint32_t)offsets->this,
		[KNOWN_RSEQ] = (uint32_t)offsets->rseq,
		[KNOWN_BODIES] = (uint32_t)(bodies >> 24),
	};
	int fd, r = 0;

	if (next == ftrace_known_end)
		return 0;
	ftrace_bodies = (uint8_t *)bodies;
	fd = codemem_begin();
	for (; next < ftrace_known_end && !r; next += !r)
		r = write_known_value(fd, next, values);
	codemem_end(fd);
	return r;
}

void graph_body_init(struct graph_body *body, const uint8_t *place, uint64_t site,
		     uint64_t target)
{
	*body = (struct graph_body){
		.code = { 0xff, 0x15, 10, 0, 0, 0 },	/* call *target(%rip) */
		.target = target, .site = site,
	};
	patch_encode_jump(body->code + GRAPH_BODY_RETURN, place + GRAPH_BODY_RETURN,
			  (const uint8_t *)ftrace_graph_return);
	patch_encode_jump(body->code + GRAPH_BODY_LANDING, place + GRAPH_BODY_LANDING,
			  (const uint8_t *)ftrace_graph_landing);
}
