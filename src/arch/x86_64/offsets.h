/* SPDX-License-Identifier: MIT */
/* Offsets for assembly.  rseq.c checks them against the structs. */
#ifndef ULF_ARCH_OFFSETS_H
#define ULF_ARCH_OFFSETS_H

#define RING_POSITION		0
#define RING_OFF		8
#define RING_CLOCK_MULT		24
#define RING_CLOCK_NS		32
#define RING_TIME		64
#define RING_ENTRIES		96
#define RING_ADDRESS		128
#define RING_END		160

#define SET_NR_CPUS		0
#define SET_SMALL_MAX		4
#define SET_TAG			18
#define SET_FAST		72
#define SET_LIMIT		(SET_FAST + 8 * 1024)
#define SET_HOOK_LIMIT		(SET_LIMIT + 8 * 1024)

#define EVENT_SET		64	/* members of struct ulf_event */
#define EVENT_ID		72
#define THREAD_TID		8	/* members of struct ulf_thread */

#define BUFFER_SET		0	/* members of struct buffer */

#define SLOT_USERS		24	/* members of struct fsite_slot */
#define SLOT_WORD		28
#define SLOT_BACK		40
#define SLOT_SITE		56

#define STATE_FUNCTION		0	/* members of struct ftrace_state */
#define STATE_GRAPH_SET		8
#define STATE_RESTORER		16
#define STATE_GRAPH_SETS	24
#define FTRACE_LANES		4

#define CASE_SET		0	/* members of struct ftrace_case */
#define CASE_USERS		8

#define THIS_HEAD		0	/* members of struct ftrace_thread */
#define THIS_ENTRY_HEAD		8
#define THIS_EXIT_HEAD		16
#define THIS_TOP		24
#define THIS_DEPTH		32
#define THIS_PAGE		40

#define SHADOW_RET		0	/* members of struct shadow */
#define SHADOW_TIME		8
#define SHADOW_ABOVE		16
#define SHADOW_DEPTH		24
#define SHADOW_WORD		28
#define SHADOW_HOME_MASK	0xffffff8	/* bits of a stack address that select a
						 * shadow at home */
#define SHADOW_BODY_MASK	0x7fffe0	/* bits of SHADOW_WORD: offset of the
						 * body */
#define SHADOW_TAG		(SHADOW_WORD + 3)	/* byte with the tag, if the call is
							 * simple (shadow_tags.h) */

#define REGS_RDI		0	/* members of struct ftrace_regs */
#define REGS_RSI		8
#define REGS_RDX		16
#define REGS_RCX		24
#define REGS_R8			32
#define REGS_R9			40
#define REGS_RAX		48
#define REGS_R10		56
#define REGS_R11		64
#define ENTRY_FRAME		80	/* bytes of a hook's frame before the slot's
					 * address */
#define PLACE_FRAME		88	/* bytes of a hook's frame before the return
					 * address */
#define LEFT_FRAME		96	/* bytes of a hook's frame with the return
					 * address */

#define UNKNOWN			0x40000000	/* placeholder in instructions, see
						 * record.h */
#define KNOWN_THIS		0		/* indices of the values that replace
						 * UNKNOWN (fhooks.c) */
#define KNOWN_RSEQ		1
#define KNOWN_BODIES		2

#define VFORK_KEPT		8	/* flag of runtime/libc/vfork.c */

#define RSEQ_CPU_ID		4	/* members of struct rseq */
#define RSEQ_CS			8
#define RSEQ_SIGNATURE		0x53053053

#endif
