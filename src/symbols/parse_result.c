/* SPDX-License-Identifier: MIT */
/*
 * Check results of parsers.  A result is a sealed memfd.  First check the sizes in its
 * header: compare them with each other and with the size of the memfd.  Then check each
 * number that is used as an index or an offset.  Every string must end within
 * ELF_NAME_MAX bytes.  All checks take linear time.
 */
#include "symbols/parse_result.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "symbols/elf.h"
#include "symbols/elf_moved.h"
#include "symbols/elf_sites.h"
#include "symbols/parse.h"

#define SYMBOLS_MAX	(64u << 20)
#define SITES_MAX	4000000u

void parsed_free(struct parsed *parsed)
{
	if (!parsed)
		return;
	parse_free(parsed->plain_job);
	parsed_free(parsed->plain);
	if (parsed->map)
		munmap((void *)parsed->map, parsed->bytes);
	free(parsed);
}

/* ---- check symbols and function sites ---- */

/* Pointers to the arrays in a result, computed from the result's header. */
struct layout {
	struct parse_head head;
	const void *moved;
	const struct parse_symbol *symbols;
	const uint64_t *addrs;
	const uint32_t *rows, *names;
	const char *strings;
};

static bool is_head_valid(const struct parse_head *head)
{
	return head->magic == PARSE_MAGIC && head->nr_symbols <= SYMBOLS_MAX &&
	       head->nr_rows <= SITES_MAX && head->nr_sites <= head->nr_rows &&
	       head->kind < FSITE_KINDS && head->next_kind <= FSITE_KINDS &&
	       head->next_kind > head->kind &&
	       head->nr_segments <= PARSE_SEGMENTS_MAX &&
	       head->left_out < ELF_LEFT_OUTS && head->moved_bytes <= MOVED_BYTES_MAX &&
	       (head->kind == FSITE_MOVED ? !head->nr_sites :
					    !head->moved_bytes && !head->left_out) &&
	       head->build_id_bytes <= sizeof(head->build_id);
}

static bool find_result_layout(const struct parsed *parsed, struct layout *ret)
{
	struct parse_head *head = &ret->head;
	uint64_t fixed;

	if (parsed->bytes < sizeof(*head))
		return false;
	memcpy(head, parsed->map, sizeof(*head));
	if (!is_head_valid(head))
		return false;
	fixed = sizeof(*head) + ALIGN_UP(head->moved_bytes, 8) +
		head->nr_symbols * (uint64_t)sizeof(*ret->symbols) +
		head->nr_sites * (uint64_t)(sizeof(*ret->addrs) + sizeof(*ret->rows) +
					    sizeof(*ret->names));
	if (fixed > parsed->bytes || parsed->bytes - fixed != head->strings_bytes)
		return false;
	ret->moved = (const char *)parsed->map + sizeof(*head);
	ret->symbols = (const void *)((const char *)ret->moved +
				      ALIGN_UP(head->moved_bytes, 8));
	ret->addrs = (const void *)(ret->symbols + head->nr_symbols);
	ret->rows = (const void *)(ret->addrs + head->nr_sites);
	ret->names = ret->rows + head->nr_sites;
	ret->strings = (const void *)(ret->names + head->nr_sites);
	return true;
}

/*
 * Check that each string is shorter than ELF_NAME_MAX bytes and that the last string
 * ends in a NUL.
 */
static bool are_names_valid(const char *strings, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; ) {
		uint64_t left = bytes - at;
		const char *end = memchr(strings + at, '\0',
					 left < ELF_NAME_MAX ? left : ELF_NAME_MAX);

		if (!end)
			return false;
		at = (uint64_t)(end - strings) + 1;
	}
	return true;
}

static int copy_symbols(const struct layout *layout, struct elf_symbols *symbols)
{
	const struct parse_head *head = &layout->head;

	symbols->rows = malloc((head->nr_symbols + 1ul) * sizeof(*symbols->rows));
	if (!symbols->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->nr_symbols; i++) {
		const struct parse_symbol *row = &layout->symbols[i];

		if (row->name >= head->strings_bytes ||
		    (i && row->addr < row[-1].addr))
			return -EBADMSG;
		symbols->rows[i] = (struct elf_symbol){
			row->addr, row->size, layout->strings + row->name,
		};
	}
	symbols->nr = head->nr_symbols;
	symbols->first = head->first;
	symbols->end = head->end;
	return 0;
}

/* Check the row number of each function site, because the server uses it as an index
 * when it writes to the shared memory. */
static bool are_sites_valid(const struct layout *layout)
{
	const struct parse_head *head = &layout->head;

	for (uint32_t i = 0; i < head->nr_sites; i++)
		if (layout->rows[i] >= head->nr_rows ||
		    (i && layout->rows[i] <= layout->rows[i - 1]) ||
		    layout->names[i] > head->nr_symbols ||
		    layout->addrs[i] < head->text || layout->addrs[i] >= head->text_end)
			return false;
	return true;
}

static void *copy_bytes(const void *from, uint64_t bytes)
{
	void *copy = malloc(bytes + 1);

	if (copy)
		memcpy(copy, from, bytes);
	return copy;
}

static const char **make_site_names(const struct layout *layout,
				    const struct elf_symbols *symbols)
{
	const char **names = calloc(layout->head.nr_sites + 1ul, sizeof(*names));

	for (uint32_t i = 0; names && i < layout->head.nr_sites; i++)
		if (layout->names[i])
			names[i] = symbols->rows[layout->names[i] - 1].name;
	return names;
}

static int copy_sites(const struct layout *layout, const struct elf_symbols *symbols,
		      const struct parsed_more *more)
{
	const struct parse_head *head = &layout->head;
	struct elf_sites *sites = more->sites;

	if (!are_sites_valid(layout))
		return -EBADMSG;
	*sites = (struct elf_sites){
		.kind = head->kind, .table = head->table, .nr_rows = head->nr_rows,
		.nr = head->nr_sites, .text = head->text, .text_end = head->text_end,
		.text_off = head->text_off, .id = head->id,
		.build_id_bytes = head->build_id_bytes,
		.addrs = copy_bytes(layout->addrs, head->nr_sites * sizeof(*sites->addrs)),
		.rows = copy_bytes(layout->rows, head->nr_sites * sizeof(*sites->rows)),
	};
	memcpy(sites->build_id, head->build_id, sizeof(sites->build_id));
	*more->names = make_site_names(layout, symbols);
	*more->next_kind = head->next_kind;
	if (more->moved)
		*more->moved = (struct parsed_moved){
			layout->moved, head->moved_bytes, head->left_out, head->cache,
		};
	if (sites->addrs && sites->rows && *more->names)
		return 0;
	elf_sites_done(sites);
	free(*more->names);
	*more->names = NULL;
	return -ENOMEM;
}

int parsed_check(struct parsed *parsed, struct elf_symbols *ret_symbols,
		 const struct parsed_more *more)
{
	struct elf_symbols symbols = { .parsed = parsed };
	struct layout layout;
	int r = -EBADMSG;

	if (find_result_layout(parsed, &layout) &&
	    are_names_valid(layout.strings, layout.head.strings_bytes))
		r = copy_symbols(&layout, &symbols);
	if (!r && more->sites)
		r = copy_sites(&layout, &symbols, more);
	if (r) {
		elf_symbols_done(&symbols);
		return r;
	}
	parsed->strings = layout.strings;
	parsed->strings_bytes = layout.head.strings_bytes;
	if (more->segments) {
		memcpy(more->segments, layout.head.segments, sizeof(layout.head.segments));
		*more->nr_segments = layout.head.nr_segments;
	}
	*ret_symbols = symbols;
	return 0;
}

/* ---- check demangled names ---- */

int parsed_check_plain(struct parsed *parsed, const struct elf_symbols *symbols)
{
	const struct parse_plain_head *head = parsed->map;
	uint64_t fixed = sizeof(*head) + symbols->nr * (uint64_t)sizeof(uint32_t);

	if (!symbols->parsed || parsed->bytes < sizeof(*head) ||
	    head->magic != PARSE_MAGIC || head->nr != symbols->nr ||
	    parsed->bytes < fixed || parsed->bytes - fixed != head->strings_bytes ||
	    !are_names_valid((const char *)parsed->map + fixed, head->strings_bytes)) {
		parsed_free(parsed);
		return -EBADMSG;
	}
	parsed->strings = (const char *)parsed->map + fixed;
	parsed->strings_bytes = head->strings_bytes;
	parsed_free(symbols->parsed->plain);
	symbols->parsed->plain = parsed;
	return 0;
}

const char *parsed_plain(const struct elf_symbols *symbols,
			 const struct elf_symbol *symbol)
{
	const struct parsed *plain = symbols->parsed ? symbols->parsed->plain : NULL;
	const struct parse_plain_head *head;
	uint32_t name;

	if (!plain)
		return NULL;
	head = plain->map;
	name = ((const uint32_t *)(head + 1))[symbol - symbols->rows];
	return name && name <= plain->strings_bytes ? plain->strings + name - 1 : NULL;
}

/* ---- parameters ---- */

struct elf_params *parsed_params(const struct parse_answer *answer, uint32_t bytes,
				 uint64_t addr)
{
	struct elf_params *params;
	char *names;

	if (bytes < sizeof(*answer) || answer->addr != addr || !answer->is_known ||
	    answer->nr > PARSE_PARAMS_MAX ||
	    bytes != sizeof(*answer) + answer->nr * sizeof(answer->params[0]))
		return NULL;
	params = calloc(1, sizeof(*params) + answer->nr * (sizeof(params->rows[0]) +
							   PARSE_PARAM_NAME));
	if (!params)
		return NULL;
	names = (char *)(params->rows + answer->nr);
	params->nr = answer->nr;
	for (uint32_t i = 0; i < answer->nr; i++, names += PARSE_PARAM_NAME) {
		const struct parse_param *from = &answer->params[i];

		memcpy(names, from->name, PARSE_PARAM_NAME - 1);
		params->rows[i] = (struct elf_param){
			.name = from->has_name ? names : NULL,
			.kind = from->kind, .is_on_stack = from->is_on_stack,
			.nr_words = from->nr_words,
			.regs = { from->regs[0], from->regs[1] },
			.bytes = from->bytes,
		};
	}
	return params;
}
