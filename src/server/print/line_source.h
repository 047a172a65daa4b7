/* SPDX-License-Identifier: MIT */
/*
 * Where the lines of a trace get what is not in the records: options, names of threads and
 * functions, formats of events.  The server's source is an instance (line_root.c).  `ulf report`
 * has one for files.
 *
 * One thread calls the methods.
 */
#ifndef ULF_SERVER_LINE_SOURCE_H
#define ULF_SERVER_LINE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/print.h"

struct elf_params;
struct event_format;
struct line;
struct print_program;
struct text;

/* The methods of a source.  @ctx: line_source.ctx. */
struct line_names {
	/* Method comm: return the name of thread @pid, or "<...>". */
	const char *(*comm)(void *ctx, int32_t pid);
	/* Method tgid: return the process of thread @pid; 0: unknown. */
	uint32_t (*tgid)(void *ctx, int32_t pid);
	/* Method symbol: print the function at @addr.  Returns 0, or another value if nothing was
	 * printed. */
	int (*symbol)(const struct line *line, uint64_t addr, enum print_symbol style,
		      struct text *out);
	/* Method file: print the file with the code at @addr, PATH[+0x12].  Returns 0 or another
	 * value, and then may have printed something. */
	int (*file)(const struct line *line, uint64_t addr, struct text *out);
	/* Method printk: return the format of trace_printk() at @addr, or NULL. */
	const char *(*printk)(void *ctx, uint64_t addr);
	/* Method params: return the parameters of the function at @addr, or NULL.  The result is
	 * valid until the next call. */
	const struct elf_params *(*params)(const struct line *line, uint64_t addr);
	/* Method has_event: return true if the event of the record is known. */
	bool (*has_event)(const struct line *line);
	/* Method event: print the event of the record, with a newline.  Returns false if the
	 * event is not known. */
	bool (*event)(const struct line *line, struct text *out);
};

struct line_source {
	const struct line_names *names;
	void *ctx;
	uint64_t options;		/* enum option_bit */
	uint64_t time_start;		/* time that latency-format subtracts */
	uint32_t nr_cpus;
	bool is_in_ns;			/* true: times are ns, printed as seconds */
	bool is_dumped;			/* true: print as with the option latency-format, except
					 * lines of the graph tracer */
};

/*
 * Print the event of the record, as method event does.
 * @program: the compiled print format; NULL, or the option `fields`: print the fields
 * @env: callbacks; hash_ptr is set here
 */
void line_print_event(const struct line *line, const struct event_format *format,
		      const struct print_program *program, const struct print_env *env,
		      struct text *out);

#endif
