/* SPDX-License-Identifier: MIT */
/* Switching static branches in running code.  See poke.c. */
#ifndef ULF_ARCH_POKE_H
#define ULF_ARCH_POKE_H

#include <stdbool.h>
#include <stdint.h>

struct poke_site {
	uint8_t *code;			/* the 5 bytes */
	const uint8_t *target;		/* where to go when on */
	bool is_on;			/* wanted */
};

/* Is the site on now?  -EILSEQ: these are not bytes of ours. */
int poke_site_state(const uint8_t *code);

/*
 * Switch @nr sites, all in one batch.  Returns 0, or the first error; sites
 * that had none are switched.  -EILSEQ: unexpected bytes; -ENOMEM: no place
 * for a stub within reach; others from the kernel.  One caller at a time.
 */
int poke_sites(const struct poke_site *sites, uint32_t nr);

/* The code between @start and @end goes away: its stubs are free. */
void poke_forget(const uint8_t *start, const uint8_t *end);

#endif
