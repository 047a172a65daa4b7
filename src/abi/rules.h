/* SPDX-License-Identifier: MIT */
/*
 * The rules of a buffer: filters and triggers of events, and commands that run when a
 * function is called.  The server writes all rules of a buffer as one block in the
 * arena, and publishes the offset of the block in abi_buffer.rules.  The block does not
 * change afterwards.  The texts in it (filters as users wrote them) are only for a
 * server that restarts.  Offsets are from the start of the block, except in struct
 * abi_triggers.
 */
#ifndef ULF_ABI_RULES_H
#define ULF_ABI_RULES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_RULES_MAGIC		0x31656c75u	/* the bytes "ule1" */
#define ABI_RULES_BYTES_MAX	(64u << 20)
#define ABI_RULES_ALIGN		8u		/* alignment of programs and triggers,
						 * bytes */
/* Value of abi_rule.row in the rule of the event ftrace:print, which is the last rule.
 * This event has no row in the table of events.  Its triggers run in the server, so they
 * need no rule word for soft mode. */
#define ABI_ROW_PRINT		UINT32_MAX
/*
 * Value of abi_rule.row in the rule with the commands of set_ftrace_filter, which comes
 * before the rule of ftrace:print.  In this rule abi_rule.triggers is the offset of a
 * struct abi_probes, and only the server uses abi_rule.text.
 */
#define ABI_ROW_FUNCTIONS	(UINT32_MAX - 1)

/* The rule of one event.  If the comment of a member begins with "slot:", the member is
 * 1 + the number of a rule word in abi_buffer.slots, or 0 for no rule word.  Processes
 * keep state in rule words; this state outlives the block and the server. */
struct abi_rule {
	uint32_t row;			/* row of the event in the table of events */
	uint32_t program;		/* offset of the compiled filter, struct
					 * filter_program; 0: none */
	uint32_t program_bytes;		/* size of the compiled filter, bytes */
	uint32_t text;			/* offset of the filter's text as the user wrote
					 * it; 0: none */
	uint32_t text_bytes;		/* size of the filter's text with its NUL,
					 * bytes */
	uint32_t error;			/* number of the error (enum filter_error_code)
					 * because of which the filter's text could not be
					 * compiled; 0: no error */
	uint32_t error_pos;		/* offset of the error in the filter's text, bytes */
	uint32_t soft;			/* slot: 1 + number of a rule word; while this
					 * word is not 0 the event is soft disabled, and
					 * its records are dropped */
	uint32_t triggers;		/* offset of the event's struct abi_triggers; 0: none */
	uint32_t triggers_bytes;	/* size of the triggers with their programs and
					 * texts, bytes */
};

struct abi_rules {
	uint32_t magic;
	uint32_t bytes;			/* size of the block of rules, bytes */
	uint32_t nr_rules;
	uint32_t nr_slots;		/* number of rule words in use; rules use only
					 * abi_buffer.slots[0] to
					 * abi_buffer.slots[nr_slots - 1] */
	struct abi_rule rules[];	/* the rules, sorted by row; programs and texts
					 * follow them */
};

struct abi_trigger {
	uint32_t command;		/* number of the command (event/command.h) */
	uint32_t counter;		/* slot: 1 + number of the rule word that counts
					 * how often the trigger may still act; 0: no
					 * limit */
	uint32_t target;		/* slot: 1 + number of the rule word for soft
					 * mode (abi_rule.soft) of the event that the
					 * command enables or disables */
	uint32_t target_row;		/* row of the event that the command enables or
					 * disables; if several modules have events of
					 * this name, the row of one of them */
	uint32_t program;		/* offset of the trigger's filter (struct
					 * filter_program); 0: none */
	uint32_t program_bytes;		/* size of the trigger's filter, bytes */
	uint32_t text;			/* offset of the filter's text as the user wrote
					 * it; 0: none */
	uint32_t text_bytes;		/* size of the filter's text with its NUL,
					 * bytes */
	uint32_t data;			/* offset of further data of the command, such
					 * as a struct hist_program (abi/hist.h); 0:
					 * none */
	uint32_t data_bytes;		/* size of the further data, bytes */
	uint32_t more;			/* offset of further texts of the command, which
					 * only the server uses; 0: none */
	uint32_t more_bytes;		/* size of the further texts, bytes */
};

/* The triggers of an event, in the order in which they run.  Offsets in the triggers are
 * from the start of this struct. */
struct abi_triggers {
	uint32_t nr;
	uint32_t reserved;
	struct abi_trigger triggers[];
};

/* A command that runs when a function is called: a trigger without a filter. */
struct abi_probe {
	uint64_t ip;			/* address of the function's site */
	uint32_t order;			/* rank of the command in the order in which
					 * commands are listed; only the server uses it */
	uint32_t reserved;
	struct abi_trigger trigger;
};

/* The commands of all functions, sorted by ip.  The commands of one function are in the
 * order in which they run. */
struct abi_probes {
	uint32_t nr;
	uint32_t reserved;
	struct abi_probe probes[];
};

static_assert(sizeof(struct abi_rule) == 40, "ABI");
static_assert(sizeof(struct abi_rules) == 16, "ABI");
static_assert(sizeof(struct abi_trigger) == 48, "ABI");
static_assert(sizeof(struct abi_triggers) == 8, "ABI");
static_assert(sizeof(struct abi_probe) == 64, "ABI");
static_assert(sizeof(struct abi_probes) == 8, "ABI");

#endif
