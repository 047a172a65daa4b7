/* SPDX-License-Identifier: MIT */
/*
 * The functions of a root that can be traced, and which are: the lists that
 * set_ftrace_filter and its like show, for each instance.
 *
 * A function has a number; numbers stay while the server lives, objects that came
 * later have higher ones.  available_filter_functions lists those that are there
 * in that order.
 */
#ifndef ULF_SERVER_FUNCTIONS_H
#define ULF_SERVER_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/control.h"
#include "abi/functions.h"
#include "server/core/budget.h"
#include "symbols/elf.h"
#include "symbols/elf_sites.h"
#include "symbols/name_index.h"

struct instance;
struct object;
struct function_symbol;
struct root;
struct symbols_from;
struct text;

enum function_list {
	FUNCTION_FILTER,		/* set_ftrace_filter */
	FUNCTION_NOTRACE,		/* set_ftrace_notrace */
	FUNCTION_GRAPH,			/* set_graph_function; the top's alone */
	FUNCTION_GRAPH_NOTRACE,		/* set_graph_notrace; likewise */
	FUNCTION_STACK,			/* stack_trace_filter; likewise */
	FUNCTION_LISTS,
};

#define FUNCTION_OBJECTS_MAX	1024u	/* of a root */

/* A file with functions, where it is loaded; for each of its tables. */
struct function_object {
	char *path;
	uint64_t inode;			/* 0: not known */
	char *module;			/* its short name; NULL: the program */
	uint64_t bias;			/* address in memory - in the file */
	struct elf_sites sites;		/* nr 0: nothing to be traced */
	struct elf_symbols symbols;
	const char **names;		/* of each site, in symbols; NULL: none */
	struct name_index index;	/* of them */
	/* as C++ writes them: function_written.c */
	bool is_written_known;
	const char **written;		/* of each site; NULL: it has none, or all */
	struct name_index written_index;	/* of them */
	uint32_t first;			/* number of its first function */
	bool is_there;			/* a process has it; or all are dead */
	bool was_there;			/* the round before */
	bool is_seen;			/* in this round */
	struct abi_ring_ref profile;	/* struct abi_profile; off 0: none */
};

/*
 * One round through the mappings of all processes, which may take several calls: processes
 * can have any number of mappings.  An object that is met is there at once, one that is not
 * met is gone when the round has ended.
 */
struct functions_round {
	bool is_open;			/* it has not ended */
	bool is_hidden;			/* a process does not let us look */
	uint32_t slot;			/* of the process that is next */
	uint32_t pid;			/* of maps */
	FILE *maps;			/* a list that was read in part; NULL: none */
	uint32_t lines;			/* that this call may still read */
	uint32_t lines_left;		/* that all calls may */
	uint64_t lines_ns;		/* when that was computed */
};

struct functions {
	struct functions_round round;
	struct function_object **objects;
	uint32_t nr_objects;
	uint32_t nr;			/* functions */
	uint32_t nr_rows;		/* of abi_object, when the processes were last seen */
	uint16_t *lists[FUNCTION_LISTS];	/* [nr], a bit for each buffer */
	uint32_t in_list[FUNCTION_LISTS][ABI_BUFFERS];	/* how many */
	bool *is_touched;		/* [nr]: it was traced, once */
	bool has_touched;		/* one of them */
	uint32_t graph_depth;		/* max_graph_depth */
	uint64_t thresh_ns;		/* tracing_thresh */
	uint64_t profile_session;	/* as in abi/functions.h */
	uint8_t graph_sessions[ABI_BUFFERS];	/* as in abi/functions.h */
	struct abi_ring_ref piece;	/* what control->functions names */
	uint64_t serial;
	uint64_t bytes_read;		/* of files, so far */
	struct function_read *reads;	/* files that are being parsed */
	bool is_parsing;		/* the last look has found such */
	uint32_t nr_loaded;		/* objects of the last server that are loaded */
	uint64_t in_piece;		/* which objects have a part in it */
	struct function_search *searches;	/* the one that was used last is first */
	struct budget search_budget;
};

/* ---- functions.c ---- */

/* See which objects the processes have by now, as far as 400,000 mappings suffice, and
 * 100,000 a second when they are used up.  -ENOMEM; -ERESTART: the files of some are still
 * being parsed, so try again (loop.c does so when one is done, and on ticks). */
int functions_refresh(struct root *root);
void functions_done(struct root *root);
/* If any is traced or listed: what has come meanwhile?  @lines: mappings to look at; the
 * next call goes on.  -ERESTART as above, else 0. */
int functions_tick(struct root *root, uint32_t lines);
#define FUNCTIONS_LINES_TICK	20000u	/* 20 ms */
#define FUNCTIONS_LINES_MAX	400000u
/* Is there any function that can be traced, as far as functions_refresh() has seen?  True,
 * too, if a process does not let the server look. */
bool functions_are_there(const struct root *root);
#define FUNCTIONS_NONE	"The program has no function that can be traced; " \
			"was it compiled with -fpatchable-function-entry=5?"
/*
 * May all functions be traced for @instance, as @file asks for?  -EOPNOTSUPP if there is none,
 * with the reason in error_log.  Settings from the start may while they are applied, as objects
 * come later; so may an instance whose set_ftrace_filter waits for a module.
 */
int functions_check(struct instance *instance, const char *file, const char *command);
/* It goes, and traces none any more; its commands are gone. */
void functions_leave(struct instance *instance);

/* One that was loaded once, as @known says: `kind`, `bias` and, if it is known, the
 * build id.  NULL: it has none (any more).  -ERESTART as above. */
int functions_add(struct root *root, const char *path,
		  const struct abi_function_object *known,
		  struct function_object **ret_object);

/* Take the results of parsers that have ended, and charge them to the root. */
void functions_settle(struct root *root);
/* Start to parse such a file if that was not done yet.  -ERESTART: not parsed yet. */
int functions_parse(struct root *root, const char *path,
		    const struct abi_function_object *known);

/* Function @nr: its name, or NULL if it has none; its module, NULL: the
 * program's own. */
const char *function_name(const struct functions *functions, uint32_t nr,
			  const char **ret_module);
/* Where its site is. */
uint64_t function_ip(const struct functions *functions, uint32_t nr);
/* Is it in an object that is there? */
bool function_is_there(const struct functions *functions, uint32_t nr);
/* NULL if there is none of that number; @ret_at: its place in there. */
struct function_object *function_object(const struct functions *functions,
					uint32_t nr, uint32_t *ret_at);

/* root_part.find_symbol: look in the objects with traceable functions. */
int functions_find_symbol(const struct root *root, const struct symbols_from *from,
		     uint64_t addr, const struct object *in,
		     struct function_symbol *ret_symbol);

/* ---- functions_list.c ---- */

bool function_is_in(const struct instance *instance, enum function_list list,
		    uint32_t nr);
void functions_put(struct functions *functions, enum function_list list,
		   uint32_t buffer, uint32_t nr, bool is_in);

/* Some of the functions that there were when it was made. */
struct function_set {
	uint32_t nr;
	uint32_t nr_has;		/* how many of them */
	bool has[];			/* [nr] */
};

/* An empty one, to be freed; NULL: no memory. */
struct function_set *function_set_new(const struct functions *functions);
void functions_list_get(const struct instance *instance, enum function_list list,
			struct function_set *set);
void functions_list_set(struct instance *instance, enum function_list list,
			const struct function_set *set);
/* Find the functions that @word names in the kernel's language (NAME, GLOB, NUMBER, with
 * :mod:MODULE), or, if none is found, as function_written.h finds them.  Put them into @set,
 * or take them out.  Returns how many functions were found; -EINVAL; -ERESTART: names are
 * being demangled or searched, and nothing is changed; -ENOMEM. */
int functions_select(struct root *root, const char *word, bool is_in,
		     struct function_set *set);

/* ---- functions_piece.c ---- */

/* Is there anything that processes are to do, also when objects come? */
bool functions_are_wanted(const struct root *root);
/* Would a new piece have other objects in it? */
bool functions_have_changed(const struct root *root);

/* The buffers that trace functions, a bit each; and who else does. */
struct function_tracers {
	uint16_t function, graph;	/* by that tracer */
	uint16_t profile;		/* by the profiler */
	uint16_t unfiltered;		/* all that is not in set_ftrace_notrace */
	bool has_stack;			/* the stack tracer is on */
	bool has_stack_list;		/* it looks at stack_trace_filter's alone */
};
struct function_tracers functions_tracers(const struct root *root);
/* Who traces function @nr: as in abi/functions.h; but for its commands. */
uint32_t function_users(const struct functions *functions,
			const struct function_tracers *tracers, uint32_t nr);
/* Write to the shared memory what is to be traced.  Then the processes are to
 * be told. */
int functions_publish(struct root *root);
/* The same when somebody traces no more: that is done also if there is no room. */
int functions_publish_off(struct root *root);
/* Load the lists that the last server left.  -ERESTART: call again, files are still being
 * parsed. */
int functions_load(struct root *root);

#endif
