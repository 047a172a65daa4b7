/* SPDX-License-Identifier: MIT */
/* Definitions of histograms: allocate memory, find variables, compare definitions, compute
 * the geometry of tables. */
#include "hist/lang_impl.h"

/* A block of memory of a definition, in which its nodes and texts are allocated. */
struct hist_chunk {
	struct hist_chunk *next;
	uint64_t data[];
};

const char *hist_error_text(enum hist_error_code code)
{
	static const char *const texts[] = {
#define X(code, text) text,
		HIST_ERRORS(X)
#undef X
	};

	return texts[code < HIST_NR_ERRORS ? code : HIST_ERR_NONE];
}

void hist_error_add(struct hist_errors *errors, enum hist_error_code code, const char *at)
{
	const char *found = at ? strstr(errors->command, at) : NULL;

	if (errors->nr == HIST_ERRORS_KEPT) {
		errors->nr--;
		memmove(errors->list, errors->list + 1, errors->nr * sizeof(errors->list[0]));
	}
	errors->list[errors->nr++] = (struct hist_error){
		.code = code,
		.pos = found ? (uint32_t)(found - errors->command) : 0,
	};
}

void hist_error_set_reason(struct hist_errors *errors, const char *reason, const char *at,
			   size_t skip)
{
	const char *found = strstr(errors->command, at);

	errors->reason = reason;
	errors->reason_pos = found ? (uint32_t)((size_t)(found - errors->command) + skip) : 0;
}

/* ---- memory ---- */

void *hist_def_alloc(struct hist_def *def, size_t bytes)
{
	struct hist_chunk *chunk = calloc(1, sizeof(*chunk) + bytes);

	if (!chunk)
		return NULL;
	chunk->next = def->chunks;
	def->chunks = chunk;
	return chunk->data;
}

char *hist_def_copy(struct hist_def *def, const char *s)
{
	size_t bytes = strlen(s) + 1;
	char *copy = hist_def_alloc(def, bytes);

	return copy ? memcpy(copy, s, bytes) : NULL;
}

void hist_def_free(struct hist_def *def)
{
	struct hist_chunk *chunk, *next;

	if (!def)
		return;
	for (chunk = def->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(def);
}

/* ---- variables ---- */

static uint32_t kind_bytes(enum hist_kind kind)
{
	switch (kind) {
	case HIST_STR:
		return HIST_STR_BYTES;
	case HIST_STACK:
		return 8 + HIST_STACK_BYTES;
	default:
		return 8;
	}
}

int hist_def_add_var(struct hist_def *def, const char *name, enum hist_var_use use,
		     const struct hist_node *expr)
{
	struct hist_var_def *var = &def->vars[def->nr_vars];

	if (def->nr_vars == HIST_VARS_MAX)
		return -EINVAL;
	*var = (struct hist_var_def){
		.name = name, .expr = expr, .use = use,
		.kind = expr ? expr->type : HIST_NUM,
		.bit = (uint8_t)def->nr_vars,
		.offset = (uint16_t)def->var_bytes,
	};
	if (use != HIST_VAR_PARAM)
		def->var_bytes += kind_bytes(var->kind);
	if (use == HIST_VAR_USER)
		def->nr_user_vars++;
	return (int)def->nr_vars++;
}

int hist_def_find_var(const struct hist_def *def, const char *name)
{
	for (uint32_t i = 0; i < def->nr_user_vars; i++) {
		if (!strcmp(def->vars[i].name, name))
			return (int)i;
	}
	return -ENOENT;
}

bool hist_def_refers_to(const struct hist_def *def, const struct hist_def *other)
{
	for (uint32_t i = 0; i < def->nr_refs; i++) {
		if (def->refs[i]->ref == other)
			return true;
	}
	return false;
}

/* ---- keys ---- */

bool hist_def_has_keys_of(const struct hist_def *def, const struct hist_def *other)
{
	if (def->nr_keys != other->nr_keys)
		return false;
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		const struct hist_node *a = def->keys[i], *b = other->keys[i];

		if (strcmp(a->type_name, b->type_name) != 0 || a->size != b->size ||
		    hist_node_is_signed(a) != hist_node_is_signed(b))
			return false;
	}
	return true;
}

/* Returns the maximum number of words that the key field @key takes. */
static uint32_t key_words(const struct hist_node *key)
{
	uint32_t max;

	switch (key->type) {
	case HIST_STR:
		/* As in the kernel, the last byte of an array of characters is a NUL. */
		max = key->size < HIST_STR_BYTES ? key->size : HIST_STR_BYTES;
		return (max - 1) / 8 + 1;
	case HIST_STACK:
		return 1 + HIST_STACK_DEPTH;
	default:
		return 1;
	}
}

static bool node_is_execname(const struct hist_node *node)
{
	return node->modifier == HIST_MOD_EXECNAME;
}

void hist_def_geometry(const struct hist_def *def, struct hist_geometry *ret_geometry)
{
	*ret_geometry = (struct hist_geometry){
		.nr_entries = def->nr_entries,
		.nr_vals = def->nr_vals,
		.var_bytes = def->var_bytes,
	};
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		ret_geometry->key_words += key_words(def->keys[i]);
		if (node_is_execname(def->keys[i]))
			ret_geometry->flags |= HIST_GEO_COMM;
	}
}

/* ---- comparison ---- */

static bool texts_are_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Compare two nodes as the kernel does.  The kernel does not compare the operands of
 * expressions, the values of constants, the sizes of buckets and the variables of references. */
static bool nodes_are_same(const struct hist_node *a, const struct hist_node *b)
{
	if (hist_node_is_expr(a->kind) != hist_node_is_expr(b->kind))
		return false;
	if (!hist_node_is_expr(a->kind) && a->kind != b->kind)
		return false;
	if (a->modifier != b->modifier || a->is_time != b->is_time ||
	    a->is_usecs != b->is_usecs || a->type != b->type)
		return false;
	if (!texts_are_same(a->field, b->field) || a->size != b->size ||
	    a->is_signed != b->is_signed)
		return false;
	return !a->field || texts_are_same(a->type_name, b->type_name);
}

static bool actions_are_same(const struct hist_action_def *a, const struct hist_action_def *b)
{
	if (a->handler != b->handler || a->kind != b->kind || a->nr_params != b->nr_params)
		return false;
	for (uint32_t i = 0; i < a->nr_params; i++) {
		if (strcmp(a->params[i], b->params[i]) != 0)
			return false;
	}
	return texts_are_same(a->is_trace_keyword ? a->synth : a->name,
			      b->is_trace_keyword ? b->synth : b->name) &&
	       texts_are_same(a->system, b->system) && texts_are_same(a->event, b->event) &&
	       texts_are_same(a->var, b->var);
}

static bool fields_are_same(const struct hist_def *a, const struct hist_def *b)
{
	if (a->nr_vals != b->nr_vals || a->nr_user_vars != b->nr_user_vars ||
	    a->nr_keys != b->nr_keys)
		return false;
	for (uint32_t i = 0; i < a->nr_vals; i++) {
		if (!nodes_are_same(a->vals[i], b->vals[i]))
			return false;
	}
	for (uint32_t i = 0; i < a->nr_user_vars; i++) {
		if (strcmp(a->vars[i].name, b->vars[i].name) != 0 ||
		    !nodes_are_same(a->vars[i].expr, b->vars[i].expr))
			return false;
	}
	for (uint32_t i = 0; i < a->nr_keys; i++) {
		if (!nodes_are_same(a->keys[i], b->keys[i]))
			return false;
	}
	return true;
}

bool hist_def_is_same(const struct hist_def *a, const struct hist_def *b)
{
	if (!fields_are_same(a, b) || a->nr_sort != b->nr_sort ||
	    a->nr_actions != b->nr_actions)
		return false;
	for (uint32_t i = 0; i < a->nr_sort; i++) {
		if (a->sort[i].field != b->sort[i].field ||
		    a->sort[i].is_descending != b->sort[i].is_descending)
			return false;
	}
	for (uint32_t i = 0; i < a->nr_actions; i++) {
		if (!actions_are_same(&a->actions[i], &b->actions[i]))
			return false;
	}
	return true;
}
