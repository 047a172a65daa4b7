/* SPDX-License-Identifier: MIT */
/*
 * The code to which the jumps around a system call lead (abi/moved.h, struct moved_syscall).  Each
 * jump has a cell (fcode.h) of its own:
 *
 *	before the call				after it
 *	copy of the instructions
 *	lea	6(%rip),%r11			lea	6(%rip),%r11
 *	jmp	*SCALL_HOOK(cell)		jmp	*SCALL_HOOK(cell)
 *						copy of the instruction
 *	jmp	to the call			jmp	to the next instruction
 *	...
 *	48	address of the hook in scall.S, which comes back by r11
 *	56	number of the system call
 *	60	distance from the cell to the address after the call
 *
 * A system call changes rcx and r11, so around a call no code keeps values in them.  All
 * other registers, the flags and the red zone are kept.
 */
#ifndef ULF_ARCH_SCALL_H
#define ULF_ARCH_SCALL_H

#define SCALL_HOOK	48
#define SCALL_NR	56
#define SCALL_CALL_BYTES	13	/* size of the two instructions that lead to
					 * the hook, bytes */
#define SCALL_NEXT	60
#define SCALL_NUMBERS	512		/* system calls with lower numbers have struct
					 * scall_steps of their own; all others share one */
#define SCALL_ARGS	6		/* maximum number of arguments of a system
					 * call */
#define SCALL_SLOWLY	0xffffffff	/* value of scall_step.bytes for a step that
					 * scall_slowly() must do */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/fcode.h"
#include "arch/x86_64/moved.h"

struct ulf_event;

/* A place next to a system call at which a jump replaces bytes of one
 * instruction. */
struct scall_site {
	const struct moved_head *head;
	const struct moved_syscall *call;
	bool is_exit;			/* true: the site is after the call, not before it */
};

/* Returns true if @site can be replaced by a jump. */
bool scall_has_site(const struct scall_site *site);
/* Returns the vaddr of the site. */
uint64_t scall_vaddr(const struct scall_site *site);
/* Returns the bytes that must be at the site before it is switched on, and
 * their number. */
const uint8_t *scall_original(const struct scall_site *site, uint32_t *ret_bytes);

/* Map cells for @nr sites within reach of the text from @low to before @high, and make them known
 * to unwinders.  Returns their address, or NULL if there is no space. */
struct fcode_cell *scall_map(uint64_t low, uint64_t high, uint32_t nr);
/* Unmap what scall_map() has returned.  No thread may be in a cell. */
void scall_unmap(struct fcode_cell *cells, uint32_t nr);

/* Write the cell of @site.  @bias: address of a byte of the object in memory minus its vaddr.  The
 * caller is between patch_begin() and patch_end().  Returns 0, or -ERANGE: the cell is too far
 * away from an address that it needs. */
int scall_write(struct fcode_cell *cell, const struct scall_site *site, uint64_t bias);
/* Store in @ret_bytes the jump from @site to @cell. */
void scall_encode(const struct fcode_cell *cell, const struct scall_site *site, uint64_t bias,
		  uint8_t ret_bytes[MOVED_JUMP_BYTES]);

/*
 * The record of a hit, which a hook makes on the stack.  The whole struct is the record of the
 * raw event, raw_syscalls:sys_enter or sys_exit.  The record of the event of this system call
 * has the same bytes from the start: its field with the number has 4 bytes, and 4 bytes of
 * padding are 0.
 */
struct scall_record {
	uint64_t head;			/* a struct trace_entry */
	long nr;			/* number of the call */
	union {
		unsigned long args[SCALL_ARGS];
		long ret;
	};
};

/* A step of a hook: an event that it records. */
struct scall_step {
	const struct ulf_event *event;	/* the event that the step records; NULL: the event is
					 * off */
	uint32_t bytes;			/* size of the record, bytes; SCALL_SLOWLY:
					 * the event has several probes, so
					 * scall_slowly() must call them */
	uint32_t reserved;
};

/* The steps of a hook for one system call. */
struct scall_steps {
	struct scall_step raw;		/* step of raw_syscalls:sys_enter or sys_exit */
	struct scall_step named;	/* the event of this call */
};

/*
 * The steps of the hooks, indexed by the number of the system call.  The last element is for
 * all higher numbers.  The agent writes steps while hooks read them.  A hook that finds an old
 * value does what it did before: the event of a step is always the same or NULL, and each value
 * of @bytes is right for this event.
 */
extern struct scall_steps scall_enter_steps[SCALL_NUMBERS + 1]
	__attribute__((visibility("hidden")));
extern struct scall_steps scall_exit_steps[SCALL_NUMBERS + 1]
	__attribute__((visibility("hidden")));

/* Record a hit that the hook cannot record.  The function may use general registers only.  Must be
 * set before a jump leads to a cell, and stays as it is. */
extern void (*scall_slowly)(const struct ulf_event *event, struct scall_record *record,
			    uint32_t bytes) __attribute__((visibility("hidden")));

/*
 * Write the record of a plain event (plan.c) with general registers only.
 * @record: 16 to 64 bytes, a multiple of 8; this function fills in struct trace_entry
 * Returns false if nothing was written: the event is not plain, the page is full, the rseq section
 * was aborted, or the thread has no struct ulf_thread.
 */
bool arch_event_append(const struct ulf_event *event, struct scall_record *record,
		       uint32_t bytes) __attribute__((visibility("hidden")));

/* The hooks, in scall.S.  Only cells jump to them; C code only uses their addresses. */
void scall_enter_hook(void) __attribute__((visibility("hidden")));
void scall_exit_hook(void) __attribute__((visibility("hidden")));

#endif
#endif
