/* SPDX-License-Identifier: MIT */
/*
 * The interface to the code for a CPU architecture, and the only header of src/arch that
 * other rooms include.  Nothing outside of src/arch and include/ulf/arch knows a register,
 * an instruction, a relocation type or the size of a memory page.  Each architecture has a
 * directory with the same header names; x86_64 is the only one so far.
 *
 *	page.h		size of a memory page
 *	syscall.h	system calls, blocking signals, testing memory
 *	timestamp.h	the CPU's time stamp counter
 *	rseq.h		restartable sequences
 *	signal.h	the frame of a signal handler
 *	unwind.h	registers by their DWARF numbers
 *	argument.h	registers of arguments
 *	elf_machine.h	machine, relocations, PLT entries
 *	tracee.h	registers of a thread that ptrace() has stopped
 *	codemem.h	reading and writing text
 *	patch.h		patching code in steps
 *	poke.h		switching tracepoints
 *	pun.h		jumps to where the bytes after the opcode lead
 *	fsite_form.h	recognizing function entries
 *	fsite.h		switching function entries
 *	fcode.h		finding the function of code that fsite.h has made
 *	scall.h		code around system calls
 *	moved.h		copies of a function's first instructions
 *	usdt_table.h	tables of USDT probes
 *	usite.h		switching USDT probes
 *	insn.h		decoding instructions, and making these copies
 *	ftrace.h	the hooks of traced functions
 *	figures.h	adding to the figures of a histogram
 *
 * docs/design/ring.md and docs/design/patching.md list what a port must guarantee.
 */
#ifndef ULF_ARCH_ARCH_H
#define ULF_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_set;

#if defined(__x86_64__)
#include "arch/x86_64/page.h"
#include "arch/x86_64/plt.h"
#include "arch/x86_64/syscall.h"
#include "arch/x86_64/timestamp.h"
#include "arch/x86_64/rseq.h"
#include "arch/x86_64/signal.h"
#include "arch/x86_64/unwind.h"
#include "arch/x86_64/argument.h"
#include "arch/x86_64/elf_machine.h"
#include "arch/x86_64/tracee.h"
#include "arch/x86_64/codemem.h"
#include "arch/x86_64/patch.h"
#include "arch/x86_64/poke.h"
#include "arch/x86_64/pun.h"
#include "arch/x86_64/fsite_form.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/moved.h"
#include "arch/x86_64/usdt_table.h"
#include "arch/x86_64/usite.h"
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/scall.h"
#include "arch/x86_64/insn.h"
#include "arch/x86_64/ftrace.h"
#else
#error "ulf: this CPU architecture is not supported; only x86-64 is so far"
#endif

/*
 * arch_clone_thread - start a thread that libc does not know (clone.S).
 * @flags: flags of clone(2).
 * @stack: upper end of the new thread's stack.
 * @tls: thread pointer of the new thread.
 * @fn: the function that the new thread runs; it must not return.
 * Returns the thread id or -errno.
 */
long arch_clone_thread(unsigned long flags, void *stack, void *tls,
		       void (*fn)(void)) __attribute__((visibility("hidden")));
/*
 * arch_call_on - call @fn in this thread on another stack (clone.S).
 * @stack: upper end of that stack, a multiple of 16.
 */
void arch_call_on(void *stack, void (*fn)(void)) __attribute__((visibility("hidden")));

/*
 * A bit in the result of vfork_begin() (runtime/libc/vfork.c), which libulf's
 * vfork() (vfork.S) calls.  The bit means that the rseq area is still registered.
 * In this case vfork.S stores CPU number -1 in the area of the child.
 */
#define ARCH_VFORK_KEPT	8

/*
 * arch_restorer - find the code of libc to which signal handlers return (restorer.c).
 * Returns the address of this code, or ARCH_NO_RESTORER.  Two threads must not call it at
 * the same time.
 */
#define ARCH_NO_RESTORER	UINT64_MAX	/* the code was not found */
uint64_t arch_restorer(void) __attribute__((visibility("hidden")));

/* ---- write to rings in rseq sections (append.S, commit.S); see docs/design/ring.md
 * ---- */

enum arch_commit {
	ARCH_COMMIT_DONE	= 0,
	ARCH_COMMIT_NO_ROOM	= 1,	/* the record does not fit into the open page,
					 * or no page is open */
	ARCH_COMMIT_NO_RING	= 2,	/* this CPU has no ring, or the thread cannot
					 * use rseq */
	ARCH_COMMIT_ABORTED	= 3,	/* the kernel has aborted the section: the
					 * thread was preempted, migrated or got a
					 * signal */
	ARCH_COMMIT_CHANGED	= 4,	/* nothing was stored: the thread does not run
					 * on @cpu, or *@word is not equal to @expect */
};

/*
 * arch_ring_append - write a record, in one rseq section:
 *
 *	ring = set->fast[this CPU]
 *	if @bytes + header do not fit into the open page: NO_ROOM
 *	now = max(clock, time_ns)
 *	write header (with a time extend if necessary) and payload
 *	write the other copies of time_ns and entries: now, entries + 1
 *	ring->position += size; its bit 0 flips		<- the commit
 *
 * @data: @bytes bytes, which are copied after the header.
 * @now_ns: the time, for arch_ring_append_given() only.
 * @type_len: the low 5 bits of the record's header.
 * @bytes: a multiple of 4.
 *
 * arch_ring_append() uses the ring's clock.  arch_ring_append_given() uses @now_ns and is
 * for rings with ABI_RING_CLOCK_GIVEN.  Any thread and any signal handler may call them.
 * If the result is not ARCH_COMMIT_DONE, no record was written.
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

/*
 * An element of the parameter @stores of arch_rseq_store(): a word, and the value to store
 * there.
 */
struct arch_store {
	uint64_t *addr;
	uint64_t value;
};

/*
 * arch_rseq_store - store several words in one rseq section.
 * If the thread runs on @cpu and *@word is equal to @expect, do the @nr @stores in their
 * order, then store @value in *@word.
 * Returns ARCH_COMMIT_DONE, ARCH_COMMIT_CHANGED (nothing was stored) or ARCH_COMMIT_ABORTED
 * (some of @stores may be done; *@word was not stored).  Any thread and any signal handler
 * may call this.
 */
enum arch_commit arch_rseq_store(uint32_t cpu, uint64_t *word, uint64_t expect,
				 uint64_t value, const struct arch_store *stores,
				 uint32_t nr)
	__attribute__((visibility("hidden")));

/* The change that turns a number into the key of a quick histogram (enum
 * hist_quick_change). */
enum arch_hist_change {
	ARCH_HIST_SAME,
	ARCH_HIST_LOG2,
	ARCH_HIST_SUBLOG2,
};

/*
 * Three functions that return the code with which ulf_event_commit() (commit.S) loads the key
 * of a quick histogram (hist_quick.load).
 *
 * arch_hist_load - the key is a number of @bytes bytes, signed or not.
 * arch_hist_change - the number is changed; this code continues arch_hist_load().
 * arch_hist_load_string - the key is an array of @bytes characters, and has @words words at
 *	most.  Returns NULL if there is no such code.
 */
const void *arch_hist_load(uint32_t bytes, bool is_signed) __attribute__((visibility("hidden")));
const void *arch_hist_change(enum arch_hist_change change)
	__attribute__((visibility("hidden")));
const void *arch_hist_load_string(uint32_t bytes, uint32_t words)
	__attribute__((visibility("hidden")));

#if defined(__x86_64__)
#include "arch/x86_64/figures.h"	/* uses enum arch_commit */
#endif

#endif
