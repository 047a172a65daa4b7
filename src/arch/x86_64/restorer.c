/* SPDX-License-Identifier: MIT */
/* Find the code of libc to which signal handlers return.  The code has no symbol, so
 * it is found by its bytes.  libc does not change these bytes, because unwinders
 * recognize the code by them. */
#include <signal.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/x86_64/codemem.h"

#define PAGES	64u			/* number of memory pages that are searched
					 * before and after a known function of libc */

static const uint8_t code[] = {
	0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0,	/* mov $rt_sigreturn, %rax */
	0x0f, 0x05,					/* syscall */
};

static uint64_t find_restorer_in_page(struct codemem_view *view, uint64_t page)
{
	const uint32_t nr = ARCH_PAGE_BYTES + sizeof(code) - 1;
	const uint8_t *text = codemem_view_at(view, page, nr);
	const uint8_t *found = text ? memmem(text, nr, code, sizeof(code)) : NULL;

	return found ? page + (uint64_t)(found - text) : ARCH_NO_RESTORER;
}

/* Search the memory pages around a known function of libc that also handles signals:
 * the code is near this function, in a static program, too.  The known function is
 * __libc_current_sigrtmin(), because no program replaces it. */
uint64_t arch_restorer(void)
{
	uint64_t near = (uint64_t)__libc_current_sigrtmin & -(uint64_t)ARCH_PAGE_BYTES;
	uint64_t found = ARCH_NO_RESTORER;
	struct codemem_view view = { .fd = codemem_begin() };

	for (uint64_t i = 0; i < PAGES && found == ARCH_NO_RESTORER; i++) {
		found = find_restorer_in_page(&view, near + i * ARCH_PAGE_BYTES);
		if (found == ARCH_NO_RESTORER)
			found = find_restorer_in_page(&view, near - (i + 1) * ARCH_PAGE_BYTES);
	}
	codemem_end(view.fd);
	return found;
}
