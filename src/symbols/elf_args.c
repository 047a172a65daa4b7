/* SPDX-License-Identifier: MIT */
/*
 * Find out where the parameters of a function are when it starts.
 *
 * DWARF gives the location of each parameter.  In optimised code the location is the register
 * of the parameter, even if the compiler has dropped other parameters.  Unoptimised code
 * first stores the parameter in memory, and the location is this memory.  For unoptimised
 * code the registers are computed by the ABI's rules, one parameter after the other, but only
 * if no location contradicts the result.
 *
 * The functions of a unit (DWARF's word for a compiled source file) are listed when one of
 * its functions is looked up for the first time.  Results are cached.
 */
#include "symbols/elf_args.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "symbols/elf_debug.h"
#include "symbols/elf_dwarf.h"
#include "symbols/elf_impl.h"
#include "symbols/localfile.h"

#define FOUND		1024u		/* number of entries of the cache of functions;
					 * a power of two */
#define RANGES_MAX	1000000u
#define ENTRIES_MAX	1000000u	/* maximum number of DWARF entries of one unit
					 * that are searched for functions */
#define UNITS_MAX	65536u		/* maximum number of DWARF units of a file;
					 * libdw needs 1 KB of memory for each unit */
#define NESTED_MAX	16		/* maximum depth of nested namespaces and
					 * classes that are searched */
#define TIME_MAX_NS	1000000000u	/* maximum CPU time for opening a file or
					 * finding a function, ns */

struct range {				/* a range of addresses: of a DWARF unit or of a
					 * function */
	uint64_t low, high;
	uint64_t of;			/* for a unit, its index; for a function, the offset
					 * of its DWARF entry */
};

struct ranges {
	struct range *rows;		/* sorted by address */
	size_t nr, room;
};

struct unit {
	Dwarf_Off off;
	bool is_read;
	struct ranges functions;
};

struct found {
	uint64_t addr;			/* address whose function was looked up; 0: this entry
					 * of the cache is free */
	struct elf_params *params;	/* parameters of the function at @addr; NULL if
					 * they are unknown */
};

struct elf_args {
	struct elf_file file;		/* the file whose DWARF libdw reads */
	struct elf_file program;	/* the program, if @file is its separate debug file;
					 * otherwise no file */
	int own_fd;			/* descriptor that elf_args_open() has opened; -1 if
					 * the caller has opened the file */
	Elf *elf;
	Dwarf *dwarf;			/* handle of libdw; NULL if the file has no DWARF */
	struct unit *units;
	size_t nr_units;
	struct ranges ranges;		/* address ranges of all units of the file, sorted */
	struct elf_deadline deadline;
	struct found found[FOUND];	/* cache of functions, indexed by a hash of the
					 * address; a new entry replaces an old entry with the
					 * same hash */
};

/* ---- limit the CPU time of libdw ---- */

/*
 * Begin an operation whose CPU time is limited.  Without a limit libdw could walk for
 * hours: a hostile file may let many DWARF entries refer to the same long list.
 */
static void start_deadline(struct elf_args *args)
{
	args->deadline.cpu_ns = clock_posix_ns(CLOCK_THREAD_CPUTIME_ID) + TIME_MAX_NS;
}

static bool is_deadline_over(struct elf_args *args)
{
	return elf_deadline_is_over(&args->deadline);
}

/* ---- sorted arrays of address ranges of units and functions ---- */

static bool ranges_add(struct ranges *ranges, struct range range)
{
	if (ranges->nr == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 64;
		struct range *rows = room > RANGES_MAX ? NULL :
			realloc(ranges->rows, room * sizeof(*rows));

		if (!rows)
			return false;
		ranges->rows = rows;
		ranges->room = room;
	}
	ranges->rows[ranges->nr++] = range;
	return true;
}

static int compare_ranges(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->low > b->low) - (a->low < b->low);
}

static void ranges_sort(struct ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->rows, ranges->nr, sizeof(*ranges->rows), compare_ranges);
}

static const struct range *ranges_find(const struct ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->nr;

	while (low < high) {		/* binary search for the first range that starts after
					 * @addr */
		size_t middle = low + (high - low) / 2;

		if (ranges->rows[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < ranges->rows[low - 1].high ? &ranges->rows[low - 1] : NULL;
}

/* ---- list the functions of a unit ---- */

/*
 * Add the first address range of a function to the list.  A function may have several ranges;
 * the address that callers call is in the first range.
 */
static void add_function(struct ranges *functions, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;

	if (dwarf_ranges(die, 0, &base, &low, &high) > 0)
		ranges_add(functions, (struct range){ low, high, dwarf_dieoffset(die) });
}

/* List the functions inside of the DWARF entry @in.  *@left: how many DWARF entries may still
 * be searched. */
static void list_functions(struct elf_args *args, Dwarf_Die *in, int depth,
			   uint32_t *left, struct ranges *functions)
{
	Dwarf_Die die;

	if (depth > NESTED_MAX || !die_first_child(in, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!*left ||
		    ((tag == DW_TAG_subprogram || *left % 256 == 0) && is_deadline_over(args)))
			return;
		--*left;
		if (tag == DW_TAG_subprogram)
			add_function(functions, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
			 tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
			list_functions(args, &die, depth + 1, left, functions);
	} while (die_next(&die));
}

static void list_unit_functions(struct elf_args *args, struct unit *unit)
{
	uint32_t left = ENTRIES_MAX;
	Dwarf_Die die;

	if (dwarf_offdie(args->dwarf, unit->off, &die))
		list_functions(args, &die, 0, &left, &unit->functions);
	ranges_sort(&unit->functions);
	unit->is_read = true;
}

/* ---- find the first instruction after a function site ---- */

static uint8_t *read_function_code(const struct elf_file *file, uint64_t addr, uint32_t *ret_nr)
{
	for (uint32_t i = 0; file->fd >= 0 && i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		uint64_t at = addr - program->p_vaddr;

		if (program->p_type != PT_LOAD || addr < program->p_vaddr ||
		    at >= program->p_filesz)
			continue;
		*ret_nr = (uint32_t)min_u64(program->p_filesz - at, FSITE_LOOK_MAX);
		return elf_read_bytes(file, program->p_offset + at, *ret_nr);
	}
	return NULL;
}

/*
 * Return the address of the first instruction after the function site (the NOPs that
 * make the function traceable).  A site of clang may be NOPs of any size, or an XRay
 * sled.  If the program's code cannot be read, assume that the site has FSITE_BYTES
 * bytes.
 */
static uint64_t find_function_body(const struct elf_args *args, uint64_t low, uint64_t addr)
{
	static const enum fsite_kind kinds[] = { FSITE_PATCHABLE, FSITE_XRAY };
	uint64_t body = addr + FSITE_BYTES;
	uint32_t nr, at;
	uint8_t *code = read_function_code(args->program.fd >= 0 ? &args->program : &args->file,
					   low, &nr);

	for (uint32_t i = 0; code && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		enum fsite_form form = fsite_form(kinds[i], code, nr, &at);

		if (form < FSITE_FORMS)
			/* cppcheck-suppress arrayIndexOutOfBoundsCond ; @form was checked */
			body = low + at + FSITE_BYTES + fsite_shapes[form].tail;
	}
	free(code);
	return body;
}

/* ---- units ---- */

static bool add_dwarf_unit(struct elf_args *args, Dwarf_Off off)
{
	struct unit *units = realloc(args->units,
				     (args->nr_units + 1) * sizeof(*units));
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	Dwarf_Die die;

	if (!units)
		return false;
	args->units = units;
	units[args->nr_units] = (struct unit){ .off = off };
	if (!dwarf_offdie(args->dwarf, off, &die) ||
	    dwarf_tag(&die) != DW_TAG_compile_unit)
		return true;
	while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0)
		if (!ranges_add(&args->ranges, (struct range){ low, high, args->nr_units }))
			return false;
	args->nr_units++;
	return true;
}

static void read_dwarf_units(struct elf_args *args)
{
	uint32_t left = UNITS_MAX;
	Dwarf_Off off = 0, next;
	size_t head;

	while (left-- && !is_deadline_over(args) &&
	       !dwarf_nextcu(args->dwarf, off, &next, &head, NULL, NULL, NULL) &&
	       next > off && add_dwarf_unit(args, off + head))
		off = next;
	ranges_sort(&args->ranges);
}

static struct elf_params *search_dwarf(struct elf_args *args, uint64_t addr)
{
	const struct range *range = ranges_find(&args->ranges, addr);
	struct unit *unit;
	Dwarf_Die die;

	if (!range || range->of >= args->nr_units)
		return NULL;
	unit = &args->units[range->of];
	if (!unit->is_read)
		list_unit_functions(args, unit);
	range = ranges_find(&unit->functions, addr);
	if (!range || !dwarf_offdie(args->dwarf, range->of, &die))
		return NULL;
	return elf_dwarf_params(&die, range->low, find_function_body(args, range->low, addr),
				&args->deadline);
}

const struct elf_params *elf_args_find(struct elf_args *args, uint64_t addr)
{
	struct found *found = &args->found[(addr ^ addr >> 10) % FOUND];

	if (args->deadline.was_missed)
		return NULL;
	if (found->addr != addr) {
		start_deadline(args);
		free(found->params);
		*found = (struct found){ addr, search_dwarf(args, addr) };
	}
	return found->params;
}

/* ---- files ---- */

static bool has_section(const struct elf_file *file, const char *name)
{
	const Elf64_Shdr *section = elf_find_section(file, name);

	return section && section->sh_type != SHT_NOBITS;
}

static bool has_section_prefix(const struct elf_file *file, const Elf64_Shdr *section,
			       const char *prefix)
{
	return section->sh_name < file->names_bytes &&
	       !strncmp(file->names + section->sh_name, prefix, strlen(prefix));
}

/*
 * Return the size of a section in bytes, after decompression.  Returns UINT64_MAX if
 * libdw can decompress the section, but no header gives the size.
 */
static uint64_t unpacked_section_bytes(const struct elf_file *file, const Elf64_Shdr *section)
{
	uint64_t bytes = section->sh_size;
	Elf64_Chdr *packed;

	if (has_section_prefix(file, section, ".zdebug"))
		return UINT64_MAX;
	if (section->sh_type == SHT_NOBITS ||
	    (section->sh_flags & SHF_ALLOC && !has_section_prefix(file, section, ".debug")))
		return 0;
	if (!(section->sh_flags & SHF_COMPRESSED))
		return bytes;
	packed = elf_read_bytes(file, section->sh_offset, sizeof(*packed));
	if (packed && __builtin_add_overflow(bytes, packed->ch_size, &bytes))
		bytes = UINT64_MAX;
	free(packed);
	return bytes;
}

/*
 * Return how many bytes of debug sections libdw will keep in memory, after decompression.
 * Returns UINT64_MAX, so that the file is refused, if the file's byte order is not that of
 * this CPU.  libdw would convert the numbers of such a file, but the code of this project
 * would not.
 */
static uint64_t debug_sections_bytes(const struct elf_file *file)
{
	uint64_t bytes = 0;

	if (file->head.e_ident[EI_DATA] != ELFDATA2LSB)
		return UINT64_MAX;
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (__builtin_add_overflow(bytes, unpacked_section_bytes(file, &file->sections[i]),
					   &bytes))
			return UINT64_MAX;
	return bytes;
}

/*
 * Open the file of @source as files[0] and, if it has no .debug_info, its separate
 * debug file as files[1].  A file that cannot be read is closed.
 */
static void open_program_and_debug_file(const struct elf_source *source, struct elf_file files[2])
{
	files[1] = (struct elf_file){ .fd = -1 };
	if (elf_file_open_source(source, &files[0]))
		elf_file_close(&files[0]);
	else if (!has_section(&files[0], ".debug_info") &&
		 elf_debug_open(&files[0], source->finder, &files[1]))
		elf_file_close(&files[1]);
}

/* Return the first of the two @files that has the section @section, or NULL. */
static struct elf_file *find_file_with_section(struct elf_file files[2], const char *section)
{
	for (int i = 0; i < 2; i++)
		if (has_section(&files[i], section))
			return &files[i];
	return NULL;
}

static void begin_dwarf(struct elf_args *args, const struct elf_file *file)
{
	uint64_t bytes = debug_sections_bytes(file);

	elf_version(EV_CURRENT);
	/* ELF_C_READ makes libelf read the file into memory.  libelf must not map
	 * it. */
	if (bytes <= *file->bytes_left)
		args->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (args->elf)
		args->dwarf = dwarf_begin_elf(args->elf, DWARF_C_READ, NULL);
	if (!args->dwarf)
		return;
	*file->bytes_left -= bytes;
	read_dwarf_units(args);
}

/*
 * Open the DWARF of one of @files.  On success, move the file with DWARF to args->file, which
 * libdw reads.  If that is a separate debug file, move the program to args->program.
 */
static void open_dwarf_file(struct elf_args *args, struct elf_file files[2])
{
	struct elf_file *dwarf = find_file_with_section(files, ".debug_info");

	start_deadline(args);
	if (dwarf)
		begin_dwarf(args, dwarf);
	if (args->elf) {
		args->file = *dwarf;
		*dwarf = (struct elf_file){ .fd = -1 };
		args->program = files[0];
		files[0] = (struct elf_file){ .fd = -1 };
	}
}

struct elf_args *elf_args_parse(const struct elf_source *source)
{
	struct elf_args *args = calloc(1, sizeof(*args));
	struct elf_file files[2];

	if (!args)
		return NULL;
	args->file.fd = args->program.fd = args->own_fd = -1;
	open_program_and_debug_file(source, files);
	open_dwarf_file(args, files);
	elf_file_close(&files[0]);
	elf_file_close(&files[1]);
	if (args->dwarf)
		return args;
	elf_args_close(args);
	return NULL;
}

struct elf_args *elf_args_open(const char *path, const uint8_t *build_id,
			       uint32_t build_id_bytes, uint64_t *bytes_left)
{
	const struct elf_finder finder = elf_finder_local(path);
	struct elf_source source = {
		.build_id = build_id, .build_id_bytes = build_id_bytes,
		.bytes_left = bytes_left, .finder = &finder,
	};
	struct elf_args *args;

	if (localfile_open(path, &source.fd))
		return NULL;
	args = elf_args_parse(&source);
	if (args)
		args->own_fd = source.fd;
	else
		close(source.fd);
	return args;
}

bool elf_args_is_over(const struct elf_args *args)
{
	return args->deadline.was_missed;
}

void elf_args_close(struct elf_args *args)
{
	if (!args)
		return;
	for (uint32_t i = 0; i < FOUND; i++)
		free(args->found[i].params);
	for (size_t i = 0; i < args->nr_units; i++)
		free(args->units[i].functions.rows);
	free(args->units);
	free(args->ranges.rows);
	dwarf_end(args->dwarf);
	elf_end(args->elf);
	elf_file_close(&args->file);
	elf_file_close(&args->program);
	if (args->own_fd >= 0)
		close(args->own_fd);
	free(args);
}
