/* SPDX-License-Identifier: MIT */
/*
 * What a CPU architecture provides.  Each has a directory with the same file
 * names; x86_64 is the only one so far.
 */
#ifndef ULF_ARCH_ARCH_H
#define ULF_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_set;

#if defined(__x86_64__)
#include "arch/x86_64/syscall.h"
#include "arch/x86_64/clock.h"
#include "arch/x86_64/rseq.h"
#include "arch/x86_64/signal.h"
#include "arch/x86_64/unwind.h"
#else
#error "ulf runs on x86-64 only so far"
#endif

/* clone.S; @flags of clone(2), @stack: its upper end. */
long arch_clone_thread(unsigned long flags, void *stack, void *tls,
		       void (*fn)(void)) __attribute__((visibility("hidden")));
/* @stack: its upper end, a multiple of 16. */
void arch_call_on(void *stack, void (*fn)(void)) __attribute__((visibility("hidden")));

/* Where libc has signal handlers return to.  One caller at a time. */
#define ARCH_NO_RESTORER	UINT64_MAX	/* it was not found */
uint64_t arch_restorer(void) __attribute__((visibility("hidden")));

/* ---- rseq commits (append.S, commit.S); see docs/design/ring.md ---- */

enum arch_commit {
	ARCH_COMMIT_DONE	= 0,
	ARCH_COMMIT_NO_ROOM	= 1,	/* the page is full, or not open yet */
	ARCH_COMMIT_NO_RING	= 2,	/* no ring of this CPU, or no rseq here */
	ARCH_COMMIT_ABORTED	= 3,	/* preempted, migrated or signalled */
	ARCH_COMMIT_CHANGED	= 4,	/* another CPU, or the word has changed */
};

/*
 * arch_ring_append - the whole of writing a record, in one rseq section:
 *
 *	ring = set->fast[this CPU]
 *	if @bytes + header do not fit into the open page: NO_ROOM
 *	now = max(clock, time_ns)
 *	write header (with a time extend if need be) and payload
 *	write the other copies of time_ns and entries: now, entries + 1
 *	ring->position += size; its bit 0 flips		<- the commit
 *
 * @type_len: the low 5 bits of the record's header; @bytes (a multiple of 4)
 * are copied behind it.  The clock is the ring's own, or @now_ns in the
 * variant for rings with ABI_RING_CLOCK_GIVEN.
 */
enum arch_commit arch_ring_append(const struct ring_set *set, const void *data,
				  uint64_t now_ns, uint32_t type_len,
				  uint32_t unused, uint32_t bytes)
	__attribute__((visibility("hidden")));
enum arch_commit arch_ring_append_given(const struct ring_set *set,
					const void *data, uint64_t now_ns,
					uint32_t type_len, uint32_t unused,
					uint32_t bytes)
	__attribute__((visibility("hidden")));

struct arch_store {
	uint64_t *addr;
	uint64_t value;
};

/*
 * arch_rseq_store - if this is @cpu and *@word == @expect: do the @nr
 * @stores in order, then *@word = @value, as one rseq section.
 */
enum arch_commit arch_rseq_store(uint32_t cpu, uint64_t *word, uint64_t expect,
				 uint64_t value, const struct arch_store *stores,
				 uint32_t nr)
	__attribute__((visibility("hidden")));

#endif
