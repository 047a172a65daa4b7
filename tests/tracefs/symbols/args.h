/* SPDX-License-Identifier: MIT */
/* Shared by args.c and args_other.c. */
#ifndef ARGS_H
#define ARGS_H

/* Functions that follow the ABI, because the compiler does not know all their callers. */
#ifdef __clang__
#define FUNCTION	__attribute__((noinline, used))
#else
#define FUNCTION	__attribute__((noipa))
#endif
#define USE(x)		__asm__ volatile("" : : "m"(x))

void elsewhere(int number);

#endif
