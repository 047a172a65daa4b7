/* SPDX-License-Identifier: MIT */
/* What args.c and args_other.c share. */
#ifndef ARGS_H
#define ARGS_H

/* They are called as the ABI says: nobody knows all their callers. */
#ifdef __clang__
#define FUNCTION	__attribute__((noinline, used))
#else
#define FUNCTION	__attribute__((noipa))
#endif
#define USE(x)		__asm__ volatile("" : : "m"(x))

void elsewhere(int number);

#endif
