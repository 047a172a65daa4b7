/* SPDX-License-Identifier: MIT */
/* Methods of struct root_part and struct instance_part (core/part.h) for functions. */
#ifndef ULF_SERVER_FUNCTION_PART_H
#define ULF_SERVER_FUNCTION_PART_H

#include <stdbool.h>
#include <stdint.h>

struct abi_rule;
struct instance;
struct root;
struct text;

void function_part_tick(struct root *root);
bool function_part_answer(struct root *root);
void function_part_settled(struct root *root, bool is_awaited);
bool function_part_has_unsaved(const struct root *root);
void function_part_done(struct instance *instance);
void function_part_drop(struct instance *instance);
bool function_part_has_rule(const struct instance *instance);
void function_part_put_rule(const struct instance *instance, struct text *block,
			    struct abi_rule *ret_rule);
void function_part_load_rule(struct instance *instance, const void *triggers, uint32_t bytes,
			     char *text);

#endif
