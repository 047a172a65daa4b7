/* SPDX-License-Identifier: MIT */
/*
 * Function entries, switched without a trap.
 *
 *	gcc	90 d0 d1 d2 d3		five instructions that do nothing
 *	clang	0f 1f 44 ss dd		nopl dd(%reg,%reg,s)
 *	on	e9 .. .. .. ..		jmp  . + 5 + distance
 *
 * As at tracepoints (poke.c) on and off differ in the first byte only; the four
 * others are the distance, written before and never taken back.  In the one NOP
 * of clang's they are don't-care, the lower two fixed.  gcc's five NOPs are five
 * instructions, and a thread may stand between any two of them, for as long as
 * it likes: so d0..d3 are written one by one and each is an instruction of one
 * byte without effect at a function's entry, or a prefix without effect on what
 * follows: nop, cmc, clc, stc, cld, and the segment prefixes es cs ss ds, which
 * 64-bit code ignores.  That leaves 9^4 distances, enough to find room for one
 * mapping: one distance serves all sites of a module, its stubs lie like its
 * functions.
 *
 *	site  --jmp-->  stub  --jmp-->  slot:	call *trampoline
 *					      	jc   1f		graph: see graph.c
 *						jmp  site + 5
 *					     1:	add  $8, %rsp
 *						jmp  *body
 *
 * The slot calls, and the trampoline returns to it: the CPU's prediction of
 * returns stays in step, as does a shadow stack.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/text.h"
#include "base/bits.h"
#include "base/testpoint.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define OPCODE_JMP	0xe9
#define NOP5_LOW	0x441fu		/* bytes 1 and 2 of a NOP5 */
#define HEAD_BYTES	64		/* of the slots: the trampoline's address */
#define REACH		0x70000000ll
#define NOP5_STEP	0x1000000ll	/* between distances that are tried */

/* For d3, and for those before it.  What is run often comes first: prefixes make
 * one instruction of what was several; cld is slow. */
static const uint8_t last[] = {
	0xf9, 0xf8, 0xf5, 0xfc, 0x3e, 0x36, 0x2e, 0x26, 0x90,
};
static const uint8_t others[] = {
	0x3e, 0x36, 0x2e, 0x26, 0x90, 0xf9, 0xf8, 0xf5, 0xfc,
};

static const uint8_t opcode_off[FSITE_FORMS] = {
	[FSITE_NOPS] = 0x90,
	[FSITE_NOP5] = 0x0f,
};

/* ---- what is there ---- */

static enum fsite_form form_of(const uint8_t code[FSITE_BYTES])
{
	static const uint8_t nops[] = { 0x90, 0x90, 0x90, 0x90, 0x90 };

	if (!memcmp(code, nops, sizeof(nops)))
		return FSITE_NOPS;
	if (code[0] == opcode_off[FSITE_NOP5] &&
	    code[1] == (NOP5_LOW & 0xff) && code[2] == NOP5_LOW >> 8)
		return FSITE_NOP5;
	return FSITE_OTHER;
}

/* The text of two pages, of which the second need not be there. */
struct view {
	int fd;
	uint64_t page;
	uint32_t bytes;
	uint8_t text[2 * TEXT_PAGE];
};

static const uint8_t *view_at(struct view *view, uint64_t at, uint32_t nr)
{
	uint64_t page = at - at % TEXT_PAGE;

	if (page != view->page) {
		const uint8_t *from = (const uint8_t *)page;

		view->page = page;
		view->bytes = 0;
		if (!text_read(view->fd, from, view->text, TEXT_PAGE))
			view->bytes = TEXT_PAGE;
		if (view->bytes && !text_read(view->fd, from + TEXT_PAGE,
					      view->text + TEXT_PAGE, TEXT_PAGE))
			view->bytes += TEXT_PAGE;
	}
	return at - page + nr <= view->bytes ? view->text + (at - page) : NULL;
}

static void look(struct fsites *sites, struct view *view, uint64_t entry,
		 struct fsite *ret_site)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint32_t nr = sizeof(endbr) + FSITE_BYTES;
	const uint8_t *code;

	*ret_site = (struct fsite){ .form = FSITE_OTHER };
	if (entry < (uint64_t)sites->low || entry + nr > (uint64_t)sites->high)
		return;
	code = view_at(view, entry, nr);
	if (!code)
		return;
	if (!memcmp(code, endbr, sizeof(endbr))) {
		code += sizeof(endbr);
		entry += sizeof(endbr);
	}
	ret_site->offset = (uint32_t)(entry - (uint64_t)sites->low);
	ret_site->form = (uint8_t)form_of(code);
}

void fsites_init(struct fsites *sites, uint8_t *low, uint8_t *high,
		 const uint64_t *entries, uint32_t nr, struct fsite *table)
{
	struct view view = { .fd = text_begin() };
	uint64_t some[128];

	*sites = (struct fsites){
		.low = low, .high = high, .nr = nr, .table = table,
	};
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = i % 128;

		if (!at && text_read(view.fd, (const uint8_t *)&entries[i], some,
				     min_u32(nr - i, 128) * sizeof(some[0])))
			memset(some, 0, sizeof(some));
		look(sites, &view, some[at], &table[i]);
	}
	text_end(view.fd);
}

const struct fsite_slot *fsite_slot(const struct fsites *sites, uint32_t i)
{
	enum fsite_form form = sites->table[i].form;
	const struct fsite_map *map = &sites->maps[form];

	if (form == FSITE_OTHER || !map->base || !map->slots[i].code[0])
		return NULL;
	return &map->slots[i];
}

/* ---- where to jump ---- */

static int64_t distance_of(uint8_t d3, uint8_t d2, uint32_t low)
{
	return (int32_t)((uint32_t)d3 << 24 | (uint32_t)d2 << 16 | low);
}

static bool map_at(const struct fsites *sites, struct fsite_map *map,
		   int64_t distance)
{
	uint64_t text = (uint64_t)(sites->high - sites->low);
	uint64_t first = (uint64_t)sites->low + FSITE_BYTES + (uint64_t)distance;
	uint64_t base = first & ~(uint64_t)(TEXT_PAGE - 1);
	uint64_t slots = ALIGN_UP(first + text + FSITE_BYTES, TEXT_PAGE);
	uint64_t bytes = slots + HEAD_BYTES + 
			 (uint64_t)sites->nr * sizeof(struct fsite_slot) - base;
	long r;

	/* All of it in reach of all of the text. */
	if (base >> 47 || base < TEXT_PAGE ||
	    (int64_t)(text + bytes) + (distance < 0 ? -distance : distance) > REACH)
		return false;
	r = arch_syscall6(SYS_mmap, (long)base, (long)bytes, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			  MAP_FIXED_NOREPLACE, -1, 0);
	if (r != (long)base) {
		if (r > 0)	/* a kernel that takes it as a hint */
			arch_syscall2(SYS_munmap, r, (long)bytes);
		return false;
	}
	*map = (struct fsite_map){
		.base = (uint8_t *)base, .bytes = bytes, .distance = distance,
		
		.slots = (struct fsite_slot *)(slots + HEAD_BYTES),
	};
	return true;
}

static bool map_nops(const struct fsites *sites, struct fsite_map *map)
{
	for (uint32_t i = 0; i < sizeof(last); i++)
		for (uint32_t j = 0; j < sizeof(others); j++)
			for (uint32_t k = 0; k < sizeof(others); k++)
				if (map_at(sites, map,
					   distance_of(last[i], others[j],
						       others[k] << 8 | others[0])))
					return true;
	return false;
}

static bool map_nop5(const struct fsites *sites, struct fsite_map *map)
{
	for (int64_t step = NOP5_STEP; step < REACH; step += NOP5_STEP)
		if (map_at(sites, map, -step + NOP5_LOW) ||
		    map_at(sites, map, step + NOP5_LOW))
			return true;
	return false;
}

static int map_need(const struct fsites *sites, enum fsite_form form,
		    struct fsite_map *map, int fd)
{
	void (*trampoline)(void) = ftrace_trampoline;

	if (map->base)
		return 0;
	if (!(form == FSITE_NOPS ? map_nops : map_nop5)(sites, map))
		return -ENOMEM;
	return text_write(fd, (uint8_t *)map->slots - HEAD_BYTES,
			  (const uint8_t *)&trampoline, sizeof(trampoline));
}

/* ---- switching ---- */

static void put_rel32(uint8_t *bytes, uint32_t at, const uint8_t *start,
		      const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (start + at + 4));

	memcpy(bytes + at, &distance, 4);
}

/* What the trampoline knows of it: behind the call, and the jump's distance. */
static void make_slot(struct fsite_slot *to, const struct fsite_map *map,
		      const struct fsite_slot *slot, const uint8_t *code)
{
	static const struct fsite_slot model = { .code = {
		0xff, 0x15, 0, 0, 0, 0,		/* call *trampoline(%rip) */
		0x72, 5,			/* jc   1f */
		OPCODE_JMP, 0, 0, 0, 0,		/* jmp  code + 5 */
		0x48, 0x83, 0xc4, 8,		/* 1: add $8, %rsp */
		0xff, 0x25, 1, 0, 0, 0,		/* jmp  *body(%rip) */
		0xcc,
	} };

	*to = model;
	put_rel32(to->code, 2, slot->code, (uint8_t *)map->slots - HEAD_BYTES);
	put_rel32(to->code, 9, slot->code, code + FSITE_BYTES);
}

struct batches {
	struct text_batch stubs, slots, text;
};

/* The jump's distance behind a NOP, or behind what a NOP has become. */
static int put_tail(struct text_batch *batch, const struct fsites *sites,
		    uint32_t i)
{
	const struct fsite *site = &sites->table[i];
	int32_t distance = (int32_t)sites->maps[site->form].distance;
	uint8_t *code = fsite_code(sites, i);
	uint8_t seen[FSITE_BYTES];

	text_batch_get(batch, code, seen, sizeof(seen));
	if (form_of(seen) != site->form && memcmp(seen + 1, &distance, 4))
		return -EILSEQ;		/* not what it was */
	text_batch_put(batch, code + 1, (uint8_t *)&distance, 4);
	return 0;
}

static int prepare(struct batches *to, const struct fsites *sites, uint32_t i)
{
	const struct fsite *site = &sites->table[i];
	const struct fsite_map *map = &sites->maps[site->form];
	const struct fsite_slot *slot = &map->slots[i];
	uint8_t *code = fsite_code(sites, i);
	uint8_t *stub = code + FSITE_BYTES + map->distance;
	uint8_t jump[FSITE_BYTES] = { OPCODE_JMP };
	struct fsite_slot new = *slot;
	int r = 0;

	if (!site->is_on && site->users)
		r = put_tail(&to->text, sites, i);
	if (r)
		return r;
	if (!slot->code[0]) {
		make_slot(&new, map, slot, code);
		put_rel32(jump, 1, stub, slot->code);
		text_batch_put(&to->stubs, stub, jump, FSITE_BYTES);
	}
	new.users = site->users;
	if (memcmp(&new, slot, sizeof(new)))
		text_batch_put(&to->slots, (uint8_t *)slot, (uint8_t *)&new,
			       sizeof(new));
	return 0;
}

/* Who is no user any more is asked no more when that is over: his bit goes
 * first, the jump after it. */
int fsites_prepare(struct fsites *sites)
{
	uint32_t written = sites->written;
	int fd = text_begin();
	struct batches batches;
	int ret = 0, r;

	text_batch_init(&batches.stubs, fd);
	text_batch_init(&batches.slots, fd);
	text_batch_init(&batches.text, fd);
	for (uint32_t i = sites->low_changed; i < sites->end_changed; i++) {
		enum fsite_form form = sites->table[i].form;

		if (!sites->table[i].is_changed ||
		    (!sites->table[i].users && !fsite_slot(sites, i)))
			continue;
		r = form == FSITE_OTHER ? -EILSEQ :
		    map_need(sites, form, &sites->maps[form], fd);
		if (!r)
			r = prepare(&batches, sites, i);
		if (!r)
			written = i + 1;
		else if (!ret)
			ret = r;
	}
	r = text_batch_done(&batches.stubs);
	if (!r)
		r = text_batch_done(&batches.slots);
	if (!r)
		r = text_batch_done(&batches.text);
	if (!r)
		sites->written = written;
	text_end(fd);
	TESTPOINT("fsite.tails");
	text_sync();
	return r ? r : ret;
}

static int flip(struct text_batch *batch, const struct fsites *sites, uint32_t i)
{
	struct fsite *site = &sites->table[i];
	uint8_t off = opcode_off[site->form % FSITE_FORMS];
	bool is_on = site->users != 0;
	int r = 0;

	if (!fsite_slot(sites, i))
		return is_on ? -ENOENT : 0;
	if (is_on != site->is_on)
		r = text_batch_change(batch, fsite_code(sites, i),
				      is_on ? off : OPCODE_JMP,
				      is_on ? OPCODE_JMP : off);
	if (!r)
		site->is_on = is_on;
	return r;
}

int fsites_switch(struct fsites *sites)
{
	const uint32_t low = sites->low_changed, end = sites->end_changed;
	int fd = text_begin();
	struct text_batch batch;
	int ret = 0, r;

	sites->end_changed = 0;
	text_batch_init(&batch, fd);
	for (uint32_t i = low; i < end; i++) {
		if (!sites->table[i].is_changed)
			continue;
		r = flip(&batch, sites, i);
		sites->table[i].is_changed = false;
		if (!r)
			continue;
		fsite_mark(sites, i);
		/* without a slot: fsites_prepare() has said why */
		if (!ret && r != -ENOENT)
			ret = r;
	}
	r = text_batch_done(&batch);
	text_end(fd);
	TESTPOINT("fsite.opcodes");
	text_sync();
	return r ? r : ret;
}

void fsite_set_body(struct text_batch *batch, const struct fsites *sites,
		    uint32_t i, const uint8_t *body)
{
	text_batch_put(batch, (uint8_t *)&fsite_slot(sites, i)->body,
		       (const uint8_t *)&body, sizeof(body));
}

bool fsites_are_lost(const struct fsites *sites)
{
	uint32_t i = sites->written - 1;
	int32_t distance, seen;
	int fd, r;

	if (!sites->written)
		return false;
	distance = (int32_t)sites->maps[sites->table[i].form].distance;
	fd = text_begin();
	r = text_read(fd, fsite_code(sites, i) + 1, &seen, sizeof(seen));
	text_end(fd);
	return r || seen != distance;
}

void fsites_done(struct fsites *sites)
{
	for (int form = 0; form < FSITE_FORMS; form++) {
		struct fsite_map *map = &sites->maps[form];

		if (map->base)
			arch_syscall2(SYS_munmap, (long)map->base, (long)map->bytes);
		*map = (struct fsite_map){ 0 };
	}
}
