/* SPDX-License-Identifier: MIT */
/* Offsets for assembly, checked against the structs in rseq.c. */
#ifndef ULF_ARCH_OFFSETS_H
#define ULF_ARCH_OFFSETS_H

#define RING_POSITION		0
#define RING_TAIL_TIME		16
#define RING_TAIL_ENTRIES	24
#define RING_LAP		48
#define RING_FLAGS		76
#define RING_CLOCK_MULT		80
#define RING_CLOCK_NS		96
#define RING_OFFSET_MASK	120
#define RING_OFFSET_MAX		124

#define SET_NR_CPUS		0
#define SET_SMALL_MAX		4
#define SET_FAST		40

#define EVENT_SET		64	/* struct ulf_event */
#define EVENT_ID		72
#define THREAD_TID		8	/* struct ulf_thread */

#define SHADOW_RET		0	/* struct shadow */
#define SHADOW_TIME		8
#define SHADOW_DEPTH		24

#define RSEQ_CPU_ID		4	/* struct rseq */
#define RSEQ_CS			8
#define RSEQ_SIGNATURE		0x53053053

#endif
