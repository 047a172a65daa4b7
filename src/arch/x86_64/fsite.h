/* SPDX-License-Identifier: MIT */
/* Function sites: the NOPs that compilers leave at the entry of functions.  Sites are
 * switched to a jump and back while threads run through them.  See fsite.c. */
#ifndef ULF_ARCH_FSITE_H
#define ULF_ARCH_FSITE_H

#include "arch/x86_64/fsite_form.h"

#define FSITE_SLOT_CALL	6		/* size of the call at the slot's start, bytes */

#ifndef __ASSEMBLER__
#include "arch/x86_64/moved.h"

/* A function site. */
struct fsite {
	uint32_t offset;		/* offset of the site from fsites.low, bytes */
	uint32_t users;			/* bits of the users (tracers, callbacks ...) that must
					 * be called at this site */
	uint8_t form;			/* enum fsite_form */
	uint8_t is_on:1;		/* is 1 if the site jumps to its slot */
	uint8_t is_changed:1;		/* is 1 if @users are not in the site's slot
					 * yet, or if the site must be switched on or
					 * off */
	uint8_t is_used:1;		/* is 1 if a thread is between two
					 * instructions that the jump would replace;
					 * only for FSITE_COPY */
	uint8_t way:2;			/* how the site is switched (enum fmoved_way);
					 * only for FSITE_COPY */
	uint8_t lead;			/* distance from the address in the compiler's table to
					 * the site, bytes */
};

/* A slot: a site's code and data outside of its function.  ftrace.S knows the layout. */
struct fsite_slot {
	uint8_t code[24];		/* the code that the site jumps to (see
					 * fsite.c); if code[0] is 0 the slot is
					 * unused */
	uint32_t users;			/* bits of the users (tracers, callbacks ...) that the
					 * slot calls at the function's entry */
	struct fsite_body {
		uint32_t word;		/* value for shadow.word if ftrace.S can handle the call
					 * alone (shadow_tags.h) */
		const uint8_t *at;	/* address of the body; the graph tracer's
					 * calls of the function continue there */
		const uint8_t *back;	/* address in the body to which the traced
					 * function returns */
	} __attribute__((packed)) body;
	void (*entry)(void);		/* the entry of ftrace.S that the slot calls */
	const uint8_t *site;		/* address of the site */
};

/* The stubs and slots of all sites of one form (enum fsite_form) in a module. */
struct fsite_map {
	uint8_t *base;			/* start of the mapping; NULL: there is
					 * no mapping yet */
	uint64_t bytes;			/* bytes of the mapping */
	int64_t distance;		/* distance from the end of a site to its stub, bytes */
	struct fsite_slot *slots;	/* array of slots: slot i belongs to site i */
	uint8_t *cells;			/* for FSITE_COPY: array of cells (fcode.h) with the
					 * copies of moved instructions, after the slots; else
					 * NULL */
};

/* The function sites of a module. */
struct fsites {
	uint8_t *low, *high;		/* start and end of the module's text */
	uint32_t nr;
	struct fsite *table;		/* array of the sites, @nr elements, which the
					 * caller provides */
	uint32_t low_changed, end_changed;	/* all changed sites (is_changed) have
						 * indices from low_changed to
						 * end_changed - 1; end_changed is 0
						 * if no site is changed */
	uint32_t written;		/* 1 + index of a site to which libulf has written; 0:
					 * libulf has written to none */
	const struct moved_head *moved;	/* the table of moved functions, whose row i
					 * belongs to site i; NULL: a compiler has
					 * made the sites */
	uint64_t bias;			/* address of a byte in memory minus its
					 * address in the file; only with @moved */
	bool is_alone;			/* true: no other thread of the process runs; the caller
					 * sets this before fsites_prepare() */
	uint32_t nr_switched;		/* number of times that a site was switched on
					 * or off; the caller may reset it to 0 */
	bool has_old_slots;		/* true: fsites_switch() could not write to
					 * some slots, so these slots possibly still call old
					 * users, and have an old body.word */
	struct fsite_map maps[FSITE_FORMS];
};

/*
 * fsites_init - find the sites of a module.
 * @low, @high: the module's text.
 * @rows: the compiler's table, of @nr rows; @kind is its kind.
 * @table: array of @nr sites, which fsites_init() fills in; must stay valid until
 * fsites_done().
 * @is_trusted: true: calls of __fentry__ and XRay sleds are sites, too, and the calls are
 * changed to instructions without effect; false: only NOPs are sites.
 *
 * Other threads may unmap the table and the text at any time: a site that cannot be read
 * gets the form FSITE_OTHER.  Two threads must not call this function at the same time.
 */
void fsites_init(struct fsites *sites, uint8_t *low, uint8_t *high,
		 enum fsite_kind kind, const uint8_t *rows, uint32_t nr,
		 struct fsite *table, bool is_trusted);

/*
 * fsites_init_moved - make the sites of a module from its table of moved functions.
 * @low, @high: the module's text.
 * @moved: a table that moved_check() has accepted; must stay valid until fsites_done().
 * @bias: address of a byte in memory minus its address in the file.
 * @table: array of moved->nr_rows sites, as for fsites_init().
 */
void fsites_init_moved(struct fsites *sites, uint8_t *low, uint8_t *high,
		       const struct moved_head *moved, uint64_t bias, struct fsite *table);

/* Returns true if the form of the site is known, so that it can be switched. */
static inline bool fsite_is_known(const struct fsite *site)
{
	return site->form < FSITE_FORMS;
}

/* Returns the address of site @i. */
static inline uint8_t *fsite_code(const struct fsites *sites, uint32_t i)
{
	return sites->low + sites->table[i].offset;
}

/* Let the next fsites_prepare() and fsites_switch() process site @i. */
static inline void fsite_mark(struct fsites *sites, uint32_t i)
{
	sites->table[i].is_changed = true;
	if (i < sites->low_changed || !sites->end_changed)
		sites->low_changed = i;
	if (i >= sites->end_changed)
		sites->end_changed = i + 1;
}

/*
 * Request the users of site @i: the tracers, callbacks and others whose bits are set in
 * @users.
 */
static inline void fsite_want(struct fsites *sites, uint32_t i, uint32_t users)
{
	if (sites->table[i].users == users)
		return;
	sites->table[i].users = users;
	fsite_mark(sites, i);
}

/*
 * Make the changed sites call the users (tracers, callbacks ...) that fsite_want() has
 * requested.  Sites with users are switched on, sites without users off.  The caller must call
 * three functions in this order. fsites_prepare() makes the slots of these sites and writes the
 * distances of their jumps.  fsite_set_body() writes the body of each site that needs one.
 * fsites_switch() adds the users and completes the jumps.  fsites_prepare() and fsites_switch()
 * handle all sites in one batch.  Returns 0 or the first error.  Sites without an error are
 * switched.  The next call tries the others again.  -EILSEQ: unexpected bytes; -ENOMEM: no
 * space for stubs within reach; -EFAULT: the text is unmapped.  Two threads must not call these
 * functions at the same time.
 */
int fsites_prepare(struct fsites *sites);
int fsites_switch(struct fsites *sites);

/*
 * Functions for sites of the form FSITE_COPY that can be switched only while no other
 * thread of the process runs (fmoved.c).  fsites_switch() does not switch such sites, and
 * leaves them marked as changed.
 *
 * fsites_need_flip - returns true if such a site must be switched.
 * fsites_inner_range - get the addresses in site @i at which a thread must not be when the site
 *	is switched on: those of all instructions that the jump replaces, except the first.
 *	Returns false if there are none, or if the site need not be switched on.
 * fsites_note_use - a thread will continue at @addr, or may do so.  The next fsites_flip() does
 *	not switch a site on if a thread stands between two instructions there.
 * fsites_flip - switch all such sites that need it, between patch_begin() and patch_end().  Sites
 *	in use stay as they are, and are counted in *@ret_used.  Returns 0, -EILSEQ or another
 *	-errno; all other sites are switched.
 */
bool fsites_need_flip(const struct fsites *sites);
bool fsites_inner_range(const struct fsites *sites, uint32_t i, uint64_t *ret_start,
			uint64_t *ret_end);
void fsites_note_use(struct fsites *sites, uint64_t addr);
int fsites_flip(struct fsites *sites, uint32_t *ret_used);

/* Why a site of the form FSITE_COPY is not in the state that it must have. */
enum fsite_left {
	FSITE_LEFT_STILL,		/* the other threads could not be stopped, or one of
					 * them is in the site */
	FSITE_LEFT_ROOM,		/* only one byte of the site may be replaced,
					 * and no stub could be placed where that jump
					 * would lead */
	FSITE_LEFT_BYTES,		/* the site has unexpected bytes, or cannot be written */
	FSITE_LEFT_REASONS,
};
/* Count the sites of the form FSITE_COPY that are not in the state that they must have
 * after fsites_switch() and fsites_flip().  Add the numbers to @counts, by reason.  Returns
 * how many of these sites should be on. */
uint32_t fsites_count_left(const struct fsites *sites, uint32_t counts[FSITE_LEFT_REASONS]);

/* Returns the address at which the function of site @i continues after the site's slot. */
const uint8_t *fsite_continue(const struct fsites *sites, uint32_t i);

/* Returns the slot of site @i, or NULL if the site was never on. */
const struct fsite_slot *fsite_slot(const struct fsites *sites, uint32_t i);
/* Write @body, the part of a slot that the graph tracer uses, to the slot of site @i.
 * The slot must exist. */
void fsite_set_body(const struct fsites *sites, uint32_t i, const struct fsite_body *body);

/* Returns true if the bytes that libulf wrote to the text are no longer there, because the
 * text was unmapped or mapped again (possibly from the same file).  Returns false if libulf
 * wrote no bytes, or if a debugger or another tool has changed only some sites. */
bool fsites_are_lost(const struct fsites *sites);

/* Returns true if one of the @nr bytes at @addr belongs to a site that is on. */
bool fsites_use(const struct fsites *sites, const uint8_t *addr, uint32_t nr);
/* Free the stubs and slots.  The module must be unloaded, and no thread may be in its stubs
 * or slots. */
void fsites_done(struct fsites *sites);

/* ftrace_entry_of() returns the entry that @slot must call, which depends on the users
 * and the body of the slot (shadow_tags.c).  ftrace_entry() is the entry that works for any set
 * of users. */
void ftrace_entry(void) __attribute__((visibility("hidden")));
void (*ftrace_entry_of(const struct fsite_slot *slot))(void);
/* Returns the value that body.word of @slot must have: the number of the body, and the tag
 * of the graph tracer. */
uint32_t ftrace_word_of(const struct fsite_slot *slot);

/* libulf's own __fentry__ (ftrace.S). */
void ftrace_fentry(void) __attribute__((visibility("hidden")));

/* ---- functions of fcall.c that fsite.c calls ---- */

/* The result of fcall_is_ours() for the previous call, and the target of that call.
 * Most calls have the same target, so this saves most checks. */
struct fcall_target {
	uint64_t to;
	bool is_ours;
};
/* Returns true if the call @code, which is at address @at, leads to libulf's own
 * __fentry__.  @fd: from codemem_begin().  @last: the result for the previous call; all
 * 0 at first. */
bool fcall_is_ours(const struct fsites *sites, int fd, const uint8_t *code,
		   uint64_t at, struct fcall_target *last);
/* Change all sites of the form FSITE_CALL to FSITE_TEST (see fcall.c).  Sites that cannot
 * be changed keep their form. */
void fcalls_silence(struct fsites *sites);

#endif
#endif
