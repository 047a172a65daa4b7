/* SPDX-License-Identifier: MIT */
/*
 * The functions of a root that can be traced, and the lists of set_ftrace_filter,
 * set_ftrace_notrace, ... of each instance.
 *
 * Each function has a number.  Numbers do not change while the server lives; functions of
 * objects that are loaded later get higher numbers.  available_filter_functions lists the
 * functions of loaded objects in this order.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno, unless stated otherwise.
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
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/functions/function_moved.h"
#include "server/part_numbers.h"
#include "symbols/elf.h"
#include "symbols/elf_sites.h"
#include "symbols/name_index.h"

struct extent_list;
struct function_mod;
struct function_probe;
struct function_symbol;
struct object;
struct symbols_from;
struct text;

enum function_list {
	FUNCTION_FILTER,		/* set_ftrace_filter */
	FUNCTION_NOTRACE,		/* set_ftrace_notrace */
	FUNCTION_GRAPH,			/* functions of set_graph_function, a list that
					 * only the top instance has */
	FUNCTION_GRAPH_NOTRACE,		/* functions of set_graph_notrace, a list that
					 * only the top instance has */
	FUNCTION_STACK,			/* functions of stack_trace_filter, a list that
					 * only the top instance has */
	FUNCTION_LISTS,
};

#define FUNCTION_OBJECTS_MAX	2048u	/* maximum number of objects of one root */

/*
 * One table of function sites in a file that is, or was, loaded at one address.  A
 * file with several tables has one struct function_object for each.  A file without a
 * table has one struct function_object without functions.  If its functions are
 * needed, its code is analysed, and a second struct function_object of the kind
 * FSITE_MOVED gets the functions.
 */
struct function_object {
	char *path;
	uint64_t inode;			/* inode number of the object's file; 0 if it is
					 * unknown */
	char *module;			/* short name of the object's file; NULL for the
					 * program */
	uint64_t bias;			/* load bias: address in memory minus address in
					 * the file */
	struct elf_sites sites;		/* function sites of the file; if sites.nr is 0,
					 * none of its functions can be traced */
	struct elf_symbols symbols;
	struct function_moved moved;	/* if @is_moved is set */
	bool is_moved;			/* true: the kind is FSITE_MOVED, so the functions
					 * come from an analysis of the code */
	bool can_move;			/* true: the object's file has no table that a
					 * compiler made, so its code can be analysed */
	bool is_needed;			/* used if @can_move is set; true: the analysis of
					 * the code is needed */
	bool is_analysed;		/* used if @can_move is set; true: the code was
					 * analysed, and another struct function_object
					 * has the result */
	const char **names;		/* raw name of each function site, in @symbols or
					 * in @moved; NULL if the site has no name */
	struct name_index index;	/* index by which a raw name is found in @names */
	/* Written (demangled) names of functions. function_written.c sets @is_written_known,
	 * @written and @written_index. */
	bool is_written_known;		/* true: the names were demangled, or need no
					 * demangling */
	const char **written;		/* written name of each function site, NULL if the
					 * site has none; the whole array is NULL if no
					 * site has one */
	struct name_index written_index;	/* index by which a written name is found
						 * in @written */
	uint32_t first;			/* number of the object's first function; the
					 * other functions have the numbers after it */
	bool is_there;			/* true: the object is loaded: a process
					 * has mapped it, or the last process
					 * had mapped it when it ended */
	bool was_there;			/* value of @is_there when the current round (struct
					 * functions_round) began */
	bool is_seen;			/* true: the current round has found a mapping of
					 * the object */
	struct abi_ring_ref profile;	/* block with the figures of the profiler (struct
					 * abi_profile) for the object; its offset is 0 if
					 * there is no block */
};

/*
 * One round through the mappings of all processes, to find objects.  A round may need
 * several calls, because processes can have any number of mappings.  An object that is
 * found counts as loaded at once.  An object that is not found counts as unloaded when
 * the round ends.
 */
struct functions_round {
	bool is_open;			/* true: a round has begun and has not ended */
	bool is_hidden;			/* true: the server is not allowed to read the
					 * mappings of a process */
	uint32_t slot;			/* process slot of the process whose mappings are
					 * read next in this round */
	uint32_t pid;			/* pid of the process to which @maps belongs */
	FILE *maps;			/* stream of /proc/PID/maps, partly read; NULL if
					 * the file is not open */
	uint32_t lines;			/* number of lines of /proc/PID/maps that the
					 * current call may still read */
	uint32_t lines_left;		/* number of lines of /proc/PID/maps that all
					 * calls together may still read; this budget
					 * grows with time */
	uint64_t lines_ns;		/* time when @lines_left was last computed,
					 * CLOCK_MONOTONIC */
};

/* All functions of a root.  This is the state of ROOT_PART_FUNCTIONS. */
struct functions {
	struct functions_round round;
	struct function_object **objects;
	uint32_t nr_objects;
	uint32_t nr;			/* number of functions in all objects together */
	uint32_t nr_rows;		/* number of rows that the root's table of objects
					 * had when the last round ended */
	uint16_t *lists[FUNCTION_LISTS];	/* for each list and each function, one
						 * bit per buffer: 1 if the function is in
						 * this list of the buffer */
	uint32_t in_list[FUNCTION_LISTS][ABI_BUFFERS];	/* number of functions in each list of
							 * each buffer */
	bool *is_touched;		/* for each function: true if it is or was traced */
	bool has_touched;		/* true: at least one element of @is_touched is true */
	uint32_t graph_depth;		/* value of max_graph_depth; 0 if there is no
					 * limit */
	uint64_t thresh_ns;		/* value of tracing_thresh, ns; 0 if there is no
					 * threshold */
	uint64_t profile_session;	/* number of the current session of the profiler
					 * (abi_functions.profile_session) */
	uint8_t graph_sessions[ABI_BUFFERS];	/* for each buffer, number of the graph
						 * tracer's current session
						 * (abi_functions.graph_sessions) */
	struct abi_ring_ref block;	/* the block of functions that is published, to
					 * which abi_control.functions refers */
	uint64_t serial;		/* serial number of the block of functions that
					 * was published last */
	uint64_t bytes_read;		/* total size of the files that were parsed for
					 * the root, bytes */
	struct function_read *reads;	/* list of tables in files that are being parsed,
					 * or whose result was not used yet */
	bool is_parsing;		/* true: the current round has found files that
					 * are not parsed yet */
	uint32_t nr_loaded;		/* number of objects in the previous server's
					 * block that functions_load() has handled so
					 * far */
	bool is_calls_known;		/* true: @wants_calls was computed */
	bool wants_tables;		/* true: a process looks for functions by name
					 * (ABI_PROCESS_TABLES) */
	bool wants_calls;		/* true: the boot settings ask for system calls, whose rows
					 * are in the tables of moved functions */
	uint32_t libcalls_needed;	/* events of libc's functions (enum libcall_event_id) that
					 * were switched on at some time, one bit for each */
	uint32_t libcalls_published;	/* bits of the events whose functions @block contains */
	uint64_t block_objects;		/* checksum of the objects that @block contains */
	struct function_search *searches;	/* list of searches for written names, the
						 * most recently used first */
	struct budget search_budget;
};

/* The commands of functions of an instance, and the entries of its set_ftrace_filter
 * and set_ftrace_notrace that wait for a module.  This is the state of
 * INSTANCE_PART_FUNCTIONS. */
struct instance_functions {
	struct function_probe *probes;	/* commands of functions in set_ftrace_filter,
					 * newest first */
	struct function_mod *mods;	/* entries of the lists that wait for a module,
					 * newest first */
};

/* Return the state of ROOT_PART_FUNCTIONS of @root: its functions. */
static inline struct functions *root_functions(const struct root *root)
{
	return root->part_state[ROOT_PART_FUNCTIONS];
}

/* Return the state of INSTANCE_PART_FUNCTIONS of @instance: its commands of functions, and the
 * entries that wait for a module. */
static inline struct instance_functions *instance_functions(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_FUNCTIONS];
}

/* ---- functions that are defined in functions.c ---- */

/*
 * Find the objects that the processes have mapped now.  All calls for a root share a
 * budget of mappings that may be read: FUNCTIONS_LINES_MAX at first, and each second
 * adds 100,000, up to this maximum.  Returns 0, -ENOMEM or -ERESTART.  After
 * -ERESTART, files are still being parsed or the budget is spent, and the caller must
 * call again when a parser has ended, or on the next tick.
 */
int functions_refresh(struct root *root);
/* Method root_part.done: free all objects, results of parsers and searches. */
void functions_done(struct root *root);
/*
 * If functions are traced or listed, look for new objects.  If there are new ones,
 * publish the functions.  @lines: number of lines of /proc/PID/maps that may be read;
 * the next call continues.  Returns -ERESTART if files are still being parsed, else 0.
 */
int functions_tick(struct root *root, uint32_t lines);
#define FUNCTIONS_LINES_TICK	20000u	/* maximum number of lines of /proc/PID/maps that
					 * one tick reads; this takes about 20 ms */
#define FUNCTIONS_LINES_MAX	400000u
/*
 * Return true if functions_refresh() has found a function that can be traced.  Also
 * return true if the server is not allowed to read the mappings of a process, because
 * that process may have such a function.
 */
bool functions_are_there(const struct root *root);
#define FUNCTIONS_NONE	"The program has no function that can be traced; " \
			"untraceable_functions has the reasons"
/*
 * Check that there are functions before tracing is switched on for @instance.
 * @command: the text that was written to @file.  Returns 0.  If there is no function,
 * reports this in error_log and returns -EOPNOTSUPP.  In two cases functions may come
 * later, so 0 is returned although there is none: while boot settings are applied, and
 * if set_ftrace_filter waits for a module.
 */
int functions_check(struct instance *instance, const char *file, const char *command);
/*
 * Called when @instance is removed: clears the instance's lists of functions, sets its
 * tracer to nop and publishes the change.  The caller has already freed the instance's
 * commands of functions.
 */
void functions_leave(struct instance *instance);

/*
 * Add an object that was loaded in the past.  @known: the object's `kind`, `bias` and,
 * if the build id is known, the build id.  *@ret_object is NULL if the file has no
 * functions now.  Returns 0; -ERESTART if the file is not parsed yet, so that the
 * caller must call again later; or -ENOMEM.
 */
int functions_add(struct root *root, const char *path,
		  const struct abi_function_object *known,
		  struct function_object **ret_object);

/* Method root_part.parsed: take the results of parsers that have ended, and count the
 * bytes that the parsers have read against the root's limit. */
void functions_settle(struct root *root);
/*
 * Start to parse the file at @path for a later functions_add(), unless this was done
 * already.  Returns 0; -ERESTART if the file is not parsed yet; or -ENOMEM.
 */
int functions_parse(struct root *root, const char *path,
		    const struct abi_function_object *known);

/*
 * Return the raw name of function @nr.  Returns NULL if the function has no name, or
 * if there is no such function (then *@ret_module is not set).  *@ret_module is set to
 * the module of the function; NULL for the program.
 */
const char *function_name(const struct functions *functions, uint32_t nr,
			  const char **ret_module);
/* Return the address, in the program's memory, of the site of function @nr; 0 if there is
 * no such function. */
uint64_t function_ip(const struct functions *functions, uint32_t nr);
/* Return true if the object to which function @nr belongs is loaded. */
bool function_is_there(const struct functions *functions, uint32_t nr);
/*
 * Return the object of function @nr, or NULL if there is no such function.  *@ret_at is the
 * index of the function in the object.
 */
struct function_object *function_object(const struct functions *functions,
					uint32_t nr, uint32_t *ret_at);

/* Return true if @object and @in are one file at one address. */
bool function_object_is(const struct function_object *object, const struct object *in);
/*
 * Method root_part.find_symbol: find the symbol at @addr in objects with traceable
 * functions, newest object first.  @in: object in which to search; NULL for all
 * objects.  Returns 0 or -ENOENT.
 */
int functions_find_symbol(const struct root *root, const struct symbols_from *from,
			  uint64_t addr, const struct object *in,
			  struct function_symbol *ret_symbol);

/* ---- functions that are defined in functions_list.c ---- */

/* Return true if function @nr is in @list of @instance. */
bool function_is_in(const struct instance *instance, enum function_list list,
		    uint32_t nr);
/* Add function @nr to @list of the instance with this buffer number if @is_in is true;
 * otherwise remove it from the list. */
void functions_put(struct functions *functions, enum function_list list,
		   uint32_t buffer, uint32_t nr, bool is_in);

/* A set of functions.  A function that was found after the set was made is not in it. */
struct function_set {
	uint32_t nr;			/* limit of the functions that can be in the set:
					 * their numbers are below @nr */
	uint32_t nr_has;		/* number of functions that are in the set */
	bool *has;			/* for each function: true if the function is in
					 * the set */
};

/* Make an empty set of functions.  The caller frees it with function_set_free().  Returns NULL
 * if there is no memory. */
struct function_set *function_set_new(const struct functions *functions);
/* Make space in @set for the functions that were found after it was made.  Returns 0 or
 * -ENOMEM. */
int function_set_grow(const struct functions *functions, struct function_set *set);
/* Free @set.  @set may be NULL. */
void function_set_free(struct function_set *set);
/* Fill @set with the functions that are in @list of @instance. */
void functions_list_get(const struct instance *instance, enum function_list list,
			struct function_set *set);
/* Replace the functions in @list of @instance with those in @set. */
void functions_list_set(struct instance *instance, enum function_list list,
			const struct function_set *set);
/*
 * Find the functions that @word names in a list of @instance, and add them to @set if
 * @is_in is true; otherwise remove them from @set.  @word is NAME, GLOB or NUMBER,
 * with :mod:MODULE, as in the kernel.  If no raw name matches, searches other names,
 * as function_written_select() does.  If the program has no such function, libraries
 * are searched that no compiler has prepared; this may find new functions, for which
 * @set grows.  Returns the number of functions found; -EINVAL; -ERESTART if files are
 * being parsed, or names are being demangled or searched (then @set is unchanged, and
 * the caller must call again later); or -ENOMEM.
 */
int functions_select(struct instance *instance, const char *word, bool is_in,
		     struct function_set *set);

/* ---- functions that are defined in functions_block.c ---- */

/*
 * Return true if there are settings of functions: a tracer, a list, a command, or another
 * setting that processes must apply.  Such settings also apply to objects that are loaded
 * later.
 */
bool functions_are_wanted(const struct root *root);
/* Return true if a new block of functions would contain other objects than the published
 * one. */
bool functions_have_changed(const struct root *root);

/* The users of functions that are switched on: tracers, as one bit for each buffer, the
 * profiler and the stack tracer. */
struct function_tracers {
	uint16_t entries, returns;	/* @entries: buffers whose tracer traces the
					 * entries of functions; @returns: buffers whose
					 * tracer also traces their returns */
	uint16_t profile;		/* 1 (bit 0) if the profiler is on, else 0 */
	uint16_t unfiltered;		/* bitmap of the buffers whose set_ftrace_filter
					 * is empty */
	uint16_t all_objects;		/* bitmap of the buffers whose option all-objects
					 * is on */
	uint16_t graph_named;		/* bitmap of the buffers whose graph tracer uses a
					 * function only if set_graph_function or
					 * set_graph_notrace has it */
	bool has_stack;			/* true: the stack tracer is on */
	bool has_stack_list;		/* true: the stack tracer uses only functions of
					 * stack_trace_filter */
};
/* Return the tracers and other users of functions that are on now. */
struct function_tracers functions_tracers(const struct root *root);
/*
 * Return the users of function @nr as bits of abi/functions.h, without
 * ABI_FUNCTIONS_PROBES.
 */
uint32_t function_users(const struct functions *functions,
			const struct function_tracers *tracers, uint32_t nr);
/*
 * Publish a new block with the functions that must be traced, and retire the old block.
 * The caller must call apply_start() afterwards.  Returns 0; -ENOMEM if the block is too
 * large or the arena is full; -ENOSPC if the file system is full; or -EIO.  After an
 * error the old block stays in use.
 */
int functions_publish(struct root *root);
/*
 * Publish a new block, as functions_publish() does, after a tracer was switched off.
 * If a new block cannot be made, the users that are off are removed from the published
 * block.
 */
int functions_publish_off(struct root *root);
/* Method root_part.list_blocks: list the published block of functions. */
void functions_list_blocks(const struct root *root, struct extent_list *list);
/*
 * Method root_part.load: load the lists and settings that the previous server has
 * published.
 * Returns 0; -ERESTART if files are still being parsed, so that the caller must call again
 * later; or -ENOMEM.
 */
int functions_load(struct root *root);

#endif
