/* SPDX-License-Identifier: MIT */
/* Check tables of moved functions, and name their functions; see function_moved.h. */
#include "server/functions/function_moved.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "arch/arch.h"
#include "base/text.h"
#include "symbols/elf_sites.h"
#include "symbols/parse_result.h"

#define FILE_NAME_MAX	64u		/* maximum number of bytes of a file's name in the
					 * names that are made up for its functions
					 * without a symbol */
#define NAME_BYTES	(FILE_NAME_MAX + 20u)
#define NS_PER_S	1000000000ull

/* ---- functions that identify the analysed file ---- */

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint64_t time_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

int function_moved_identify(int fd, struct function_moved *moved)
{
	struct abi_moved_file *file = &moved->file;
	uint64_t hash = mix_hash(MOVED_MAGIC, ELF_MOVED_VERSION);
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*file = (struct abi_moved_file){
		.magic = ABI_MOVED_FILE_MAGIC, .head_bytes = sizeof(*file),
		.dev_major = major(st.st_dev), .dev_minor = minor(st.st_dev),
		.ino = st.st_ino, .bytes = (uint64_t)st.st_size,
		.mtime_ns = time_ns(&st.st_mtim), .ctime_ns = time_ns(&st.st_ctim),
	};
	hash = mix_hash(hash, st.st_dev);
	hash = mix_hash(hash, file->ino);
	hash = mix_hash(hash, file->bytes);
	hash = mix_hash(hash, file->mtime_ns);
	moved->id = mix_hash(hash, file->ctime_ns);
	return 0;
}

/* ---- names ---- */

static uint64_t entry_of(const struct moved_row *row)
{
	return row->vaddr - row->lead;
}

/* Use a symbol only if its address is the start of the function.  In a stripped file, the
 * last symbol before this address may be that of another function. */
const struct elf_symbol *function_moved_symbol(const struct function_moved *moved,
					       const struct elf_symbols *symbols,
					       const struct moved_row *row)
{
	const struct elf_symbol *symbol = elf_symbols_find(symbols, row->vaddr);

	if (symbol && symbol->addr < entry_of(row))
		symbol = elf_symbols_find(symbols, entry_of(row));
	if (symbol && symbol->addr >= entry_of(row))
		return symbol;
	symbol = elf_symbols_find(&moved->made, entry_of(row));
	return symbol && symbol->addr == entry_of(row) ? symbol : NULL;
}

/* Copy the name of the file to @to, and replace each character that has a meaning in
 * filters by _. */
static void plain_file_name(const char *path, char to[FILE_NAME_MAX + 1])
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	size_t len = 0;

	for (; *from && len < FILE_NAME_MAX; from++)
		to[len++] = isalnum((unsigned char)*from) || strchr("._-+", *from) ? *from : '_';
	if (!len || isdigit((unsigned char)to[0]))
		to[0] = '_';	/* Replace the first character if it is a digit, because
				 * filters take a word that begins with a digit for a
				 * number. */
	to[len ? len : 1] = '\0';
}

/* Make up names for the functions that have no symbol.  The rows of the table are sorted
 * by address, so the new symbols are sorted, too. */
static int make_names(struct function_moved *moved, const struct elf_symbols *symbols,
		      const char *path)
{
	const struct moved_row *rows = moved_rows(moved->head);
	struct elf_symbols made = { 0 };
	char file[FILE_NAME_MAX + 1], *names;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < moved->head->nr_rows; i++)
		nr += !function_moved_symbol(moved, symbols, &rows[i]);
	if (!nr)
		return 0;
	names = malloc((size_t)nr * NAME_BYTES);
	made.rows = malloc(nr * sizeof(*made.rows));
	if (!names || !made.rows) {
		free(names);
		free(made.rows);
		return -ENOMEM;
	}
	made.strings[made.nr_strings++] = names;	/* elf_symbols_done() frees the text
							 * @names */
	plain_file_name(path, file);
	for (uint32_t i = 0; i < moved->head->nr_rows; i++) {
		if (function_moved_symbol(moved, symbols, &rows[i]))
			continue;
		made.rows[made.nr++] = (struct elf_symbol){
			.addr = entry_of(&rows[i]), .size = rows[i].bytes, .name = names,
		};
		names += 1 + snprintf(names, NAME_BYTES, "%s+0x%" PRIx64, file,
				      entry_of(&rows[i]));
	}
	moved->made = made;
	return 0;
}

void function_moved_done(struct function_moved *moved)
{
	elf_symbols_done(&moved->made);
}

/* ---- function sites ---- */

static int make_sites(const struct function_moved *moved, const struct elf_symbols *symbols,
		      struct elf_sites *sites, const char **names)
{
	const struct moved_row *rows = moved_rows(moved->head);
	uint32_t nr = moved->head->nr_rows;

	sites->addrs = calloc(nr + 1ul, sizeof(*sites->addrs));
	sites->rows = calloc(nr + 1ul, sizeof(*sites->rows));
	if (!sites->addrs || !sites->rows) {
		elf_sites_done(sites);
		return -ENOMEM;
	}
	sites->nr_rows = nr;
	for (uint32_t i = 0; i < nr; i++) {
		const struct elf_symbol *symbol;

		if (rows[i].class == MOVED_REFUSED)
			continue;
		symbol = function_moved_symbol(moved, symbols, &rows[i]);
		names[sites->nr] = symbol ? symbol->name : NULL;
		sites->addrs[sites->nr] = rows[i].vaddr;
		sites->rows[sites->nr++] = i;
	}
	return 0;
}

/* Check that the table with the head @head describes the same file as @sites, another
 * result of the parser: addresses of the code and build ids must match. */
static bool is_table_of(const struct moved_head *head, const struct elf_sites *sites)
{
	return head->text >= sites->text && head->text_end <= sites->text_end &&
	       head->build_id_bytes == sites->build_id_bytes &&
	       !memcmp(head->build_id, sites->build_id, head->build_id_bytes);
}

int function_moved_take(struct function_moved *moved, const struct parsed_moved *from,
			const char *path, const struct elf_symbols *symbols,
			struct elf_sites *sites, const char ***ret_names)
{
	const char **names;
	int r;

	moved->left_out = from->left_out ? (enum elf_left_out)from->left_out :
					   ELF_LEFT_OUT_FAILED;
	if (from->left_out)
		return 0;
	if (!moved_check(from->table, from->bytes) || !is_table_of(from->table, sites))
		return -EBADMSG;
	moved->left_out = ELF_LEFT_OUT_NONE;
	moved->head = from->table;
	moved->file.table_bytes = from->bytes;
	sites->table = moved->id;
	names = calloc(moved->head->nr_rows + 1ul, sizeof(*names));
	r = names ? make_names(moved, symbols, path) : -ENOMEM;
	if (!r)
		r = make_sites(moved, symbols, sites, names);
	if (r) {
		free(names);
		function_moved_done(moved);
		moved->head = NULL;
		return r;
	}
	free(*ret_names);
	*ret_names = names;
	return 0;
}

/* ---- reasons ---- */

const char *function_left_out_reason(enum elf_left_out left_out)
{
#define LEFT_OUT_TEXT(name, text)	[ELF_LEFT_OUT_##name] = text,
	static const char *const texts[ELF_LEFT_OUTS] = { ELF_LEFT_OUT_REASONS(LEFT_OUT_TEXT) };
#undef LEFT_OUT_TEXT

	return texts[left_out];
}
