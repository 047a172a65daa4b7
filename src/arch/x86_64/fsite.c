/* SPDX-License-Identifier: MIT */
/*
 * Switches function sites without a trap.
 *
 *	gcc	90 d0 d1 d2 d3		five instructions that do nothing
 *	clang	0f 1f 44 ss dd		nopl dd(%reg,%reg,s), and longer ones
 *	fentry	a9 .. .. .. ..		test $any, %eax
 *	XRay	eb 09 | 9 free bytes	jmp over them
 *	on	e9 .. .. .. ..		jmp  . + 5 + distance
 *
 * The first four lines are sites that are off, the last one is a site that is on.  As at
 * tracepoints (poke.c) on and off differ in one byte only.  The jump's distance is
 * written before that byte is switched, and it is never removed.  In a long NOP the NOP
 * itself fixes the lower bytes of the distance, and the others are free.  In a test all
 * four are free, because its result does not matter.  For XRay the jump is written into
 * the 9 free bytes.  The site is switched on when the jump over these bytes becomes a
 * jump of length 0.
 *
 * gcc's NOPs are five instructions, and a thread may be stopped between any two of them for
 * any time.  So d0..d3 are written one by one.  Each of these bytes must be an instruction
 * that has no effect at a function's entry (nop, cmc, clc, stc or cld), or a prefix that
 * has no effect on the next instruction (es, cs, ss or ds, which 64-bit code ignores).  So
 * there are 9^4 distances to choose from.  All sites of a module use the same distance.  So
 * the stubs lie at the same distances from each other as the sites, and the module needs
 * only one mapping for them.
 *
 *	site  --jmp-->  stub  --jmp-->  slot:	call *entry
 *						jnc  site + 5
 *						add  $8, %rsp
 *						jmp  *body	(graph tracer, see ftrace.S)
 *
 * The slot calls the entry, and the entry returns to the slot: each call has its return,
 * as the CPU's return prediction and a hardware shadow stack expect.  Free bytes of the
 * site after the jump become a NOP.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/fmoved.h"
#include "arch/x86_64/fsite.h"
#include "arch/x86_64/codemem.h"
#include "arch/x86_64/patch.h"
#include "arch/x86_64/usite.h"
#include "base/bits.h"

#define REACH		0x70000000ll
#define STEP		0x1000000ll	/* difference between two distances of a jump that are
					 * tried one after the other; only the upper byte
					 * changes, because the lower bytes may be fixed */
#define SITE_BYTES_MAX	16u		/* maximum size of a site whose bytes are
					 * replaced */
#define ROWS_BYTES	4096u		/* size of the part of a compiler's table that
					 * is read at a time, bytes */

/* The bytes that may be chosen for the distance of a jump: `last' for the highest byte d3,
 * `others' for the lower bytes d0 to d2.  The fastest bytes come first: prefixes merge several
 * instructions into one, and cld is slow. */
static const uint8_t last[] = {
	0xf9, 0xf8, 0xf5, 0xfc, 0x3e, 0x36, 0x2e, 0x26, 0x90,
};
static const uint8_t others[] = {
	0x3e, 0x36, 0x2e, 0x26, 0x90, 0xf9, 0xf8, 0xf5, 0xfc,
};

/* ---- find the function sites of a module ---- */

static void find_site_in_entry(struct fsites *sites, enum fsite_kind kind,
			       struct codemem_view *view, uint64_t entry,
			       struct fcall_target *called, struct fsite *ret_site)
{
	const uint64_t high = (uint64_t)sites->high;
	const uint8_t *code;
	uint32_t nr, at;

	*ret_site = (struct fsite){ .form = FSITE_OTHER };
	if (entry < (uint64_t)sites->low || entry >= high)
		return;
	nr = (uint32_t)min_u64(high - entry, FSITE_LOOK_MAX);
	code = codemem_view_at(view, entry, nr);
	if (!code)
		return;
	ret_site->form = (uint8_t)fsite_form(kind, code, nr, &at);
	ret_site->offset = (uint32_t)(entry + at - (uint64_t)sites->low);
	ret_site->lead = (uint8_t)at;
	if (ret_site->form == FSITE_CALL &&
	    !fcall_is_ours(sites, view->fd, code + at, entry + at, called))
		ret_site->form = FSITE_OTHER;
}

void fsites_init(struct fsites *sites, uint8_t *low, uint8_t *high,
		 enum fsite_kind kind, const uint8_t *rows, uint32_t nr,
		 struct fsite *table, bool is_trusted)
{
	const uint32_t row_bytes = fsite_tables[kind].row_bytes;
	const uint32_t nr_some = ROWS_BYTES / row_bytes;
	struct codemem_view view = { .fd = codemem_begin() };
	struct fcall_target called = { 0 };
	uint8_t some[ROWS_BYTES];
	bool has_calls = false;

	*sites = (struct fsites){
		.low = low, .high = high, .nr = nr, .table = table,
	};
	for (uint32_t i = 0; i < nr; i++) {
		const uint8_t *row = rows + (uint64_t)i * row_bytes;
		uint32_t at = i % nr_some * row_bytes;

		if (!at && codemem_read(view.fd, row, some,
					min_u32(nr - i, nr_some) * row_bytes))
			memset(some, 0, sizeof(some));
		find_site_in_entry(sites, kind, &view,
				   fsite_row_addr(kind, some + at, (uint64_t)row),
				   &called, &table[i]);
		if (!is_trusted && table[i].form > FSITE_NOP9)
			table[i].form = FSITE_OTHER;
		has_calls |= table[i].form == FSITE_CALL;
	}
	if (has_calls)
		fcalls_silence(sites);
	codemem_end(view.fd);
}

void fsites_init_moved(struct fsites *sites, uint8_t *low, uint8_t *high,
		       const struct moved_head *moved, uint64_t bias, struct fsite *table)
{
	const struct moved_row *rows = moved_rows(moved);

	*sites = (struct fsites){
		.low = low, .high = high, .nr = moved->nr_rows, .table = table,
		.moved = moved, .bias = bias,
	};
	for (uint32_t i = 0; i < sites->nr; i++)
		table[i] = (struct fsite){
			.offset = (uint32_t)(bias + rows[i].vaddr - (uint64_t)low),
			.lead = rows[i].lead,
			.form = rows[i].class == MOVED_REFUSED ? FSITE_OTHER : FSITE_COPY,
		};
}

static uint8_t *switched_byte(const struct fsites *sites, uint32_t i)
{
	return fsite_code(sites, i) -
	       fsite_shapes[sites->table[i].form].switch_before;
}

const struct fsite_slot *fsite_slot(const struct fsites *sites, uint32_t i)
{
	const struct fsite *site = &sites->table[i];
	const struct fsite_map *map = &sites->maps[site->form % FSITE_FORMS];

	if (!fsite_is_known(site) || !map->base || !map->slots[i].code[0])
		return NULL;
	return &map->slots[i];
}

/* ---- map memory for the stubs and slots of a module ---- */

static int64_t jump_distance(uint8_t d3, uint8_t d2, uint32_t low)
{
	return (int32_t)((uint32_t)d3 << 24 | (uint32_t)d2 << 16 | low);
}

static bool map_slots_at(const struct fsites *sites, struct fsite_map *map,
			 int64_t distance)
{
	uint64_t text = (uint64_t)(sites->high - sites->low);
	uint64_t first = (uint64_t)sites->low + FSITE_BYTES + (uint64_t)distance;
	uint64_t base = first & ~(uint64_t)(ARCH_PAGE_BYTES - 1);
	uint64_t slots = ALIGN_UP(first + text + FSITE_BYTES, ARCH_PAGE_BYTES);
	uint64_t bytes = slots + (uint64_t)sites->nr * sizeof(struct fsite_slot) - base;

	/* Every byte of the mapping must be in reach of every byte of the text. */
	if (base >> ARCH_USER_BITS || base < ARCH_PAGE_BYTES ||
	    (int64_t)(text + bytes) + (distance < 0 ? -distance : distance) > REACH)
		return false;
	if (!patch_map(base, bytes, PROT_READ | PROT_EXEC))
		return false;
	*map = (struct fsite_map){
		.base = (uint8_t *)base, .bytes = bytes, .distance = distance,
		.slots = (struct fsite_slot *)slots,
	};
	return true;
}

static bool map_slots_for_nops(const struct fsites *sites, struct fsite_map *map)
{
	for (uint32_t i = 0; i < sizeof(last); i++)
		for (uint32_t j = 0; j < sizeof(others); j++)
			for (uint32_t k = 0; k < sizeof(others); k++)
				if (map_slots_at(sites, map,
						 jump_distance(last[i], others[j],
							       others[k] << 8 | others[0])))
					return true;
	return false;
}

static bool map_slots_anywhere(const struct fsites *sites, struct fsite_map *map, uint32_t low)
{
	for (int64_t step = STEP; step < REACH; step += STEP)
		if (map_slots_at(sites, map, -step + low) ||
		    map_slots_at(sites, map, step + low))
			return true;
	return false;
}

static void unmap_slots(struct fsite_map *map)
{
	if (map->base) {
		fcode_remove((uint64_t)map->slots);
		arch_syscall2(SYS_munmap, (long)map->base, (long)map->bytes);
	}
	*map = (struct fsite_map){ 0 };
}

static int map_slots_for_form(const struct fsites *sites, enum fsite_form form,
			      struct fsite_map *map)
{
	bool is_made = form == FSITE_NOPS ? map_slots_for_nops(sites, map) :
		       form == FSITE_COPY ? fmoved_map(sites, map) :
		       map_slots_anywhere(sites, map, fsite_shapes[form].low);
	uint64_t end = (uint64_t)map->base + map->bytes;

	if (!is_made)
		return -ENOMEM;
	fcode_add((uint64_t)map->slots, map->cells ? (uint64_t)map->cells : end, end);
	return 0;
}

/* Map stubs and slots for sites of @form, if this is not done yet.  @error: result of
 * the first attempt, so that a failed attempt is not repeated for each site. */
static int map_slots_if_needed(struct fsites *sites, enum fsite_form form, int *error)
{
	if (!*error && !sites->maps[form].base)
		*error = map_slots_for_form(sites, form, &sites->maps[form]);
	return *error;
}

/* ---- switch function sites on and off ---- */

static void put_rel32(uint8_t *bytes, uint32_t at, const uint8_t *start,
		      const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (start + at + 4));

	memcpy(bytes + at, &distance, 4);
}

const uint8_t *fsite_continue(const struct fsites *sites, uint32_t i)
{
	return sites->table[i].form == FSITE_COPY ? fmoved_copy(sites, i) :
						    fsite_code(sites, i) + FSITE_BYTES;
}

static void fill_slot(const struct fsites *sites, uint32_t i, const struct fsite_slot *slot,
		      struct fsite_slot *to)
{
	static const struct fsite_slot model = { .code = {
		0xff, 0x15, 42, 0, 0, 0,	/* call *entry(%rip) */
		0x0f, 0x83, 0, 0, 0, 0,		/* jnc  fsite_continue() */
		0x48, 0x83, 0xc4, 8,		/* add  $8, %rsp */
		0xff, 0x25, 10, 0, 0, 0,	/* jmp  *body(%rip) */
		0xcc, 0xcc,
	} };

	*to = model;
	put_rel32(to->code, 8, slot->code, fsite_continue(sites, i));
	to->site = fsite_code(sites, i);
}

/* Returns true if the first step of a switch can write to the site: the site is off,
 * and it contains either its original bytes or the distance that an earlier
 * write_site_jump() has written. */
static bool is_site_ready(const struct fsites *sites, uint32_t i, int32_t distance)
{
	const struct fsite_shape *shape = &fsite_shapes[sites->table[i].form];
	uint8_t seen[1 + FSITE_BYTES];
	uint8_t *site = seen + shape->switch_before;
	uint32_t at = 1;

	patch_get(PATCH_TEXT, switched_byte(sites, i), seen,
		  FSITE_BYTES + shape->switch_before);
	if (seen[0] != shape->off)
		return false;
	if (!memcmp(site + 1, &distance, 4))
		return true;
	for (uint32_t low = shape->low; low; low >>= 8)
		if (site[at++] != (low & 0xff))
			return false;
	return true;
}

/* Write the jump of a site except for the byte that is switched, and the NOP after the
 * jump.  The jump is written even if the site was on before, because the text may have
 * been mapped again. */
static int write_site_jump(const struct fsites *sites, uint32_t i)
{
	static const uint8_t nops[][FSITE_TAIL_MAX] = {
		{ 0 }, { 0x90 }, { 0x66, 0x90 }, { 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
	};
	enum fsite_form form = sites->table[i].form;
	const struct fsite_shape *shape = &fsite_shapes[form];
	uint8_t jump[FSITE_BYTES + FSITE_TAIL_MAX] = { PATCH_JUMP };
	int32_t distance = (int32_t)sites->maps[form].distance;
	uint32_t first = shape->switch_before ? 0 : 1;

	if (!is_site_ready(sites, i, distance))
		return -EILSEQ;
	memcpy(jump + 1, &distance, 4);
	memcpy(jump + FSITE_BYTES, nops[shape->tail], FSITE_TAIL_MAX);
	patch_put(PATCH_TEXT, fsite_code(sites, i) + first, jump + first,
		  FSITE_BYTES + shape->tail - first);
	return 0;
}

static uint8_t *stub_of(const struct fsites *sites, uint32_t i)
{
	return fsite_code(sites, i) + FSITE_BYTES +
	       sites->maps[sites->table[i].form].distance;
}

/* Write the site's jump, except for the byte that is switched, and its stub.  Write the stub
 * even if the site was on before, because an earlier write may have failed. */
static int prepare_nops(const struct fsites *sites, uint32_t i)
{
	const struct fsite_map *map = &sites->maps[sites->table[i].form];
	uint8_t *stub = stub_of(sites, i), jump[FSITE_BYTES];
	int r = write_site_jump(sites, i);

	if (r)
		return r;
	patch_encode_jump(jump, stub, map->slots[i].code);
	patch_put(PATCH_STUBS, stub, jump, FSITE_BYTES);
	return 0;
}

static int prepare_site(const struct fsites *sites, uint32_t i)
{
	const struct fsite *site = &sites->table[i];
	const struct fsite_slot *slot = &sites->maps[site->form].slots[i];
	struct fsite_slot new = *slot;
	int r = 0;

	if (!site->is_on && site->users && usites_use(fsite_code(sites, i), SITE_BYTES_MAX))
		return -EILSEQ;
	if (!site->is_on && site->users)
		r = site->form == FSITE_COPY ? fmoved_prepare(sites, i) :
					       prepare_nops(sites, i);
	if (r)
		return r;
	if (!slot->code[0])
		fill_slot(sites, i, slot, &new);
	/*
	 * Only remove old users from the slot here: fsites_switch() adds the new users
	 * later.
	 */
	new.users &= site->users;
	if (new.entry != ftrace_entry_of(&new))
		new.entry = ftrace_entry;
	if (memcmp(&new, slot, sizeof(new)))
		patch_put(PATCH_SLOTS, (uint8_t *)slot, (uint8_t *)&new, sizeof(new));
	return 0;
}

/*
 * This function also removes old users from the slots, because fsites_switch() removes the
 * jumps to the slots only later.  After the patch_step() of this function, no site calls a
 * removed user.
 */
int fsites_prepare(struct fsites *sites)
{
	uint32_t written = sites->written;
	int no_map[FSITE_FORMS] = { 0 };
	int ret = 0, r;

	patch_begin();
	for (uint32_t i = sites->low_changed; i < sites->end_changed; i++) {
		enum fsite_form form = sites->table[i].form;

		if (!sites->table[i].is_changed ||
		    (!sites->table[i].users && !fsite_slot(sites, i)))
			continue;
		r = !fsite_is_known(&sites->table[i]) ? -EILSEQ :
		    map_slots_if_needed(sites, form, &no_map[form]);
		if (!r)
			r = prepare_site(sites, i);
		if (!r && form != FSITE_COPY)
			written = i + 1;
		else if (!ret)
			ret = r;
	}
	r = patch_step();
	if (!r)
		sites->written = written;
	patch_end();
	return r ? r : ret;
}

/* Returns true if site @i can be switched on: the site contains the distance of its
 * jump, and its stub jumps to its slot.  Returns false if a write in fsites_prepare()
 * failed; the next fsites_prepare() writes again. */
static bool is_site_complete(const struct fsites *sites, uint32_t i)
{
	int32_t distance = (int32_t)sites->maps[sites->table[i].form].distance;
	uint8_t *stub = stub_of(sites, i), jump[FSITE_BYTES], seen[FSITE_BYTES];

	patch_get(PATCH_TEXT, fsite_code(sites, i) + 1, seen, sizeof(distance));
	if (memcmp(seen, &distance, sizeof(distance)))
		return false;
	patch_encode_jump(jump, stub, fsite_slot(sites, i)->code);
	patch_get(PATCH_STUBS, stub, seen, FSITE_BYTES);
	return !memcmp(seen, jump, FSITE_BYTES);
}

static int flip_site(struct fsites *sites, uint32_t i)
{
	struct fsite *site = &sites->table[i];
	const struct fsite_shape *shape = &fsite_shapes[site->form % FSITE_COPY];
	bool is_on = site->users != 0;
	int r = 0;

	if (!fsite_slot(sites, i))
		return is_on ? -ENOENT : 0;
	if (is_on == site->is_on)
		return 0;
	if (site->form == FSITE_COPY)
		r = fmoved_switch(sites, i);
	else if (is_on && !is_site_complete(sites, i))
		r = -EILSEQ;
	else
		r = patch_change(PATCH_TEXT, switched_byte(sites, i),
				 is_on ? shape->off : shape->on,
				 is_on ? shape->on : shape->off);
	if (r)
		return r;
	site->is_on = is_on;
	sites->nr_switched++;
	if (is_on)
		sites->written = i + 1;
	return 0;
}

/* Write the new users (tracers, callbacks ...) of site @i to its slot.  If the site needs a
 * body, the slot already contains the address of the body.  The slot is written byte by byte.
 * So a thread may see any mixture of old and new bytes; every such mixture has some of the
 * users, and calls an entry of ftrace.S that works for them. */
static void set_slot_users(const struct fsites *sites, uint32_t i)
{
	const struct fsite_slot *slot = fsite_slot(sites, i);
	struct fsite_slot new;

	if (!slot)
		return;
	new = *slot;
	new.users = sites->table[i].users;
	new.entry = ftrace_entry_of(&new);
	new.body.word = ftrace_word_of(&new);
	patch_put(PATCH_SLOTS, (uint8_t *)slot, (const uint8_t *)&new, sizeof(new));
}

/* Write the users (tracers, callbacks ...) to the slots of all changed sites.  After an error
 * all sites stay marked as changed (is_changed). */
static int set_all_slot_users(struct fsites *sites)
{
	int r;

	for (uint32_t i = sites->low_changed; i < sites->end_changed; i++)
		if (sites->table[i].is_changed)
			set_slot_users(sites, i);
	r = patch_flush();
	sites->has_old_slots = r;
	return r;
}

/* Returns true if fsites_flip() must switch site @i, because fsites_switch()
 * cannot. */
static bool needs_flip(const struct fsites *sites, uint32_t i)
{
	const struct fsite *site = &sites->table[i];

	return site->way == FMOVED_STILL && site->is_on != (site->users != 0) &&
	       fsite_slot(sites, i);
}

static int flip_all_sites(struct fsites *sites)
{
	const uint32_t low = sites->low_changed, end = sites->end_changed;
	int ret = 0, r;

	sites->end_changed = 0;
	for (uint32_t i = low; i < end; i++) {
		if (!sites->table[i].is_changed)
			continue;
		sites->table[i].is_changed = false;
		if (sites->table[i].way == FMOVED_STILL) {
			if (needs_flip(sites, i))
				fsite_mark(sites, i);
			continue;
		}
		r = flip_site(sites, i);
		if (!r)
			continue;
		fsite_mark(sites, i);
		/* -ENOENT means that the site has no slot.  Do not return this error,
		 * because fsites_prepare() has already returned the reason. */
		if (!ret && r != -ENOENT)
			ret = r;
	}
	r = patch_flush();
	return r ? r : ret;
}

int fsites_switch(struct fsites *sites)
{
	int r;

	patch_begin();
	r = set_all_slot_users(sites);
	if (!r)
		r = flip_all_sites(sites);
	patch_step();
	patch_end();
	return r;
}

/* ---- switch sites whose instructions were copied ---- */

bool fsites_need_flip(const struct fsites *sites)
{
	for (uint32_t i = sites->low_changed; sites->moved && i < sites->end_changed; i++)
		if (sites->table[i].is_changed && needs_flip(sites, i))
			return true;
	return false;
}

bool fsites_inner_range(const struct fsites *sites, uint32_t i, uint64_t *ret_start,
			uint64_t *ret_end)
{
	const struct moved_row *row = moved_rows(sites->moved) + i;
	uint64_t code = (uint64_t)fsite_code(sites, i);

	if (!sites->table[i].is_changed || !sites->table[i].users || !needs_flip(sites, i) ||
	    row->class != MOVED_SEVERAL)
		return false;
	*ret_start = code + 1;
	*ret_end = code + MOVED_JUMP_BYTES;
	return true;
}

void fsites_note_use(struct fsites *sites, uint64_t addr)
{
	uint64_t offset = addr - (uint64_t)sites->low;
	uint32_t low = 0, high = sites->nr;
	struct fsite *site;

	if (!sites->moved || addr - (uint64_t)sites->low >= (uint64_t)(sites->high - sites->low))
		return;
	while (low < high) {	/* Search for the first site after @addr; sites are
				 * sorted by address. */
		uint32_t middle = low + (high - low) / 2;

		if (sites->table[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return;
	site = &sites->table[low - 1];
	if (offset != site->offset &&
	    offset - site->offset < MOVED_JUMP_BYTES)
		site->is_used = true;
}

/* Switch site @i, whose form is FSITE_COPY.  Returns 0; -EBUSY if a thread is in the site; or
 * -EILSEQ. */
static int flip_copied(struct fsites *sites, uint32_t i)
{
	struct fsite *site = &sites->table[i];
	bool is_used = site->is_used && !site->is_on;
	int r;

	site->is_used = false;
	if (is_used)
		return -EBUSY;
	r = fmoved_flip(sites, i);
	if (!r) {
		site->is_on = site->users != 0;
		/*
		 * Let the next fsites_prepare() choose again how the site is switched, because
		 * other threads may run then.
		 */
		if (!site->is_on)
			site->way = FMOVED_UNDECIDED;
		sites->written = i + 1;
		sites->nr_switched++;
	}
	return r;
}

int fsites_flip(struct fsites *sites, uint32_t *ret_used)
{
	const uint32_t low = sites->low_changed, end = sites->end_changed;
	int ret = 0, r;

	if (!sites->moved)
		return 0;
	sites->end_changed = 0;
	for (uint32_t i = low; i < end; i++) {
		if (!sites->table[i].is_changed)
			continue;
		sites->table[i].is_changed = false;
		r = needs_flip(sites, i) ? flip_copied(sites, i) : 0;
		if (r)
			fsite_mark(sites, i);
		if (r == -EBUSY)
			++*ret_used;
		else if (!ret)
			ret = r;
	}
	r = patch_flush();
	return r ? r : ret;
}

uint32_t fsites_count_left(const struct fsites *sites, uint32_t counts[FSITE_LEFT_REASONS])
{
	uint32_t nr_off = 0;

	for (uint32_t i = sites->low_changed; sites->moved && i < sites->end_changed; i++) {
		const struct fsite *site = &sites->table[i];

		if (!site->is_changed || site->form != FSITE_COPY ||
		    site->is_on == (site->users != 0))
			continue;
		nr_off += !site->is_on;
		counts[site->way != FMOVED_STILL ? FSITE_LEFT_BYTES :
		       moved_rows(sites->moved)[i].class == MOVED_BYTE ? FSITE_LEFT_ROOM :
		       FSITE_LEFT_STILL]++;
	}
	return nr_off;
}

void fsite_set_body(const struct fsites *sites, uint32_t i, const struct fsite_body *body)
{
	patch_put(PATCH_SLOTS, (uint8_t *)&fsite_slot(sites, i)->body, (const uint8_t *)body,
		  sizeof(*body));
}

/*
 * Returns true if the bytes of site @i are no longer those that libulf has written.  The site
 * must be one that a compiler has prepared, not that of a moved function.
 */
static bool is_prepared_lost(const struct fsites *sites, uint32_t i)
{
	const struct fsite_shape *shape = &fsite_shapes[sites->table[i].form];
	int32_t distance = (int32_t)sites->maps[sites->table[i].form].distance;
	uint8_t seen[1 + FSITE_BYTES];
	int fd = codemem_begin(), r;

	r = codemem_read(fd, switched_byte(sites, i), seen,
			 FSITE_BYTES + shape->switch_before);
	codemem_end(fd);
	if (r)
		return r == -EFAULT;
	return (seen[0] != shape->on && seen[0] != shape->off) ||
	       (fsite_slot(sites, i) &&
		memcmp(seen + shape->switch_before + 1, &distance, 4));
}

bool fsites_use(const struct fsites *sites, const uint8_t *addr, uint32_t nr)
{
	for (uint32_t i = 0; i < sites->nr; i++) {
		const uint8_t *code = fsite_code(sites, i);

		if (sites->table[i].is_on && code < addr + nr &&
		    addr < code + (sites->moved ? moved_rows(sites->moved)[i].original_bytes :
						  SITE_BYTES_MAX))
			return true;
	}
	return false;
}

static bool is_lost(const struct fsites *sites, uint32_t i)
{
	return sites->moved ? fmoved_is_lost(sites, i) : is_prepared_lost(sites, i);
}

/*
 * Returns true if libulf has written to site @i, so that its bytes differ from those of the
 * file, unless others have changed them since.
 */
static bool is_written(const struct fsites *sites, uint32_t i)
{
	return sites->moved ? sites->table[i].is_on : fsite_slot(sites, i) != NULL;
}

/*
 * The bytes that libulf wrote to one site are lost.  Returns true if the text was not mapped
 * again since: then a debugger, another tool, or the program itself has changed this site.
 */
static bool has_intact(const struct fsites *sites)
{
	bool is_mapped_again = false;

	for (uint32_t i = 0; i < sites->nr; i++) {
		if (!is_written(sites, i))
			continue;
		if (!is_lost(sites, i))
			return true;
		is_mapped_again |= sites->moved && fmoved_is_original(sites, i);
	}
	if (!sites->moved || is_mapped_again)
		return false;
	/*
	 * All sites that are on have lost the bytes that libulf wrote.  If the text was not
	 * mapped again, sites that are off still have the bytes of the file.
	 */
	for (uint32_t i = 0; i < sites->nr; i++)
		if (!sites->table[i].is_on && fmoved_is_original(sites, i))
			return true;
	return false;
}

bool fsites_are_lost(const struct fsites *sites)
{
	uint32_t i = sites->written - 1;

	if (!sites->written)
		return false;
	for (uint32_t k = 0; sites->moved && k < sites->nr; k++) {
		if (sites->table[k].is_on) {
			i = k;
			break;
		}
	}
	return is_lost(sites, i) && !has_intact(sites);
}

void fsites_done(struct fsites *sites)
{
	if (sites->moved)
		fmoved_done(sites);
	for (int form = 0; form < FSITE_FORMS; form++)
		unmap_slots(&sites->maps[form]);
}
