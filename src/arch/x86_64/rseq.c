/* SPDX-License-Identifier: MIT */
/* Find glibc's rseq area, unregister it and register it again. */
#include <assert.h>
#include <linux/rseq.h>
#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/x86_64/known.h"

static_assert(ARCH_RSEQ_CPU_ID == offsetof(struct rseq, cpu_id), "an offset in assembly");
static_assert(ARCH_RSEQ_CS == offsetof(struct rseq, rseq_cs), "an offset in assembly");

/* glibc 2.35 and later defines __rseq_offset and __rseq_size; with an older
 * glibc their addresses are 0. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/*
 * A substitute for struct rseq, for threads of a process without rseq.  These threads
 * arm their rseq sections here.  The kernel does not know this memory, so it never
 * aborts such a section.  But the CPU number in this struct is -1, so these sections
 * find no ring and write nothing.
 */
static __thread struct {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rseq_cs;
	uint64_t reserved[2];
} no_rseq __attribute__((aligned(32), tls_model("initial-exec"))) = { 0, ~0u, 0, { 0 } };

ptrdiff_t arch_rseq_offset;

ptrdiff_t arch_no_rseq_offset(void)
{
	return (char *)&no_rseq - (char *)__builtin_thread_pointer();
}

bool arch_rseq_init(void)
{
	/* Without rseq the CPU number is negative: RSEQ_CPU_ID_UNINITIALIZED or
	 * RSEQ_CPU_ID_REGISTRATION_FAILED. */
	bool has_rseq = &__rseq_offset && &__rseq_size && __rseq_size &&
			(int32_t)rseq_cpu(__rseq_offset) >= 0;

	arch_rseq_offset = has_rseq ? __rseq_offset : arch_no_rseq_offset();
	return has_rseq;
}

/* Minimum size of the rseq area, bytes.  libc has registered the area with this size
 * or with __rseq_size, whichever is larger. */
#define AREA_BYTES_MIN	32

static long register_rseq_area(int flags)
{
	uint32_t bytes = __rseq_size > AREA_BYTES_MIN ? __rseq_size : AREA_BYTES_MIN;

	return arch_syscall4(SYS_rseq, (char *)__builtin_thread_pointer() + arch_rseq_offset,
			     bytes, flags, RSEQ_SIGNATURE);
}

/* Unregister the rseq area.  The kernel then stores CPU number -1 in the area. */
bool arch_rseq_leave(void)
{
	return &__rseq_offset && &__rseq_size && arch_rseq_offset == __rseq_offset &&
	       !register_rseq_area(RSEQ_FLAG_UNREGISTER);
}

/* Register the rseq area.  While it was not registered, rseq sections were still armed
 * in it.  So first remove the section that was armed last, because the kernel must not
 * find it. */
void arch_rseq_join(void)
{
	char *area = (char *)__builtin_thread_pointer() + arch_rseq_offset;

	__atomic_store_n((uint64_t *)(area + offsetof(struct rseq, rseq_cs)), 0, __ATOMIC_RELAXED);
	register_rseq_area(0);
}

bool arch_rseq_disown(void)
{
	char *thread = __builtin_thread_pointer();
	uint32_t none = ~0u;

	if (arch_rseq_offset > (ptrdiff_t)(ARCH_PAGE_BYTES - AREA_BYTES_MIN))
		return false;
	memcpy(thread + arch_rseq_offset + ARCH_RSEQ_CPU_ID, &none, sizeof(none));
	memcpy(thread + arch_no_rseq_offset() + ARCH_RSEQ_CPU_ID, &none, sizeof(none));
	return true;
}
