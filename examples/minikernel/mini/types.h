/* SPDX-License-Identifier: MIT */
/* The kernel's short names for C's types, and the few macros that every kernel source
 * file expects. */
#ifndef MINI_TYPES_H
#define MINI_TYPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Undefine bool.  A trace event's format shows a field's type as it was written.
 * <stdbool.h> makes "bool" a macro for _Bool, and the format would say "_Bool".
 */
#undef bool
typedef _Bool bool;

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef s64 ktime_t;

#define __force
#define NSEC_PER_SEC	1000000000LL
#define NSEC_PER_MSEC	1000000LL
#define NSEC_PER_USEC	1000LL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* The return address of the running function. */
#define _RET_IP_	((unsigned long)__builtin_return_address(0))

/* Virtual CPUs: the limit of their number, and the number in use. */
#define NR_CPUS		8
extern int nr_cpus;	/* set once by main() before anything runs */

#define for_each_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpus; (cpu)++)

/* Print @why and abort.  Only for broken invariants of the mini kernel itself. */
void panic(const char *why) __attribute__((noreturn, cold));

#endif
