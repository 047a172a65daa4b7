/* SPDX-License-Identifier: MIT */
/*
 * A program that makes system calls one instruction at a time, for tests/cli/syscall_steps.sh.
 *
 *	step CALLS	make CALLS calls of getpid().  Each is stepped: a signal handler runs after
 *			each instruction of the hooks around it
 *	walk CALLS	an unwinder in the handler must also find the function with the call, and
 *			its callers
 *	timer CALLS	the handler runs every 100 us
 *
 * After each call all registers, the flags, the vector registers and the red zone must be as
 * before.  Prints the number of times that the handler has run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define TRAP_FLAG	0x100
#define FLAGS_MASK	0x8d5		/* the flags that instructions compute */

/* The registers before and after the call, in the order of the loads below. */
uint64_t steps_in[14], steps_out[14];
uint64_t steps_flags_in, steps_flags_out;
uint8_t steps_vectors_in[16][32], steps_vectors_out[16][32];
uint64_t steps_zone_in[16], steps_zone_out[16];
uint32_t steps_has_avx;

void steps_call(void);
extern const char steps_call_end[], steps_done[];

__asm__(
"	.text\n"
"	.macro load_vector op, reg, n\n"
"	\\op	steps_vectors_in + 32 * \\n(%rip), %\\reg\\n\n"
"	.endm\n"
"	.macro store_vector op, reg, n\n"
"	\\op	%\\reg\\n, steps_vectors_out + 32 * \\n(%rip)\n"
"	.endm\n"
"	.macro all_vectors what, op, reg\n"
"	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
"	\\what	\\op, \\reg, \\n\n"
"	.endr\n"
"	.endm\n"
"	.macro save_registers\n"
"	.irp r, rbx,rbp,r12,r13,r14,r15\n"
"	pushq	%\\r\n"
"	.cfi_adjust_cfa_offset 8\n"
"	.cfi_rel_offset \\r, 0\n"
"	.endr\n"
"	.endm\n"
"	.globl steps_call\n"
"	.type steps_call, @function\n"
"steps_call:\n"
"	.cfi_startproc\n"
"	save_registers\n"
"	cmpl	$0, steps_has_avx(%rip)\n"
"	je	1f\n"
"	all_vectors load_vector, vmovdqu, ymm\n"
"	jmp	2f\n"
"1:	all_vectors load_vector, movdqu, xmm\n"
"2:	xorl	%eax, %eax\n"
"3:	movq	steps_zone_in@GOTPCREL(%rip), %rcx\n"
"	movq	(%rcx,%rax,8), %rdx\n"
"	movq	%rdx, -128(%rsp,%rax,8)\n"
"	incl	%eax\n"
"	cmpl	$15, %eax\n"
"	jb	3b\n"
"	movq	steps_in + 0(%rip), %rbx\n"
"	movq	steps_in + 8(%rip), %rbp\n"
"	movq	steps_in + 16(%rip), %rsi\n"
"	movq	steps_in + 24(%rip), %rdi\n"
"	movq	steps_in + 32(%rip), %rdx\n"
"	movq	steps_in + 40(%rip), %r8\n"
"	movq	steps_in + 48(%rip), %r9\n"
"	movq	steps_in + 56(%rip), %r10\n"
"	movq	steps_in + 64(%rip), %r12\n"
"	movq	steps_in + 72(%rip), %r13\n"
"	movq	steps_in + 80(%rip), %r14\n"
"	movq	steps_in + 88(%rip), %r15\n"
"	leaq	-128(%rsp), %rsp\n"
"	.cfi_adjust_cfa_offset 128\n"
"	pushq	steps_flags_in(%rip)\n"
"	.cfi_adjust_cfa_offset 8\n"
"	popfq\n"
"	.cfi_adjust_cfa_offset -8\n"
"	leaq	128(%rsp), %rsp\n"
"	.cfi_adjust_cfa_offset -128\n"
"	movl	$39, %eax\n"
"	syscall\n"
"	movabsq	$0x123456789, %rcx\n"
"	movq	%rax, steps_in + 96(%rip)\n"
"steps_done:\n"
"	leaq	-128(%rsp), %rsp\n"
"	.cfi_adjust_cfa_offset 128\n"
"	pushfq\n"
"	.cfi_adjust_cfa_offset 8\n"
"	popq	steps_flags_out(%rip)\n"
"	.cfi_adjust_cfa_offset -8\n"
"	leaq	128(%rsp), %rsp\n"
"	.cfi_adjust_cfa_offset -128\n"
"	movq	%rbx, steps_out + 0(%rip)\n"
"	movq	%rbp, steps_out + 8(%rip)\n"
"	movq	%rsi, steps_out + 16(%rip)\n"
"	movq	%rdi, steps_out + 24(%rip)\n"
"	movq	%rdx, steps_out + 32(%rip)\n"
"	movq	%r8, steps_out + 40(%rip)\n"
"	movq	%r9, steps_out + 48(%rip)\n"
"	movq	%r10, steps_out + 56(%rip)\n"
"	movq	%r12, steps_out + 64(%rip)\n"
"	movq	%r13, steps_out + 72(%rip)\n"
"	movq	%r14, steps_out + 80(%rip)\n"
"	movq	%r15, steps_out + 88(%rip)\n"
"	xorl	%eax, %eax\n"
"4:	movq	steps_zone_out@GOTPCREL(%rip), %rcx\n"
"	movq	-128(%rsp,%rax,8), %rdx\n"
"	movq	%rdx, (%rcx,%rax,8)\n"
"	incl	%eax\n"
"	cmpl	$15, %eax\n"
"	jb	4b\n"
"	cmpl	$0, steps_has_avx(%rip)\n"
"	je	5f\n"
"	all_vectors store_vector, vmovdqu, ymm\n"
"	vzeroupper\n"
"	jmp	6f\n"
"5:	all_vectors store_vector, movdqu, xmm\n"
"6:\n"
"	.irp r, r15,r14,r13,r12,rbp,rbx\n"
"	popq	%\\r\n"
"	.cfi_adjust_cfa_offset -8\n"
"	.cfi_restore \\r\n"
"	.endr\n"
"	ret\n"
"	.cfi_endproc\n"
"steps_call_end:\n"
"	.size steps_call, . - steps_call\n"
"	.previous\n");

static void fail(const char *what, uint64_t at)
{
	Dl_info info = { 0 };

	dladdr((const void *)at, &info);
	fprintf(stderr, "wrong: %s, %" PRIx64 ": %s+%" PRIx64 "\n", what, at,
		info.dli_fname ? info.dli_fname : "", at - (uint64_t)info.dli_fbase);
	abort();
}

/* ---- in the handler ---- */

static volatile uint32_t nr_steps;
static uint64_t own_pid;
static bool is_walked;
static __attribute__((noinline)) void make_call(void);

struct seen {
	bool has_call, has_caller;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *arg)
{
	uint64_t ip = _Unwind_GetIP(context);
	struct seen *seen = arg;

	if (ip >= (uint64_t)steps_call && ip < (uint64_t)steps_call_end)
		seen->has_call = true;
	if (_Unwind_FindEnclosingFunction((void *)(ip - 1)) == (void *)make_call)
		seen->has_caller = seen->has_call;
	return _URC_NO_REASON;
}

static void on_step(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	uint64_t ip = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
	struct seen seen = { false, false };

	(void)info;
	nr_steps++;
	(void)number;
	if (is_walked) {
		_Unwind_Backtrace(look, &seen);
		if (!seen.has_call || !seen.has_caller)
			fail("the stack", ip);
	}
	if (getppid() < 0)
		fail("getppid()", ip);
	if (ip == (uint64_t)steps_done)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* ---- calls ---- */

static void fill(void *to, size_t bytes, uint32_t turn)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = (uint8_t)(rand() + turn);
}

static void check(const char *what, const void *in, const void *out, size_t bytes)
{
	if (memcmp(in, out, bytes))
		fail(what, 0);
}

static __attribute__((noinline)) void make_call(void)
{
	steps_call();
	__asm__ volatile("");		/* no tail call */
}

static __attribute__((noinline)) void make_checked(uint32_t turn, uint64_t flags)
{
	fill(steps_in, sizeof(steps_in), turn);
	fill(steps_zone_in, sizeof(steps_zone_in), turn);
	fill(steps_vectors_in, sizeof(steps_vectors_in), turn);
	steps_in[3] = 0xabcd;		/* the first argument */
	steps_flags_in = (uint64_t)(rand() & FLAGS_MASK) | 0x202 | flags;
	make_call();
	if (steps_in[12] != own_pid)
		fail("the result", steps_in[12]);
	check("registers", steps_in, steps_out, 12 * sizeof(steps_in[0]));
	check("the red zone", steps_zone_in, steps_zone_out, 15 * sizeof(steps_zone_in[0]));
	for (int i = 0; i < 16; i++)
		check("vectors", steps_vectors_in[i], steps_vectors_out[i],
		      steps_has_avx ? 32 : 16);
	if ((steps_flags_in ^ steps_flags_out) & FLAGS_MASK)
		fail("flags", steps_flags_out);
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	bool is_stepped = argc > 1 && strcmp(argv[1], "timer");
	int nr = argc > 2 ? atoi(argv[2]) : 1;

	is_walked = argc > 1 && !strcmp(argv[1], "walk");
	own_pid = (uint64_t)getpid();
	steps_has_avx = (uint32_t)!!__builtin_cpu_supports("avx");
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (!is_stepped)
		setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < nr; i++)
		make_checked((uint32_t)i, is_stepped ? TRAP_FLAG : 0);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	printf("%" PRIu32 "\n", nr_steps);
	return 0;
}
