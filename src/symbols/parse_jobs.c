/* SPDX-License-Identifier: MIT */
/*
 * The code that runs in parsers.  A hostile file may take over such a process.  But all
 * that it can then do is to return wrong names of its own functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/usdt.h"
#include "base/bits.h"
#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"
#include "symbols/elf_args.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_moved.h"
#include "symbols/elf_moved_cache.h"
#include "symbols/elf_sites.h"
#include "symbols/elf_usdt.h"
#include "symbols/parse_impl.h"

#define STRINGS_MAX	(1ull << 30)
#define MB		(1ull << 20)

/* ---- ask the server to open separate debug files ---- */

static int ask_server(const struct elf_finder *finder, const struct elf_ask *ask,
		      int *ret_fd)
{
	struct parse_message message = { .type = PARSE_ASK, .ask = *ask };
	int nr = 0;

	(void)finder;
	if (send(PARSE_FD_CHANNEL, &message, sizeof(message), MSG_NOSIGNAL) !=
	    sizeof(message) ||
	    parse_receive(PARSE_FD_CHANNEL, &message, sizeof(message), ret_fd, 1, &nr) !=
	    sizeof(message))
		return -EPIPE;
	return message.value ? message.value : nr ? 0 : -ENOENT;
}

static const struct elf_finder server_finder = { .open = ask_server };

static struct elf_source make_elf_source(const struct parse_request *request,
					 uint64_t *bytes_left)
{
	return (struct elf_source){
		.fd = PARSE_FD_INPUT,
		.build_id = request->build_id,
		.build_id_bytes = min_u32(request->build_id_bytes,
					  sizeof(request->build_id)),
		.bytes_left = bytes_left, .finder = &server_finder,
	};
}

/* ---- write symbols and sites to the result ---- */

static int write_result_bytes(const void *data, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes; ) {
		ssize_t n = write(PARSE_FD_RESULT, (const char *)data + done,
				  bytes - done);

		if (n <= 0)
			return -EFBIG;
		done += (uint64_t)n;
	}
	return 0;
}

/*
 * Make the array of symbols for the result.  *@ret_bytes: total length of the symbols' names,
 * which are stored in the order of the symbols.  Returns NULL if there is no memory.
 */
static struct parse_symbol *make_symbol_rows(const struct elf_symbols *symbols, uint64_t *ret_bytes)
{
	struct parse_symbol *rows = malloc((symbols->nr + 1ul) * sizeof(*rows));

	*ret_bytes = 0;
	for (uint32_t i = 0; rows && i < symbols->nr; i++) {
		const struct elf_symbol *row = &symbols->rows[i];

		rows[i] = (struct parse_symbol){ row->addr, row->size, *ret_bytes };
		*ret_bytes += strlen(row->name) + 1;
	}
	return rows;
}

static int write_symbol_names(const struct elf_symbols *symbols, const struct parse_symbol *rows,
			      uint64_t bytes)
{
	char *names = malloc(bytes + 1);

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < symbols->nr; i++)
		memcpy(names + rows[i].name, symbols->rows[i].name,
		       (i + 1 < symbols->nr ? rows[i + 1].name : bytes) - rows[i].name);
	return write_result_bytes(names, bytes);
}

/*
 * Find a symbol as elf_symbols_find() does, for addresses that rise from call to call.
 * @last: result of the previous call.  The symbol after @last is tried first, because usually
 * it contains the next address.
 */
static const struct elf_symbol *find_next_symbol(const struct elf_symbols *symbols,
						 const struct elf_symbol *last, uint64_t addr)
{
	const struct elf_symbol *next = last ? last + 1 : symbols->rows;
	const struct elf_symbol *end = symbols->rows + symbols->nr;

	if (next < end && addr - next->addr < next->size &&
	    (next + 1 == end || next[1].addr > addr))
		return next;
	return elf_symbols_find(symbols, addr);
}

/* Write the function sites to the result.  For each site also write 1 + the number of its
 * symbol, or 0 if it has no symbol. */
static int write_sites(const struct elf_sites *sites, const struct elf_symbols *symbols)
{
	uint32_t *names = malloc((sites->nr + 1ul) * sizeof(*names));
	const struct elf_symbol *symbol = NULL;
	int r;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < sites->nr; i++) {
		symbol = find_next_symbol(symbols, symbol, sites->addrs[i]);
		names[i] = symbol ? (uint32_t)(symbol - symbols->rows) + 1 : 0;
	}
	r = write_result_bytes(sites->addrs, sites->nr * (uint64_t)sizeof(*sites->addrs));
	if (!r)
		r = write_result_bytes(sites->rows, sites->nr * (uint64_t)sizeof(*sites->rows));
	if (!r)
		r = write_result_bytes(names, sites->nr * (uint64_t)sizeof(*names));
	free(names);
	return r;
}

/* ---- the jobs PARSE_SYMBOLS and PARSE_SITES ---- */

static void list_segments(const struct elf_source *source, struct parse_head *head)
{
	struct elf_file file;
	int r = elf_file_open_source(source, &file);

	for (uint32_t i = 0; !r && i < file.head.e_phnum; i++) {
		const Elf64_Phdr *program = &file.programs[i];

		if (program->p_type != PT_LOAD || program->p_flags & PF_W ||
		    head->nr_segments == PARSE_SEGMENTS_MAX)
			continue;
		head->segments[head->nr_segments++] = (struct parse_segment){
			program->p_vaddr, program->p_offset, program->p_filesz,
		};
	}
	elf_file_close(&file);
}

/* Write the table of moved functions.  The table is padded, because the symbols after it
 * must be aligned. */
static int write_moved(const struct elf_moved *moved)
{
	static const char zeroes[8];
	int r = write_result_bytes(moved->head, moved->bytes);

	return r ? r : write_result_bytes(zeroes, ALIGN_UP(moved->bytes, 8) - moved->bytes);
}

/* Write the result of the job.  No memory is freed, because the process is about to end. */
static int write_result(struct parse_head *head, const struct elf_symbols *symbols,
			const struct elf_sites *sites, const struct elf_moved *moved)
{
	struct parse_symbol *rows = make_symbol_rows(symbols, &head->strings_bytes);
	int r;

	if (!rows)
		return -ENOMEM;
	head->magic = PARSE_MAGIC;
	head->nr_symbols = symbols->nr;
	head->first = moved->end ? moved->first : symbols->first;
	head->end = moved->end ? moved->end : symbols->end;
	head->moved_bytes = moved->bytes;
	head->left_out = moved->left_out;
	if (head->strings_bytes > STRINGS_MAX)
		return -EFBIG;
	r = write_result_bytes(head, sizeof(*head));
	if (!r)
		r = write_moved(moved);
	if (!r)
		r = write_result_bytes(rows, symbols->nr * (uint64_t)sizeof(*rows));
	if (!r)
		r = write_sites(sites, symbols);
	return r ? r : write_symbol_names(symbols, rows, head->strings_bytes);
}

static int run_symbols(const struct parse_request *request, uint64_t *bytes_left)
{
	struct parse_head head = { .next_kind = FSITE_KINDS };
	struct elf_source source = make_elf_source(request, bytes_left);
	const struct elf_sites no_sites = { 0 };
	const struct elf_moved no_moved = { .head = NULL };
	struct elf_symbols symbols;
	int r = elf_symbols_parse(&source, &symbols);

	if (r)
		return r;
	list_segments(&source, &head);
	return write_result(&head, &symbols, &no_sites, &no_moved);
}

static struct elf_moved_cache make_cache(const struct parse_request *request)
{
	return (struct elf_moved_cache){
		.old_fd = request->cache & PARSE_CACHE_OLD ? PARSE_FD_OLD : -1,
		.new_fd = request->cache & PARSE_CACHE_NEW ? PARSE_FD_NEW : -1,
	};
}

/* Run the job PARSE_SITES.  A file without symbols is not an error: its function sites
 * have no names, but can be traced. */
static int run_sites(const struct parse_request *request, uint64_t *bytes_left)
{
	struct parse_head head = { .kind = 0 };
	struct elf_source source = make_elf_source(request, bytes_left);
	struct elf_moved_cache cache = make_cache(request);
	struct elf_moved moved = { .head = NULL };
	struct elf_symbols symbols = { 0 };
	enum fsite_kind next = FSITE_KINDS;
	struct elf_sites sites;
	int r = request->kind == FSITE_MOVED ?
		elf_moved_parse(&source, &cache, &sites, &moved) :
		elf_sites_parse(&source, request->kind, &sites, &next);

	if (r)
		return r;
	head = (struct parse_head){
		.kind = sites.kind, .next_kind = next,
		.nr_rows = sites.nr_rows, .nr_sites = sites.nr,
		.build_id_bytes = sites.build_id_bytes,
		.table = sites.table, .text = sites.text, .text_end = sites.text_end,
		.text_off = sites.text_off, .id = sites.id,
		.cache = (cache.is_old_used ? PARSE_CACHE_OLD : 0) |
			 (cache.is_new_written ? PARSE_CACHE_NEW : 0),
	};
	memcpy(head.build_id, sites.build_id, sizeof(head.build_id));
	if ((sites.nr || moved.head) && elf_symbols_parse(&source, &symbols))
		symbols = (struct elf_symbols){ 0 };
	if (moved.head)
		elf_moved_refuse_names(&moved, &symbols);
	return write_result(&head, &symbols, &sites, &moved);
}

/* ---- the job PARSE_USDT: list USDT probes ---- */

static int run_usdt(const struct parse_request *request, uint64_t *bytes_left)
{
	struct elf_source source = make_elf_source(request, bytes_left);
	struct text table;
	int r;

	text_init(&table, USDT_BYTES_MAX);
	r = elf_usdt_parse(&source, &table);
	return r ? r : write_result_bytes(table.data, table.len);
}

/* ---- the job PARSE_DEMANGLE: demangle names ---- */

/*
 * Limit the memory of the process by the size of the input, so that one malicious name
 * cannot use much more memory than normal names need.
 */
static void prepare_demangle(struct parse_limits *limits)
{
	off_t bytes = lseek(PARSE_FD_INPUT, 0, SEEK_END);

	if (bytes >= 0)
		limits->memory_bytes = min_u64(limits->memory_bytes,
					       16 * MB + 8 * (uint64_t)bytes);
	demangle_prepare();
}

static char *read_demangle_input(uint64_t *ret_bytes)
{
	off_t bytes = lseek(PARSE_FD_INPUT, 0, SEEK_END);
	char *input = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;

	if (!input || pread(PARSE_FD_INPUT, input, (size_t)bytes, 0) != bytes)
		return NULL;
	input[bytes] = '\0';
	*ret_bytes = (uint64_t)bytes;
	return input;
}

static int demangle_all_names(const char *names, uint64_t bytes, uint32_t *rows, struct text *out)
{
	for (uint64_t at = 0; at < bytes; at += strlen(names + at) + 1) {
		size_t before = out->len;

		*rows = 0;
		if (demangle_name(names + at, out)) {
			*rows = (uint32_t)before + 1;
			text_putc(out, '\0');
		}
		rows++;
	}
	return out->error;
}

static int run_demangle(const struct parse_request *request, uint64_t *bytes_left)
{
	struct parse_plain_head head = { .magic = PARSE_MAGIC };
	uint64_t bytes = 0;
	char *names = read_demangle_input(&bytes);
	struct text out;
	uint32_t *rows;
	int r;

	(void)request;
	if (!names)
		return -ENOMEM;
	for (uint64_t at = 0; at < bytes; at += strlen(names + at) + 1)
		head.nr++;
	rows = malloc((head.nr + 1ul) * sizeof(*rows));
	text_init(&out, min_u64(*bytes_left, UINT32_MAX - ELF_NAME_MAX));
	/* Reserve memory for the output first.  If a name exceeds the demangler's
	 * limits, its memory is leaked, so too little could be left for the output
	 * later. */
	r = rows && text_reserve(&out, min_u64(4 * bytes, out.max)) ?
	    demangle_all_names(names, bytes, rows, &out) : -ENOMEM;
	head.strings_bytes = out.len;
	if (!r)
		r = write_result_bytes(&head, sizeof(head));
	if (!r)
		r = write_result_bytes(rows, head.nr * (uint64_t)sizeof(*rows));
	return r ? r : write_result_bytes(out.data, out.len);
}

/* ---- the job PARSE_PARAMS: a session about parameters ---- */

static struct elf_args *session;

static int run_params(const struct parse_request *request, uint64_t *bytes_left)
{
	struct elf_source source = make_elf_source(request, bytes_left);

	session = elf_args_parse(&source);
	return session ? 0 : -ENOENT;
}

static void convert_param(const struct elf_param *from, struct parse_param *to)
{
	*to = (struct parse_param){
		.bytes = from->bytes, .kind = from->kind,
		.is_on_stack = from->is_on_stack, .nr_words = from->nr_words,
		.regs = { from->regs[0], from->regs[1] }, .has_name = from->name != NULL,
	};
	if (from->name)
		memcpy(to->name, from->name, strnlen(from->name, sizeof(to->name) - 1));
}

static bool answer_query(struct parse_answer *answer, uint64_t addr)
{
	const struct elf_params *params = elf_args_find(session, addr);
	size_t bytes;

	*answer = (struct parse_answer){
		.type = PARSE_ANSWER, .addr = addr, .is_known = params != NULL,
		.nr = params ? min_u32(params->nr, PARSE_PARAMS_MAX) : 0,
		.is_over = elf_args_is_over(session),
	};
	for (uint32_t i = 0; i < answer->nr; i++)
		convert_param(&params->rows[i], &answer->params[i]);
	bytes = sizeof(*answer) + answer->nr * sizeof(answer->params[0]);
	return send(PARSE_FD_CHANNEL, answer, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static void serve_params(void)
{
	struct parse_answer *room = malloc(PARSE_ANSWER_MAX);
	struct parse_message query;
	int nr;

	while (room &&
	       parse_receive(PARSE_FD_CHANNEL, &query, sizeof(query), NULL, 0, &nr) ==
	       sizeof(query) && query.type == PARSE_QUERY && answer_query(room, query.addr))
		;
}

/* ---- the table of jobs ---- */

/* The table of jobs.  The limits of wall-clock time are generous, because the machine may be
 * busy. */
const struct parse_job_type parse_job_types[PARSE_JOBS] = {
	[PARSE_SYMBOLS] = {
		.name = "ulf-symbols", .run = run_symbols,
		.limits = { 512 * MB, 128 * MB, 5, 15 },
	},
	[PARSE_SITES] = {
		.name = "ulf-sites", .run = run_sites,
		.limits = { 2560 * MB, 1024 * MB, 10, 30 },
	},
	[PARSE_DEMANGLE] = {
		.name = "ulf-demangle", .prepare = prepare_demangle,
		.run = run_demangle,
		.limits = { 512 * MB, 256 * MB, 3, 10 },
	},
	[PARSE_PARAMS] = {
		.name = "ulf-params", .run = run_params, .serve = serve_params,
		.limits = { 1024 * MB, 0, 60, 0 },
	},
	[PARSE_USDT] = {
		.name = "ulf-usdt", .run = run_usdt,
		.limits = { 2560 * MB, USDT_BYTES_MAX, 10, 30 },
	},
};
