/* SPDX-License-Identifier: MIT */
/*
 * Unwind tables for stubs, slots and copies of moved instructions (fcode.h), as foreign
 * unwinders read them: for each kind of code an .eh_frame_hdr without a search table, and an
 * .eh_frame with one FDE for all addresses.  A foreign unwinder gets these tables for an
 * address whose kind of code is known (runtime/unwind/unwinders.c).
 *
 * The frame has no bytes.  Its rules lead from the instruction to its original, in the same
 * function: rip and rsp are computed, and no other register changes.  'S' in the CIE says that
 * the next frame was interrupted, too, so unwinders do not take its rip for a return address.
 *
 * The CFA is the new rsp - 1.  Unwinders compute no register from it, because rsp has a
 * rule of its own.  But libgcc recognizes a frame by its CFA, or by CFA - 1 if the frame
 * was interrupted.  If the CFA were rsp itself, libgcc could not distinguish this frame
 * from the next one.
 */
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/usite.h"

#define RIP	16
#define RSP	7

	/*
	 * Emit DW_CFA_val_expression (0x16): register \reg gets the value of an expression.
	 * The \bytes bytes of the expression follow.
	 */
	.macro	value_of reg, bytes
	.byte	0x16, \reg, \bytes
	.endm

	/*
	 * Emit DW_CFA_def_cfa_expression (0x0f): the CFA gets the value of an expression.  The
	 * \bytes bytes of the expression follow.
	 */
	.macro	cfa_of bytes
	.byte	0x0f, \bytes
	.endm

	/* Push rsp or rip plus a number: operations breg7 (0x77) and breg16 (0x80). */
	.macro	push_rsp plus
	.byte	0x77
	.sleb128 \plus
	.endm

	.macro	push_rip plus
	.byte	0x80
	.sleb128 \plus
	.endm

	/* Sign-extend the value on top of the DWARF stack from 32 to 64 bits. */
	.macro	extend_sign
	.byte	0x08, 32, 0x24, 0x08, 32, 0x26		/* const1u 32 shl, const1u 32 shra */
	.endm

	/* Begin the tables \name: the .eh_frame_hdr and the CIE.  The instructions of the
	 * CIE must follow this macro. */
	.macro	tables name
	.balign	8
	.globl	\name
	.hidden	\name
	.type	\name, @object
\name:
	/* version 1; address of .eh_frame: pcrel, sdata4; no search table */
	.byte	1, 0x1b, 0xff, 0xff
	.long	1f - .
	.balign	8
1:
	.long	3f - 2f					/* size of the CIE */
2:
	.long	0					/* a CIE */
	.byte	1					/* version */
	.asciz	"zRS"
	.uleb128 1					/* unit of code addresses */
	.sleb128 -8					/* unit of offsets */
	.byte	RIP					/* number of the register with the
							 * return address */
	.uleb128 1					/* size of the augmentation data, bytes */
	/* augmentation R: the encoding of addresses is 0, absolute */
	.byte	0
	.endm

	/* End the CIE, and add an FDE that covers all addresses but 0. */
	.macro	end_tables name
	.balign	8, 0					/* DW_CFA_nop */
3:
	.long	5f - 4f					/* size of the FDE */
4:
	.long	. - 2b + 4				/* distance to the CIE */
	.quad	1, -2
	.uleb128 0					/* size of the augmentation data, bytes */
	.balign	8, 0
5:
	.long	0					/* the end */
	.size	\name, . - \name
	.endm

	.section .rodata.fcode, "a", @progbits

	/* Unwind rules of a jump to a slot: rip = *(target + FCODE_SLOT_SITE) */
	tables	fcode_jumps
	cfa_of	2
	push_rsp -1
	value_of RSP, 2
	push_rsp 0
	value_of RIP, 16
	push_rip 1
	.byte	0x94, 4					/* deref_size 4: load the jump's distance */
	extend_sign
	push_rip 5
	.byte	0x22					/* plus: the slot */
	.byte	0x23, FCODE_SLOT_SITE, 0x06		/* plus_uconst, deref */
	end_tables fcode_jumps

	/* Unwind rules of a slot: rip = *((rip & -FCODE_SLOT_BYTES) + FCODE_SLOT_SITE), and rsp
	 * -= rip % FCODE_SLOT_BYTES >= FCODE_SLOT_DROPPED ? 8 : 0 */
	.macro	push_dropped
	push_rip 0
	.byte	0x08, FCODE_SLOT_BYTES - 1, 0x1a	/* const1u, and */
	.byte	0x30 + FCODE_SLOT_DROPPED, 0x2a		/* lit, ge: 0 or 1 */
	.byte	0x33, 0x24				/* lit3 shl */
	.endm

	tables	fcode_slots
	cfa_of	12
	push_rsp -1
	push_dropped
	.byte	0x1c					/* minus */
	value_of RSP, 12
	push_rsp 0
	push_dropped
	.byte	0x1c
	value_of RIP, 8
	push_rip 0
	.byte	0x09, -FCODE_SLOT_BYTES, 0x1a		/* const1s, and */
	.byte	0x23, FCODE_SLOT_SITE, 0x06		/* plus_uconst, deref */
	end_tables fcode_slots

	/* Unwind rules of a copy of moved instructions: cell = rip & -FCODE_CELL_BYTES,
	 * original = the byte at rip + FCODE_CELL_ORIGINALS; then rip = cell + cell->site +
	 * original % FCODE_PUSHED, and rsp += original & FCODE_PUSHED ? 8 : 0.  Bytes are
	 * picked from aligned words. */
	.macro	push_original
	push_rip FCODE_CELL_ORIGINALS
	.byte	0x09, -8, 0x1a, 0x06			/* const1s -8, and, deref: load the
							 * aligned word */
	push_rip 0
	.byte	0x37, 0x1a, 0x33, 0x24, 0x25		/* lit7 and, lit3 shl, shr */
	.endm

	.macro	push_pushed
	push_original
	.byte	0x08, FCODE_PUSHED, 0x1a, 0x32, 0x25	/* const1u FCODE_PUSHED, and, lit2 shr:
							 * 8 if that bit is set, else 0 */
	.endm

	tables	fcode_copies
	cfa_of	22
	push_rsp -1
	push_pushed
	.byte	0x22					/* plus */
	value_of RSP, 22
	push_rsp 0
	push_pushed
	.byte	0x22
	value_of RIP, 30
	push_rip 0
	.byte	0x09, -FCODE_CELL_BYTES, 0x1a		/* const1s, and: the cell */
	.byte	0x12, 0x23, FCODE_CELL_LAST, 0x06	/* dup, plus_uconst, deref */
	.byte	0x08, 32, 0x26, 0x22			/* const1u 32 shra, plus: take
							 * cell->site from the upper half of the
							 * word, and add it */
	push_original
	.byte	0x4f, 0x1a, 0x22			/* lit31 and, plus */
	end_tables fcode_copies

	/* Unwind rules of a cell of a probe: rip = *((rip & -USITE_CELL_BYTES) +
	 * USITE_CELL_NEXT) - 1, and rsp += USITE_RED_ZONE at the call and at the instruction
	 * after it. */
	.macro	push_skipped
	push_rip 0
	.byte	0x08, USITE_CELL_BYTES - 1, 0x1a	/* const1u, and */
	.byte	0x12, 0x30 + USITE_CELL_CALL, 0x29	/* dup, lit, eq */
	.byte	0x16, 0x30 + USITE_CELL_BACK, 0x29	/* swap, lit, eq */
	.byte	0x21, 0x37, 0x24			/* or, lit7 shl: 128 or 0 */
	.endm

	tables	fcode_probes
	cfa_of	17
	push_rsp -1
	push_skipped
	.byte	0x22					/* plus */
	value_of RSP, 17
	push_rsp 0
	push_skipped
	.byte	0x22
	value_of RIP, 10
	push_rip 0
	.byte	0x09, -USITE_CELL_BYTES, 0x1a		/* const1s, and */
	.byte	0x23, USITE_CELL_NEXT, 0x06		/* plus_uconst, deref */
	.byte	0x31, 0x1c				/* lit1, minus */
	end_tables fcode_probes

	.section .note.GNU-stack, "", @progbits
