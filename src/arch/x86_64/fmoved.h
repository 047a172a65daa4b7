/* SPDX-License-Identifier: MIT */
/*
 * Function sites of objects that no compiler has prepared; see fmoved.c.  fsite.c calls these
 * functions for sites of the form FSITE_COPY.  The caller of all but fmoved_map() and
 * fmoved_done() is between patch_begin() and patch_end().
 */
#ifndef ULF_ARCH_FMOVED_H
#define ULF_ARCH_FMOVED_H

#include "arch/x86_64/fsite.h"

/* How a site is switched. */
enum fmoved_way {
	FMOVED_UNDECIDED,		/* no way is chosen: the site was never on, or
					 * it was FMOVED_STILL and is off now */
	FMOVED_LIVE,			/* the first byte is replaced while threads
					 * run; a site keeps this way, or
					 * FMOVED_LIVE_REX, as long as the object is
					 * loaded */
	FMOVED_LIVE_REX,		/* the second byte, which follows a REX
					 * prefix, is replaced while threads run */
	FMOVED_STILL,			/* all bytes of the jump are written while no
					 * other thread runs */
};

/* Map memory for slots, and for copies of moved instructions, for all sites of a module, within
 * reach of its text.  Returns false if there is no space. */
bool fmoved_map(const struct fsites *sites, struct fsite_map *ret_map);
/* Returns the address at which the copy of the moved instructions of site @i is, or will be. */
uint8_t *fmoved_copy(const struct fsites *sites, uint32_t i);
/*
 * Choose how site @i is switched, unless this is already decided.  Write the copy of its moved
 * instructions, and its stub.  No thread reaches copy and stub while the site is off.  Returns
 * 0; -EILSEQ if the text does not have the bytes that were analysed, or if only one byte may be
 * replaced and no stub can be where that jump would lead; -ENOMEM if the copy is too far away
 * from an address that it needs.
 */
int fmoved_prepare(const struct fsites *sites, uint32_t i);
/*
 * Switch site @i, whose way is FMOVED_LIVE or FMOVED_LIVE_REX: on if a tracer or callback must
 * be called there (fsite.users), else off.  The caller calls this only for a site that is in
 * the other state.  Returns 0, or -EILSEQ if the site or its stub has unexpected bytes.
 */
int fmoved_switch(const struct fsites *sites, uint32_t i);
/*
 * Write the jump to site @i if a tracer or callback must be called there (fsite.users), else
 * its original bytes.  The caller must have stopped all other threads, and none of them may
 * stand between two instructions that the jump replaces.
 * Returns 0, or -EILSEQ if the bytes at the site are neither the jump nor the original bytes.
 */
int fmoved_flip(const struct fsites *sites, uint32_t i);
/* Returns true if the bytes of site @i are no longer those that fmoved_switch() or
 * fmoved_flip() has written. */
bool fmoved_is_lost(const struct fsites *sites, uint32_t i);
/* Returns true if the bytes of site @i are those of the file. */
bool fmoved_is_original(const struct fsites *sites, uint32_t i);
/* Free the stubs of all sites.  fsites_done() calls this. */
void fmoved_done(const struct fsites *sites);

#endif
