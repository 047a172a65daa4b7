/* SPDX-License-Identifier: MIT */
/*
 * Which functions can be moved, and how.  This program contains one function for each rule.  The
 * analysis reads the program's own file, and the test looks for the rows of these functions.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf.h"

/* ---- functions ---- */

/* A function in the section @where, with an unwind table. */
#define CODE_IN(where, name, code)						\
	__asm__(".pushsection " where "\n\t"					\
		".type " #name ",@function\n" #name ":\n\t"			\
		".cfi_startproc\n\t" code "\n\t.cfi_endproc\n\t"		\
		".size " #name ",.-" #name "\n\t.popsection")
#define FUNCTION_IN(where, name, code)						\
	CODE_IN(where, name, code);						\
	extern const uint8_t name[] __attribute__((visibility("hidden")))

/* Sections: functions with padding after them, and functions without any padding in reach. */
#define LOOSE ".text.loose,\"ax\",@progbits\n\t.p2align 4"
#define TIGHT ".text.tight,\"ax\",@progbits"
#define FAR "\n\t.rept 200\n\tmovl %eax,%ebx\n\t.endr\n\tret"

/* A jump with an 8-bit distance; clang without optimisation would make a longer one. */
#define SHORT(opcode, to) ".byte " #opcode "\n\t.byte " to " - . - 1\n\t"

FUNCTION_IN(TIGHT, tight_start, "movl %eax,%ebx" FAR);
FUNCTION_IN(LOOSE, one, "movl $1,%eax\n\tret");
FUNCTION_IN(LOOSE, one_relative, "movl $7,a_variable(%rip)\n\tret");
FUNCTION_IN(LOOSE, two_short, "xorl %eax,%eax\n\tret");
FUNCTION_IN(LOOSE, only_return, "ret");
FUNCTION_IN(LOOSE, marked, "endbr64\n\tmovl $1,%eax\n\tret");
FUNCTION_IN(LOOSE, tail_jump, SHORT(0xeb, "one"));
FUNCTION_IN(LOOSE, call_first, "call one\n\tret");
FUNCTION_IN(LOOSE, call_first_register, "call *%rax\n\tret");
FUNCTION_IN(LOOSE, call_first_memory, "call *a_variable(%rip)\n\tret");
FUNCTION_IN(LOOSE, barrier, "lock orq $0,(%rsp)\n\tret");

FUNCTION_IN(LOOSE, falls, "movl %eax,%ebx");
FUNCTION_IN(LOOSE, before_label, "xorl %eax,%eax\n\tret");
FUNCTION_IN(LOOSE, loose_end, "movl $1,%eax\n\tret");

FUNCTION_IN(TIGHT, frame, "pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp,-16\n\t"
	    "movq %rsp,%rbp\n\t.cfi_def_cfa_register %rbp\n\tsubq $16,%rsp\n\t"
	    "leave\n\t.cfi_def_cfa %rsp,8\n\tret");
FUNCTION_IN(TIGHT, branch, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbx,-16\n\t"
	    "testl %edi,%edi\n\t" SHORT(0x75, "1f") "movl $3,%eax\n1:\tpopq %rbx\n\t"
	    ".cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, short_jump, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\txorl %eax,%eax\n\t"
	    "" SHORT(0xeb, "2f") "int3\n\tint3\n2:\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, call_second, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\tcall one\n\t"
	    "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, realigned, "leaq 8(%rsp),%r10\n\t.cfi_def_cfa %r10,0\n\tandq $-32,%rsp\n\tret");
FUNCTION_IN(TIGHT, call_inside, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\tcall *%rax\n\t"
	    "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, call_stack, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\tcall *24(%rsp)\n\t"
	    "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, target, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n3:\tdecl %edi\n\tjne 3b\n\t"
	    "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, target_at_start, "decl %edi\n\tnop\n\tnop\n\tnop\n\tjne target_at_start\n\tret");
FUNCTION_IN(TIGHT, prefixed_start, "lock incl (%rsi)\n\tmovl $1,%ecx\n\tje prefixed_start + 1\n\t"
	    "ret");
FUNCTION_IN(TIGHT, label, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n.Llabel_at:\tmovq %rdi,%rbx\n\t"
	    "movq %rsi,%rax\n\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, label_inside, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\tmovq %rdi,%rbx\n\t"
	    "movq %rsi,%rax\n\tpopq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, table_target, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n"
	    ".Ltable_at:\tmovq %rdi,%rbx\n\t"
	    "leaq a_table(%rip),%rax\n\tmovslq (%rax,%rdi,4),%rdx\n\taddq %rax,%rdx\n\tjmp *%rdx");
FUNCTION_IN(TIGHT, next_table, "leaq b_table(%rip),%rax\n\tmovslq (%rax,%rdi,4),%rdx\n\t"
	    "addq %rax,%rdx\n\tjmp *%rdx");
FUNCTION_IN(TIGHT, spared, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\tmovq %rdi,%rbx\n\t"
	    "movq %rsi,%rax\n\tnop\n\tnop\n.Lspared_at:\t"
	    "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, target_second, "movl %edi,%eax\n8:\tdecl %eax\n\tjne 8b\n\tret");
FUNCTION_IN(TIGHT, data_inside, "movl data_inside + 2(%rip),%eax\n\tret");
FUNCTION_IN(TIGHT, loops, "nop\n\tloop 4f\n4:\tnop\n\tnop\n\tret");
FUNCTION_IN(TIGHT, counts, "jrcxz 5f\n\tnop\n\tnop\n\tnop\n5:\tret");
FUNCTION_IN(TIGHT, narrow_address, "movl a_variable(%eip),%eax\n\tret");
FUNCTION_IN(TIGHT, breakpoint, "int3\n\tmovl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, system_call, "xorl %eax,%eax\n\tsyscall\n\tnop\n\tret");
FUNCTION_IN(TIGHT, unknown, "xorl %eax,%eax\n\t.byte 6\n\tnop\n\tnop\n\tnop\n\tret");
FUNCTION_IN(TIGHT, system_call_first, "syscall\n\tnop\n\tnop\n\tnop\n\tret");
FUNCTION_IN(TIGHT, unknown_first, ".byte 6\n\tnop\n\tnop\n\tnop\n\tnop\n\tret");
FUNCTION_IN(TIGHT, all_bytes, "jmp one");
FUNCTION_IN(TIGHT, too_short, "ret");
FUNCTION_IN(TIGHT, returns_to, "movq (%rsp),%rax\n\tnop\n\tret");
FUNCTION_IN(TIGHT, returns_to_late, "subq $24,%rsp\n\t.cfi_def_cfa_offset 32\n\tnop\n\t"
	    "movq 24(%rsp),%rax\n\taddq $24,%rsp\n\t.cfi_def_cfa_offset 8\n\tret");
FUNCTION_IN(TIGHT, pops_return, "movl $1,%eax\n\tpopq %rdx\n\tjmp *%rdx");
FUNCTION_IN(TIGHT, flags, "movq %rdi,%rax\n\tjne 6f\n\tnop\n6:\tret");
FUNCTION_IN(TIGHT, carries, "adcq %rdi,%rsi\n\tnop\n\tnop\n\tret");
FUNCTION_IN(TIGHT, red_zone, "movl %edi,-8(%rsp)\n\ttestl %edi,%edi\n\tjne .Lred_zone_part\n\t"
	    "ret");
CODE_IN(TIGHT, .Lred_zone_part, "movl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, no_red_zone, "testl %edi,%edi\n\tnop\n\tnop\n\tnop\n\t"
	    "jne .Lno_red_zone_part\n\tret");
CODE_IN(TIGHT, .Lno_red_zone_part, "movl $1,%eax\n\tret");
CODE_IN(TIGHT, a_function.cold, "movl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, expression, "nop\n\t.cfi_escape 0x0f,3,0x77,8,6\n\tmovl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, part, ".cfi_def_cfa_offset 32\n\tmovl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, no_return, ".cfi_undefined %rip\n\tmovl $1,%eax\n\tret");
FUNCTION_IN(TIGHT, handler, ".cfi_signal_frame\n\tmovl $1,%eax\n\tret");
#define TRACEPOINT ".byte 0x0f,0x1f,0x44,0x00,0x00\n\tret"
FUNCTION_IN(TIGHT, tracepoint_first, TRACEPOINT);
FUNCTION_IN(TIGHT, tracepoint_in_copy, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\t" TRACEPOINT);
FUNCTION_IN(TIGHT, tracepoint_in_distance, "addl $5,%edi\n.Ltracepoint_at:\t" TRACEPOINT);
FUNCTION_IN(TIGHT, tracepoint_after_jump, "movl $1,%eax\n\t" TRACEPOINT);
/* Instructions in the middle of functions, after the two bytes of the first instruction. */
#define PLACE_IN(name, code) FUNCTION_IN(TIGHT, name, "xorl %eax,%eax\n\t" code)
PLACE_IN(place_several, "nop\n\tmovl $1,%ecx\n\tret");
PLACE_IN(place_one, "movl $1,%ecx\n\tret");
PLACE_IN(place_jump, "nop\n\t.byte 0xe9\n\t.long one - . - 4");
PLACE_IN(place_return, "nop\n\tpopq %rbx\n\tpopq %rbp\n\tpopq %r12\n\tret");
PLACE_IN(place_flags, "nop\n\t.byte 0x0f,0x85\n\t.long one - . - 4\n\tret");
PLACE_IN(place_target, "nop\n1:\tdecl %edi\n\tjne 1b\n\tret");
PLACE_IN(place_at_end, "nop\n\tret");
PLACE_IN(place_call, "nop\n\tcall *%rcx\n\tnop\n\tret");
PLACE_IN(place_close, "nop\n\tmovl $1,%ecx\n\tret");
PLACE_IN(place_inside, "nop\n\tmovl $1,%ecx\n\tret");
PLACE_IN(place_returned, "movq 0(%rsp),%rcx\n\tnop\n\tmovl $1,%ecx\n\tret");
/* A function with a system call at .LNAME. */
#define CALL_IN(name, before, after)						\
	FUNCTION_IN(LOOSE, name, before "\n.L" #name ":\tsyscall\n\t" after)
#define SET_NR "movl $39,%eax"
#define TEST_ERROR "cmpq $-4096,%rax\n\tja one\n\tret"
CALL_IN(call_tested, "movq %rcx,%r10\n\t" SET_NR, TEST_ERROR);
CALL_IN(call_alone, SET_NR, "ret");
CALL_IN(call_then_short, SET_NR, "testq %rax,%rax\n\tjs one\n\tret");
CALL_IN(call_then_relative, SET_NR, "movl %eax,a_variable(%rip)\n\tret");
CALL_IN(call_then_jump, SET_NR, ".byte 0xe9\n\t.long one - . - 4");
CALL_IN(call_then_tracepoint, SET_NR, ".byte 0x0f,0x1f,0x44,0x00,0x00\n\tret");
CALL_IN(call_then_target, "testl %edi,%edi\n\tje 1f\n\t" SET_NR, "1:\t" TEST_ERROR);
CALL_IN(call_then_target_inside, "testl %edi,%edi\n\tje 1f + 1\n\t" SET_NR, "1:\t" TEST_ERROR);
CALL_IN(call_then_end, SET_NR, "hlt");
CALL_IN(call_of_register, "movl $1,%edi\n\tmovl %edi,%eax", TEST_ERROR);
CALL_IN(call_of_long, "movq $39,%rax", TEST_ERROR);
CALL_IN(call_of_zero, "testl $1,a_variable(%rip)\n\t.byte 0x75\n\t.byte call_of_zero - . - 1\n\t"
	"xorl %eax,%eax", TEST_ERROR);
CALL_IN(call_far_away, SET_NR "\n\tnop", TEST_ERROR);
CALL_IN(call_number_first, SET_NR "\n\tmovl $1,%edx", TEST_ERROR);
CALL_IN(call_number_entered, "testl %edi,%edi\n\tje 1f\n\t" SET_NR "\n1:\tmovl $1,%edx",
	TEST_ERROR);
CALL_IN(call_changed, SET_NR "\n\tmovl %edi,%eax", TEST_ERROR);
CALL_IN(call_changed_byte, SET_NR "\n\tmovb $1,%al", TEST_ERROR);
CALL_IN(call_changed_by_call, SET_NR "\n\tcall one\n\tmovl $1,%edx", TEST_ERROR);
CALL_IN(call_of_large, "movl $0x10000,%eax", TEST_ERROR);
CALL_IN(call_too_short, "xorl %edx,%edx\n\tmovl %edi,%eax", TEST_ERROR);
CALL_IN(call_after_call, "call one\n\tmovl %edi,%eax", TEST_ERROR);
CALL_IN(call_too_long, "movl $1,a_variable(%rip)\n\t"
	"cmpl %eax,%edx\n\t.byte 0x75\n\t.byte call_too_long - . - 1\n\tcmpl %eax,%ecx\n\t"
	".byte 0x75\n\t.byte call_too_long - . - 1\n\tcmpl %eax,%ecx\n\t.byte 0x75\n\t"
	".byte call_too_long - . - 1\n\tmovl %edi,%eax", TEST_ERROR);
CALL_IN(call_of_handler, "movq $15,%rax", TEST_ERROR);
CALL_IN(call_entered, "cmpl $1,%edi\n\tje .Lcall_entered\n\t" SET_NR, TEST_ERROR);
CALL_IN(call_entered_inside, "cmpl $1,%edi\n\tje 1f + 1\n1:\t" SET_NR, TEST_ERROR);
CALL_IN(call_in_table, SET_NR, TEST_ERROR);
__asm__(".section .text.loose\n\tno_function: " SET_NR "\n\tsyscall\n\tret\n\t"
	".byte 0xcc,0xcc,0xcc,0xcc,0xcc\n\t.text");
extern const uint8_t no_function[] __attribute__((visibility("hidden")));
FUNCTION_IN(LOOSE, after_calls, "movl $1,%eax\n\tret");

FUNCTION_IN(TIGHT, tight_end, "movl %eax,%ebx" FAR);

__asm__(".data\n\t.p2align 3\n"
	"a_variable: .quad 0\n\t.quad .Llabel_at, label_inside + 2\n\t"
	".quad before_label + 4, .Ltracepoint_at, .Lcall_in_table\n\t.text\n\t"
	".section .rodata\n\t.p2align 2\n\t.globl a_table\n"
	"a_table: .long .Ltable_at - a_table, table_target - a_table\n\t"
	/* Relative to a_table this entry would be .Lspared_at - 8, which is spared + 1. */
	"b_table: .long .Lspared_at - b_table\n\t.text");
extern const uint8_t a_variable[] __attribute__((visibility("hidden")));
extern const uint8_t a_function_cold[] __asm__("a_function.cold");

/* ---- the table of this program ---- */

static struct text table;
static const struct moved_head *head;
static uint64_t bias;

static int find_bias(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)bytes;
	*(uint64_t *)arg = info->dlpi_addr;
	return 1;			/* the first object is the program */
}

static int analyse(void **state)
{
	uint64_t left = 1ull << 30;
	struct elf_source source = { .fd = open("/proc/self/exe", O_RDONLY), .bytes_left = &left };
	int r;

	(void)state;
	text_init(&table, MOVED_BYTES_MAX);
	dl_iterate_phdr(find_bias, &bias);
	r = mover_analyse(&source, &MOVER_LIMITS, &table);
	close(source.fd);
	head = (const struct moved_head *)table.data;
	return r || !moved_check(table.data, table.len);
}

static int forget(void **state)
{
	(void)state;
	text_done(&table);
	return 0;
}

/* Returns the row of the function at @code, or NULL. */
static const struct moved_row *row_of(const uint8_t *code)
{
	const struct moved_row *row = moved_find(head, (uint64_t)code - bias);

	return row ? row : moved_find(head, (uint64_t)code - bias + ARCH_LANDING_PAD_BYTES);
}

/* ---- classes and copies ---- */

#define COPY(...)	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define FIELD		0, 0, 0, 0
#define PUSH_ADDRESS	0x68, FIELD, 0xc7, 0x44, 0x24, 0x04, FIELD

static const struct moved_case {
	const uint8_t *code;
	enum moved_class class;
	uint32_t original_bytes, moved_bytes;
	bool ends;
	const uint8_t *copy;
	size_t copy_bytes;
} moved_cases[] = {
	{ one, MOVED_ONE, 6, 5, false, COPY(0xb8, 1, 0, 0, 0) },
	{ one_relative, MOVED_ONE, 10, 10, false, COPY(0xc7, 0x05, FIELD, 7, 0, 0, 0) },
	{ two_short, MOVED_SEVERAL, 6, 3, true, COPY(0x31, 0xc0, 0xc3) },
	{ only_return, MOVED_ONE, 6, 1, true, COPY(0xc3) },
	{ marked, MOVED_ONE, 6, 5, false, COPY(0xb8, 1, 0, 0, 0) },
	{ tail_jump, MOVED_ONE, 6, 2, true, COPY(0xe9, FIELD) },
	{ call_first, MOVED_ONE, 6, 5, true, COPY(PUSH_ADDRESS, 0xe9, FIELD) },
	{ call_first_memory, MOVED_ONE, 6, 6, true, COPY(PUSH_ADDRESS, 0xff, 0x25, FIELD) },
	{ barrier, MOVED_ONE, 6, 6, false, COPY(0xf0, 0x48, 0x83, 0x0c, 0x24, 0) },
	{ frame, MOVED_SEVERAL, 8, 8, false,
	  COPY(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10) },
	{ branch, MOVED_SEVERAL, 6, 5, false, COPY(0x53, 0x85, 0xff, 0x0f, 0x85, FIELD) },
	{ short_jump, MOVED_SEVERAL, 6, 5, true, COPY(0x53, 0x31, 0xc0, 0xe9, FIELD) },
	{ call_second, MOVED_SEVERAL, 6, 6, true, COPY(0x53, PUSH_ADDRESS, 0xe9, FIELD) },
	{ realigned, MOVED_ONE, 6, 5, false, COPY(0x4c, 0x8d, 0x54, 0x24, 0x08) },
	{ target_at_start, MOVED_SEVERAL, 6, 5, false, COPY(0xff, 0xcf, 0x90, 0x90, 0x90) },
	{ spared, MOVED_SEVERAL, 7, 7, false, COPY(0x53, 0x48, 0x89, 0xfb, 0x48, 0x89, 0xf0) },
	{ label_inside, MOVED_SEVERAL, 7, 7, false,
	  COPY(0x53, 0x48, 0x89, 0xfb, 0x48, 0x89, 0xf0) },
	{ all_bytes, MOVED_ONE, 5, 5, true, COPY(0xe9, FIELD) },
	/* A jump must not replace all five bytes. */
	{ call_first_register, MOVED_BYTE, 6, 2, true, COPY(PUSH_ADDRESS, 0xff, 0xe0) },
	{ target_second, MOVED_BYTE, 6, 2, false, COPY(0x89, 0xf8) },
	{ data_inside, MOVED_BYTE, 6, 6, false, COPY(0x8b, 0x05, FIELD) },
	{ system_call, MOVED_BYTE, 6, 2, false, COPY(0x31, 0xc0) },
	{ unknown, MOVED_BYTE, 6, 2, false, COPY(0x31, 0xc0) },
	/* The byte after the jump changes when the tracepoint is switched. */
	{ tracepoint_after_jump, MOVED_ONE, 5, 5, false, COPY(0xb8, 1, 0, 0, 0) },
	/* The padding after these may be executed. */
	{ falls, MOVED_BYTE, 6, 2, false, COPY(0x89, 0xc3) },
	{ before_label, MOVED_BYTE, 6, 2, false, COPY(0x31, 0xc0) },
};

static void functions_are_moved(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(moved_cases) / sizeof(moved_cases[0]); i++) {
		const struct moved_case *c = &moved_cases[i];
		const struct moved_row *row = row_of(c->code);

		if (!row || row->class != c->class || row->original_bytes != c->original_bytes ||
		    row->moved_bytes != c->moved_bytes || row->ends != c->ends ||
		    row->copy_bytes != c->copy_bytes ||
		    memcmp(moved_copy_bytes(head, row), c->copy, c->copy_bytes) ||
		    memcmp(moved_original(head, row), (void *)(bias + row->vaddr),
			   row->original_bytes))
			fail_msg("case %zu: class %d, reason %d, %d bytes become %d", i,
				 row ? row->class : -1, row ? row->reason : -1,
				 row ? row->original_bytes : -1, row ? row->copy_bytes : -1);
	}
	assert_int_equal(row_of(marked)->lead, ARCH_LANDING_PAD_BYTES);
	assert_int_equal(row_of(one)->lead, 0);
}

/* ---- refusals ---- */

static const struct refused_case {
	const uint8_t *code;
	enum moved_reason reason;
} refused_cases[] = {
	{ call_inside, MOVED_BY_CALL },
	{ call_stack, MOVED_BY_INSTRUCTION },
	{ target, MOVED_BY_TARGET },
	{ prefixed_start, MOVED_BY_TARGET },
	{ label, MOVED_BY_TARGET },
	{ table_target, MOVED_BY_TARGET },
	{ loops, MOVED_BY_INSTRUCTION },
	{ counts, MOVED_BY_INSTRUCTION },
	{ narrow_address, MOVED_BY_INSTRUCTION },
	{ breakpoint, MOVED_BY_INSTRUCTION },
	{ system_call_first, MOVED_BY_SYSCALL },
	{ unknown_first, MOVED_BY_DECODE },
	{ too_short, MOVED_BY_SHORT },
	{ returns_to, MOVED_BY_RETURN_ADDRESS },
	{ returns_to_late, MOVED_BY_RETURN_ADDRESS },
	{ pops_return, MOVED_BY_RETURN_ADDRESS },
	{ flags, MOVED_BY_FLAGS },
	{ carries, MOVED_BY_FLAGS },
	{ a_function_cold, MOVED_BY_COLD },
	{ expression, MOVED_BY_UNWIND },
	{ tracepoint_first, MOVED_BY_TRACEPOINT },
	{ tracepoint_in_copy, MOVED_BY_TRACEPOINT },
	{ tracepoint_in_distance, MOVED_BY_TRACEPOINT },
};

static void functions_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused_cases) / sizeof(refused_cases[0]); i++) {
		const struct moved_row *row = row_of(refused_cases[i].code);

		if (!row || row->reason != refused_cases[i].reason)
			fail_msg("case %zu: class %d, %s", i, row ? row->class : -1,
				 row ? mover_reason_text(row->reason) : "no row");
	}
}

/* A part of a function that has no name: the bytes below the stack decide. */
static void parts_are_refused(void **state)
{
	const struct moved_row *row = row_of(red_zone);

	(void)state;
	assert_non_null(row);
	row = row_of(red_zone + row->bytes);
	assert_non_null(row);
	assert_int_equal(row->reason, MOVED_BY_RED_ZONE);
	row = row_of(no_red_zone + row_of(no_red_zone)->bytes);
	assert_non_null(row);
	assert_int_equal(row->reason, MOVED_BY_NONE);
}

static void other_code_is_no_function(void **state)
{
	(void)state;
	assert_null(row_of(part));
	assert_null(row_of(no_return));
	assert_null(row_of(handler));
}

static void names_are_refused(void **state)
{
	static const struct {
		const char *name;
		enum moved_reason reason;
	} cases[] = {
		{ "setjmp", MOVED_BY_JUMPS }, { "__sigsetjmp", MOVED_BY_JUMPS },
		{ "swapcontext", MOVED_BY_JUMPS }, { "vfork", MOVED_BY_FORKS },
		{ "__GI___clone", MOVED_BY_FORKS }, { "dlsym", MOVED_BY_RETURN_ADDRESS },
		{ "__tls_get_addr_slow", MOVED_BY_LOADER },
		{ "_Unwind_Resume", MOVED_BY_UNWINDER },
		{ "_start", MOVED_BY_START }, { "__fentry__", MOVED_BY_TRACER },
		{ "malloc.cold", MOVED_BY_COLD }, { "malloc", MOVED_BY_NONE },
		{ "setjmp_test", MOVED_BY_NONE },
		{ "", MOVED_BY_NONE }, { "_startx", MOVED_BY_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(mover_unsafe_name(cases[i].name), cases[i].reason);
	for (int i = 0; i < MOVED_NR_REASONS; i++)
		assert_true(*mover_reason_text((enum moved_reason)i));
}

/* ---- fixups and frames ---- */

static void check_fixup(const uint8_t *code, uint32_t nr, uint32_t at, uint32_t end,
			enum moved_fixup_kind kind, const uint8_t *target)
{
	const struct moved_row *row = row_of(code);
	const struct moved_fixup *fixup = moved_fixups(head, row) + nr;

	assert_true(nr < row->nr_fixups);
	assert_int_equal(fixup->at, at);
	assert_int_equal(fixup->end, end);
	assert_int_equal(fixup->kind, kind);
	assert_int_equal(fixup->target, (uint64_t)target - bias);
}

static void fields_are_fixed(void **state)
{
	(void)state;
	assert_int_equal(row_of(one)->nr_fixups, 0);
	check_fixup(one_relative, 0, 2, 10, MOVED_REL32, a_variable);
	check_fixup(tail_jump, 0, 1, 5, MOVED_REL32, one);
	check_fixup(branch, 0, 5, 9, MOVED_REL32, branch + 10);
	check_fixup(short_jump, 0, 4, 8, MOVED_REL32, short_jump + 7);
	check_fixup(call_second, 0, 2, 6, MOVED_LOW32, call_second + 6);
	check_fixup(call_second, 1, 10, 14, MOVED_HIGH32, call_second + 6);
	check_fixup(call_second, 2, 15, 19, MOVED_REL32, one);
	check_fixup(call_first_memory, 2, 15, 19, MOVED_REL32, a_variable);
}

struct frame_case {
	uint8_t copy, original, cfa_register;
	int32_t cfa_offset;
	uint8_t rbx, rbp;
};

static void check_frames(const uint8_t *code, const struct frame_case *cases, uint32_t nr)
{
	const struct moved_row *row = row_of(code);
	const struct moved_frame *frames = moved_frames(head, row);

	assert_int_equal(row->nr_frames, nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(frames[i].copy, cases[i].copy);
		assert_int_equal(frames[i].original, cases[i].original);
		assert_int_equal(frames[i].cfa_register, cases[i].cfa_register);
		assert_int_equal(frames[i].cfa_offset, cases[i].cfa_offset);
		assert_int_equal(frames[i].saved[0], cases[i].rbx);
		assert_int_equal(frames[i].saved[1], cases[i].rbp);
	}
}

static void frames_are_described(void **state)
{
	static const struct frame_case of_frame[] = {
		{ 0, 0, 7, 8, 0, 0 }, { 1, 1, 7, 16, 0, 2 },
		{ 4, 4, 6, 16, 0, 2 }, { 8, 8, 6, 16, 0, 2 },
	};
	static const struct frame_case of_branch[] = {
		{ 0, 0, 7, 8, 0, 0 }, { 1, 1, 7, 16, 2, 0 },
		{ 3, 3, 7, 16, 2, 0 }, { 9, 5, 7, 16, 2, 0 },
	};
	/* The unwind table of call_second does not say that rbx is saved. */
	static const struct frame_case of_call[] = {
		{ 0, 0, 7, 8, 0, 0 }, { 1, 1, 7, 16, 0, 0 },
		{ 6, 1, 7, 24, 0, 0 }, { 14, 1, 7, 24, 0, 0 },
	};
	static const struct frame_case of_realigned[] = {
		{ 0, 0, 7, 8, 0, 0 }, { 5, 5, 10, 0, 0, 0 },
	};

	(void)state;
	check_frames(frame, of_frame, 4);
	check_frames(branch, of_branch, 4);
	check_frames(call_second, of_call, 4);
	check_frames(realigned, of_realigned, 2);
}

/* ---- finished copies ---- */

static void copies_are_finished(void **state)
{
	const struct moved_row *row = row_of(one_relative);
	uint64_t site = bias + row->vaddr, copy = site + 0x1000;
	uint8_t bytes[MOVED_COPY_MAX];
	int32_t distance;

	(void)state;
	assert_int_equal(moved_copy(head, row, bias, copy, bytes), 15);
	memcpy(&distance, bytes + 2, sizeof(distance));
	assert_int_equal(copy + 10 + (uint64_t)(int64_t)distance, (uint64_t)a_variable);
	memcpy(&distance, bytes + 11, sizeof(distance));
	assert_int_equal(copy + 15 + (uint64_t)(int64_t)distance, site + 10);
	assert_int_equal(moved_copy(head, row, bias, site + (1ull << 31) + 4096, bytes), -ERANGE);
	assert_int_equal(moved_copy(head, row, bias, site - (1ull << 31) - (1 << 20), bytes),
			 -ERANGE);
	row = row_of(only_return);
	assert_int_equal(moved_copy(head, row, bias, copy, bytes), 1);
}

/* ---- check of a table ---- */

/* ---- system calls ---- */

static const struct call_case {
	const uint8_t *code;
	enum moved_syscall_reason reason;
	uint32_t before, after_insn, after_bytes, ends;
	int nr;
} call_cases[] = {
	{ call_tested, MOVED_SYSCALL_NONE, 5, 6, 6, 0, 39 },
	{ call_alone, MOVED_SYSCALL_NONE, 5, 1, 5, 1, 39 },
	{ call_then_end, MOVED_SYSCALL_NONE, 5, 1, 5, 1, 39 },
	{ call_of_long, MOVED_SYSCALL_NONE, 7, 6, 6, 0, 39 },
	{ call_of_zero, MOVED_SYSCALL_NONE, 14, 6, 6, 0, 0 },
	{ call_far_away, MOVED_SYSCALL_NONE, 6, 6, 6, 0, 39 },
	{ call_number_first, MOVED_SYSCALL_NONE, 5, 6, 6, 0, 39 },
	/* Only the entries of these calls are seen. */
	{ call_then_short, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_then_relative, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_then_jump, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_then_tracepoint, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_then_target, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_then_target_inside, MOVED_SYSCALL_NONE, 5, 0, 0, 0, 39 },
	{ call_of_register, MOVED_SYSCALL_NONE, 7, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	{ call_of_large, MOVED_SYSCALL_NONE, 5, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	{ call_changed, MOVED_SYSCALL_NONE, 7, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	{ call_changed_byte, MOVED_SYSCALL_NONE, 7, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	{ call_changed_by_call, MOVED_SYSCALL_NONE, 5, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	{ call_number_entered, MOVED_SYSCALL_NONE, 5, 0, 0, 0, MOVED_SYSCALL_UNKNOWN },
	/* Neither entries nor returns of these calls are seen. */
	{ call_too_short, MOVED_SYSCALL_SHORT, 0, 0, 0, 0, 0 },
	{ call_after_call, MOVED_SYSCALL_SHORT, 0, 0, 0, 0, 0 },
	{ call_too_long, MOVED_SYSCALL_SHORT, 0, 0, 0, 0, 0 },
	{ call_of_handler, MOVED_SYSCALL_HANDLER, 0, 0, 0, 0, 0 },
	{ call_entered, MOVED_SYSCALL_ENTERED, 0, 0, 0, 0, 0 },
	{ call_entered_inside, MOVED_SYSCALL_ENTERED, 0, 0, 0, 0, 0 },
	{ call_in_table, MOVED_SYSCALL_ENTERED, 0, 0, 0, 0, 0 },
	{ no_function, MOVED_SYSCALL_FUNCTION, 0, 0, 0, 0, 0 },
};

/* Returns the first system call at or after @code. */
static const struct moved_syscall *call_at(const uint8_t *code)
{
	const struct moved_syscall *calls = moved_syscalls(head);

	for (uint32_t i = 0; i < head->nr_syscalls; i++)
		if (calls[i].vaddr >= (uint64_t)code - bias)
			return &calls[i];
	return NULL;
}

static void system_calls_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(call_cases) / sizeof(call_cases[0]); i++) {
		const struct call_case *c = &call_cases[i];
		const struct moved_syscall *call = call_at(c->code);

		if (!call || call->reason != c->reason || call->nr != c->nr ||
		    call->before.moved_bytes != c->before ||
		    call->after_insn != c->after_insn || call->after_bytes != c->after_bytes ||
		    call->ends != c->ends ||
		    memcmp(call->after, (void *)(bias + call->vaddr + MOVED_SYSCALL_BYTES),
			   c->after_bytes))
			fail_msg("case %zu: reason %d, number %d, bytes %d, %d of %d",
				 i, call ? call->reason : -1, call ? call->nr : -1,
				 call ? call->before.moved_bytes : -1,
				 call ? call->after_insn : -1, call ? call->after_bytes : -1);
	}
}

/* Each of these changes makes a table invalid. */
static const struct place_case {
	const uint8_t *code;
	uint32_t at;
	enum moved_class class;
	enum moved_reason reason;
	uint32_t bytes;
} place_cases[] = {
	{ place_several, 2, MOVED_SEVERAL, MOVED_BY_NONE, 6 },
	{ place_one, 2, MOVED_ONE, MOVED_BY_NONE, 5 },
	{ place_jump, 2, MOVED_SEVERAL, MOVED_BY_NONE, 6 },
	{ place_return, 2, MOVED_SEVERAL, MOVED_BY_NONE, 5 },
	/* A hook keeps the flags. */
	{ place_flags, 2, MOVED_SEVERAL, MOVED_BY_NONE, 7 },
	{ place_target, 2, MOVED_REFUSED, MOVED_BY_TARGET, 0 },
	{ place_at_end, 2, MOVED_REFUSED, MOVED_BY_SHORT, 0 },
	{ place_call, 2, MOVED_REFUSED, MOVED_BY_CALL, 0 },
	/* The second place is in what the jump at the first would replace. */
	{ place_close, 2, MOVED_REFUSED, MOVED_BY_PLACE, 0 },
	{ place_close, 3, MOVED_ONE, MOVED_BY_NONE, 5 },
	/* No instruction begins there. */
	{ place_inside, 1, MOVED_REFUSED, MOVED_BY_DECODE, 0 },
	/* A function that uses its return address is refused, but not a place in it. */
	{ place_returned, 6, MOVED_SEVERAL, MOVED_BY_NONE, 6 },
};

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void places_are_found(void **state)
{
	const size_t nr = sizeof(place_cases) / sizeof(place_cases[0]);
	uint64_t vaddrs[sizeof(place_cases) / sizeof(place_cases[0])], left = 1ull << 30;
	struct elf_source source = { .fd = open("/proc/self/exe", O_RDONLY), .bytes_left = &left };
	const struct moved_head *places;
	struct text made;

	(void)state;
	for (size_t i = 0; i < nr; i++)
		vaddrs[i] = (uint64_t)place_cases[i].code + place_cases[i].at - bias;
	qsort(vaddrs, nr, sizeof(*vaddrs), by_address);
	text_init(&made, MOVED_BYTES_MAX);
	assert_int_equal(mover_analyse_places(&source, &MOVER_LIMITS, vaddrs, (uint32_t)nr, &made),
			 0);
	close(source.fd);
	assert_true(moved_check(made.data, made.len));
	places = (const struct moved_head *)made.data;
	assert_int_equal(places->nr_rows, nr);
	assert_int_equal(places->nr_syscalls, 0);
	for (size_t i = 0; i < nr; i++) {
		const struct place_case *place = &place_cases[i];
		const struct moved_row *row =
			moved_find(places, (uint64_t)place->code + place->at - bias);

		assert_non_null(row);
		if (row->class != place->class || row->reason != place->reason ||
		    row->moved_bytes != place->bytes)
			fail_msg("place %zu: class %u, reason %u, %u bytes", i, row->class,
				 row->reason, row->moved_bytes);
	}
	text_done(&made);
}

static void wrong_tables_are_found(void **state)
{
	struct moved_head *copy = malloc(table.len);
	struct moved_row *row = NULL, *rows = (struct moved_row *)(copy + 1);
	struct moved_syscall *call;
	struct moved_frame *frames;

	(void)state;
#define WRONG(change)							\
	do {								\
		memcpy(copy, table.data, table.len);			\
		row = rows + (row_of(two_short) - moved_rows(head));	\
		frames = (struct moved_frame *)moved_frames(copy, row);	\
		(void)frames;						\
		call = (struct moved_syscall *)((char *)copy +		\
			((const char *)call_at(call_tested) -	\
			 (const char *)table.data));			\
		assert_true(moved_check(copy, table.len));		\
		change;							\
		assert_false(moved_check(copy, table.len));		\
	} while (0)
	WRONG(copy->magic++);
	WRONG(copy->nr_rows++);
	WRONG(copy->nr_rows--);
	WRONG(copy->nr_refused++);
	WRONG(copy->pool_at += 8);
	WRONG(copy->pool_bytes++);
	WRONG(copy->build_id_bytes = 33);
	WRONG(copy->text_end = copy->text);
	WRONG(row->vaddr = row[1].vaddr);
	WRONG(row->vaddr = copy->text_end);
	WRONG(row->pool += 4);
	WRONG(row->pool = copy->pool_bytes);
	WRONG(row->class = MOVED_CLASSES);
	WRONG(row->class = MOVED_REFUSED);
	WRONG(row->reason = 1);
	WRONG(row->lead = 5);
	WRONG(row->original_bytes = 4);
	WRONG(row->original_bytes = (uint8_t)(row[1].vaddr - row->vaddr + 1));
	WRONG(row->original_bytes = 200);
	WRONG(row->copy_bytes = 0);
	WRONG(row->copy_bytes = MOVED_COPY_MAX);
	WRONG(row->nr_fixups = MOVED_FIXUPS_MAX + 1);
	WRONG(row->nr_frames = 0);
	WRONG(row->ends = 2);
	WRONG(row->moved_bytes = 0);
	WRONG(row->moved_bytes = row->original_bytes + 1);
	WRONG(frames[0].copy = 1);
	WRONG(frames[1].copy = 0);
	WRONG(frames[1].copy = 4);
	WRONG(frames[1].original = 4);
	WRONG(frames[1].cfa_register = 16);
	WRONG(copy->syscalls_at += 8);
	WRONG(copy->nr_syscalls--);
	WRONG(call->vaddr = call[1].vaddr);
	WRONG(call->vaddr = copy->text + 4);
	WRONG(call->vaddr = copy->text_end - 8);
	WRONG(call->reason = MOVED_SYSCALL_ENTERED);
	WRONG(call->after_insn = 7);
	WRONG(call->after_insn = 0);
	WRONG(call->after_bytes = MOVED_AFTER_MAX + 1);
	WRONG(call->after_bytes = 4);
	WRONG(call->ends = 2);
	WRONG(call->before.vaddr--);
	WRONG(call->before.moved_bytes--);
	WRONG(call->before.original_bytes++);
	WRONG(call->before.copy_bytes = MOVED_SYSCALL_COPY_MAX + 1);
	WRONG(call->before.ends = 0);
	WRONG(call->before.class = MOVED_BYTE);
	WRONG(call->before.pool = copy->pool_bytes);
	WRONG(call[1].before.vaddr = call->vaddr + 2);
#undef WRONG
	assert_false(moved_check(table.data, table.len - 1));
	assert_false(moved_check(table.data, sizeof(struct moved_head) - 1));
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_moved),
		cmocka_unit_test(functions_are_refused),
		cmocka_unit_test(parts_are_refused),
		cmocka_unit_test(other_code_is_no_function),
		cmocka_unit_test(names_are_refused),
		cmocka_unit_test(fields_are_fixed),
		cmocka_unit_test(frames_are_described),
		cmocka_unit_test(copies_are_finished),
		cmocka_unit_test(system_calls_are_found),
		cmocka_unit_test(places_are_found),
		cmocka_unit_test(wrong_tables_are_found),
	};

	return cmocka_run_group_tests(tests, analyse, forget);
}

