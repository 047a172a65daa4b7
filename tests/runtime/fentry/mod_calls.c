/* SPDX-License-Identifier: MIT */
/* Functions of a library as -pg -mfentry -mrecord-mcount makes them, one with the call across
 * the end of a page, and one that calls another function. */
__asm__(
	"	.pushsection .text.calls, \"ax\", @progbits\n"
	"	.balign	4096\n"
	"	.skip	4093, 0xcc\n"
	"	.globl	late_across\n"
	"	.type	late_across, @function\n"
	"late_across:\n"
	"1:	call	*__fentry__@GOTPCREL(%rip)\n"
	"	leal	1(%rdi), %eax\n"
	"	ret\n"
	"	.balign	16\n"
	"	.globl	late\n"
	"	.type	late, @function\n"
	"late:\n"
	"2:	call	*__fentry__@GOTPCREL(%rip)\n"
	"	leal	1(%rdi), %eax\n"
	"	ret\n"
	"	.globl	late_other\n"
	"	.type	late_other, @function\n"
	"late_other:\n"
	"3:	call	*other@GOTPCREL(%rip)\n"
	"	leal	1(%rdi), %eax\n"
	"	ret\n"
	"	.popsection\n"
	"	.pushsection __mcount_loc, \"aw\", @progbits\n"
	"	.quad	1b, 2b, 3b\n"
	"	.popsection\n");

int nr_others;
void other(void);
void other(void)
{
	__atomic_add_fetch(&nr_others, 1, __ATOMIC_RELAXED);
}
