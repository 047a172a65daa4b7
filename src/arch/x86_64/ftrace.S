/* SPDX-License-Identifier: MIT */
/* Function tracing: the entries that the slots of fsite.c call, and the code to which
 * functions return while the graph tracer traces them.  See docs/design/functions.md. */
#include "arch/x86_64/record.h"
#include "arch/x86_64/ftrace.h"

	.pushsection .rodata.ftrace_known, "a", @progbits
	.balign	4
	.globl	ftrace_known
	.hidden	ftrace_known
ftrace_known:
	.popsection

/*
 * The stack frame of each hook in this file.  From low to high addresses it contains
 * the registers that C may change (struct ftrace_regs), an unused word, the slot's
 * address, and the function's return address.  Until C is called the frame is below the
 * stack pointer, in the red zone: the 128 bytes that signal handlers do not overwrite.
 */
#define SLOT		0(%rsp)			/* in the frame of an entry: the address of the
						 * slot + FSITE_SLOT_CALL */
#define PLACE		8(%rsp)			/* in the frame of an entry: the return address
						 * of the function */
#define LEFT_PLACE	-8(%rsp)		/* in the frame of ftrace_graph_return: the word
						 * that was the return address */
#define ENTRY_LIMIT	-8(%rsp)		/* in entries: where the parameter
						 * \limit of record_ring is stored, in
						 * the unused word of the frame */
#define LEFT_LIMIT	-24(%rsp)
#define ENTRY_CFA	16
#define LEFT_CFA	0
#define LANDING_FRAME	32

/* Apply \op (save or load) to the registers that the frequent paths of the hooks use.  Before a
 * call of a C function, apply for_rest, too.  \frame: size of the frame if the stack pointer is
 * still above the frame, else 0. */
	.macro	for_scratch op, frame=0
	\op	rax, REGS_RAX, \frame
	\op	rcx, REGS_RCX, \frame
	\op	rdx, REGS_RDX, \frame
	\op	rsi, REGS_RSI, \frame
	\op	r8, REGS_R8, \frame
	\op	r10, REGS_R10, \frame
	.endm

	.macro	for_rest op
	\op	rdi, REGS_RDI
	\op	r9, REGS_R9
	\op	r11, REGS_R11
	.endm

	.macro	save reg, at, frame=0
	movq	%\reg, \at-\frame(%rsp)
	.endm

	.macro	load reg, at, frame=0		/* the macro keeps the CPU flags */
	movq	\at-\frame(%rsp), %\reg
	.endm

	/* Move the stack pointer below the frame.  \cfa: distance from the stack
	 * pointer without the frame to the CFA, bytes.  \cfa is a parameter because
	 * clang does not know the offset after a .cfi_restore_state. */
	.macro	push_frame bytes, cfa
	subq	$\bytes, %rsp
	.cfi_def_cfa_offset \cfa + \bytes
	for_rest save
	.endm

	.macro	pop_frame bytes, cfa		/* the macro keeps the CPU flags */
	for_rest load
	leaq	\bytes(%rsp), %rsp
	.cfi_def_cfa_offset \cfa
	.endm

	/*
	 * Go to \maybe if a traced function may have tail-called this function.  Then the
	 * return address of this function is in a body.  The test is fast but not exact: bits
	 * 24..55 must be those of ftrace_bodies. At \maybe the macro tail_call compares the
	 * whole address.
	 */
	.macro	look_for_tail_call maybe
	known	BODIES, cmpl $UNKNOWN, 3+PLACE
	je	\maybe
	.endm

	.macro	tail_call slowly, again
	movq	PLACE, %rax
	subq	ftrace_bodies(%rip), %rax
	cmpq	$GRAPH_BODIES_BYTES, %rax
	jb	\slowly
	jmp	\again
	.endm

	/* Compute the address of a shadow, in which the graph tracer keeps its data of a call.
	 * In: rsi = an address on the stack.  Out: rsi = the address of its shadow.  The result
	 * is only correct if the memory page of this address is at home: keys[page % nr] is its
	 * key (shadow.h).  rdx: scratch */
	.macro	shadow_home
	andl	$SHADOW_HOME_MASK, %esi
	movq	shadow_entries(%rip), %rdx
	leaq	(%rdx,%rsi,4), %rsi
	.endm

	/*
	 * Go to \other unless a stack address is in the memory page that turn_page stored last.
	 * That page is known to be at home (shadow.h).  In: rsi = the address on the stack.
	 * rax: scratch
	 */
	.macro	look_for_home other
	movq	%rsi, %rax
	andq	$-4096, %rax
	known	THIS, cmpq %fs:THIS(PAGE), %rax
	jne	\other
	.endm

	/* Go to \slowly unless keys[page % nr] is the key of the memory page of a stack
	 * address ("at home", shadow.h).  Else store this memory page in
	 * ftrace_thread.page, and go to \again.  In: rsi = the address on the stack. */
	.macro	turn_page again, slowly
	movq	%rsi, %rax
	movq	shadow_keys(%rip), %r10
	shrq	$12, %rax
	movzwl	%ax, %edx
	cmpq	%rax, (%r10,%rdx,8)
	jne	\slowly
	shlq	$12, %rax
	known	THIS, movq %rax, %fs:THIS(PAGE)
	jmp	\again
	.endm

	/* Open the next page of the ring, because the open page is full, and go to
	 * \again.  If this fails, go to \slowly.  In: rcx = ring, rdx = time */
	.macro	make_room bytes, frame, cfa, again, slowly
	push_frame \frame, \cfa
	movl	$\bytes, %edi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	call	ftrace_graph_room
	pop_frame \frame, \cfa
	testl	%eax, %eax
	jnz	\again
	jmp	\slowly
	.endm

	.macro	copy_function			/* Write the data of a record of the function
						 * tracer.  In: rsi = the first 8 bytes of the
						 * record */
	movq	SLOT, %r8
	movq	%rsi, RECORD(4)
	movq	SLOT_SITE-FSITE_SLOT_CALL(%r8), %r8
	movq	PLACE, %rdx
	movq	%r8, RECORD(12)
	movq	%rdx, RECORD(20)
	.endm

	.macro	copy_graph			/* Write the data of the record of a function's
						 * entry, and the shadow of the call.  In: rsi =
						 * address of the shadow.  Out: r8 = SLOT, edx =
						 * depth */
	movq	SLOT, %r8
	known	THIS, movq %fs:THIS(ENTRY_HEAD), %rdx
	movq	%rdx, RECORD(4)
	movq	SLOT_SITE-FSITE_SLOT_CALL(%r8), %rdx
	movq	%rdx, RECORD(12)
	movl	SLOT_WORD-FSITE_SLOT_CALL(%r8), %edx
	movl	%edx, SHADOW_WORD(%rsi)
	known	THIS, movl %fs:THIS(DEPTH), %edx
	movl	%edx, RECORD(20)
	movl	%edx, SHADOW_DEPTH(%rsi)
	.endm

	/* Write the data of an exit record.  The function has returned, so this macro
	 * also does what set_top() of hit.c does.  In: rsi = address of the shadow. */
	.macro	copy_exit
	movl	SHADOW_WORD(%rsi), %r8d
	movq	ftrace_bodies(%rip), %rdx
	andl	$SHADOW_BODY_MASK, %r8d
	movq	GRAPH_BODY_SITE(%r8,%rdx), %r8
	known	THIS, movq %fs:THIS(EXIT_HEAD), %rdx
	movq	%rdx, RECORD(4)
	movq	%r8, RECORD(12)
	movl	ftrace_graph_lost(%rip), %r8d
	movq	REGS_RAX-LEFT_FRAME(%rsp), %rdx
	movq	%rdx, RECORD(20)
	movl	%r8d, RECORD(32)
	movq	SHADOW_TIME(%rsi), %rdx
	movq	%rdx, RECORD(36)
	movl	SHADOW_DEPTH(%rsi), %r8d
	movq	%fs:0, %rdx
	known	THIS, movl %r8d, THIS(DEPTH)(%rdx)
	movl	%r8d, RECORD(28)
	movq	SHADOW_ABOVE(%rsi), %r8
	known	THIS, movq %r8, THIS(TOP)(%rdx)
	.endm

/*
 * Entries: code that slots call at the entry of a function.  The stack then contains the
 * address after the slot's call and, above it, the function's return address.  Entries
 * keep every register, because with gcc's -fipa-ra a caller relies on registers that the
 * function does not use, even if the ABI lets it change them.  Entries return with the
 * carry flag set if the slot must continue with the body.
 *
 * Entries handle the common cases themselves: one buffer whose function tracer is on, or
 * one graph tracer without conditions, in a thread that has been traced before.  In all
 * other cases ftrace_hit() does all the work.
 *
 * The addresses of the entries differ in one byte only, so the address in a slot can be
 * changed while threads call through it (fsite.c).  The CFI omits the slot: unwinders see
 * an entry that the function's caller has called.
 */
	.text
	.balign	4096
	.macro	entry name
	.balign	256, 0xcc
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.cfi_def_cfa_offset ENTRY_CFA
	for_scratch save, ENTRY_FRAME
	.endm

	.macro	entry_return
	for_scratch load, ENTRY_FRAME
	ret
	.endm

	entry	ftrace_entry_function
	look_for_tail_call function_maybe
function_again:
	section_begin function
	movq	ftrace_state+STATE_FUNCTION(%rip), %r8
	movq	SLOT, %rsi
	movq	CASE_SET(%r8), %rcx		/* [buffer.set] */
	movl	SLOT_USERS-FSITE_SLOT_CALL(%rsi), %esi
	cmpl	CASE_USERS(%r8), %esi
	jne	hit_slowly
	record_ring ENTRY_LIMIT
	known	THIS, movq %fs:THIS(HEAD), %rsi
	testq	%rsi, %rsi
	jz	hit_slowly
	record_end function, 24, ENTRY_LIMIT, copy_function, hit_slowly, hit_slowly
	clc
	entry_return
function_maybe:
	tail_call hit_slowly, function_again
	end_function ftrace_entry_function

/* Define one entry for each lane.  A site whose graph tracer has tag t calls the entry of lane
 * t % FTRACE_LANES.  If there is one graph tracer, only its lane has rings.  A slot may still
 * call the lane of an earlier tag: the thread then finds ring_none there and goes to
 * ftrace_hit(). */
	.macro	graph_entry lane
	entry	ftrace_entry_graph\lane
	look_for_tail_call graph_maybe\lane
graph_again\lane:
	section_begin graph\lane
	movq	ftrace_state+STATE_GRAPH_SETS+8*\lane(%rip), %rcx	/* [buffer.set] */
	record_ring ENTRY_LIMIT
	leaq	PLACE, %rsi
	known	THIS, movq %fs:THIS(TOP), %r8
	cmpq	%rsi, %r8			/* take the slow path if traced calls have ended
						 * without a return (live_above()), or if
						 * SHADOW_SLOWLY is set */
	jle	hit_slowly
	look_for_home graph_turn\lane
	shadow_home
	movq	PLACE, %rax
	cmpq	ftrace_state+STATE_RESTORER(%rip), %rax
	je	hit_slowly			/* The function returns to libc's
						 * restorer, so it is a signal
						 * handler. */
	movq	%r8, SHADOW_ABOVE(%rsi)
	movq	%rax, SHADOW_RET(%rsi)
	record_end graph\lane, 20, ENTRY_LIMIT, copy_graph, graph_full\lane, hit_slowly, \
		SHADOW_TIME(%rsi)
	/*
	 * The call is recorded.  Now do what set_top() and redirect_return() of hit.c
	 * do.  If a signal handler switches stacks at this point, another thread may
	 * continue at this instruction.  Then the next stores change the words of the
	 * wrong thread, as after any ftrace_hit().  The next return of a traced
	 * function corrects these words.
	 */
	movq	%fs:0, %rcx
	movq	SLOT_BACK-FSITE_SLOT_CALL(%r8), %r8
	leaq	PLACE, %rax
	incl	%edx		/* Add 1 to the depth in the register, and store it.  A signal
				 * handler may have changed the word in memory since edx was
				 * loaded, so an incl of the word could add 1 twice. */
	known	THIS, movq %rax, THIS(TOP)(%rcx)
	known	THIS, movl %edx, THIS(DEPTH)(%rcx)
	movq	%r8, PLACE
	stc
	entry_return
graph_maybe\lane:
	tail_call hit_slowly, graph_again\lane
graph_turn\lane:
	turn_page graph_again\lane, hit_slowly
graph_full\lane:
	make_room 20, ENTRY_FRAME, ENTRY_CFA, graph_again\lane, hit_slowly
	end_function ftrace_entry_graph\lane
	.endm

	graph_entry 0
	graph_entry 1
	graph_entry 2
	graph_entry 3

	/*
	 * The entry that works for any set of users (tracers, callbacks ...).  It is at the end
	 * of the memory page with all entries.  If there are more entries than fit, the
	 * assembler reports an error at .org.
	 */
	.org	ftrace_entry_function + 4096 - 256, 0xcc
	entry	ftrace_entry
	jmp	hit_slowly
	abort_signature
hit_slowly:
	movq	SLOT, %rdx
	leaq	PLACE, %rsi
	push_frame ENTRY_FRAME, ENTRY_CFA
	movq	SLOT_SITE-FSITE_SLOT_CALL(%rdx), %rdi
	movq	%rsp, %rcx
	call	ftrace_hit
	addl	$-1, %eax			/* set the carry flag unless eax
						 * was 0 */
	pop_frame ENTRY_FRAME, ENTRY_CFA
	entry_return
	end_function ftrace_entry

/*
 * The graph tracer.  Each traced function has a body, which calls the function in place
 * of its caller.  So the return address on the stack is in the body, and each call has
 * its return, as the CPU's return prediction expects.  The code of a body:
 *
 *	0	call	*16(body)
 *	6	jmp	graph_return
 *	11	jmp	graph_landing
 *	16	.quad	site + 5, site
 *
 * Bodies lie in the section .bodies of libulf, which takes no space in the file
 * (ftrace_bodies).  All bodies have the same unwind rule: the original return address is
 * in the shadow (shadow.h), which is found by the stack address.  Unwinders of C++, gdb,
 * perf and pthread_cancel() evaluate this rule themselves:
 *
 *	slot = (CFA & -8) - 8;  page = *slot & -4096;  keys = page[0]
 *	nr = slot >> 12;  key = keys + nr % 65536 * 8
 *	if (*key != nr)
 *		for (key = keys + (65536 + hash(nr)) * 8; *key != nr && *key; )
 *			key += 8
 *	return address at page[1] + ((key - keys) << 11) + ((slot & 0xff8) << 2)
 *
 * The rule gives the location of the return address, not its value, because
 * _Unwind_SetIP() of nongnu.org's libunwind stores to the location.
 *
 * The frame of a body has a size of 0: its CFA is that of the function, so the caller's
 * CFA is the same as without the tracer.  Unwinders that compare CFAs may take the body
 * for the caller: ftrace_personality() handles that (runtime/function/personality.c).
 */
	.macro	shadow_cfi
	.cfi_escape 0x10, 16, 102			/* the rule for rip is an
							 * expression of 102 bytes, which
							 * gives the location of rip */
	/* Put a 0 below the CFA on the DWARF stack, because libgcc cannot copy the lowest
	 * element by DW_OP_pick. The next comments list the elements of the DWARF stack above
	 * this 0. */
	.cfi_escape 0x30,0x16
	.cfi_escape 0x09,0xf8,0x1a,0x38,0x1c		/* DWARF stack: slot */
	.cfi_escape 0x12,0x06,0x0b,0x00,0xf0,0x1a	/* DWARF stack: slot, page */
	.cfi_escape 0x12,0x06				/* DWARF stack: slot, page, keys */
	.cfi_escape 0x15,2,0x08,12,0x25			/* DWARF stack: slot, page, keys, nr */
	.cfi_escape 0x12,0x0a,0xff,0xff,0x1a,0x33,0x24
	.cfi_escape 0x15,2,0x22				/* DWARF stack: slot, page, keys, nr, key */
	/* test whether the word at key contains nr */
	.cfi_escape 0x12,0x06,0x15,2,0x29,0x28,44,0
	/* if it is not: start at the key that the hash of nr selects */
	.cfi_escape 0x13
	.cfi_escape 0x12,0x0e,0x15,0x7c,0x4a,0x7f,0xb9,0x79,0x37,0x9e
	.cfi_escape 0x1e,0x08,48,0x25,0x33,0x24,0x0c,0,0,8,0,0x22
	.cfi_escape 0x15,2,0x22				/* DWARF stack: slot, page, keys, nr, key */
	/* test whether the word at key contains nr */
	.cfi_escape 0x12,0x06,0x12,0x15,3,0x29
	.cfi_escape 0x16,0x30,0x29,0x21			/* or contains 0 */
	.cfi_escape 0x28,5,0,0x23,8,0x2f,0xee,0xff	/* if not: try the next key */
	.cfi_escape 0x16,0x13,0x16,0x1c			/* DWARF stack: slot, page, key - keys */
	.cfi_escape 0x08,11,0x24,0x16,0x23,8,0x06,0x22	/* DWARF stack: slot, shadow */
	.cfi_escape 0x16,0x0a,0xf8,0x0f,0x1a,0x32,0x24,0x22
	.endm

	.macro	returning_cfi			/* use the unwind rules of an ordinary
						 * function from here on */
	.cfi_offset rip, -8
	.cfi_def_cfa rsp, 8
	.endm

	/*
	 * The CFA of bodies is rsp + *page[2].  The word *page[2] is ftrace_cfa_bias.
	 * It is 0 until an unwinder that ftrace_personality() does not know calls
	 * ftrace_personality(), which then sets it to 1.
	 */
	.macro	bodies_cfa
	.cfi_escape 0x0f, 15				/* the rule for the CFA has 15 bytes */
	.cfi_escape 0x77,0,0x12,0x38,0x1c		/* DWARF stack: rsp, slot */
	.cfi_escape 0x06,0x0b,0x00,0xf0,0x1a		/* DWARF stack: rsp, page */
	.cfi_escape 0x23,16,0x06,0x06,0x22
	.cfi_escape 0x16, 7, 3, 0x09,0xf8,0x1a		/* rule for rsp: CFA & -8 */
	.endm

	.section .bodies, "ax", @nobits
	.balign	4096
	.globl	ftrace_graph_bodies
	.hidden	ftrace_graph_bodies
	.type	ftrace_graph_bodies, @function
ftrace_graph_bodies:
	.cfi_startproc
	.cfi_personality 0x1b, ftrace_personality	/* encoding 0x1b: pcrel, sdata4 */
	bodies_cfa
	shadow_cfi
	.skip	2 * GRAPH_BODIES_BYTES
	.cfi_endproc
	.size	ftrace_graph_bodies, 2 * GRAPH_BODIES_BYTES

	/* ftrace_graph_return(), the code to which a body jumps after the function has
	 * returned to the body. */
	.text
	.balign	64
	.globl	ftrace_graph_return
	.hidden	ftrace_graph_return
	.type	ftrace_graph_return, @function
ftrace_graph_return:
	.cfi_startproc
	.cfi_def_cfa rsp, LEFT_CFA
	shadow_cfi
	for_scratch save, LEFT_FRAME
left_again:
	section_begin left
	leaq	LEFT_PLACE, %rsi
	movq	ftrace_state+STATE_GRAPH_SET(%rip), %rcx	/* [buffer.set] */
	movzbl	SET_TAG(%rcx), %eax
	record_ring LEFT_LIMIT
	known	THIS, cmpq %fs:THIS(TOP), %rsi	/* TOP and rsi also differ if SHADOW_SLOWLY is
						 * set in TOP */
	jne	left_slowly
	shadow_home
	/* Record the exit only if the graph tracer with this tag has recorded the
	 * entry; else the tag in the shadow differs.  The tag also differs if a
	 * coroutine has left an old shadow in this place. */
	cmpb	SHADOW_TAG(%rsi), %al
	jne	left_slowly
	record_end left, 48, LEFT_LIMIT, copy_exit, left_full, left_slowly, at=44
	.cfi_remember_state
	pushq	SHADOW_RET(%rsi)
	returning_cfi
left_done:
	for_scratch load, PLACE_FRAME
	ret
	abort_signature
left_slowly:
	.cfi_restore_state
	leaq	LEFT_PLACE, %rdx
	push_frame LEFT_FRAME, LEFT_CFA
	movq	%rdx, %rdi
	movq	REGS_RAX(%rsp), %rsi		/* the return value */
	call	ftrace_graph_left
	pop_frame LEFT_FRAME, LEFT_CFA
	.cfi_remember_state
	pushq	%rax
	returning_cfi
	jmp	left_done
	.cfi_restore_state
left_full:
	make_room 48, LEFT_FRAME, LEFT_CFA, left_again, left_slowly
	end_function ftrace_graph_return

/*
 * ftrace_graph_landing(), the code to which a body jumps after an exception has left the
 * function: ftrace_personality() has made the unwinder jump to the body.  Continue as if
 * the caller had called _Unwind_Resume() instead of the function.  In: rax = the
 * exception, rdx = address of _Unwind_Resume().  Callee-saved registers have the caller's
 * values; this code may change all others.
 */
	.globl	ftrace_graph_landing
	.hidden	ftrace_graph_landing
	.type	ftrace_graph_landing, @function
ftrace_graph_landing:
	.cfi_startproc
	.cfi_def_cfa rsp, LEFT_CFA
	shadow_cfi
	leaq	LEFT_PLACE, %rdi
	subq	$LANDING_FRAME, %rsp		/* the frame includes the word of the
						 * return address, because unwinders need
						 * it */
	.cfi_def_cfa_offset LEFT_CFA + LANDING_FRAME
	movq	%rax, 0(%rsp)
	movq	%rdx, 8(%rsp)
	call	ftrace_graph_landed
	movq	0(%rsp), %rdi
	movq	8(%rsp), %rdx
	addq	$LANDING_FRAME, %rsp
	.cfi_def_cfa_offset LEFT_CFA
	pushq	%rax
	returning_cfi
	jmp	*%rdx
	end_function ftrace_graph_landing

/* The function __fentry__, which code compiled with -pg -mfentry calls until fcall.c has
 * changed the call.  This function replaces libc's __fentry__, which would collect data
 * for gprof. */
	.globl	__fentry__
	.type	__fentry__, @function
	function ftrace_fentry
__fentry__:
	ret
	end_function ftrace_fentry
	.size	__fentry__, . - __fentry__

/*
 * ftrace_call_slowly(fn, a, b, c): call the C function fn(a, b, c), which may use
 * any register. rdi rsi rdx rcx Save and restore the vector registers, because the
 * caller has not saved them.
 */
	function ftrace_call_slowly
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rbx
	.cfi_offset rbx, -24
	movl	ftrace_vectors+VECTORS_BYTES(%rip), %eax	/* size of the save area */
	subq	%rax, %rsp
	andq	$-64, %rsp
	movq	%rsp, %rbx
	movq	%rdi, %r11
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %r10
	xorl	%eax, %eax
	movl	$8, %ecx			/* clear the 8 words of the xsave header */
1:
	movq	%rax, 504(%rbx,%rcx,8)
	subl	$1, %ecx
	jnz	1b
	movl	ftrace_vectors+VECTORS_PARTS(%rip), %eax	/* eax and edx are the mask
								 * of the state components */
	movl	ftrace_vectors+VECTORS_PARTS+4(%rip), %edx
	xsave64	(%rbx)
	movq	%r10, %rdx
	call	*%r11
	movq	%rax, %r10
	movl	ftrace_vectors+VECTORS_PARTS(%rip), %eax
	movl	ftrace_vectors+VECTORS_PARTS+4(%rip), %edx
	xrstor64 (%rbx)
	movq	%r10, %rax
	movq	-8(%rbp), %rbx
	.cfi_restore rbx
	leave
	.cfi_def_cfa rsp, 8
	ret
	end_function ftrace_call_slowly

/*
 * arch_words_append(buffer, entry, bytes, time)
 *		     rdi     rsi    edx    rcx
 * Write the record @entry, of at least 8 bytes.  Store the record's time in *@time
 * before the record is copied, so that *@time may be a part of the record.
 */
	.macro	copy_words
	movq	-8(%rsi,%r9), %rax
	movq	%rax, -4(%rdx,%r9)
	xorl	%r11d, %r11d
2:
	movq	(%rsi,%r11), %rax
	movq	%rax, 4(%rdx,%r11)
	addl	$8, %r11d
	leal	8(%r11), %eax
	cmpl	%r9d, %eax
	jbe	2b
	jmp	4f
	.endm

	function arch_words_append
	movl	%edx, %r9d
	movq	%rdi, %r11
	movq	%rcx, %rdi
	section_begin words
	movq	BUFFER_SET(%r11), %rcx		/* [buffer.set], [grace.rseq] */
	cmpl	SET_SMALL_MAX(%rcx), %r9d
	ja	words_slowly
	record_ring LIMIT, %r9
	append_body own, words_slowly, event_header, copy_words, (%rdi)
	append_commit
words_end:
	movl	$1, %eax
	ret
	abort_signature
words_slowly:
	xorl	%eax, %eax
	ret
	end_function arch_words_append
	section_descriptor words_section, words_begin, words_end, words_slowly

	.section .rodata.ftrace_known, "a", @progbits
	.globl	ftrace_known_end
	.hidden	ftrace_known_end
ftrace_known_end:

	.section .note.GNU-stack, "", @progbits
