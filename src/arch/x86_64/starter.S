/* SPDX-License-Identifier: MIT */
/*
 * Code that `ulf attach` copies into a running program: docs/design/attach.md.  It is
 * position independent, and calls only functions whose addresses are in struct abi_attach.
 *
 * arch_carrier: a stopped thread of the program executes it.  The thread makes one system
 * call.  Then the process that has stopped the thread restores its registers.  If that
 * process has died, the thread continues in this code, and restores its signal mask and its
 * registers by itself.  No instruction before the jump at the end changes the flags, uses
 * the stack or touches a vector register.  A system call preserves all registers but rax,
 * rcx and r11.
 *
 *	wait until libc is no longer single-threaded, if the starter was started
 *	rt_sigprocmask(SIG_SETMASK, &mask, NULL, 8)
 *	load the registers that were changed
 *	goto rip
 *
 * arch_starter: the thread that the carrier's clone() has made begins here.
 *
 *	pthread_create(&attach->thread, NULL, loader, attach)
 *	exit
 *
 * The loader, a thread of libc:
 *
 *	handle = dlopen(attach->libulf, RTLD_NOW)
 *	return dlsym(handle, attach->entry)(attach)	(which does not return to this code)
 */
#include "arch/x86_64/offsets.h"
#ifdef __CET__
#include <cet.h>
#endif

#define SIG_UNBLOCK	1
#define SIG_SETMASK	2
#define MASK_BYTES	8
#define RTLD_NOW	2
#define PR_SET_NAME	15
#define LIBC_SIGNALS	0x180000000	/* mask of libc's own signals: SIGCANCEL and
					 * SIGSETXID, which are 32 and 33 */
#define YIELDS		10000		/* maximum number of times that the carrier
					 * yields while it waits */
#define MXCSR_DEFAULT	0x1f80

	.section .rodata
	.balign	16
	.globl	arch_carrier, arch_carrier_data, arch_carrier_end
	.hidden	arch_carrier, arch_carrier_data, arch_carrier_end
arch_carrier:
	syscall
	movq	%rax, %rcx
	jrcxz	3f
	jmp	4f
3:	jmp	*23f(%rip)		/* A new thread begins at this label: the
					 * carrier's clone() has returned in it. */
4:	movl	$YIELDS, %edi
1:	movq	10f(%rip), %rcx
	jrcxz	2f			/* jump if the starter was not started */
	movzbl	(%rcx), %ecx
	jrcxz	2f			/* jump if libc knows that there are several
					 * threads */
	leaq	-1(%rdi), %rdi
	movq	%rdi, %rcx
	jrcxz	2f
	movl	$NR_SCHED_YIELD, %eax
	syscall
	jmp	1b
2:	movl	$NR_RT_SIGPROCMASK, %eax
	movl	$SIG_SETMASK, %edi
	leaq	11f(%rip), %rsi
	movl	$0, %edx
	movl	$MASK_BYTES, %r10d
	syscall
	movq	12f(%rip), %rax
	movq	13f(%rip), %rcx
	movq	14f(%rip), %rdx
	movq	15f(%rip), %rsi
	movq	16f(%rip), %rdi
	movq	17f(%rip), %r8
	movq	18f(%rip), %r9
	movq	19f(%rip), %r10
	movq	20f(%rip), %r11
	jmp	*22f(%rip)
	.balign	8
arch_carrier_data:			/* the data of the carrier: struct carrier_data of
					 * tracee.c */
10:	.quad	0			/* address of __libc_single_threaded, or 0 */
11:	.quad	0			/* signal mask */
12:	.quad	0			/* rax */
13:	.quad	0			/* rcx */
14:	.quad	0			/* rdx */
15:	.quad	0			/* rsi */
16:	.quad	0			/* rdi */
17:	.quad	0			/* r8 */
18:	.quad	0			/* r9 */
19:	.quad	0			/* r10 */
20:	.quad	0			/* r11 */
22:	.quad	0			/* rip */
23:	.quad	0			/* address of arch_starter in the program */
arch_carrier_end:

	.balign	16
	.globl	arch_starter, arch_loader, arch_starter_end
	.hidden	arch_starter, arch_loader, arch_starter_end
arch_starter:
	popq	%rbx			/* struct abi_attach */
	xorl	%ebp, %ebp
	cld
	fninit
	movl	$MXCSR_DEFAULT, -8(%rsp)
	ldmxcsr	-8(%rsp)
	/* A thread starts with the signal mask of its creator, the carrier, which
	 * blocks all signals.  Unblock libc's own signals: setuid() sends SIGSETXID to
	 * all threads, and waits until they have handled it. */
	movl	$NR_RT_SIGPROCMASK, %eax
	movl	$SIG_UNBLOCK, %edi
	leaq	8f(%rip), %rsi
	xorl	%edx, %edx
	movl	$MASK_BYTES, %r10d
	syscall
	movl	$STARTER_RUNS, ATTACH_STARTER(%rbx)
	leaq	ATTACH_THREAD(%rbx), %rdi
	xorl	%esi, %esi
	movq	ATTACH_LOADER_CODE(%rbx), %rdx
	movq	%rbx, %rcx
	call	*ATTACH_PTHREAD_CREATE(%rbx)
	movl	%eax, ATTACH_STARTER_ERROR(%rbx)
	movl	$STARTER_DONE, ATTACH_STARTER(%rbx)
	xorl	%edi, %edi
	movl	$NR_EXIT, %eax
	syscall
	hlt

arch_loader:
	pushq	%rbx
	movq	%rdi, %rbx
	movl	$NR_PRCTL, %eax
	movl	$PR_SET_NAME, %edi
	leaq	9f(%rip), %rsi
	syscall
	movl	$LOADER_RUNS, ATTACH_LOADER(%rbx)
	leaq	ATTACH_LIBULF(%rbx), %rdi
	movl	$RTLD_NOW, %esi
	call	*ATTACH_DLOPEN(%rbx)
	testq	%rax, %rax
	jz	1f
	movq	%rax, %rdi
	leaq	ATTACH_ENTRY(%rbx), %rsi
	call	*ATTACH_DLSYM(%rbx)
	testq	%rax, %rax
	jz	1f
	movl	$LOADER_LOADED, ATTACH_LOADER(%rbx)
	movq	%rbx, %rdi
	popq	%rbx
	jmp	*%rax
1:	call	*ATTACH_DLERROR(%rbx)
	testq	%rax, %rax
	jz	3f
	/* The text of dlerror() belongs to this thread, so copy it to struct
	 * abi_attach. */
	movq	%rax, %rsi
	leaq	ATTACH_MESSAGE(%rbx), %rdi
	movl	$ATTACH_MESSAGE_BYTES - 1, %ecx
2:	lodsb
	stosb
	testb	%al, %al
	loopne	2b
3:	movl	$LOADER_FAILED, ATTACH_LOADER(%rbx)
	xorl	%eax, %eax
	popq	%rbx
	ret
	.balign	8
8:	.quad	LIBC_SIGNALS
9:	.asciz	"ulf-loader"		/* ABI_ATTACH_LOADER */
arch_starter_end:

	.section .note.GNU-stack, "", @progbits
