/* SPDX-License-Identifier: MIT */
/*
 * Methods of struct root_part and struct instance_part for functions.  core/part.h
 * describes when each method is called.
 */
#ifndef ULF_SERVER_FUNCTION_PART_H
#define ULF_SERVER_FUNCTION_PART_H

#include <stdbool.h>
#include <stdint.h>

struct abi_rule;
struct instance;
struct root;
struct text;

/* Method root_part.tick: look for new objects.  Reads at most as many lines of
 * /proc/PID/maps as one tick may. */
void function_part_tick(struct root *root);
/* Method root_part.answer: look for new objects, because a program has asked the server
 * and waits. */
bool function_part_answer(struct root *root);
/* Method root_part.settled: continue to look for objects, unless a program waits for the
 * server. */
void function_part_settled(struct root *root, bool is_awaited);
/*
 * Method root_part.has_unsaved: return true if the server has read objects from files.
 * If the root fell asleep, the functions of these objects could be lost, because the
 * files are possibly gone when the root wakes.
 */
bool function_part_has_unsaved(const struct root *root);
/* Method root_part.made_symbols: return the made-up names of the functions of @in. */
const struct elf_symbols *function_part_made_symbols(const struct root *root,
						     const struct object *in);
/* Method instance_part.done: free the commands of functions, and the entries that wait
 * for modules. */
void function_part_done(struct instance *instance);
/* Method instance_part.drop: free the commands of functions and the entries that wait
 * for modules, and stop tracing functions for @instance. */
void function_part_drop(struct instance *instance);
/* Method instance_part.has_rule: return true if @instance has commands of functions, or
 * entries that wait for modules. */
bool function_part_has_rule(const struct instance *instance);
/* Method instance_part.put_rule: write the commands of functions and the waiting entries
 * to @block, for the next server. */
void function_part_put_rule(const struct instance *instance, struct text *block,
			    struct abi_rule *ret_rule);
/* Method instance_part.load_rule: load the data that function_part_put_rule() of the
 * previous server has written.  Invalid entries are skipped. */
void function_part_load_rule(struct instance *instance, const void *triggers, uint32_t bytes,
			     char *text);

#endif
