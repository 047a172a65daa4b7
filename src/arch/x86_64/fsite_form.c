/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the code that compilers generate at function entries.
 *
 * -fpatchable-function-entry=N,M generates M NOPs before the function's entry and N - M
 * after it.  The table has the address of the first NOP. Each NOP of gcc has one byte.
 * Each NOP of clang before the entry has one byte, too.  After the entry clang
 * generates one long NOP of N - M bytes if that is at most nine.  With -fcf-protection
 * an endbr64 marks the entry.  Without the endbr64 the address of the entry is not
 * known.  But the last five of all NOPs are after the entry if there are at least five
 * NOPs after it.
 *
 * The table of -mrecord-mcount has the address of the call of __fentry__, or of the
 * NOP of -mnop-mcount.  XRay's table has the distance to a sled, which is a jump over
 * free bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "arch/x86_64/fsite_form.h"

/* A row of xray_instr_map, as defined by llvm. */
struct xray_row {
	int64_t sled, function;		/* @sled: distance from the row to the sled;
					 * @function: distance from this member to the
					 * function */
	uint8_t kind;
	uint8_t is_always;
	uint8_t version;		/* in versions below 2, @sled and @function
					 * are addresses instead of distances */
	uint8_t reserved[13];
};
enum { XRAY_ENTRY = 0, XRAY_ENTRY_ARGS = 3 };

const struct fsite_table fsite_tables[FSITE_TABLES] = {
	[FSITE_PATCHABLE] = { "__patchable_function_entries", sizeof(uint64_t) },
	[FSITE_MCOUNT] = { "__mcount_loc", sizeof(uint64_t) },
	[FSITE_XRAY] = { "xray_instr_map", sizeof(struct xray_row) },
};

uint64_t fsite_row_addr(enum fsite_kind kind, const uint8_t *row, uint64_t at)
{
	struct xray_row xray;
	uint64_t addr;

	if (kind != FSITE_XRAY) {
		memcpy(&addr, row, sizeof(addr));
		return addr;
	}
	memcpy(&xray, row, sizeof(xray));
	if (xray.version != 2 ||
	    (xray.kind != XRAY_ENTRY && xray.kind != XRAY_ENTRY_ARGS))
		return 0;
	return at + (uint64_t)xray.sled;
}

/* For each form of a site, how the site becomes a jump.  In a long NOP, the opcode
 * and the modrm byte are fixed, and the bytes after them are free.  In one-byte
 * NOPs, all four bytes of the distance are NOPs until a distance is chosen. */
const struct fsite_shape fsite_shapes[FSITE_COPY] = {
	[FSITE_NOPS] = { 0, 0x90, 0xe9, 0, 0x90909090 },
	[FSITE_NOP5] = { 0, 0x0f, 0xe9, 0, 0x441f },
	[FSITE_NOP6] = { 0, 0x66, 0xe9, 1, 0x441f0f },
	[FSITE_NOP7] = { 0, 0x0f, 0xe9, 2, 0x801f },
	[FSITE_NOP8] = { 0, 0x0f, 0xe9, 3, 0x841f },
	[FSITE_NOP9] = { 0, 0x66, 0xe9, 4, 0x841f0f },
	[FSITE_TEST] = { 0, 0xa9, 0xe9, 0, 0 },
	[FSITE_SLED] = { 1, 0x09, 0x00, 4, 0 },
};

static bool starts_with_bytes(const uint8_t *code, const uint8_t *end, const char *bytes,
			      size_t nr)
{
	return (size_t)(end - code) >= nr && !memcmp(code, bytes, nr);
}
#define STARTS(code, end, bytes) starts_with_bytes(code, end, bytes, sizeof(bytes) - 1)

static enum fsite_form form_of_long_nop(const uint8_t *code, const uint8_t *end)
{
	static const struct {
		enum fsite_form form;
		uint8_t nr;
		char bytes[4];
	} nops[] = {
		{ FSITE_NOP5, 3, { 0x0f, 0x1f, 0x44 } },
		{ FSITE_NOP6, 4, { 0x66, 0x0f, 0x1f, 0x44 } },
		{ FSITE_NOP7, 3, { 0x0f, 0x1f, (char)0x80 } },
		{ FSITE_NOP8, 3, { 0x0f, 0x1f, (char)0x84 } },
		{ FSITE_NOP9, 4, { 0x66, 0x0f, 0x1f, (char)0x84 } },
	};

	for (uint32_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (starts_with_bytes(code, end, nops[i].bytes, nops[i].nr) &&
		    end - code >= FSITE_BYTES + fsite_shapes[nops[i].form].tail)
			return nops[i].form;
	return FSITE_OTHER;
}

static enum fsite_form form_of_patchable(const uint8_t *code, const uint8_t *end,
					 const uint8_t **ret_site)
{
	const uint8_t *nops = code;

	while (code < end && *code == 0x90)
		code++;
	if (STARTS(code, end, "\xf3\x0f\x1e\xfa")) {
		code += 4;
		nops = code;
		while (code < end && *code == 0x90)
			code++;
	}
	if (code - nops >= FSITE_BYTES) {
		*ret_site = code - FSITE_BYTES;
		return FSITE_NOPS;
	}
	*ret_site = code;
	return form_of_long_nop(code, end);
}

static enum fsite_form form_of_mcount(const uint8_t *code, const uint8_t *end,
				      const uint8_t **ret_site)
{
	/* Accept a prefix before a near call.  A linker adds this prefix when it
	 * replaces a far call by a near call, because a near call is one byte shorter. */
	if (STARTS(code, end, "\x67\xe8") || STARTS(code, end, "\x67\xa9"))
		code++;
	*ret_site = code;
	if (end - code <= FSITE_BYTES)
		return FSITE_OTHER;
	if (STARTS(code, end, "\xe8") || STARTS(code, end, "\xff\x15"))
		return FSITE_CALL;
	if (STARTS(code, end, "\xa9"))
		return FSITE_TEST;
	return STARTS(code, end, "\x0f\x1f\x44") ? FSITE_NOP5 : FSITE_OTHER;
}

static enum fsite_form form_of_xray(const uint8_t *code, const uint8_t *end,
				    const uint8_t **ret_site)
{
	if (!STARTS(code, end, "\xeb\x09"))
		return FSITE_OTHER;
	*ret_site = code + 2;
	return end - code >= 11 ? FSITE_SLED : FSITE_OTHER;
}

enum fsite_form fsite_form(enum fsite_kind kind, const uint8_t *code, uint32_t nr,
			   uint32_t *ret_at)
{
	static enum fsite_form (*const find[FSITE_TABLES])(const uint8_t *code,
		const uint8_t *end, const uint8_t **ret_site) = {
		[FSITE_PATCHABLE] = form_of_patchable,
		[FSITE_MCOUNT] = form_of_mcount,
		[FSITE_XRAY] = form_of_xray,
	};
	const uint8_t *site = code;
	enum fsite_form form = find[kind](code, code + nr, &site);

	*ret_at = (uint32_t)(site - code);
	return form;
}
