#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# The function to which a signal handler returns has a name if libc's tables have it.  The name is
# looked up at the return address, not before it.  If there could be another function at the
# address, no name is shown.
. tests/cli/common

cat >"$TMPDIR/back.c" <<'END'
__attribute__((noinline)) void handler(void)
{
	__asm__ volatile("");
}
/* Calls handler() with the return address @back, a function that begins after a gap. */
#define CALLER(name, back, size) \
	void name(void);						\
	__asm__(".text; .balign 16; .globl " #name "; .type " #name ", @function\n" \
		#name ": subq $8, %rsp; leaq " #back "(%rip), %rax; pushq %rax; jmp handler\n" \
		".size " #name ", . - " #name "; nop; nop\n"		\
		".type " #back ", @function\n"				\
		#back ": addq $8, %rsp; ret\n" size)
CALLER(one, restorer, "");
CALLER(two, unrelated, ".size unrelated, . - unrelated\n");

int main(void)
{
	one();
	two();
	return 0;
}
END
gcc -O1 -fpatchable-function-entry=5 -o "$TMPDIR/back" "$TMPDIR/back.c" || fail gcc
ulf run -o "$TMPDIR/trace" --ftrace=function --ftrace-filter=handler "$TMPDIR/back" \
	2>"$TMPDIR/err" || fail "run: $(cat "$TMPDIR/err")"
expect "callers" "restorer 0x" \
	"$(sed -n 's/.*handler <-//p' "$TMPDIR/trace" | sed 's/^0x.*/0x/' | xargs)"
