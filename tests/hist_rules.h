/* SPDX-License-Identifier: MIT */
/* Rules with histograms (abi/rules.h), which a test program gives to itself. */
#ifndef TESTS_HIST_RULES_H
#define TESTS_HIST_RULES_H

#include "abi/rules.h"
#include "event/command.h"
#include "hist_program.h"
#include "lib/check.h"

/* A block of rules: events by their rows, each with one trigger. */
struct block {
	uint64_t words[512];
	size_t bytes;
};

static inline void *block_add(struct block *block, size_t bytes, uint32_t *ret_at)
{
	void *at = (char *)block->words + block->bytes;

	*ret_at = (uint32_t)block->bytes;
	block->bytes = (block->bytes + bytes + 7) & ~7ul;
	CHECK(block->bytes <= sizeof(block->words));
	return at;
}

#define RULES_MAX	4

static inline struct block new_block(uint32_t nr_slots)
{
	struct block block = { .bytes = sizeof(struct abi_rules) +
					RULES_MAX * sizeof(struct abi_rule) };
	const struct abi_rules head = { .magic = ABI_RULES_MAGIC, .nr_slots = nr_slots };

	memcpy(block.words, &head, sizeof(head));
	return block;
}

/* The next rule: rows must rise. */
static inline struct abi_trigger *
add_rule(struct block *block, uint32_t row, uint32_t soft, struct abi_trigger trigger,
	 const void *data, size_t bytes)
{
	struct abi_rules *rules = (void *)block->words;
	struct abi_rule *rule = &rules->rules[rules->nr_rules++];
	uint32_t at, data_at;
	struct abi_triggers *list = block_add(block, sizeof(*list) + sizeof(trigger), &at);
	void *to = block_add(block, bytes, &data_at);

	CHECK(rules->nr_rules <= RULES_MAX);
	memcpy(to, data, bytes);
	trigger.data = data_at - at;
	trigger.data_bytes = (uint32_t)bytes;
	list->nr = 1;
	list->triggers[0] = trigger;
	*rule = (struct abi_rule){
		.row = row, .soft = soft, .triggers = at,
		.triggers_bytes = (uint32_t)block->bytes - at,
	};
	rules->bytes = (uint32_t)block->bytes;
	return &list->triggers[0];
}

static inline struct abi_trigger *add_hist(struct block *block, uint32_t row, uint32_t soft,
					   const struct hist_parts *parts)
{
	uint64_t program[512];
	size_t bytes = hist_parts_write(parts, NULL);

	CHECK(bytes <= sizeof(program));
	hist_parts_write(parts, program);
	return add_rule(block, row, soft, (struct abi_trigger){ .command = COMMAND_HIST },
			program, bytes);
}

#endif
