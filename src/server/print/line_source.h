/* SPDX-License-Identifier: MIT */
/*
 * A source supplies what lines of a trace show although records do not contain it:
 * options, names of threads and functions, formats of events.  The server's source is
 * an instance (line_root.c). `ulf report` has a source for files.
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

/* The methods of a source of names.  @ctx is line_source.ctx. */
struct line_names {
	/* Method comm: return the name of thread @pid, or "<...>". */
	const char *(*comm)(void *ctx, int32_t pid);
	/* Method tgid: return the id of the process of thread @pid; 0 if it is unknown. */
	uint32_t (*tgid)(void *ctx, int32_t pid);
	/* Method symbol: print the name of the function at @addr.  Returns 0; returns
	 * another value if nothing was printed. */
	int (*symbol)(const struct line *line, uint64_t addr, enum print_symbol style,
		      struct text *out);
	/*
	 * Method file: print the name of the file that contains the code at @addr, and
	 * the offset: PATH[+0x12].  Returns 0 on success.  After another value, a part
	 * may have been printed.
	 */
	int (*file)(const struct line *line, uint64_t addr, struct text *out);
	/* Method printk: return the format of trace_printk() that has the address @addr
	 * in the program; NULL if there is none. */
	const char *(*printk)(void *ctx, uint64_t addr);
	/* Method params: return the parameters of the function at @addr; NULL if they are
	 * unknown.  The result is valid until the next call. */
	const struct elf_params *(*params)(const struct line *line, uint64_t addr);
	/* Method has_event: return true if the event of the record on @line is known. */
	bool (*has_event)(const struct line *line);
	/* Method event: print the event of the record on @line, with a newline.  Returns
	 * false if the event is not known. */
	bool (*event)(const struct line *line, struct text *out);
};

struct line_source {
	const struct line_names *names;
	void *ctx;
	uint64_t options;		/* enum option_bit */
	uint64_t time_start;		/* time that latency-format subtracts from the
					 * times of records */
	uint32_t nr_cpus;
	bool is_in_ns;			/* true: times of records are in ns, and are
					 * printed as seconds */
	bool is_dumped;			/* true: print lines (except those of the graph
					 * tracer) as with the option latency-format */
};

/*
 * Print the event of the record, as the method event does.
 * @program: the compiled print format; if it is NULL or the option `fields` is on, the
 *   fields are printed
 * @env: callbacks, of which this function sets @hash_ptr
 */
void line_print_event(const struct line *line, const struct event_format *format,
		      const struct print_program *program, const struct print_env *env,
		      struct text *out);

#endif
