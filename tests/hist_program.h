/* SPDX-License-Identifier: MIT */
/* Histogram programs and tables that tests make by hand (abi/hist.h). */
#ifndef TESTS_HIST_PROGRAM_H
#define TESTS_HIST_PROGRAM_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hist.h"
#include "hist/run.h"

/* The parts of a program.  hist_text_make() puts them together. */
struct hist_parts {
	struct hist_program head;
	struct hist_table_ref tables[HIST_TABLES_MAX];
	struct hist_insn insns[HIST_INSNS_MAX];
	struct hist_key keys[HIST_KEYS_MAX];
	uint8_t vals[HIST_VALS_MAX];
	struct hist_ref refs[HIST_REFS_MAX];
	struct hist_var vars[HIST_VARS_MAX];
	struct hist_action actions[HIST_ACTIONS_MAX];
	struct hist_param params[HIST_PARAMS_MAX];
};

static inline void hist_parts_insn(struct hist_parts *parts, struct hist_insn insn)
{
	parts->insns[parts->head.nr_insns++] = insn;
}

/* The instructions so far make the key: register @reg, of @kind. */
static inline void hist_parts_key(struct hist_parts *parts, uint8_t reg, uint8_t kind)
{
	parts->keys[parts->head.nr_keys++] = (struct hist_key){ .reg = reg, .kind = kind };
	parts->head.nr_key_insns = parts->head.nr_insns;
}

static inline void hist_parts_val(struct hist_parts *parts, uint8_t reg)
{
	parts->vals[parts->head.nr_vals++] = reg;
}

static inline void hist_parts_table(struct hist_parts *parts, struct hist_table_ref ref)
{
	parts->tables[parts->head.nr_tables++] = ref;
}

static inline void hist_parts_ref(struct hist_parts *parts, struct hist_ref ref)
{
	parts->refs[parts->head.nr_refs++] = ref;
}

static inline void hist_parts_var(struct hist_parts *parts, struct hist_var var)
{
	parts->vars[parts->head.nr_vars++] = var;
}

/* An action, whose parameters are added after it. */
static inline void hist_parts_action(struct hist_parts *parts, struct hist_action action)
{
	action.first = parts->head.nr_params;
	parts->actions[parts->head.nr_actions++] = action;
}

static inline void hist_parts_param(struct hist_parts *parts, struct hist_param param)
{
	parts->params[parts->head.nr_params++] = param;
	parts->actions[parts->head.nr_actions - 1].nr++;
}

/* Put the program together at @to, if it is not NULL.  Returns its size. */
static inline size_t hist_parts_write(const struct hist_parts *parts, void *to)
{
	struct hist_program head = parts->head;

	head.magic = HIST_PROGRAM_MAGIC;
	head.bytes = hist_program_bytes(&head);
	if (!to)
		return head.bytes;
	memset(to, 0, head.bytes);
	memcpy(to, &head, sizeof(head));
#define COPY(name)	memcpy((void *)hist_##name((struct hist_program *)to), parts->name, \
			       head.nr_##name * sizeof(parts->name[0]))
	COPY(tables);
	COPY(insns);
	COPY(keys);
	COPY(vals);
	COPY(refs);
	COPY(vars);
	COPY(actions);
	COPY(params);
#undef COPY
	return head.bytes;
}

/* A new program, for free(). */
static inline struct hist_program *hist_parts_make(const struct hist_parts *parts)
{
	struct hist_program *program = malloc(hist_parts_write(parts, NULL));

	assert(program);
	hist_parts_write(parts, program);
	return program;
}

/* Initialise the table at @at, a block of zeroes, as a server does. */
static inline void hist_table_init(void *at, const struct hist_geometry *geometry)
{
	struct hist_table *table = at;
	struct hist_layout layout;

	hist_layout_init(geometry, &layout);
	table->magic = HIST_TABLE_MAGIC;
	table->bytes = layout.bytes;
	table->geometry = *geometry;
}

static inline struct hist_table_ref hist_table_ref_make(uint64_t off,
							const struct hist_geometry *geometry)
{
	struct hist_layout layout;

	hist_layout_init(geometry, &layout);
	return (struct hist_table_ref){ off, layout.bytes, *geometry };
}

/* A table in memory of its own, for free(). */
static inline void *hist_table_make(const struct hist_geometry *geometry, struct hist_view *view)
{
	struct hist_layout layout;
	void *at;

	hist_layout_init(geometry, &layout);
	at = aligned_alloc(64, (layout.bytes + 63) & ~63ull);
	assert(at);
	memset(at, 0, layout.bytes);
	hist_table_init(at, geometry);
	hist_view_init(view, at, geometry);
	return at;
}

#endif
