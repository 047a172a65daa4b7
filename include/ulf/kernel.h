/* SPDX-License-Identifier: MIT */
/*
 * Types and macros that the kernel's trace headers take for granted, for a
 * program that has none of its own.  Opt-in: nothing of ulf includes it.
 *
 *	#include <ulf/kernel.h>			after the program's own headers
 *	#include <linux/tracepoint.h>
 *	#define CREATE_TRACE_POINTS
 *	#include <trace/events/f2fs.h>
 *
 * Only words that every kernel source file may use are here.  Structures of a
 * subsystem (struct inode) are the program's.
 *
 * A macro that the program has already is left alone.  A type of another size
 * under the same name is an error of the compiler, never a silent one; with
 * ULF_KERNEL_NO_TYPES defined before, the types are the program's.
 */
#ifndef ULF_KERNEL_H
#define ULF_KERNEL_H

#include <ulf/event.h>		/* first: it rejects compiler modes and C libraries */

#ifdef __GLIBC__		/* musl-gcc finds no headers of the kernel */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include <asm/errno.h>		/* not <errno.h>: events have an argument errno */
#include <linux/const.h>
#include <linux/types.h>

/* ---- types ---- */

#ifndef ULF_KERNEL_NO_TYPES
#ifndef u8
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;	/* another one is there: define ULF_KERNEL_NO_TYPES */
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
#endif

typedef unsigned short umode_t;
typedef __u64 sector_t;
typedef __u64 dma_addr_t;
typedef __u64 phys_addr_t;
typedef phys_addr_t resource_size_t;
typedef unsigned int gfp_t;
typedef unsigned int fmode_t;
typedef __s64 ktime_t;
typedef __s64 time64_t;
#endif

/* Not a typedef in the kernel, either: `format` shows what it stands for. */
#ifndef pgoff_t
#define pgoff_t		unsigned long
#endif

/* ---- annotations ---- */

#ifndef __force
#define __force
#endif
#ifndef __user
#define __user
#endif
#ifndef __iomem
#define __iomem
#endif
#ifndef __percpu
#define __percpu
#endif
#ifndef __rcu
#define __rcu
#endif
#ifndef __maybe_unused
#define __maybe_unused	__attribute__((__unused__))
#endif
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

/* ---- addresses of code ---- */

#ifndef _RET_IP_
#define _RET_IP_	((unsigned long)__builtin_return_address(0))
#endif
#ifndef _THIS_IP_
#define _THIS_IP_	__ULF_THIS_IP
#endif

/* ---- numbers ---- */

#ifndef BITS_PER_LONG
#define BITS_PER_LONG	64
#endif
#ifndef UL
#define UL(x)		(_UL(x))
#endif
#ifndef BIT
#define BIT(nr)		(UL(1) << (nr))
#endif
#ifndef BIT_ULL
#define BIT_ULL(nr)	(1ULL << (nr))
#endif
#ifndef NSEC_PER_USEC
#define NSEC_PER_USEC	1000L
#endif
#ifndef NSEC_PER_MSEC
#define NSEC_PER_MSEC	1000000L
#endif
#ifndef NSEC_PER_SEC
#define NSEC_PER_SEC	1000000000L
#endif
#ifndef USEC_PER_MSEC
#define USEC_PER_MSEC	1000L
#endif
#ifndef USEC_PER_SEC
#define USEC_PER_SEC	1000000L
#endif
#ifndef MSEC_PER_SEC
#define MSEC_PER_SEC	1000L
#endif
#ifndef PAGE_SHIFT
#define PAGE_SHIFT	12
#endif
#ifndef PAGE_SIZE
#define PAGE_SIZE	(_UL(1) << PAGE_SHIFT)
#endif
#ifndef PAGE_MASK
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#endif
#ifndef TASK_COMM_LEN
#define TASK_COMM_LEN	16
#endif

#ifndef __cplusplus		/* which has functions of that name */
#ifndef min
#define min(a, b)	((a) < (b) ? (a) : (b))
#endif
#ifndef max
#define max(a, b)	((a) > (b) ? (a) : (b))
#endif
#endif
#ifndef min_t
#define min_t(type, a, b)						\
	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#endif
#ifndef max_t
#define max_t(type, a, b)						\
	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#endif
#ifndef lower_32_bits
#define lower_32_bits(n)	((__u32)((n) & 0xffffffff))
#endif
#ifndef upper_32_bits
#define upper_32_bits(n)	((__u32)(((n) >> 16) >> 16))
#endif
#ifndef div_u64
#define div_u64(dividend, divisor)	((__u64)(dividend) / (__u32)(divisor))
#endif
#ifndef div64_u64
#define div64_u64(dividend, divisor)	((__u64)(dividend) / (__u64)(divisor))
#endif

/* x86 is little endian. */
#ifndef le16_to_cpu
#define le16_to_cpu(x)	((__u16)(x))
#endif
#ifndef le32_to_cpu
#define le32_to_cpu(x)	((__u32)(x))
#endif
#ifndef le64_to_cpu
#define le64_to_cpu(x)	((__u64)(x))
#endif
#ifndef be16_to_cpu
#define be16_to_cpu(x)	__builtin_bswap16(x)
#endif
#ifndef be32_to_cpu
#define be32_to_cpu(x)	__builtin_bswap32(x)
#endif
#ifndef be64_to_cpu
#define be64_to_cpu(x)	__builtin_bswap64(x)
#endif
#ifndef be16_to_cpup
#define be16_to_cpup(p)	be16_to_cpu(*(p))
#endif
#ifndef be32_to_cpup
#define be32_to_cpup(p)	be32_to_cpu(*(p))
#endif
#ifndef be64_to_cpup
#define be64_to_cpup(p)	be64_to_cpu(*(p))
#endif
#ifndef cpu_to_be16
#define cpu_to_be16(x)	__builtin_bswap16(x)
#endif
#ifndef cpu_to_be32
#define cpu_to_be32(x)	__builtin_bswap32(x)
#endif
#ifndef cpu_to_be64
#define cpu_to_be64(x)	__builtin_bswap64(x)
#endif

/* ---- objects ---- */

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif
#ifndef container_of
#define container_of(ptr, type, member)					\
	((type *)(void *)((char *)(ptr) - offsetof(type, member)))
#endif
#ifndef READ_ONCE
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#endif
#ifndef WRITE_ONCE
#define WRITE_ONCE(x, value)						\
	(*(volatile __typeof__(x) *)&(x) = (value))
#endif
#ifndef atomic_read		/* a program that has it has the types, too */
typedef struct { int counter; } atomic_t;
typedef struct { __s64 counter; } atomic64_t;
typedef atomic64_t atomic_long_t;
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic64_read(v)	READ_ONCE((v)->counter)
#define atomic_long_read(v)	((long)READ_ONCE((v)->counter))
#endif
#ifndef test_bit
#define test_bit(nr, bits)						\
	((((const unsigned long *)(bits))[(nr) / BITS_PER_LONG] >>	\
	  ((nr) % BITS_PER_LONG) & 1) != 0)
#endif

/* ---- errors in pointers ---- */

#ifndef MAX_ERRNO
#define MAX_ERRNO	4095
#endif
#ifndef IS_ERR_VALUE
#define IS_ERR_VALUE(x) \
	unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)
#endif
#ifndef IS_ERR
#define IS_ERR(ptr)		IS_ERR_VALUE(ptr)
#endif
#ifndef IS_ERR_OR_NULL
#define IS_ERR_OR_NULL(ptr)	(!(ptr) || IS_ERR(ptr))
#endif
#ifndef PTR_ERR
#define PTR_ERR(ptr)		((long)(ptr))
#endif
#ifndef PTR_ERR_OR_ZERO
#define PTR_ERR_OR_ZERO(ptr)	(IS_ERR(ptr) ? PTR_ERR(ptr) : 0)
#endif
#ifndef ERR_PTR
#define ERR_PTR(error)		((void *)(long)(error))
#endif

/* ---- the configuration ---- */

/* CONFIG_X is 1 or not defined: ULF_ENABLED_1 is the only one that makes two
 * arguments of one. */
#ifndef IS_ENABLED
#define ULF_ENABLED_1		0,
#define ULF_ENABLED_PICK(a, b, ...) b
#define ULF_ENABLED_TEST(x)	ULF_ENABLED_PICK(x 1, 0, 0)
#define ULF_ENABLED(x)		ULF_ENABLED_TEST(ULF_ENABLED_##x)
#define IS_ENABLED(option)	ULF_ENABLED(option)
#endif

/* ---- device numbers ---- */

/*
 * The kernel's dev_t is 32 bits, 20 of them the minor number.  That of libc has
 * 64 bits in another order: huge_decode_dev() makes the kernel's of it.
 * <linux/kdev_t.h> has macros for the 16 bits of the 1990s: they are replaced,
 * also if it is included later.
 */
#if !defined(MAJOR) || defined(_LINUX_KDEV_T_H)
#include <linux/kdev_t.h>
#undef MAJOR
#undef MINOR
#undef MKDEV
#define MAJOR(dev)	((unsigned int) ((dev) >> MINORBITS))
#define MINOR(dev)	((unsigned int) ((dev) & MINORMASK))
#define MKDEV(ma, mi)	(((ma) << MINORBITS) | (mi))
#ifndef MINORBITS
#define MINORBITS	20
#endif
#ifndef MINORMASK
#define MINORMASK	((1U << MINORBITS) - 1)
#endif
#endif
#ifndef huge_decode_dev
#define huge_decode_dev(dev)	ulf_decode_dev(dev)
#endif

ULF_NOTRACE
static inline __attribute__((__unused__)) __u32 ulf_decode_dev(__u64 __dev)
{
	__u32 __major = (__u32)(__dev >> 8 & 0xfff);
	__u32 __minor = (__u32)((__dev & 0xff) | (__dev >> 12 & 0xfff00));

	return __major << 20 | __minor;
}

/* ---- strings ---- */

/* Copy @__from, at most @__bytes with a NUL, which is always there.  Returns the
 * length, or -E2BIG if it was cut. */
ULF_NOTRACE
static inline __attribute__((__unused__)) ssize_t
ulf_strscpy(char *__to, const char *__from, size_t __bytes)
{
	size_t __len;

	if (!__bytes)
		return -E2BIG;
	for (__len = 0; __len < __bytes - 1 && __from[__len]; __len++)
		__to[__len] = __from[__len];
	__to[__len] = '\0';
	return __from[__len] ? -E2BIG : (ssize_t)__len;
}

/* ulf_strscpy(), and the rest of @__to is zero. */
ULF_NOTRACE
static inline __attribute__((__unused__)) ssize_t
ulf_strscpy_pad(char *__to, const char *__from, size_t __bytes)
{
	ssize_t __len = ulf_strscpy(__to, __from, __bytes);

	if (__len >= 0)
		memset(__to + __len, 0, __bytes - (size_t)__len);
	return __len;
}

ULF_NOTRACE
static inline __attribute__((__unused__)) size_t
ulf_strlcpy(char *__to, const char *__from, size_t __bytes)
{
	ulf_strscpy(__to, __from, __bytes);
	return strlen(__from);
}

/* Since Linux 6.8 the size may be left out, if @to is an array. */
#define __ULF_2_OR_3(src, size, function, ...) function
#ifdef __cplusplus
extern "C++" {
template <size_t bytes>
ULF_NOTRACE static inline ssize_t __ulf_strscpy_2(char (&to)[bytes], const char *from)
{
	return ulf_strscpy(to, from, bytes);
}

template <size_t bytes>
ULF_NOTRACE static inline ssize_t __ulf_strscpy_pad_2(char (&to)[bytes], const char *from)
{
	return ulf_strscpy_pad(to, from, bytes);
}
}
#else
#define __ULF_ARRAY_BYTES(array)					\
	(sizeof(array) / sizeof(char[					\
		__builtin_types_compatible_p(__typeof__(array),		\
					     __typeof__(&(array)[0])) ?	\
		-1 : 1]))
#define __ulf_strscpy_2(to, from)					\
	ulf_strscpy(to, from, __ULF_ARRAY_BYTES(to))
#define __ulf_strscpy_pad_2(to, from)					\
	ulf_strscpy_pad(to, from, __ULF_ARRAY_BYTES(to))
#endif

#ifndef strscpy
#define strscpy(to, ...)						\
	__ULF_2_OR_3(__VA_ARGS__, ulf_strscpy, __ulf_strscpy_2, 0)	\
		(to, __VA_ARGS__)
#endif
#ifndef strscpy_pad
#define strscpy_pad(to, ...)						\
	__ULF_2_OR_3(__VA_ARGS__, ulf_strscpy_pad, __ulf_strscpy_pad_2, 0) \
		(to, __VA_ARGS__)
#endif
#ifndef strlcpy
#define strlcpy(to, from, bytes)	ulf_strlcpy(to, from, bytes)
#endif

/* ---- time ---- */

#ifdef CLOCK_MONOTONIC		/* not with -std=c11 and no _POSIX_C_SOURCE */
ULF_NOTRACE
static inline __attribute__((__unused__)) __u64 ulf_ktime_get_ns(void)
{
	struct timespec __now;

	clock_gettime(CLOCK_MONOTONIC, &__now);
	return (__u64)__now.tv_sec * 1000000000u + (__u64)__now.tv_nsec;
}

#ifndef ktime_get_ns
#define ktime_get_ns()		ulf_ktime_get_ns()
#endif
#ifndef ktime_get
#define ktime_get()		((__s64)ulf_ktime_get_ns())
#endif
#endif

#ifndef ktime_sub
#define ktime_sub(a, b)		((a) - (b))
#endif
#ifndef ktime_to_ns
#define ktime_to_ns(t)		((__s64)(t))
#endif
#ifndef ktime_to_us
#define ktime_to_us(t)		((__s64)(t) / 1000)
#endif
#ifndef ktime_to_ms
#define ktime_to_ms(t)		((__s64)(t) / 1000000)
#endif
#ifndef ktime_us_delta
#define ktime_us_delta(later, earlier) ktime_to_us(ktime_sub(later, earlier))
#endif

#endif /* __GLIBC__ */
#endif /* ULF_KERNEL_H */
