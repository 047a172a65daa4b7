/* SPDX-License-Identifier: MIT */
/*
 * Sites of USDT probes: NOPs of one byte in the middle of functions; see usite.c.
 *
 * The caller of all functions but usites_use() and usdt_entry() holds runtime_lock().
 */
#ifndef ULF_ARCH_USITE_H
#define ULF_ARCH_USITE_H

#define USITE_REGS_FLAGS	128	/* offsets in struct usite_regs */
#define USITE_REGS_BYTES	136
#define USITE_RED_ZONE		128	/* bytes below the stack pointer that belong to the
					 * program */
#define USITE_CELL_BYTES	64	/* size and alignment of a cell */
#define USITE_CELL_CALL		5	/* offset in a cell of the instruction that
					 * calls the hook */
#define USITE_CELL_BACK		11	/* offset in a cell of the instruction after
					 * its call, the return address */
#define USITE_CELL_DATA		48
#define USITE_CELL_NEXT		56

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "abi/usdt.h"

/* The registers of a thread at a site, as usdt_entry() has saved them. */
struct usite_regs {
	uint64_t by_number[USDT_REGISTERS];
	uint64_t flags;
};

#define USITE_AREAS	2u

/* A site. */
struct usite {
	uint64_t code;			/* address of the NOP */
	uint8_t original[USDT_JUMP_BYTES];	/* the bytes at @code while the site
						 * is off: the NOP and the bytes that
						 * are the jump's distance */
	uint8_t *cell;			/* the site's cell, to which its stub jumps; NULL: the site
					 * has no stub yet */
	bool is_wanted;			/* true: the site must be on */
	bool is_on;
	int error;			/* -errno: why the site could not be switched
					 * on; 0: no error */
	void *data;			/* what usdt_hit() gets */
};

/* The sites of an object. */
struct usites {
	struct usites *next;		/* next element of the list of all objects with sites */
	struct usite *list;		/* array of @nr sites, sorted by address */
	uint32_t nr;
	uint64_t entry;			/* address of usdt_entry(), which the cells call */
	uint8_t *cells[USITE_AREAS];	/* two areas with a cell for each site: one
					 * below the text, one above it; NULL: the
					 * area is not mapped */
	bool is_listed;			/* true: this struct is in the list of all
					 * objects with sites */
};



/*
 * usites_switch - switch each site of @sites on or off, as its is_wanted says
 *
 * Returns 0, or the first -errno: -ENOMEM (no memory within reach of the site's jump),
 * -EILSEQ (the text has other bytes), -EOPNOTSUPP.  usite.error has the error of each site.
 */
int usites_switch(struct usites *sites);
/* Free the cells and stubs of an object whose text was unmapped. */
void usites_done(struct usites *sites);
/* Returns true if one of the @nr bytes at @addr belongs to the jump of a site that is on. */
bool usites_use(const uint8_t *addr, uint32_t nr);

/* The hook that cells call: saves all registers, and calls usdt_hit() (runtime/usdt). */
void usdt_entry(void) __attribute__((visibility("hidden")));
/* Handles a hit of a USDT probe.  @regs: address of the struct usite_regs.  @data:
 * usite.data.  All other registers are saved, too. */
uint64_t usdt_hit(uint64_t regs, uint64_t data, uint64_t c) __attribute__((visibility("hidden")));
#endif
#endif
