/* SPDX-License-Identifier: MIT */
/*
 * The table of moved functions of an object.  To trace a function that no compiler has
 * prepared, a jump replaces its first instructions.  A copy of these instructions runs
 * elsewhere and then jumps back to the instruction after them.  The server has each object
 * analysed once (src/mover) and writes this table to a file.  A process reads the file,
 * checks it with moved_check() and makes the copies with moved_copy().  The code for the
 * CPU (arch/) has both functions, the sizes of jumps, and the list of registers that frames
 * describe.
 *
 * Example: push %rbp; mov %rsp,%rbp; sub $16,%rsp at vaddr 0x1130.  A jump has five bytes,
 * so the copy has all three instructions (8 bytes).  It has four frames, one for each
 * instruction and one for its end:
 *
 *	copy + 0	CFA = rsp + 8
 *	copy + 1	CFA = rsp + 16, rbp saved at CFA - 16
 *	copy + 4	CFA = rbp + 16, rbp saved at CFA - 16
 *	copy + 8	the same: here moved_copy() adds a jump to 0x1138
 *
 * The table is position independent: addresses (vaddr) are those in the file; in a process
 * the bias of the object is added.  Numbers are little endian.  A row refers to its block
 * in the pool, which is at bytes head.pool_at + row.pool of the table:
 *
 *	struct moved_fixup [nr_fixups]
 *	struct moved_frame [nr_frames]
 *	uint8_t [original_bytes]	what the process must find at vaddr
 *	uint8_t [copy_bytes]		the copy; the fields of fixups are 0
 *
 * After the pool, at byte head.syscalls_at, the table has head.nr_syscalls rows for the
 * instructions of the object that make a system call (struct moved_syscall).
 */
#ifndef ULF_ABI_MOVED_H
#define ULF_ABI_MOVED_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define MOVED_MAGIC		0x3464766du	/* the bytes "mvd4" */
#define MOVED_COPY_MAX		64u	/* maximum size of a copy with its last jump, bytes */
#define MOVED_ORIGINAL_MAX	20u	/* maximum value of moved_row.original_bytes */
#define MOVED_LEAD_MAX		4u	/* maximum value of moved_row.lead */
#define MOVED_FIXUPS_MAX	16u	/* maximum number of fixups of a row;
					 * MOVED_FRAMES_MAX: maximum number of its
					 * frames */
#define MOVED_FRAMES_MAX	16u
#define MOVED_POOL_ALIGN	8u	/* alignment of blocks in the pool */
#define MOVED_BYTES_MAX		(512u << 20)	/* maximum size of a table */

/*
 * How the first instructions of a function may be replaced by a jump.  In every class it is
 * allowed to write only the first byte of the jump and to use the function's next bytes as
 * the jump's distance, if a stub can be placed where this jump leads (a punned jump).
 * Otherwise all bytes of the jump are written while the threads are stopped.
 */
enum moved_class {
	MOVED_REFUSED,		/* the function cannot be traced: moved_row.reason */
	MOVED_ONE,		/* the jump replaces only the first instruction, and
				 * possibly padding after it, so no thread can be in
				 * the middle of the replaced bytes */
	MOVED_SEVERAL,		/* the jump replaces several instructions, so it must
				 * be checked that no thread is between them */
	MOVED_BYTE,		/* only a punned jump is possible: its first byte
				 * alone may be written */
	MOVED_CLASSES,
};

/* The reasons why a function is refused: X(number, name, text). */
#define MOVED_REASONS(X)						\
	X(0, NONE, "it can be traced")					\
	X(1, TARGET, "a jump may lead into its first instructions")	\
	X(2, SHORT, "it is shorter than a jump, and code follows it")	\
	X(3, DECODE, "its first bytes are no known instructions")	\
	X(4, INSTRUCTION, "an instruction at its start works only where it is")	\
	X(5, SYSCALL, "it begins with a system call")			\
	X(6, CALL, "a call returns into its first bytes")		\
	X(7, UNWIND, "its unwind table cannot describe a copy")		\
	X(8, RELOCATED, "the dynamic linker changes its first bytes")	\
	X(9, RETURN_ADDRESS, "it uses its return address as data")	\
	X(10, FLAGS, "it reads flags that its caller has set")		\
	X(11, RED_ZONE, "it may be a part of a function that keeps data below its stack") \
	X(12, COLD, "it is a part of another function")			\
	X(13, PLT, "it is a PLT entry")					\
	X(14, JUMPS, "it saves or restores the registers of a caller")	\
	X(15, FORKS, "it returns twice, or on another stack")		\
	X(16, LOADER, "the dynamic linker calls it in its own way")	\
	X(17, UNWINDER, "it walks the stack from its own frame")	\
	X(18, START, "the program or a thread starts here")		\
	X(19, TRACER, "a compiler or a tracer calls it at function entries") \
	X(20, TRACEPOINT, "a tracepoint is in its first bytes")		\
	X(21, PLACE, "another place at which a jump is wanted is in its first bytes") \
	X(22, LINKER, "the dynamic linker runs when libulf itself needs it")

#define MOVED_REASON_ENUM(number, name, text) MOVED_BY_##name = (number),
enum moved_reason {
	MOVED_REASONS(MOVED_REASON_ENUM)
		MOVED_NR_REASONS,
};

/* A function. */
struct moved_row {
	uint64_t vaddr;			/* where the jump is written: the function's
					 * entry, or after the instruction that marks
					 * the entry as a target of indirect jumps */
	uint32_t bytes;			/* size of the function from its entry to its
					 * end, bytes */
	uint32_t pool;			/* offset of this row's block in the pool */
	uint8_t class;			/* enum moved_class.  In a row with
					 * MOVED_REFUSED only vaddr, bytes, lead and
					 * reason have a meaning; the other members
					 * are 0 */
	uint8_t reason;			/* enum moved_reason; 0 if the function is not refused */
	uint8_t lead;			/* distance from the function's entry to
					 * @vaddr, bytes */
	uint8_t original_bytes;		/* number of bytes at @vaddr that were analysed: the
					 * moved instructions, and the bytes after them that the
					 * jump covers; at least MOVED_JUMP_BYTES */
	uint8_t copy_bytes;		/* size of the copy without the jump at its end, bytes */
	uint8_t nr_fixups;
	uint8_t nr_frames;
	uint8_t ends;			/* 1: the last instruction of the copy
					 * never continues with the next one (such
					 * as a jump), so the copy needs no jump at
					 * its end */
	uint8_t moved_bytes;		/* size of the original instructions that were
					 * moved, bytes; the copy ends with a jump to
					 * the instruction after these */
	uint8_t reserved[7];
};

/* How a fixup computes the 4 bytes of its field. */
enum moved_fixup_kind {
	MOVED_REL32,		/* the field gets the distance from byte `end` of the
				 * copy to @target */
	MOVED_LOW32,		/* the field gets the lower half of the address
				 * @target */
	MOVED_HIGH32,		/* the field gets the upper half of the address
				 * @target */
	MOVED_FIXUP_KINDS,
};

/* A field of a copy that depends on where the object or the copy is. */
struct moved_fixup {
	uint64_t target;		/* vaddr of the target, which may be outside
					 * of the object */
	uint8_t at;			/* offset of the field in the copy */
	uint8_t end;			/* offset in the copy of the end of the field's
					 * instruction */
	uint8_t kind;			/* enum moved_fixup_kind */
	uint8_t reserved[5];
};

#define MOVED_SAVED_REGS	6u	/* number of registers whose saved values a frame
					 * describes */

/*
 * Where the caller's frame and registers are when a thread is at byte `copy` of a copy.
 * The return address is always at CFA - 8.  A frame applies from its byte to that of the
 * next frame.  There is one frame for each instruction of the copy and one for the end of
 * the copy.
 */
struct moved_frame {
	int32_t cfa_offset;		/* the CFA is the value of register @cfa_register plus
					 * this number */
	uint8_t copy;			/* offset in the copy from which this frame
					 * applies; frames are sorted by it */
	uint8_t original;		/* offset from vaddr of the instruction that the
					 * thread would execute next if the function had
					 * not been moved */
	uint8_t cfa_register;		/* DWARF number of the stack pointer, the frame
					 * pointer, or another general register */
	uint8_t reserved;
	uint8_t saved[MOVED_SAVED_REGS];	/* for each register of MOVED_SAVED_DWARF: n > 0,
						 * it is saved at CFA - 8 n; 0: it is not saved */
	uint8_t reserved2[2];
};

/* The reasons why a system call cannot be traced: X(number, name, text). */
#define MOVED_SYSCALL_REASONS(X)						\
	X(0, NONE, "it can be traced")						\
	X(1, SHORT, "no instruction before it can be replaced by a jump")	\
	X(2, ENTERED, "a jump may lead between that instruction and the call")	\
	X(3, FUNCTION, "its unwind table does not describe the code around it")	\
	X(4, CHANGED, "the dynamic linker changes the code around it")		\
	X(5, HANDLER, "signal handlers return to the code around it")

#define MOVED_SYSCALL_ENUM(number, name, text) MOVED_SYSCALL_##name = (number),
enum moved_syscall_reason {
	MOVED_SYSCALL_REASONS(MOVED_SYSCALL_ENUM)
		MOVED_NR_SYSCALL_REASONS,
};

#define MOVED_AFTER_MAX		16u	/* size of moved_syscall.after */
#define MOVED_SYSCALL_UNKNOWN	0xffffu	/* value of moved_syscall.nr if the number is
					 * not known before the program runs */

/*
 * An instruction that makes a system call.  It stays where it is.  A jump may replace an
 * instruction before it, and another jump the instruction after it:
 *
 *	before.vaddr	cmpb $0,multiple(%rip)		becomes a jump
 *			jne  elsewhere
 *			xorl %eax,%eax
 *	vaddr		syscall
 *	vaddr + 2	cmp  $-4096,%rax		becomes a jump
 *
 * The copy has all instructions from the first replaced one to the call.  Each jump replaces bytes
 * of one instruction only, so no thread can be inside of what it replaces: a thread that is before
 * one of the other instructions executes the original ones.
 */
struct moved_syscall {
	uint64_t vaddr;			/* address of the instruction `syscall` */
	uint16_t nr;			/* number of the system call */
	uint8_t reason;			/* enum moved_syscall_reason; if this is not
					 * 0, the system call cannot be traced, and
					 * @nr and all later members are 0 */
	uint8_t after_insn;		/* size of the instruction after the call, which may be
					 * moved; 0: no jump can replace it */
	uint8_t after_bytes;		/* number of bytes in @after: those of the
					 * instruction after the call, and of padding
					 * that the jump covers */
	uint8_t ends;			/* 1: the instruction after the call is a
					 * return */
	uint8_t reserved[2];
	uint8_t after[MOVED_AFTER_MAX];	/* the bytes that the process must find after
					 * the call */
	struct moved_row before;	/* the instructions before the call; in its
					 * frames only the members @copy and @original
					 * are set */
};

struct moved_head {
	uint32_t magic;			/* MOVED_MAGIC; a table with another layout
					 * has another magic */
	uint32_t head_bytes;		/* sizeof(struct moved_head); the rows follow */
	uint32_t row_bytes;		/* sizeof(struct moved_row) */
	uint32_t nr_rows;		/* number of rows; they are sorted by vaddr
					 * and do not overlap */
	uint32_t pool_at;		/* offset in the table of the pool, bytes */
	uint32_t pool_bytes;
	uint32_t nr_refused;		/* number of rows with MOVED_REFUSED */
	uint32_t build_id_bytes;	/* bytes of the build id; 0: the object has no build id */
	uint8_t build_id[32];
	uint64_t text, text_end;	/* range of the object's code, which contains
					 * all rows */
	uint64_t text_hash;		/* moved_hash() of the bytes from @text to before
					 * @text_end, as they are in the file */
	uint32_t syscalls_at;		/* offset in the table of struct moved_syscall
					 * [nr_syscalls], sorted by vaddr; the table ends with
					 * them */
	uint32_t nr_syscalls;
};

static_assert(sizeof(struct moved_row) == 32, "ABI");
static_assert(offsetof(struct moved_row, class) == 16, "ABI");
static_assert(sizeof(struct moved_fixup) == 16, "ABI");
static_assert(sizeof(struct moved_frame) == 16, "ABI");
static_assert(sizeof(struct moved_syscall) == 64, "ABI");
static_assert(sizeof(struct moved_head) == 96, "ABI");
static_assert(offsetof(struct moved_head, text) == 64, "ABI");

/* ---- accessors: for a table that moved_check() has accepted ---- */

/* Returns the rows: head->nr_rows rows. */
static inline const struct moved_row *moved_rows(const struct moved_head *head)
{
	return (const struct moved_row *)(head + 1);
}

/* Returns the fixups of the copy of @row. */
static inline const struct moved_fixup *moved_fixups(const struct moved_head *head,
						     const struct moved_row *row)
{
	return (const struct moved_fixup *)((const uint8_t *)head + head->pool_at + row->pool);
}

/* Returns the frames of the copy of @row. */
static inline const struct moved_frame *moved_frames(const struct moved_head *head,
						     const struct moved_row *row)
{
	return (const struct moved_frame *)(moved_fixups(head, row) + row->nr_fixups);
}

/* Returns the bytes that the object must have at row->vaddr. */
static inline const uint8_t *moved_original(const struct moved_head *head,
					    const struct moved_row *row)
{
	return (const uint8_t *)(moved_frames(head, row) + row->nr_frames);
}

/* Returns the rows of system calls: head->nr_syscalls rows. */
static inline const struct moved_syscall *moved_syscalls(const struct moved_head *head)
{
	return (const struct moved_syscall *)((const uint8_t *)head + head->syscalls_at);
}

#endif
