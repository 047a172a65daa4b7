/* SPDX-License-Identifier: MIT */
/* The names that a trace.dat contains: of threads and functions, and formats of
 * trace_printk(). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/text.h"
#include "datfile/dat_impl.h"

/* Return the next line of the text between *@at and @end, with a NUL in place of its
 * newline.  *@at becomes the start of the line after that. */
static char *next_line(char **at, char *end)
{
	char *line = *at, *nl;

	if (line >= end)
		return NULL;
	nl = memchr(line, '\n', (size_t)(end - line));
	if (!nl)
		nl = end;	/* there is a NUL */
	*nl = '\0';
	*at = nl + 1;
	return line;
}

/* ---- threads ---- */

static struct dat_thread *thread_slot(const struct datfile *file, int32_t pid)
{
	uint32_t mask = file->nr_threads - 1, at = (uint32_t)pid * 2654435761u & mask;

	while (file->threads[at].is_used && file->threads[at].pid != pid)
		at = (at + 1) & mask;
	return &file->threads[at];
}

static int grow_threads(struct datfile *file)
{
	struct datfile old = *file;

	file->nr_threads = old.nr_threads ? old.nr_threads * 2 : 256;
	file->threads = calloc(file->nr_threads, sizeof(*file->threads));
	if (!file->threads) {
		*file = old;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < old.nr_threads; i++)
		if (old.threads[i].is_used)
			*thread_slot(file, old.threads[i].pid) = old.threads[i];
	free(old.threads);
	return 0;
}

static struct dat_thread *add_thread(struct datfile *file, int32_t pid)
{
	struct dat_thread *thread;

	if (2 * file->nr_used >= file->nr_threads && grow_threads(file))
		return NULL;
	thread = thread_slot(file, pid);
	if (!thread->is_used) {
		*thread = (struct dat_thread){ .pid = pid, .is_used = true };
		file->nr_used++;
	}
	return thread;
}

/* Read lines `pid comm`. */
static int read_comms(struct datfile *file)
{
	char *at = file->cmdlines.data, *line;

	while ((line = next_line(&at, file->cmdlines.data + file->cmdlines.bytes))) {
		char *rest;
		long pid = strtol(line, &rest, 10);
		struct dat_thread *thread;

		if (rest == line || *rest != ' ')
			continue;
		thread = add_thread(file, (int32_t)pid);
		if (!thread)
			return -ENOMEM;
		strncpy(thread->comm, rest + 1, sizeof(thread->comm) - 1);
	}
	return 0;
}

/* Read the process ids of threads from the facts: lines of the form `tgid PID TGID`. */
static int read_tgids(struct datfile *file)
{
	const char *at = file->facts.data, *end = at + file->facts.bytes;

	for (; at && at < end; at += strlen(at) + 1) {
		struct dat_thread *thread;
		char *rest;
		long pid;

		if (strncmp(at, "tgid ", 5) != 0)
			continue;
		pid = strtol(at + 5, &rest, 10);
		thread = add_thread(file, (int32_t)pid);
		if (!thread)
			return -ENOMEM;
		thread->tgid = (int32_t)strtol(rest, NULL, 10);
	}
	return 0;
}

static const struct dat_thread *find_thread(const struct datfile *file, int32_t pid)
{
	const struct dat_thread *thread = file->threads ? thread_slot(file, pid) : NULL;

	return thread && thread->is_used ? thread : NULL;
}

const char *datfile_comm(const struct datfile *file, int32_t pid)
{
	const struct dat_thread *thread = find_thread(file, pid);

	if (thread && thread->comm[0])
		return thread->comm;
	return pid ? "<...>" : "<idle>";
}

int32_t datfile_tgid(const struct datfile *file, int32_t pid)
{
	const struct dat_thread *thread = find_thread(file, pid);

	return thread ? thread->tgid : 0;
}

/* ---- functions ---- */

static int compare_symbols(const void *a, const void *b)
{
	const struct datfile_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Parse a line of kallsyms: `address type name[\t[module]]`. */
static bool parse_symbol(char *line, struct datfile_symbol *ret_symbol)
{
	char *at, *name, *module;
	uint64_t addr = strtoull(line, &at, 16);

	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3])
		return false;
	name = at + 3;
	module = strchr(name, '\t');
	if (module) {
		size_t len;

		*module++ = '\0';
		len = strlen(module);
		if (len > 2 && module[0] == '[' && module[len - 1] == ']') {
			module[len - 1] = '\0';
			module++;
		}
	}
	*ret_symbol = (struct datfile_symbol){ .start = addr, .name = name, .module = module };
	return true;
}

/* Set the end of each symbol to the start of the next one.  If several symbols have one
 * address, keep the first. */
static void end_symbols(struct datfile *file)
{
	struct datfile_symbol *symbols = file->symbols;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < file->nr_symbols; i++) {
		if (nr && symbols[nr - 1].start == symbols[i].start &&
		    strcmp(symbols[nr - 1].name, "_end") != 0)
			continue;
		if (nr && symbols[nr - 1].start == symbols[i].start)
			nr--;
		symbols[nr++] = symbols[i];
	}
	for (uint32_t i = 0; i < nr; i++)
		symbols[i].end = i + 1 < nr ? symbols[i + 1].start : UINT64_MAX;
	file->nr_symbols = nr;
}

static int read_symbols(struct datfile *file)
{
	char *at = file->kallsyms.data, *end = at + file->kallsyms.bytes, *line;
	size_t lines = 1;

	for (const char *nl = at; nl && (nl = memchr(nl, '\n', (size_t)(end - nl))); nl++)
		lines++;
	file->symbols = malloc(lines * sizeof(*file->symbols));
	if (!file->symbols)
		return -ENOMEM;
	while ((line = next_line(&at, end)))
		if (parse_symbol(line, &file->symbols[file->nr_symbols]))
			file->nr_symbols++;
	qsort(file->symbols, file->nr_symbols, sizeof(*file->symbols), compare_symbols);
	end_symbols(file);
	return 0;
}

const struct datfile_symbol *datfile_symbol(const struct datfile *file, uint64_t addr)
{
	uint32_t low = 0, high = file->nr_symbols;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (file->symbols[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->nr_symbols || file->symbols[low].start > addr ||
	    strcmp(file->symbols[low].name, "_end") == 0)
		return NULL;
	return &file->symbols[low];
}

int datfile_print_symbol(void *file, uint64_t addr, enum print_symbol style, struct text *out)
{
	bool is_return = style == PRINT_SYMBOL_RETURN || style == PRINT_SYMBOL_CALLER;
	const struct datfile_symbol *symbol = datfile_symbol(file, addr - (is_return && addr));

	if (!symbol)
		return -ENOENT;
	text_puts(out, symbol->name);
	if (style == PRINT_SYMBOL_OFFSET || style == PRINT_SYMBOL_RETURN)
		text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64, addr - symbol->start,
			    symbol->end - symbol->start);
	if (style == PRINT_SYMBOL_OFFSET && symbol->module)
		text_printf(out, " [%s]", symbol->module);
	return 0;
}

/* ---- strings that records refer to by address: formats of trace_printk() ---- */

static int compare_strings(const void *a, const void *b)
{
	const struct dat_string *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Replace the escapes of printk_formats: \n, \t, \\, \" and octal numbers. */
static void unescape(char *text)
{
	static const char names[] = "nt\\\"", values[] = "\n\t\\\"";
	char *to = text;

	while (*text) {
		const char *name;

		if (*text != '\\' || !text[1]) {
			*to++ = *text++;
		} else if ((name = strchr(names, text[1]))) {
			*to++ = values[name - names];
			text += 2;
		} else if (strspn(text + 1, "01234567") >= 3) {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* Parse a line of printk_formats: `0xaddress : "text"`. */
static bool parse_string(char *line, struct dat_string *ret_string)
{
	char *at, *last;

	ret_string->addr = strtoull(line, &at, 16);
	at = at == line ? NULL : strchr(at, '"');
	last = at ? strrchr(at, '"') : NULL;
	if (!at || last == at)
		return false;
	*last = '\0';
	unescape(++at);
	ret_string->text = at;
	return true;
}

static int read_strings(struct datfile *file)
{
	char *at = file->printk.data, *end = at + file->printk.bytes, *line;

	while ((line = next_line(&at, end))) {
		uint32_t nr = file->nr_strings;

		if (!(nr & (nr + 1))) {
			void *strings = realloc(file->strings, (2 * (size_t)nr + 2) *
						sizeof(*file->strings));

			if (!strings)
				return -ENOMEM;
			file->strings = strings;
		}
		if (parse_string(line, &file->strings[nr]))
			file->nr_strings++;
	}
	if (file->nr_strings)
		qsort(file->strings, file->nr_strings, sizeof(*file->strings), compare_strings);
	return 0;
}

const char *datfile_printk(const struct datfile *file, uint64_t addr)
{
	const struct dat_string key = { .addr = addr }, *found = NULL;

	if (file->nr_strings)
		found = bsearch(&key, file->strings, file->nr_strings, sizeof(key),
				compare_strings);
	return found ? found->text : NULL;
}

int datfile_print_string(void *file, uint64_t addr, struct text *out)
{
	const char *text = datfile_printk(file, addr);

	if (!text)
		return -ENOENT;
	text_puts(out, text);
	return 0;
}

/* ---- all names ---- */

int dat_names_read(struct datfile *file)
{
	int r = file->cmdlines.data ? read_comms(file) : 0;

	if (!r && file->facts.data)
		r = read_tgids(file);
	if (!r && file->kallsyms.data)
		r = read_symbols(file);
	if (!r && file->printk.data)
		r = read_strings(file);
	return r;
}

void dat_names_done(struct datfile *file)
{
	free(file->threads);
	free(file->cmdlines.data);
	free(file->symbols);
	free(file->kallsyms.data);
	free(file->strings);
	free(file->printk.data);
}
