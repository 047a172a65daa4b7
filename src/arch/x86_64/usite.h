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
#define USITE_RED_ZONE		128	/* number of bytes below the stack pointer that belong
					 * to the program */
#define USITE_CELL_BYTES	64	/* size and alignment of a cell (the code to which a
					 * site jumps), bytes */
#define USITE_CELL_CALL		5	/* offset in a cell of the instruction that
					 * calls the hook */
#define USITE_CELL_BACK		11	/* offset in a cell of the instruction after
					 * its call, the return address */
#define USITE_CELL_DATA		48
#define USITE_CELL_NEXT		56

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "abi/stop.h"
#include "abi/usdt.h"
#include "arch/x86_64/moved.h"

/* The registers of a thread at a site, as usdt_entry() has saved them. */
struct usite_regs {
	uint64_t by_number[USDT_REGISTERS];
	uint64_t flags;
};

#define USITE_AREAS	2u

/* How a site is switched. */
enum usite_way {
	USITE_UNDECIDED,		/* not chosen: the site was never on */
	USITE_LIVE,			/* the NOP alone is replaced, while threads run */
	USITE_STILL,			/* all bytes of the jump are written, while no other thread
					 * runs */
};

/*
 * The site of a USDT probe.  The way in which it is switched does not change while the object
 * is loaded.
 */
struct usite {
	uint64_t code;			/* address of the NOP */
	uint8_t original[USDT_JUMP_BYTES];	/* the bytes at @code while the site
						 * is off: the NOP and the bytes that
						 * are the jump's distance */
	const struct moved_row *row;	/* row of the table @moved for the instructions from
					 * @code on; NULL: they cannot be moved */
	uint8_t way;			/* enum usite_way */
	bool is_used;			/* true: a thread is between two instructions that the jump
					 * would replace; only USITE_STILL */
	uint8_t *cell;			/* the site's cell, to which its stub or its jump leads;
					 * NULL: @way is USITE_UNDECIDED */
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
	const struct moved_head *moved;	/* the table to which usite.row points; NULL: there is
					 * none */
	uint64_t bias;			/* address in memory minus address in the file */
	uint8_t *cells[USITE_AREAS];	/* two areas of memory, below and above the text: an
					 * array with a cell for each site, then an array with a
					 * copy of moved instructions for each site; NULL: not
					 * mapped */
	bool is_listed;			/* true: this struct is in the list of all
					 * objects with sites */
};

/*
 * usites_switch - switch each site of @sites on or off, as its is_wanted says
 *
 * Returns 0, or the first -errno: -ENOMEM (no memory within reach of the site's jump, and its
 * instructions cannot be moved), -EILSEQ (the text has other bytes), -EOPNOTSUPP.  usite.error has
 * the error of each site.  Sites with USITE_STILL are only prepared: usites_flip() switches them.
 */
int usites_switch(struct usites *sites);

/* ---- sites with USITE_STILL ---- */

/* Returns true if usites_flip() must switch one of the sites. */
bool usites_need_flip(const struct usites *sites);
/* Store in @to the ranges in which no thread may be while usites_flip() is called; @to may be NULL.
 * Returns the number of these ranges. */
uint64_t usites_list_ranges(const struct usites *sites, struct abi_stop_range *to);
/*
 * Mark the site as in use at which a thread may execute the instruction at @addr next: the
 * site's jump would replace this instruction.
 */
void usites_note_use(struct usites *sites, uint64_t addr);
/*
 * usites_flip - switch the sites for which usites_need_flip() has returned true.  No other
 * thread may run
 *
 * Adds to *@ret_used the number of sites that stay off because a thread is in them.  Returns 0 or
 * the first -errno.  The caller is between patch_begin() and patch_end().
 */
int usites_flip(struct usites *sites, uint32_t *ret_used);

/* Returns the number of bytes from the NOP on that must stay as they are while the site is on. */
uint32_t usite_bytes(const struct usite *site);

/* Free the cells and stubs of an object whose text was unmapped. */
void usites_done(struct usites *sites);
/* Returns true if one of the @nr bytes at @addr belongs to the jump of a site that is on, or to
 * instructions that it has moved. */
bool usites_use(const uint8_t *addr, uint32_t nr);

/* The hook that cells call: saves all registers, and calls usdt_hit() (runtime/usdt). */
void usdt_entry(void) __attribute__((visibility("hidden")));
/* Handles a hit of a USDT probe.  @regs: address of the struct usite_regs.  @data:
 * usite.data.  All other registers are saved, too. */
uint64_t usdt_hit(uint64_t regs, uint64_t data, uint64_t c) __attribute__((visibility("hidden")));
#endif
#endif
