/* SPDX-License-Identifier: MIT */
/* Types and helpers that any kernel source file may use. */
#ifndef ULF_CONFORMANCE_BASE_H
#define ULF_CONFORMANCE_BASE_H

/* libc has these too, with other sizes. */
#define dev_t		libc_dev_t
#define sigset_t	libc_sigset_t
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#undef dev_t
#undef sigset_t
#undef major
#undef minor

#include <asm/errno.h>
#include <linux/const.h>
#include <linux/kdev_t.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

typedef u32 dev_t;
typedef unsigned short umode_t;
typedef u64 sector_t;
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
typedef s64 ktime_t;
typedef s64 time64_t;
typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
typedef atomic64_t atomic_long_t;
typedef struct { int counter; } refcount_t;
typedef struct { int counter; } spinlock_t;

struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };

#define __force
#define __iomem
#define __percpu
#define __maybe_unused
#define __mode(mode)	__attribute__((__mode__(mode)))

/* Not a typedef: `format` shows what it stands for. */
#define pgoff_t		unsigned long

#define BITS_PER_LONG	64
#define UL(x)		(_UL(x))
#define BIT(nr)		(UL(1) << (nr))
#define NSEC_PER_USEC	1000L
#define PAGE_SHIFT	12
#define PAGE_SIZE	(_UL(1) << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define HZ		250

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define READ_ONCE(x)		(x)
#define BUG_ON(x)		((void)(x))
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define MAX_ERRNO		4095
#define IS_ERR_VALUE(x) \
	unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)
#define IS_ERR(ptr)		IS_ERR_VALUE(ptr)
#define PTR_ERR(ptr)		((long)(ptr))

/* linux/kconfig.h: CONFIG_X is 1 or not defined, there are no modules. */
#define STUB_ENABLED_1		0,
#define STUB_SECOND(a, b, ...)	b
#define STUB_ENABLED_3(x)	STUB_SECOND(x 1, 0, 0)
#define STUB_ENABLED_2(x)	STUB_ENABLED_3(STUB_ENABLED_##x)
#define IS_ENABLED(option)	STUB_ENABLED_2(option)

/* linux/kdev_t.h without __KERNEL__ has 8 bits of minor. */
#undef MAJOR
#undef MINOR
#undef MKDEV
#define MINORBITS	20
#define MINORMASK	((1U << MINORBITS) - 1)
#define MAJOR(dev)	((unsigned int) ((dev) >> MINORBITS))
#define MINOR(dev)	((unsigned int) ((dev) & MINORMASK))

/* x86 is little endian. */
#define le16_to_cpu(x)	(x)
#define le32_to_cpu(x)	(x)
#define le64_to_cpu(x)	(x)
#define be16_to_cpu(x)	__builtin_bswap16(x)
#define be32_to_cpu(x)	__builtin_bswap32(x)
#define be64_to_cpu(x)	__builtin_bswap64(x)
#define __be32_to_cpu(x)	be32_to_cpu(x)
#define be32_to_cpup(p)	be32_to_cpu(*(p))
#define cpu_to_be16(x)	__builtin_bswap16(x)
#define cpu_to_be32(x)	__builtin_bswap32(x)
#define ntohs(x)	be16_to_cpu(x)
#define ntohl(x)	be32_to_cpu(x)
#define htons(x)	cpu_to_be16(x)
#define htonl(x)	cpu_to_be32(x)

size_t strlcpy(char *to, const char *from, size_t bytes);
ssize_t strscpy(char *to, const char *from, size_t bytes);
ssize_t strscpy_pad(char *to, const char *from, size_t bytes);
int snprintf(char *to, size_t bytes, const char *format, ...);
int atomic_read(const atomic_t *v);
s64 atomic64_read(const atomic64_t *v);
unsigned int refcount_read(const refcount_t *r);
int ptr_to_hashval(const void *ptr, unsigned long *hash);
bool test_bit(long nr, const unsigned long *bits);
u64 div_u64(u64 dividend, u32 divisor);
u64 ktime_get_ns(void);
s64 ktime_to_us(ktime_t t);
s64 ktime_us_delta(ktime_t later, ktime_t earlier);
ktime_t ktime_get(void);
ktime_t ktime_sub(ktime_t a, ktime_t b);
unsigned int jiffies_to_msecs(unsigned long jiffies);

extern unsigned long jiffies;

#endif
