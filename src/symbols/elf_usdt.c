/* SPDX-License-Identifier: MIT */
/*
 * Read the notes of .note.stapsdt, which <sys/sdt.h> and other headers put into a file, and make
 * the table of abi/usdt.h.  The description of a note is
 *
 *	uint64_t	address of the probe's NOP
 *	uint64_t	address of the section .stapsdt.base when the file was linked
 *	uint64_t	address of the semaphore, or 0
 *	char []		provider, name, arguments, each with a NUL
 *
 * If .stapsdt.base now has another address, because prelink has moved it, the difference is
 * added to the addresses.
 */
#include "symbols/elf_usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_sites.h"

#define NOTE_TYPE	3u		/* type of a note that describes a probe */
#define NOTE_NAME	"stapsdt"
#define ADDRESSES	3u		/* number of addresses at the start of a note's
					 * description */

/* A USDT probe of the file, as its note describes it.  The strings end in a NUL. */
struct probe {
	uint64_t vaddr, semaphore;
	const char *provider, *name, *args;
	uint32_t event;			/* number of the probe's event in the table */
	uint32_t order;			/* number of the note */
};

struct reader {
	const struct elf_source *source;
	const struct elf_file *file;
	struct elf_sites where;		/* range of the file's code, and the file's build id */
	struct probe *probes;
	uint32_t nr;
	struct usdt_event *events;
	uint32_t nr_events;
	struct usdt_arg *args;
	uint32_t nr_args;
	struct text strings;
	struct usdt_finder finder;
	struct elf_table symbols;	/* symbol table of the file; it is read when an
					 * argument first names a symbol */
	bool has_symbols;		/* true: this code has tried to read @symbols,
					 * successfully or not */
	bool has_tracepoints;		/* true: the file contains tracepoints of ulf */
};

/* ---- notes ---- */

/* Return the next string at *@at, and set *@at to the byte after its NUL.  Returns NULL if
 * there is no NUL before @end. */
static const char *take_string(const char **at, const char *end)
{
	const char *start = *at, *nul = memchr(start, '\0', (size_t)(end - start));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return start;
}

/* Parse the description of a note.  Returns true if it has all parts that a probe needs. */
static bool parse_probe(const char *at, uint32_t bytes, uint64_t base, struct probe *ret)
{
	const char *end = at + bytes;
	uint64_t words[ADDRESSES];

	if (bytes < sizeof(words))
		return false;
	memcpy(words, at, sizeof(words));
	at += sizeof(words);
	*ret = (struct probe){
		.vaddr = words[0] + (base ? base - words[1] : 0),
		.semaphore = words[2] ? words[2] + (base ? base - words[1] : 0) : 0,
		.provider = take_string(&at, end),
	};
	ret->name = ret->provider ? take_string(&at, end) : NULL;
	ret->args = ret->name ? take_string(&at, end) : NULL;
	return ret->args;
}

/* Return true if @name has a valid length for the name of an event or of a system.
 * put_name() replaces the characters that are not allowed. */
static bool is_name(const char *name)
{
	size_t len = strnlen(name, USDT_NAME_MAX + 1);

	return len && len <= USDT_NAME_MAX;
}

/* Read the notes of @section, which are the @bytes bytes at @notes. */
static void read_notes(struct reader *reader, const char *notes, uint64_t bytes, uint64_t base)
{
	uint64_t at = 0;

	while (bytes - at >= sizeof(Elf64_Nhdr) && reader->nr < USDT_SITES_MAX) {
		struct probe *probe = &reader->probes[reader->nr];
		uint64_t left, name, text;
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		left = bytes - name;
		if (ALIGN_UP((uint64_t)note.n_namesz, 4) > left ||
		    note.n_descsz > left - ALIGN_UP((uint64_t)note.n_namesz, 4))
			return;
		text = name + ALIGN_UP((uint64_t)note.n_namesz, 4);
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(notes + name, NOTE_NAME, sizeof(NOTE_NAME)) &&
		    parse_probe(notes + text, note.n_descsz, base, probe) &&
		    is_name(probe->provider) && is_name(probe->name))
			probe->order = reader->nr++;
		at = text + min_u64(ALIGN_UP((uint64_t)note.n_descsz, 4), bytes - text);
	}
}

/* ---- find symbols that the arguments of probes name ---- */

static bool find_symbol(const struct usdt_finder *finder, const char *name, uint32_t len,
			uint64_t *ret_vaddr)
{
	struct reader *reader = (struct reader *)((char *)finder -
						  offsetof(struct reader, finder));
	const struct elf_table *table = &reader->symbols;

	if (!reader->has_symbols && elf_table_read(reader->file, SHT_SYMTAB, &reader->symbols))
		elf_table_read(reader->file, SHT_DYNSYM, &reader->symbols);
	reader->has_symbols = true;
	for (uint64_t i = 0; i < table->nr; i++) {
		const Elf64_Sym *row = &table->rows[i];

		if (row->st_shndx == SHN_UNDEF || row->st_shndx >= SHN_LORESERVE ||
		    ELF64_ST_TYPE(row->st_info) == STT_TLS ||
		    row->st_name >= table->strings_bytes ||
		    table->strings_bytes - row->st_name <= len ||
		    memcmp(table->strings + row->st_name, name, len) ||
		    table->strings[row->st_name + len])
			continue;
		*ret_vaddr = row->st_value;
		return true;
	}
	return false;
}

/* ---- events ---- */

/* Append @name to the strings, with _ in place of characters that a name of an event or of a
 * system must not have.  Returns the offset of the name in the strings. */
static uint32_t put_name(struct reader *reader, const char *name)
{
	uint32_t at = (uint32_t)reader->strings.len;

	for (const char *c = name; *c; c++) {
		bool is_letter = (*c | 0x20) >= 'a' && (*c | 0x20) <= 'z';
		bool is_digit = *c >= '0' && *c <= '9' && c > name;

		text_putc(&reader->strings, is_letter || is_digit ? *c : '_');
	}
	text_putc(&reader->strings, '\0');
	return at;
}

static int compare_names(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;
	int r = strcmp(x->provider, y->provider);

	if (!r)
		r = strcmp(x->name, y->name);
	return r ? r : x->order < y->order ? -1 : 1;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr ? 1 :
	       x->order < y->order ? -1 : 1;
}

static uint32_t count_args(const char *args)
{
	uint32_t nr = 0, len;

	while (nr < USDT_ARGS_MAX && usdt_next_arg(&args, &len))
		nr++;
	return nr;
}

/* Make an event for each name of a probe.  Probes with the same name belong to one event. */
static void make_events(struct reader *reader)
{
	struct probe *last = NULL;

	qsort(reader->probes, reader->nr, sizeof(*reader->probes), compare_names);
	for (uint32_t i = 0; i < reader->nr; i++) {
		struct probe *probe = &reader->probes[i];
		uint32_t nr_args = count_args(probe->args);
		struct usdt_event *event;

		if (!last || strcmp(last->provider, probe->provider) ||
		    strcmp(last->name, probe->name)) {
			if (reader->nr_events == USDT_EVENTS_MAX) {
				reader->nr = i;
				break;
			}
			event = &reader->events[reader->nr_events++];
			event->provider = put_name(reader, probe->provider);
			event->name = put_name(reader, probe->name);
		}
		event = &reader->events[reader->nr_events - 1];
		if (nr_args > event->nr_args)
			event->nr_args = (uint8_t)nr_args;
		probe->event = reader->nr_events - 1;
		last = probe;
	}
	qsort(reader->probes, reader->nr, sizeof(*reader->probes), compare_addresses);
}

/* ---- sites ---- */

/* Return true if the @bytes bytes at @vaddr are in a segment that is writable and stays
 * writable. */
static bool is_data(const struct elf_file *file, uint64_t vaddr, uint64_t bytes)
{
	bool is_in = false;

	for (uint32_t i = 0; i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		uint64_t at = vaddr - program->p_vaddr;

		if (at >= program->p_memsz || program->p_memsz - at < bytes)
			continue;
		if (program->p_type == PT_GNU_RELRO)
			return false;
		is_in |= program->p_type == PT_LOAD && program->p_flags & PF_W;
	}
	return is_in;
}

/* Return true if a tracepoint of ulf begins in the four bytes after the NOP.  These bytes
 * change when the tracepoint is patched. */
static bool has_tracepoint(const uint8_t *code, uint64_t left)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	for (uint64_t i = 1; i < USDT_JUMP_BYTES && left - i >= sizeof(nop); i++)
		if (!memcmp(code + i, nop, sizeof(nop)))
			return true;
	return false;
}

static enum usdt_reason reason_of(const struct reader *reader, const struct probe *probe,
				  const uint8_t *text, const struct probe *next)
{
	uint64_t at = probe->vaddr - reader->where.text;
	uint64_t bytes = reader->where.text_end - reader->where.text;

	if (!text || at >= bytes || bytes - at < USDT_JUMP_BYTES)
		return USDT_BY_NOT_CODE;
	if (text[at] != USDT_NOP)
		return USDT_BY_NOT_NOP;
	if (next && next->vaddr - probe->vaddr < USDT_JUMP_BYTES)
		return USDT_BY_NEIGHBOUR;
	if (reader->has_tracepoints && has_tracepoint(text + at, bytes - at))
		return USDT_BY_TRACEPOINT;
	if (probe->semaphore && (probe->semaphore % sizeof(uint16_t) ||
				 !is_data(reader->file, probe->semaphore, sizeof(uint16_t))))
		return USDT_BY_SEMAPHORE;
	return USDT_BY_NONE;
}

/* Parse the arguments of a probe, and add them as fields of its event.  If several probes of
 * the event differ, a field gets the greatest size. */
static void add_args(struct reader *reader, const struct probe *probe)
{
	struct usdt_event *event = &reader->events[probe->event];
	const char *at = probe->args, *arg;
	uint32_t len;

	for (uint32_t i = 0; i < event->nr_args; i++) {
		struct usdt_arg *to = &reader->args[reader->nr_args++];

		arg = usdt_next_arg(&at, &len);
		if (!usdt_parse_arg(arg ? arg : "", arg ? len : 0, &reader->finder, to))
			continue;
		if (to->bytes > event->bytes[i])
			event->bytes[i] = to->bytes;
		event->is_signed[i] |= to->is_signed;
	}
}

static struct usdt_site *make_sites(struct reader *reader)
{
	uint64_t bytes = reader->where.text_end - reader->where.text;
	uint8_t *text = elf_read_bytes(reader->file, reader->where.text_off, bytes);
	struct usdt_site *sites = calloc(reader->nr + 1ul, sizeof(*sites));

	for (uint32_t i = 0; sites && i < reader->nr; i++) {
		const struct probe *probe = &reader->probes[i];
		struct usdt_site *site = &sites[i];

		*site = (struct usdt_site){
			.vaddr = probe->vaddr, .semaphore = probe->semaphore,
			.event = probe->event, .first_arg = reader->nr_args,
		};
		add_args(reader, probe);
		site->reason = (uint8_t)reason_of(reader, probe, text,
						  i + 1 < reader->nr ? probe + 1 : NULL);
		if (!site->reason)
			memcpy(site->original, text + (site->vaddr - reader->where.text),
			       sizeof(site->original));
	}
	free(text);
	return sites;
}

/* ---- the table ---- */

/*
 * Analyse the code, and make the table by which a process can move the instructions at a site.
 * Without this table, a site is switched by a change of one byte, or not at all.
 */
static void analyse_code(const struct reader *reader, const struct usdt_site *sites,
			 struct text *ret_moved)
{
	const struct mover_limits limits = MOVER_LIMITS;
	uint64_t *vaddrs = malloc((reader->nr + 1ul) * sizeof(*vaddrs));
	uint32_t nr = 0;
	int r = -ENOMEM;

	for (uint32_t i = 0; vaddrs && i < reader->nr; i++)
		if (!sites[i].reason)
			vaddrs[nr++] = sites[i].vaddr;
	if (vaddrs && nr)
		r = mover_analyse_places(reader->source, &limits, vaddrs, nr, ret_moved);
	if (r)
		text_reset(ret_moved);
	free(vaddrs);
}

static void write_table(const struct reader *reader, const struct usdt_site *sites,
			const struct text *moved, struct text *out)
{
	struct usdt_head head = {
		.magic = USDT_MAGIC, .head_bytes = sizeof(head),
		.nr_events = reader->nr_events, .nr_sites = reader->nr,
		.nr_args = reader->nr_args, .strings_bytes = (uint32_t)reader->strings.len,
		.build_id_bytes = reader->where.build_id_bytes,
		.text = reader->where.text, .text_end = reader->where.text_end,
		.text_off = reader->where.text_off, .moved_bytes = (uint32_t)moved->len,
	};

	memcpy(head.build_id, reader->where.build_id, sizeof(head.build_id));
	text_write(out, (const char *)&head, sizeof(head));
	text_write(out, (const char *)reader->events, reader->nr_events * sizeof(*reader->events));
	text_write(out, (const char *)sites, reader->nr * sizeof(*sites));
	text_write(out, (const char *)reader->args, reader->nr_args * sizeof(*reader->args));
	text_write(out, reader->strings.data, reader->strings.len);
	if (moved->len)
		text_fill(out, '\0', ALIGN_UP(out->len, 8) - out->len);
	text_write(out, moved->data, moved->len);
}

static int make_table(struct reader *reader, struct text *out)
{
	struct usdt_site *sites = NULL;
	struct text moved;
	int r = -ENOMEM;

	reader->events = calloc(min_u32(reader->nr, USDT_EVENTS_MAX), sizeof(*reader->events));
	reader->args = calloc((size_t)reader->nr * USDT_ARGS_MAX, sizeof(*reader->args));
	text_init(&reader->strings, USDT_BYTES_MAX);
	text_init(&moved, USDT_BYTES_MAX / 2);
	if (reader->events && reader->args) {
		make_events(reader);
		sites = make_sites(reader);
	}
	if (sites) {
		analyse_code(reader, sites, &moved);
		write_table(reader, sites, &moved, out);
		r = reader->strings.error ? reader->strings.error : out->error;
	}
	free(sites);
	text_done(&moved);
	text_done(&reader->strings);
	elf_table_done(&reader->symbols);
	free(reader->args);
	free(reader->events);
	return r;
}

static int read_probes(struct reader *reader, const struct elf_file *file, struct text *out)
{
	const Elf64_Shdr *section = elf_find_section(file, ".note.stapsdt");
	const Elf64_Shdr *base = elf_find_section(file, ".stapsdt.base");
	char *notes = section && section->sh_type == SHT_NOTE ?
		      elf_read_section(file, section) : NULL;
	int r = 0;

	if (!notes)
		return 0;
	elf_sites_read_file(file, &reader->where);
	reader->has_tracepoints = elf_find_section(file, "__ulf_sites");
	reader->probes = calloc(USDT_SITES_MAX, sizeof(*reader->probes));
	if (reader->probes)
		read_notes(reader, notes, section->sh_size, base ? base->sh_addr : 0);
	else
		r = -ENOMEM;
	if (!r && reader->nr)
		r = make_table(reader, out);
	free(reader->probes);
	free(notes);
	return r;
}

int elf_usdt_parse(const struct elf_source *source, struct text *ret_table)
{
	struct reader reader = { .source = source, .finder = { .find = find_symbol } };
	struct elf_file file;
	int r = elf_file_open_source(source, &file);

	reader.file = &file;
	if (!r)
		r = read_probes(&reader, &file, ret_table);
	elf_file_close(&file);
	return r;
}
