/* SPDX-License-Identifier: MIT */
/*
 * Parts: features of roots and instances, as the core sees them.
 *
 * The core (server/core) attaches to roots, watches processes and drives ticks.  All
 * other work for a root is in parts: one row each, listed in daemon/parts.c.  A new feature
 * adds a number to server/parts.h and a row there; no file of the core names it.
 *
 * Every method is optional, runs in the server's only thread and must not block.  Methods
 * are called in the order of the table; done() and drop() in the opposite order.
 */
#ifndef ULF_SERVER_PART_H
#define ULF_SERVER_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct abi_rule;
struct extent_list;
struct function_symbol;
struct instance;
struct object;
struct root;
struct server_root_info;
struct symbols_from;
struct text;
struct tracer;

struct root_part {
	const char *name;
	/* Size of the part's state of a root, root->part_state[NUMBER].  The core allocates
	 * it, filled with zeroes, with the root and frees it with the root.  So it also exists
	 * while the root is asleep, and done() must leave it as init() expects it.  0: the part
	 * has no state; or init() allocates it, or its first use, and done() frees it. */
	size_t state_bytes;
	/* The memory of @root has been mapped and its processes are known.  Returns -errno. */
	int (*init)(struct root *root);
	/* Load the state that the previous server left, after all init().  Returns -errno,
	 * or -ERESTART if a parser is still at work: then the method is called again. */
	int (*load)(struct root *root);
	/* Release all that belongs to @root.  Also called after a failed init(), and twice. */
	void (*done)(struct root *root);
	/* About once a second, for a root that is awake. */
	void (*tick)(struct root *root);
	/* A program starts, or waits for the server: apply what must be in force before it
	 * continues.  Returns -ERESTART if a parser is still at work: the program keeps
	 * waiting. */
	int (*prepare)(struct root *root);
	/* A process has loaded an object and waits (abi_control.asked).  Returns false if
	 * a parser is still at work. */
	bool (*answer)(struct root *root);
	/* A parser of @root has ended.  The root may still be loading. */
	void (*parsed)(struct root *root);
	/* Like parsed(), for a root that is loaded and usable.  @is_awaited: a program
	 * waits, and prepare() is called next. */
	void (*settled)(struct root *root, bool is_awaited);
	/* Do not wait any more for files that are being parsed. */
	void (*stop_waiting)(struct root *root);
	/* List the blocks that processes may use, with arena_list_block(), so that the arena
	 * does not use their memory for others. */
	void (*list_blocks)(const struct root *root, struct extent_list *list);
	/* Has the part recorded anything?  A dead root without records is removed. */
	bool (*has_recorded)(const struct root *root);
	/* Has the part anything that would be lost if the root fell asleep? */
	bool (*has_unsaved)(const struct root *root);
	/* Add the part's figures for `ulf ls`. */
	void (*add_info)(struct root *root, struct server_root_info *info);
	/* Find the symbol at @addr in the object @in.  @in NULL: in any object.  Returns
	 * -ENOENT. */
	int (*find_symbol)(const struct root *root, const struct symbols_from *from,
			   uint64_t addr, const struct object *in,
			   struct function_symbol *ret_symbol);
};

struct instance_part {
	const char *name;
	/* Size of the part's state of an instance, instance->part_state[NUMBER].  The core
	 * allocates it, filled with zeroes, before load(), and frees it when nothing refers to
	 * the instance any more, which may be long after done().  0: the part has no
	 * state. */
	size_t state_bytes;
	/* Buffer @number of @root is about to be used by a new instance: clear what an earlier
	 * instance has left for it in the tables of the root's memory. */
	void (*reset)(struct root *root, uint32_t number);
	/* Set up a new @instance, or load the state that the previous server left.  Returns
	 * -errno. */
	int (*load)(struct instance *instance);
	/* Release all that belongs to @instance in this server. */
	void (*done)(struct instance *instance);
	/* @instance is being removed: retire its settings in the root's memory.  Processes
	 * are asked to apply the change after all drop() have run. */
	void (*drop)(struct instance *instance);
	/* About once a second, for a root that is awake. */
	void (*tick)(struct instance *instance);
	/* As root_part.list_blocks. */
	void (*list_blocks)(const struct instance *instance, struct extent_list *list);
	bool (*has_recorded)(const struct instance *instance);
	void (*add_info)(struct instance *instance, struct server_root_info *info);

	/*
	 * A part may have one rule of its own in the block of rules (abi/rules.h).
	 * @rule_row is the number of that rule; 0: the part has none.  If has_rule() returns
	 * true, put_rule() is called: it writes the rule's data to @block and fills
	 * @ret_rule. load_rule() gets copies of these data, which may be hostile: @triggers
	 * has @bytes bytes and is aligned, @text ends in a NUL; either may be NULL.
	 */
	uint32_t rule_row;
	bool (*has_rule)(const struct instance *instance);
	void (*put_rule)(const struct instance *instance, struct text *block,
			 struct abi_rule *ret_rule);
	void (*load_rule)(struct instance *instance, const void *triggers, uint32_t bytes,
			  char *text);
};

struct server_parts {
	const struct root_part *roots;
	size_t nr_roots;
	const struct instance_part *instances;
	size_t nr_instances;
	const struct tracer *const *tracers;	/* by number: server/print/tracer.h */
};

/* Allocate the states of a root's parts.  NULL: no memory. */
void **root_states_alloc(const struct server_parts *parts);
/* Free what root_states_alloc() has returned.  NULL is allowed. */
void root_states_free(const struct server_parts *parts, void **states);
/* Allocate the states of an instance's parts.  NULL: no memory. */
void **instance_states_alloc(const struct server_parts *parts);
/* Fill the states of an instance's parts with zeroes. */
void instance_states_clear(const struct server_parts *parts, void **states);
/* Free what instance_states_alloc() has returned.  NULL is allowed. */
void instance_states_free(const struct server_parts *parts, void **states);

/* Walk the parts that have the method @method. */
#define for_each_root_part(part, parts, method)					\
	for ((part) = (parts)->roots; (part) < (parts)->roots + (parts)->nr_roots; (part)++) \
		if ((part)->method)
#define for_each_instance_part(part, parts, method)				\
	for ((part) = (parts)->instances;					\
	     (part) < (parts)->instances + (parts)->nr_instances; (part)++)	\
		if ((part)->method)

#endif
