/* SPDX-License-Identifier: MIT */
/*
 * Types and macros that the kernel's trace headers expect, for a program that does not
 * have them.  No other header of ulf includes this file: a program that needs it includes
 * it.
 *
 *	#include <ulf/kernel.h>			after the program's own headers
 *	#include <linux/tracepoint.h>
 *	#define CREATE_TRACE_POINTS
 *	#include <trace/events/f2fs.h>
 *
 * This file has only names that every kernel source file may use.  Structures of a
 * subsystem (struct inode) must come from the program.
 *
 * A macro that the program has defined already stays as it is.  If the program has a type
 * of the same name and another size, the compiler reports an error.  If
 * ULF_KERNEL_NO_TYPES is defined before, this file defines no types.
 */
#ifndef ULF_KERNEL_H
#define ULF_KERNEL_H

#include <ulf/event.h>		/* This header must come first, because it reports
				 * unsupported compiler modes and C libraries. */

#ifdef __GLIBC__		/* musl-gcc does not find the kernel's headers, so
				 * without glibc this header is empty */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include <asm/errno.h>		/* <asm/errno.h> instead of <errno.h>, because some
				 * events have an argument named errno */
#include <linux/const.h>
#include <linux/types.h>

/* ---- types ---- */

#ifndef ULF_KERNEL_NO_TYPES
#ifndef u8
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
/* If the program has another u64, the compiler's message quotes the next line.  So the
 * comment in that line says what to do. */
typedef __u64 u64;	/* conflicting types: define ULF_KERNEL_NO_TYPES */
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

/* pgoff_t is a macro as in the kernel.  So the file `format` shows a field of this type as
 * `unsigned long`. */
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

/* ---- macros that return an address of code ---- */

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
#define PAGE_SHIFT	__ULF_ARCH_PAGE_SHIFT
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

#ifndef __cplusplus		/* in C++, min and max are functions of the standard
				 * library */
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

/* Conversions of byte order.  ulf supports little-endian CPUs only. */
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
#ifndef atomic_read		/* if the program defines atomic_read itself, it must
				 * also define these types */
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

/* ---- pointers that contain an error number ---- */

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

/* ---- tests of CONFIG_ options ---- */

/*
 * IS_ENABLED(CONFIG_X) is 1 if CONFIG_X is defined as 1, else 0:
 *	CONFIG_X is 1:		ULF_ENABLED_PICK(0, 1, 0, 0) is 1
 *	CONFIG_X is not defined: ULF_ENABLED_PICK(ULF_ENABLED_CONFIG_X 1, 0, 0) is 0
 * ULF_ENABLED_PICK() returns its second argument.  Only ULF_ENABLED_1 expands to text
 * with a comma.  The comma makes the 1 the second argument.
 */
#ifndef IS_ENABLED
#define ULF_ENABLED_1		0,
#define ULF_ENABLED_PICK(a, b, ...) b
#define ULF_ENABLED_TEST(x)	ULF_ENABLED_PICK(x 1, 0, 0)
#define ULF_ENABLED(x)		ULF_ENABLED_TEST(ULF_ENABLED_##x)
#define IS_ENABLED(option)	ULF_ENABLED(option)
#endif

/* ---- device numbers ---- */

/*
 * Device numbers as in the kernel.  The kernel's dev_t has 32 bits, of which the low 20 are
 * the minor number.  libc's dev_t has 64 bits and another layout; huge_decode_dev()
 * converts it to the kernel's.  <linux/kdev_t.h> defines MAJOR, MINOR and MKDEV for old
 * device numbers of 16 bits.  That header is included here, so that a later include does
 * nothing, and its macros are replaced.
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

/* Converts libc's device number @__dev.  Returns the kernel's device number. */
ULF_NOTRACE
static inline __attribute__((__unused__)) __u32 ulf_decode_dev(__u64 __dev)
{
	__u32 __major = (__u32)(__dev >> 8 & 0xfff);
	__u32 __minor = (__u32)((__dev & 0xff) | (__dev >> 12 & 0xfff00));

	return __major << 20 | __minor;
}

/* ---- strings ---- */

/*
 * Copy the string @__from to @__to, at most @__bytes including the NUL, which is always
 * written.
 * Returns the length without the NUL, or -E2BIG if the string was cut or @__bytes is 0.
 */
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

/* Copy a string as ulf_strscpy() does, and fill the rest of @__to with zeros. */
ULF_NOTRACE
static inline __attribute__((__unused__)) ssize_t
ulf_strscpy_pad(char *__to, const char *__from, size_t __bytes)
{
	ssize_t __len = ulf_strscpy(__to, __from, __bytes);

	if (__len >= 0)
		memset(__to + __len, 0, __bytes - (size_t)__len);
	return __len;
}

/* Copy a string as ulf_strscpy() does, but return the length of @__from. */
ULF_NOTRACE
static inline __attribute__((__unused__)) size_t
ulf_strlcpy(char *__to, const char *__from, size_t __bytes)
{
	ulf_strscpy(__to, __from, __bytes);
	return strlen(__from);
}

/* Since Linux 6.8 a caller of strscpy() and strscpy_pad() may omit the size if the destination
 * is an array.  @function is the third argument: for strscpy() below, that is ulf_strscpy if the
 * caller has given the size, else __ulf_strscpy_2. */
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

#ifdef CLOCK_MONOTONIC		/* <time.h> lacks CLOCK_MONOTONIC with -std=c11 unless
				 * _POSIX_C_SOURCE is defined */
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
