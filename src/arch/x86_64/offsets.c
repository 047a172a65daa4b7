/* SPDX-License-Identifier: MIT */
/*
 * The offsets and numbers that assembly uses.  The build compiles this file to
 * assembly, not to an object file.  From the lines that start with "->" offsets.sh
 * makes the header "arch/x86_64/offsets.h" in the build directory.  So the offsets that
 * assembly uses are always those of the structs.
 *
 * This is the only file of src/arch that includes headers of src/ring and src/runtime.
 */
#include <linux/rseq.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "abi/attach.h"
#include "abi/hist.h"
#include "abi/ring.h"
#include "arch/arch.h"
#include "hist/quick.h"
#include "ring/ring.h"
#include "runtime/buffer/buffer.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"
#include <ulf/event.h>

#define DEFINE(name, value) \
	__asm__ volatile("\n.ascii \"->" #name " %c0\"" : : "i"((long)(value)))
#define OFFSET(name, type, member)	DEFINE(name, offsetof(struct type, member))

void attach_offsets(void);
void ring_offsets(void);
void hist_offsets(void);
void runtime_offsets(void);
void function_offsets(void);
void frame_offsets(void);

void attach_offsets(void)
{
	OFFSET(ATTACH_PTHREAD_CREATE, abi_attach, pthread_create);
	OFFSET(ATTACH_DLOPEN, abi_attach, dlopen);
	OFFSET(ATTACH_DLSYM, abi_attach, dlsym);
	OFFSET(ATTACH_DLERROR, abi_attach, dlerror);
	OFFSET(ATTACH_LOADER_CODE, abi_attach, loader_code);
	OFFSET(ATTACH_THREAD, abi_attach, thread);
	OFFSET(ATTACH_STARTER, abi_attach, starter);
	OFFSET(ATTACH_STARTER_ERROR, abi_attach, starter_error);
	OFFSET(ATTACH_LOADER, abi_attach, loader);
	OFFSET(ATTACH_ENTRY, abi_attach, entry);
	OFFSET(ATTACH_LIBULF, abi_attach, libulf);
	OFFSET(ATTACH_MESSAGE, abi_attach, message);
	DEFINE(ATTACH_MESSAGE_BYTES, sizeof(((struct abi_attach *)0)->message));
	DEFINE(STARTER_RUNS, ABI_STARTER_RUNS);
	DEFINE(STARTER_DONE, ABI_STARTER_DONE);
	DEFINE(LOADER_RUNS, ABI_LOADER_RUNS);
	DEFINE(LOADER_LOADED, ABI_LOADER_LOADED);
	DEFINE(LOADER_FAILED, ABI_LOADER_FAILED);
	DEFINE(NR_RT_SIGPROCMASK, SYS_rt_sigprocmask);
	DEFINE(NR_SCHED_YIELD, SYS_sched_yield);
	DEFINE(NR_PRCTL, SYS_prctl);
	DEFINE(NR_EXIT, SYS_exit);
}

void ring_offsets(void)
{
	OFFSET(RING_POSITION, abi_ring, position);
	OFFSET(RING_OFF, abi_ring, off);
	OFFSET(RING_CLOCK_MULT, abi_ring, clock_mult);
	OFFSET(RING_CLOCK_NS, abi_ring, clock_ns);
	OFFSET(RING_TIME, abi_ring, time_ns);
	OFFSET(RING_ENTRIES, abi_ring, entries);
	OFFSET(RING_ADDRESS, abi_ring, address);
	OFFSET(RING_END, abi_ring, end);

	OFFSET(SET_NR_CPUS, ring_set, nr_cpus);
	OFFSET(SET_SMALL_MAX, ring_set, small_max);
	OFFSET(SET_TAG, ring_set, tag);
	OFFSET(SET_FAST, ring_set, fast);
	OFFSET(SET_LIMIT, ring_set, limit);
	OFFSET(SET_HOOK_LIMIT, ring_set, hook_limit);

	OFFSET(STORE_ADDR, arch_store, addr);
	OFFSET(STORE_VALUE, arch_store, value);
	DEFINE(STORE_BYTES, sizeof(struct arch_store));

	OFFSET(RSEQ_CPU_ID, rseq, cpu_id);
	OFFSET(RSEQ_CS, rseq, rseq_cs);

	DEFINE(COMMIT_NO_ROOM, ARCH_COMMIT_NO_ROOM);
	DEFINE(COMMIT_NO_RING, ARCH_COMMIT_NO_RING);
	DEFINE(COMMIT_ABORTED, ARCH_COMMIT_ABORTED);
	DEFINE(COMMIT_CHANGED, ARCH_COMMIT_CHANGED);
	DEFINE(REC_TIME_EXTEND, ABI_REC_TIME_EXTEND);
}

void hist_offsets(void)
{
	OFFSET(QUICK_LOAD, hist_quick, load);
	OFFSET(QUICK_ONE, hist_quick, one);
	OFFSET(QUICK_SOFT, hist_quick, soft);
	OFFSET(QUICK_PAUSED, hist_quick, paused);
	OFFSET(QUICK_KEY, hist_quick, key.offset);
	OFFSET(QUICK_VAL, hist_quick, val.offset);
	OFFSET(QUICK_VAL_BYTES, hist_quick, val.bytes);
	OFFSET(QUICK_VAL_SHIFT, hist_quick, val.sign_shift);
	OFFSET(QUICK_CHANGE, hist_quick, change_code);
	OFFSET(QUICK_CHANGE_VALUE, hist_quick, change_value);
	OFFSET(QUICK_SEED, hist_quick, seed);
	OFFSET(QUICK_SLOTS, hist_quick, slots);
	OFFSET(QUICK_SLOT_SHIFT, hist_quick, slot_shift);
	OFFSET(QUICK_SLOT_MASK, hist_quick, slot_mask);
	OFFSET(QUICK_ENTRIES, hist_quick, entries);
	OFFSET(QUICK_NR_ENTRIES, hist_quick, nr_entries);
	OFFSET(QUICK_ENTRY_BYTES, hist_quick, entry_bytes);
	OFFSET(QUICK_FIGURES, hist_quick, figures);
	OFFSET(FIGURES_AT, arch_figures, at);
	OFFSET(FIGURES_PART, arch_figures, part_bytes);

	DEFINE(HIST_QUICK_SET, HIST_QUICK_SET);
	DEFINE(HIST_QUICK_PROBES, HIST_QUICK_PROBES);
	DEFINE(HIST_HASH_LOW, HIST_HASH_MULT & UINT32_MAX);
	DEFINE(HIST_HASH_HIGH, (int32_t)(HIST_HASH_MULT >> 32));
}

void runtime_offsets(void)
{
	OFFSET(EVENT_SET, ulf_event, set);
	OFFSET(EVENT_ID, ulf_event, id);
	OFFSET(THREAD_TID, ulf_thread, tid);
	OFFSET(RECORD_PID, trace_entry, pid);
	OFFSET(BUFFER_SET, buffer, set);

	DEFINE(NR_CLONE, SYS_clone);
	DEFINE(NR_VFORK, SYS_vfork);
	DEFINE(VFORK_KEPT, ARCH_VFORK_KEPT);
}

void function_offsets(void)
{
	OFFSET(SLOT_USERS, fsite_slot, users);
	OFFSET(SLOT_WORD, fsite_slot, body.word);
	OFFSET(SLOT_BACK, fsite_slot, body.back);
	OFFSET(SLOT_SITE, fsite_slot, site);

	OFFSET(STATE_FUNCTION, ftrace_state, function);
	OFFSET(STATE_GRAPH_SET, ftrace_state, graph_set);
	OFFSET(STATE_RESTORER, ftrace_state, restorer);
	OFFSET(STATE_GRAPH_SETS, ftrace_state, graph_sets);

	OFFSET(CASE_SET, ftrace_case, set);
	OFFSET(CASE_USERS, ftrace_case, users);

	OFFSET(THIS_HEAD, ftrace_thread, head);
	OFFSET(THIS_ENTRY_HEAD, ftrace_thread, entry_head);
	OFFSET(THIS_EXIT_HEAD, ftrace_thread, exit_head);
	OFFSET(THIS_TOP, ftrace_thread, top);
	OFFSET(THIS_DEPTH, ftrace_thread, depth);
	OFFSET(THIS_PAGE, ftrace_thread, page);

	OFFSET(SHADOW_RET, shadow, ret);
	OFFSET(SHADOW_TIME, shadow, time_ns);
	OFFSET(SHADOW_ABOVE, shadow, above);
	OFFSET(SHADOW_DEPTH, shadow, depth);
	OFFSET(SHADOW_WORD, shadow, word);
	/*
	 * the byte of shadow.word that contains the graph tracer's tag if ftrace.S can handle
	 * the call alone (shadow_tags.h)
	 */
	DEFINE(SHADOW_TAG, offsetof(struct shadow, word) + 3);
	/*
	 * mask of the bits of a stack address that select its shadow, if its memory page is at
	 * home (shadow.h)
	 */
	DEFINE(SHADOW_HOME_MASK, SHADOW_KEYS * SHADOW_SLOTS * 8ull - 8);
	DEFINE(SHADOW_BODY_MASK, SHADOW_BODY_MASK);

	OFFSET(GRAPH_BODY_SITE, graph_body, site);
	OFFSET(VECTORS_PARTS, ftrace_vectors, parts);
	OFFSET(VECTORS_BYTES, ftrace_vectors, bytes);
}

/* Offsets in the frames of the hooks of ftrace.S.  A frame contains struct ftrace_regs, an
 * unused word, the slot's address and the return address. */
void frame_offsets(void)
{
	OFFSET(REGS_RDI, ftrace_regs, args[0]);
	OFFSET(REGS_RSI, ftrace_regs, args[1]);
	OFFSET(REGS_RDX, ftrace_regs, args[2]);
	OFFSET(REGS_RCX, ftrace_regs, args[3]);
	OFFSET(REGS_R8, ftrace_regs, args[4]);
	OFFSET(REGS_R9, ftrace_regs, args[5]);
	OFFSET(REGS_RAX, ftrace_regs, rax);
	OFFSET(REGS_R10, ftrace_regs, r10);
	OFFSET(REGS_R11, ftrace_regs, r11);
	DEFINE(ENTRY_FRAME, sizeof(struct ftrace_regs) + 8);	/* number of bytes of a
								 * frame below the
								 * slot's address */
	DEFINE(PLACE_FRAME, sizeof(struct ftrace_regs) + 16);	/* number of bytes of a
								 * frame below the
								 * return address */
	DEFINE(LEFT_FRAME, sizeof(struct ftrace_regs) + 24);	/* number of bytes of a
								 * frame, including the
								 * return address */
}
