/* SPDX-License-Identifier: MIT */
/* Switch the sites of tracepoints in running code.  See poke.c. */
#ifndef ULF_ARCH_POKE_H
#define ULF_ARCH_POKE_H

#include <stdbool.h>
#include <stdint.h>

struct poke_site {
	uint8_t *code;			/* address of the site's 5 bytes */
	const uint8_t *target;		/* address to which the site jumps when it is on */
	bool is_on;			/* requested state of the site */
	uint8_t *stub;			/* the stub that poke_sites() has made for the
					 * site; NULL before the call */
};

/* Returns 1 if the site at @code is on; 0 if the site is off; -EILSEQ if there are
 * other bytes, which are no site. */
int poke_site_state(const uint8_t *code);

/*
 * Switch @nr sites, all in one batch.  Two threads must not call this function at the
 * same time.
 * Returns 0, or the first error; sites without an error are switched.  -EILSEQ:
 * unexpected bytes; -ENOMEM: no space for a stub within reach; other errors are from the
 * kernel.
 */
int poke_sites(struct poke_site *sites, uint32_t nr);

/* Free the stubs of the sites in the code between @start and @end, which is about to be
 * unmapped.  Two threads must not call this at the same time. */
void poke_forget(const uint8_t *start, const uint8_t *end);

#endif
