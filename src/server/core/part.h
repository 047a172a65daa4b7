/* SPDX-License-Identifier: MIT */
/*
 * Parts: features of roots and instances, as the core sees them.
 *
 * The core (server/core) attaches to roots, watches processes and calls the regular
 * work (ticks).  All other work for a root is in parts: one row each, listed in
 * daemon/parts.c.  A new feature adds a number to server/part_numbers.h and a row to
 * daemon/parts.c.  No file of the core names a feature.
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
struct event;
struct extent_list;
struct elf_symbols;
struct function_symbol;
struct instance;
struct object;
struct root;
struct server_root_info;
struct symbols_from;
struct text;
struct tracer;
struct trigger_lang;

struct root_part {
	const char *name;
	/*
	 * Number of bytes of the state that the part keeps for each root,
	 * root->part_state[NUMBER].  The core allocates the state, filled with zeroes,
	 * with the root and frees it with the root.  So the state also exists while
	 * the root is asleep, and done() must leave it in the form that init()
	 * expects.  If this is 0, the core allocates nothing: either the part has no
	 * state, or init() or the first use allocates it and done() frees it.
	 */
	size_t state_bytes;
	/* Method init: called when the memory of @root is mapped and its processes are
	 * known.  Returns 0 or -errno. */
	int (*init)(struct root *root);
	/* Method load: load the state that the previous server left.  Called after all
	 * init().  Returns 0 or -errno; -ERESTART if a parser is still at work: then the
	 * method is called again. */
	int (*load)(struct root *root);
	/* Method done: release all memory and descriptors that the part has for @root.
	 * Also called after a failed init(), and may be called twice. */
	void (*done)(struct root *root);
	/* Method tick: do the part's regular work for @root.  Called about once a second,
	 * for a root that is awake. */
	void (*tick)(struct root *root);
	/* Method prepare: called when a program starts, or waits for the server.  Applies
	 * what must be in force before the program continues.  Returns 0, or -ERESTART if a
	 * parser is still at work: then the program keeps waiting. */
	int (*prepare)(struct root *root);
	/*
	 * Method answer: called when a process has loaded an object and waits for the
	 * server's answer (abi_control.asked).  Returns false if a parser is still at
	 * work, so that the process must wait on.
	 */
	bool (*answer)(struct root *root);
	/* Method parsed: called when a parser of @root has ended.  The root may still be
	 * loading. */
	void (*parsed)(struct root *root);
	/*
	 * Method settled: called like parsed(), but only for a root that is loaded and
	 * usable.  @is_awaited: true if a program waits for the server; then prepare()
	 * is called next.
	 */
	void (*settled)(struct root *root, bool is_awaited);
	/* Method stop_waiting: after this call the part must not wait for files that are
	 * being parsed, and must work without the names in these files. */
	void (*stop_waiting)(struct root *root);
	/* Method event_need: prepare what @event needs before it is switched on in @instance, also
	 * by a trigger.  Returns 0; -ERESTART if a parser is still at work: then the client's write
	 * waits; or another -errno, which the client gets. */
	int (*event_need)(struct instance *instance, const struct event *event);
	/* Method settings_changed: called before processes are notified of new settings, of any
	 * part.  Publishes what depends on settings of other parts. */
	void (*settings_changed)(struct root *root);
	/*
	 * Method refused: called when a process has failed to apply settings, before the
	 * client gets the errno.  Reports the reason in error_log if this part knows the
	 * reason.
	 */
	void (*refused)(struct root *root);
	/* Method list_blocks: call arena_list_block() for each block that processes
	 * may use, so that the arena does not use the memory of the block again. */
	void (*list_blocks)(const struct root *root, struct extent_list *list);
	/* Method has_recorded: return true if the part has recorded anything.  A dead root
	 * without records is removed. */
	bool (*has_recorded)(const struct root *root);
	/* Method has_unsaved: return true if the part has data that exist only in the
	 * server's memory.  Such a root must not fall asleep, because its data would be
	 * lost. */
	bool (*has_unsaved)(const struct root *root);
	/* Method add_info: add this part's figures for `ulf ls` to @info. */
	void (*add_info)(struct root *root, struct server_root_info *info);
	/* Method find_symbol: find the symbol at @addr in the object @in, or in any
	 * object if @in is NULL.  Returns 0 or -ENOENT. */
	int (*find_symbol)(const struct root *root, const struct symbols_from *from,
			   uint64_t addr, const struct object *in,
			   struct function_symbol *ret_symbol);
	/* Method made_symbols: return the names that the part has made up for functions of
	 * @in without a symbol, such as `sh+0x1230`; NULL if there are none. */
	const struct elf_symbols *(*made_symbols)(const struct root *root,
						  const struct object *in);
};

struct instance_part {
	const char *name;
	/*
	 * Number of bytes of the state that the part keeps for each instance,
	 * instance->part_state[NUMBER].  The core allocates the state, filled with
	 * zeroes, before load().  The core frees the state when nothing refers to the
	 * instance any more; this may be long after done(). 0 if the part has no state
	 * of instances.
	 */
	size_t state_bytes;
	/* Method reset: called when buffer @number of @root is about to be used by a
	 * new instance.  Clears what an earlier instance with this number has left in
	 * the tables of the root's memory. */
	void (*reset)(struct root *root, uint32_t number);
	/* Method load: set up a new @instance, or load the state that the previous server
	 * left.  Returns 0 or -errno. */
	int (*load)(struct instance *instance);
	/* Method done: release all memory that the part has for @instance in this
	 * server. */
	void (*done)(struct instance *instance);
	/*
	 * Method drop: called when @instance is being removed.  Retires its settings
	 * in the root's memory.  The core asks the processes to apply the change after
	 * all drop() have run.
	 */
	void (*drop)(struct instance *instance);
	/* Method tick: do the part's regular work for @instance.  Called about once a
	 * second, for a root that is awake. */
	void (*tick)(struct instance *instance);
	/* Method list_blocks: call arena_list_block() for each block of @instance that
	 * processes may use. */
	void (*list_blocks)(const struct instance *instance, struct extent_list *list);
	bool (*has_recorded)(const struct instance *instance);
	void (*add_info)(struct instance *instance, struct server_root_info *info);

	/*
	 * A part may have one rule of its own in the block of rules (abi/rules.h), in which
	 * it keeps data for the next server.  @rule_row is the number of this rule; 0 if the
	 * part has no rule. has_rule() returns true if there are such data.  Then put_rule()
	 * is called, which writes them to @block and fills @ret_rule. load_rule() of the next
	 * server gets copies of these data, which may be hostile: @triggers has @bytes bytes
	 * and is aligned, @text ends in a NUL; each of them may be NULL.
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
	const struct tracer *const *tracers;	/* tracers, indexed by their number
						 * (server/print/tracer.h) */
	const struct trigger_lang *const *trigger_langs; /* languages of trigger commands,
							  * indexed by the number of the
							  * command
							  * (server/rules/trigger_lang.h); NULL
							  * if no command has a language of its
							  * own */
};

/* Allocate the states of a root's parts.  Returns NULL if there is no memory. */
void **root_states_alloc(const struct server_parts *parts);
/* Free what root_states_alloc() has returned.  @states may be NULL. */
void root_states_free(const struct server_parts *parts, void **states);
/* Allocate the states of an instance's parts.  Returns NULL if there is no memory. */
void **instance_states_alloc(const struct server_parts *parts);
/* Fill the states of an instance's parts with zeroes. */
void instance_states_clear(const struct server_parts *parts, void **states);
/* Free what instance_states_alloc() has returned.  @states may be NULL. */
void instance_states_free(const struct server_parts *parts, void **states);

/* Walk over those parts of @parts that have the method @method. */
#define for_each_root_part(part, parts, method)					\
	for ((part) = (parts)->roots; (part) < (parts)->roots + (parts)->nr_roots; (part)++) \
		if ((part)->method)
#define for_each_instance_part(part, parts, method)				\
	for ((part) = (parts)->instances;					\
	     (part) < (parts)->instances + (parts)->nr_instances; (part)++)	\
		if ((part)->method)

#endif
