/* SPDX-License-Identifier: MIT */
/* Types and helpers that any kernel source file may use. */
#ifndef ULF_CONFORMANCE_BASE_H
#define ULF_CONFORMANCE_BASE_H

/* libc has these types, too, with other sizes. */
#define dev_t		libc_dev_t
#define sigset_t	libc_sigset_t
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#undef dev_t
#undef sigset_t
#undef major
#undef minor

#include <ulf/kernel.h>

typedef u32 dev_t;
typedef struct { int counter; } refcount_t;
typedef struct { int counter; } spinlock_t;

struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };

#define __mode(mode)	__attribute__((__mode__(mode)))

#define HZ		250
#define BUG_ON(x)	((void)(x))

#define __be32_to_cpu(x) be32_to_cpu(x)
#define ntohs(x)	be16_to_cpu(x)
#define ntohl(x)	be32_to_cpu(x)
#define htons(x)	cpu_to_be16(x)
#define htonl(x)	cpu_to_be32(x)

int snprintf(char *to, size_t bytes, const char *format, ...);
unsigned int refcount_read(const refcount_t *r);
int ptr_to_hashval(const void *ptr, unsigned long *hash);
unsigned int jiffies_to_msecs(unsigned long jiffies);

extern unsigned long jiffies;

#endif
