/* SPDX-License-Identifier: MIT */
/*
 * The rules of a buffer: what is to be done with the records of single events,
 * and at the entry of functions.
 * The server makes one piece of them in the arena, never changes it, and says
 * in abi_buffer.rules where it is.  The texts are for the server that comes
 * after it.  All offsets are from the piece's start.
 */
#ifndef ULF_ABI_RULES_H
#define ULF_ABI_RULES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_RULES_MAGIC		0x31656c75u	/* "ule1" */
#define ABI_RULES_BYTES_MAX	(64u << 20)
#define ABI_RULES_ALIGN		8u		/* of programs and triggers */
/* ftrace:print has a rule, the last one, but no row.  Its triggers run in the
 * server, and so they need no word for soft mode. */
#define ABI_ROW_PRINT		UINT32_MAX
/* Nor have the functions, whose commands are those of set_ftrace_filter: the rule
 * before that.  Its text is the server's, its triggers are struct abi_probes. */
#define ABI_ROW_FUNCTIONS	(UINT32_MAX - 1)

/*
 * A word of abi_buffer.slots, in which processes say what came of a rule: it
 * outlives the piece, and the server.  Rules name one by its number + 1; 0: none.
 */
struct abi_rule {
	uint32_t row;			/* of the event */
	uint32_t program;		/* struct filter_program; 0: none */
	uint32_t program_bytes;
	uint32_t text;			/* of the filter, as written; 0: none */
	uint32_t text_bytes;		/* with the NUL */
	uint32_t error;			/* why there is a text, no program */
	uint32_t error_pos;
	uint32_t soft;			/* slot: while it is not 0 the event is
					 * soft disabled, its records are dropped */
	uint32_t triggers;		/* struct abi_triggers; 0: none */
	uint32_t triggers_bytes;	/* with programs and texts */
};

struct abi_rules {
	uint32_t magic;
	uint32_t bytes;			/* all of it */
	uint32_t nr_rules;
	uint32_t nr_slots;		/* those above are not in use */
	struct abi_rule rules[];	/* by row; then programs and texts */
};

enum abi_command {
	ABI_COMMAND_TRACEON,
	ABI_COMMAND_TRACEOFF,
	ABI_COMMAND_SNAPSHOT,
	ABI_COMMAND_STACKTRACE,
	ABI_COMMAND_ENABLE_EVENT,
	ABI_COMMAND_DISABLE_EVENT,
	ABI_COMMAND_DUMP,		/* this and what follows: of functions */
	ABI_COMMAND_CPUDUMP,
	ABI_COMMANDS,
};

struct abi_trigger {
	uint32_t command;
	uint32_t counter;		/* slot: how often it may still act */
	uint32_t target;		/* slot: abi_rule.soft of its target */
	uint32_t target_row;		/* one of the rows that it has */
	uint32_t program;		/* its filter; 0: none */
	uint32_t program_bytes;
	uint32_t text;			/* the same as written; 0: none */
	uint32_t text_bytes;		/* with the NUL */
};

/* The triggers of an event, in their order.  Offsets are from here. */
struct abi_triggers {
	uint32_t nr;
	uint32_t reserved;
	struct abi_trigger triggers[];
};

/* What a function does when it is called; triggers without a filter. */
struct abi_probe {
	uint64_t ip;			/* of its site */
	uint32_t order;			/* the server's, among commands */
	uint32_t reserved;
	struct abi_trigger trigger;
};

/* Those of all functions, by ip; those of one in their order. */
struct abi_probes {
	uint32_t nr;
	uint32_t reserved;
	struct abi_probe probes[];
};

static_assert(sizeof(struct abi_rule) == 40, "ABI");
static_assert(sizeof(struct abi_rules) == 16, "ABI");
static_assert(sizeof(struct abi_trigger) == 32, "ABI");
static_assert(sizeof(struct abi_triggers) == 8, "ABI");
static_assert(sizeof(struct abi_probe) == 48, "ABI");
static_assert(sizeof(struct abi_probes) == 8, "ABI");

#endif
