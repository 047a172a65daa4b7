/* SPDX-License-Identifier: MIT */
/*
 * The NOPs that compilers leave at the entry of functions, switched to a jump
 * and back while threads run through them.  See fsite.c.
 */
#ifndef ULF_ARCH_FSITE_H
#define ULF_ARCH_FSITE_H

#include "arch/x86_64/fsite_form.h"

#define FSITE_SLOT_CALL	6		/* bytes, at the slot's start */

#ifndef __ASSEMBLER__

struct fsite {
	uint32_t offset;		/* of its bytes, from fsites.low */
	uint32_t users;			/* that it is to have */
	uint8_t form;			/* enum fsite_form */
	uint8_t is_on;
	uint8_t is_changed;		/* it has not got them yet */
	uint8_t lead;			/* how far behind what the table says */
};

/* A site's part outside of its function; known to ftrace.S. */
struct fsite_slot {
	uint8_t code[24];
	uint32_t users;			/* who wants to know of it, a bit each */
	struct fsite_body {
		uint32_t word;		/* shadow.word of a simple call */
		const uint8_t *at;	/* where the graph tracer goes on */
		const uint8_t *back;	/* and where the function returns to */
	} __attribute__((packed)) body;
	void (*entry)(void);		/* one of ftrace.S */
	const uint8_t *site;
};

/* Where the sites of one form of a module jump to. */
struct fsite_map {
	uint8_t *base;			/* NULL: not made yet */
	uint64_t bytes;
	int64_t distance;		/* from behind a site to its stub */
	struct fsite_slot *slots;	/* [nr] */
};

/* The sites of a module. */
struct fsites {
	uint8_t *low, *high;		/* its text */
	uint32_t nr;
	struct fsite *table;		/* [nr], by the caller */
	uint32_t low_changed, end_changed;	/* all that is is in there */
	uint32_t written;		/* one whose text was, + 1; 0: none */
	bool has_old_slots;		/* fsites_switch() could not write slots: some may
					 * have old users and an old word */
	struct fsite_map maps[FSITE_FORMS];
};

/* @rows: [nr], the table as the compiler has left it.  It and the text may go at any
 * time: what is not there is FSITE_OTHER.  If the table @is_trusted, calls of __fentry__
 * become NOPs; else nothing but NOPs are sites.  One caller at a time. */
void fsites_init(struct fsites *sites, uint8_t *low, uint8_t *high,
		 enum fsite_kind kind, const uint8_t *rows, uint32_t nr,
		 struct fsite *table, bool is_trusted);

/* Can it be switched? */
static inline bool fsite_is_known(const struct fsite *site)
{
	return site->form < FSITE_FORMS;
}

static inline uint8_t *fsite_code(const struct fsites *sites, uint32_t i)
{
	return sites->low + sites->table[i].offset;
}

/* Look at site @i when they are switched. */
static inline void fsite_mark(struct fsites *sites, uint32_t i)
{
	sites->table[i].is_changed = true;
	if (i < sites->low_changed || !sites->end_changed)
		sites->low_changed = i;
	if (i >= sites->end_changed)
		sites->end_changed = i + 1;
}

/* It is to have these users, a bit each. */
static inline void fsite_want(struct fsites *sites, uint32_t i, uint32_t users)
{
	if (sites->table[i].users == users)
		return;
	sites->table[i].users = users;
	fsite_mark(sites, i);
}

/*
 * Give the sites the users that they are to have: those that have any are on, the
 * others off.  First their slots, which fsite_set_body() may be called for then, and
 * after that the jumps to them.  One batch for all.  Returns 0 or the first error;
 * those that had none are switched, the others tried again the next time.
 * -EILSEQ: unexpected bytes; -ENOMEM: no place for stubs within reach; -EFAULT: the
 * text is gone.  One caller at a time.
 */
int fsites_prepare(struct fsites *sites);
int fsites_switch(struct fsites *sites);

/* What site @i has got, if it was ever on; else NULL. */
const struct fsite_slot *fsite_slot(const struct fsites *sites, uint32_t i);
/* The graph tracer's part of it. */
struct text_batch;
void fsite_set_body(struct text_batch *batch, const struct fsites *sites,
		    uint32_t i, const struct fsite_body *body);

/* What was written to the text is not there any more: other text has come to its
 * place, be it of the same file, or nothing.  False also if nothing was written. */
bool fsites_are_lost(const struct fsites *sites);

/* The module is gone, and no thread is in it. */
void fsites_done(struct fsites *sites);

/* Entries that a slot may call, by its users and its body; shadow_tags.c.  ftrace_entry()
 * serves all users. */
void ftrace_entry(void) __attribute__((visibility("hidden")));
void (*ftrace_entry_of(const struct fsite_slot *slot))(void);
/* Returns the body.word that @slot must have: its body, and the tag of its graph tracer. */
uint32_t ftrace_word_of(const struct fsite_slot *slot);

/* Our __fentry__; ftrace.S. */
void ftrace_fentry(void) __attribute__((visibility("hidden")));

/* ---- fcall.c, for fsite.c ---- */

/* What the last call led to, as most do. */
struct fcall_target {
	uint64_t to;
	bool is_ours;
};
/* Does the call @code, which is at @at, lead to our own __fentry__? */
bool fcall_is_ours(const struct fsites *sites, int fd, const uint8_t *code,
		   uint64_t at, struct fcall_target *last);
/* Make FSITE_TEST of all that are FSITE_CALL. */
void fcalls_silence(struct fsites *sites, int fd);

#endif
#endif
