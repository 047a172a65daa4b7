/* SPDX-License-Identifier: MIT */
/*
 * Compile the definition of a histogram to a program (abi/hist.h).
 *
 * Example: keys=pid:vals=bytes:x=bytes*2 becomes
 *
 *	0: LOAD_S32 r0, pid		key r0
 *	1: LOAD_U64 r0, bytes		value r0
 *	2: CONST r1, 2
 *	3: MUL r1, r0, r1		variable x: r1
 */
#include <limits.h>

#include "hist/lang_code.h"
#include "hist/lang_impl.h"

#define NS_PER_USEC		1000u

/* The arrays of a program. */
struct compiler {
	const struct hist_def *def;
	const struct event_format *format;
	const struct hist_table_ref *(*place)(void *ctx, const struct hist_def *def);
	void *ctx;
	struct hist_code code;
	struct hist_table_ref tables[HIST_TABLES_MAX];
	const struct hist_def *owners[HIST_TABLES_MAX];	/* for each table of the program, the
							 * histogram that owns it */
	struct hist_key keys[HIST_KEYS_MAX];
	uint8_t vals[HIST_VALS_MAX];
	struct hist_ref refs[HIST_REFS_MAX];
	struct hist_var vars[HIST_VARS_MAX];
	struct hist_action actions[HIST_ACTIONS_MAX];
	struct hist_param params[HIST_ACTIONS_MAX * HIST_PARAMS_MAX];
	/*
	 * Registers that contain the results of keys, values, variables, parameters and
	 * actions: virtual registers until set_registers() replaces them by registers of the
	 * program.
	 */
	uint16_t key_results[HIST_KEYS_MAX], val_results[HIST_VALS_MAX];
	uint16_t var_results[HIST_VARS_MAX];	/* virtual registers of the variables in
						 * def->vars */
	uint32_t nr_var_results;
	uint16_t param_results[HIST_ACTIONS_MAX * HIST_PARAMS_MAX];
	uint16_t action_results[HIST_ACTIONS_MAX];
	struct hist_program head;
};

static uint16_t compile_node(struct compiler *c, const struct hist_node *node);

static uint16_t fail_compile(struct compiler *c, int errnum)
{
	if (!c->code.error)
		c->code.error = errnum;
	return 0;
}

/* ---- nodes ---- */

/* Returns the number of bytes of the record that an instruction reads. */
static uint32_t load_bytes(const struct hist_field *info)
{
	switch (info->op) {
	case HIST_OP_STR_LOC:
	case HIST_OP_STR_REL:
	case HIST_OP_STACK_LOC:
		return sizeof(uint32_t);
	case HIST_OP_STR_PTR:
		return sizeof(uint64_t);
	default:
		return info->size;
	}
}

static uint16_t compile_field(struct compiler *c, const struct hist_node *node)
{
	const struct event_field *field = event_format_find(c->format, node->field,
							    strlen(node->field));
	struct hist_insn insn = { 0 };
	struct hist_field info;

	if (node->modifier == HIST_MOD_EXECNAME && node->type == HIST_STR) {
		insn.op = HIST_OP_STR_COMM;
		return hist_code_emit(&c->code, insn, 0, 0);
	}
	if (!field || field->offset > UINT16_MAX ||
	    hist_field_classify(field, c->format->system,
				node->modifier == HIST_MOD_STACKTRACE, &info) != 0 ||
	    info.kind != node->type)
		return fail_compile(c, -EINVAL);
	insn.op = (uint8_t)info.op;
	insn.offset = (uint16_t)field->offset;
	if (info.op == HIST_OP_STR_ARRAY) {
		/* The table has only space for strings of the size that the definition gives,
		 * so read no more. */
		if (info.size > node->size)
			info.size = node->size;
		insn.size = (uint16_t)info.size;
	}
	return hist_code_emit_load(&c->code, insn, load_bytes(&info));
}

static uint16_t compile_const(struct compiler *c, uint64_t value)
{
	struct hist_insn insn = { .op = HIST_OP_CONST, .value = value };

	return hist_code_emit(&c->code, insn, 0, 0);
}

static uint16_t compile_op(struct compiler *c, enum hist_op op, uint16_t a, uint16_t b)
{
	struct hist_insn insn = { .op = (uint8_t)op };

	return hist_code_emit(&c->code, insn, a, b);
}

static uint16_t compile_time(struct compiler *c)
{
	uint16_t time = compile_op(c, HIST_OP_TIME, 0, 0);

	if (!c->def->is_usecs || !c->def->is_clock_ns)
		return time;
	return compile_op(c, HIST_OP_DIV, time, compile_const(c, NS_PER_USEC));
}

/* Returns the number of a reference in the program.  The program does not count references to
 * variables of the same histogram. */
static uint32_t program_ref(const struct hist_def *def, const struct hist_node *node)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < node->ref_index; i++)
		nr += def->refs[i]->ref != def;
	return nr;
}

/* Returns the virtual register with the value of a reference.  For a variable of this
 * histogram it is the register of the variable's new value, because a reference can only name
 * variables that are compiled already.  For a field that is a parameter, the field is
 * compiled now. */
static uint16_t compile_ref(struct compiler *c, const struct hist_node *node)
{
	struct hist_insn insn = { .op = HIST_OP_REF };

	if (node->ref == c->def && node->ref_var < c->nr_var_results)
		return c->var_results[node->ref_var];
	if (node->ref == c->def)
		return compile_node(c, c->def->vars[node->ref_var].expr);
	insn.value = program_ref(c->def, node);
	return hist_code_emit(&c->code, insn, 0, 0);
}

static uint16_t compile_operator(struct compiler *c, const struct hist_node *node)
{
	static const enum hist_op ops[] = {
		HIST_OP_ADD, HIST_OP_SUB, HIST_OP_MUL, HIST_OP_DIV, HIST_OP_NEG,
	};
	uint16_t a = compile_node(c, node->left);
	uint16_t b = node->right ? compile_node(c, node->right) : 0;

	return compile_op(c, ops[node->kind - HIST_NODE_ADD], a, b);
}

static uint16_t compile_plain(struct compiler *c, const struct hist_node *node)
{
	switch (node->kind) {
	case HIST_NODE_FIELD:
		return compile_field(c, node);
	case HIST_NODE_TIME:
		return compile_time(c);
	case HIST_NODE_CPU:
		return compile_op(c, HIST_OP_CPU, 0, 0);
	case HIST_NODE_STACK:
		return compile_op(c, HIST_OP_STACK, 0, 0);
	case HIST_NODE_HITCOUNT:
		return compile_const(c, 1);
	case HIST_NODE_CONST:
		return compile_const(c, node->value);
	case HIST_NODE_REF:
		return compile_ref(c, node);
	default:
		return compile_operator(c, node);
	}
}

/* Returns the virtual register for the value of @node, and compiles the node if necessary. */
static uint16_t compile_node(struct compiler *c, const struct hist_node *node)
{
	struct hist_insn insn = { .value = node->value };
	uint16_t value = compile_plain(c, node);

	/* Ignore buckets of hitcount or of a stack, as the kernel does. */
	if (node->kind == HIST_NODE_HITCOUNT || node->type != HIST_NUM)
		return value;
	if (node->modifier == HIST_MOD_BUCKETS)
		insn.op = HIST_OP_BUCKET;
	else if (node->modifier == HIST_MOD_LOG2)
		insn.op = node->value ? HIST_OP_SUBLOG2 : HIST_OP_LOG2;
	else
		return value;
	return hist_code_emit(&c->code, insn, value, 0);
}

/* ---- the parts of a program: keys, values, variables, actions ---- */

static void compile_keys(struct compiler *c)
{
	for (uint32_t i = 0; i < c->def->nr_keys; i++) {
		c->key_results[i] = compile_node(c, c->def->keys[i]);
		c->keys[i].kind = (uint8_t)c->def->keys[i]->type;
	}
	c->code.nr_key_insns = c->code.nr;
	for (uint32_t i = 0; i < c->def->nr_keys; i++)
		hist_code_keep(&c->code, c->key_results[i], c->code.nr_key_insns);
	c->head.nr_keys = (uint16_t)c->def->nr_keys;
}

static uint16_t compile_kept(struct compiler *c, const struct hist_node *node)
{
	uint16_t result = compile_node(c, node);

	hist_code_keep(&c->code, result, HIST_NEVER);
	return result;
}

static void compile_vals(struct compiler *c)
{
	for (uint32_t i = 0; i < c->def->nr_vals; i++)
		c->val_results[i] = compile_kept(c, c->def->vals[i]);
	c->head.nr_vals = (uint16_t)c->def->nr_vals;
}

static void compile_vars(struct compiler *c)
{
	for (uint32_t i = 0; i < c->def->nr_user_vars; i++) {
		const struct hist_var_def *var = &c->def->vars[i];

		c->var_results[i] = compile_kept(c, var->expr);
		c->nr_var_results = i + 1;
		c->vars[i] = (struct hist_var){
			.bit = var->bit, .kind = (uint8_t)var->kind, .offset = var->offset,
		};
	}
	c->head.nr_vars = (uint16_t)c->def->nr_user_vars;
}

/* ---- references ---- */

/* Find the table of a histogram in the program, or add it.  Returns its index or -errno. */
static int add_table(struct compiler *c, const struct hist_def *owner)
{
	const struct hist_table_ref *table;

	for (uint32_t i = 0; i < c->head.nr_tables; i++) {
		if (c->owners[i] == owner)
			return (int)i;
	}
	if (c->head.nr_tables == HIST_TABLES_MAX)
		return -E2BIG;
	table = c->place(c->ctx, owner);
	if (!table)
		return -ENOENT;
	c->owners[c->head.nr_tables] = owner;
	c->tables[c->head.nr_tables] = *table;
	return c->head.nr_tables++;
}

static int add_ref(struct compiler *c, const struct hist_node *node)
{
	const struct hist_var_def *var;
	int table = add_table(c, node->ref);

	if (table < 0)
		return table;
	if (c->head.nr_refs == HIST_REFS_MAX)
		return -E2BIG;
	var = &node->ref->vars[node->ref_var];
	c->refs[c->head.nr_refs++] = (struct hist_ref){
		.table = (uint8_t)table, .bit = var->bit, .kind = (uint8_t)var->kind,
		.is_once = node->is_once, .offset = var->offset,
		.nr_keys = node->ref->nr_keys < c->def->nr_keys ?
			(uint8_t)node->ref->nr_keys : 0,
	};
	return 0;
}

static int compile_tables(struct compiler *c)
{
	int r = add_table(c, c->def);

	for (uint32_t i = 0; r >= 0 && i < c->def->nr_refs; i++) {
		if (c->def->refs[i]->ref != c->def)
			r = add_ref(c, c->def->refs[i]);
	}
	return r < 0 ? r : 0;
}

/* ---- actions ---- */

/* Returns the virtual register for the value of an action's parameter.  The value of a hidden
 * variable is that of its field. */
static uint16_t compile_param(struct compiler *c, const struct hist_action_def *action,
			      uint32_t nth, struct hist_param *ret)
{
	const struct hist_var_def *var;

	if (action->kind == HIST_DO_TRACE) {
		*ret = action->stores[nth];
		return compile_kept(c, action->values[nth]);
	}
	var = &c->def->vars[action->first_save + nth];
	*ret = (struct hist_param){
		.kind = (uint8_t)var->kind, .bit = var->bit, .offset = var->offset,
	};
	return compile_kept(c, var->expr);
}

static void compile_action(struct compiler *c, const struct hist_action_def *def)
{
	uint32_t nth = c->head.nr_actions++;
	struct hist_action *action = &c->actions[nth];

	*action = (struct hist_action){
		.handler = (uint8_t)def->handler, .kind = (uint8_t)def->kind,
		.first = c->head.nr_params,
		.record_bytes = (uint16_t)def->record_bytes, .row = def->synth_row,
	};
	if (def->handler != HIST_ON_MATCH) {
		const struct hist_var_def *track = &c->def->vars[def->track_var];

		action->bit = track->bit;
		action->offset = track->offset;
		c->action_results[nth] =
			compile_kept(c, c->def->vars[def->watch_var].expr);
	}
	if (def->kind == HIST_DO_SNAPSHOT)
		return;
	action->nr = (uint16_t)def->nr_params;
	for (uint32_t i = 0; i < def->nr_params; i++) {
		uint32_t param = c->head.nr_params++;

		c->param_results[param] = compile_param(c, def, i, &c->params[param]);
	}
}

/* ---- make the whole program ---- */

/* Replace the virtual registers of the results by registers of the program. */
static void set_registers(struct compiler *c)
{
	for (uint32_t i = 0; i < c->head.nr_keys; i++)
		c->keys[i].reg = c->code.reg[c->key_results[i]];
	for (uint32_t i = 0; i < c->head.nr_vals; i++)
		c->vals[i] = c->code.reg[c->val_results[i]];
	for (uint32_t i = 0; i < c->head.nr_vars; i++)
		c->vars[i].reg = c->code.reg[c->var_results[i]];
	for (uint32_t i = 0; i < c->head.nr_params; i++)
		c->params[i].reg = c->code.reg[c->param_results[i]];
	for (uint32_t i = 0; i < c->head.nr_actions; i++) {
		if (c->actions[i].handler != HIST_ON_MATCH)
			c->actions[i].reg = c->code.reg[c->action_results[i]];
	}
}

/* Copy an array into the program, to the address that hist_insns() or a similar function
 * returns. */
static void copy_array(const void *to, const void *from, size_t bytes)
{
	memcpy((void *)to, from, bytes);
}

static struct hist_program *make_program(const struct compiler *c)
{
	uint32_t bytes = hist_program_bytes(&c->head);
	struct hist_program *p = calloc(1, bytes);

	if (!p)
		return NULL;
	*p = c->head;
	p->magic = HIST_PROGRAM_MAGIC;
	p->bytes = bytes;
	copy_array(hist_tables(p), c->tables, p->nr_tables * sizeof(c->tables[0]));
	copy_array(hist_insns(p), c->code.insns, p->nr_insns * sizeof(c->code.insns[0]));
	copy_array(hist_keys(p), c->keys, p->nr_keys * sizeof(c->keys[0]));
	copy_array(hist_vals(p), c->vals, p->nr_vals);
	copy_array(hist_refs(p), c->refs, p->nr_refs * sizeof(c->refs[0]));
	copy_array(hist_vars(p), c->vars, p->nr_vars * sizeof(c->vars[0]));
	copy_array(hist_actions(p), c->actions, p->nr_actions * sizeof(c->actions[0]));
	copy_array(hist_params(p), c->params, p->nr_params * sizeof(c->params[0]));
	return p;
}

static int compile_program(struct compiler *c, struct hist_program **ret_program)
{
	int r = compile_tables(c);

	if (r)
		return r;
	compile_keys(c);
	compile_vals(c);
	compile_vars(c);
	for (uint32_t i = 0; i < c->def->nr_actions; i++)
		compile_action(c, &c->def->actions[i]);
	r = hist_code_assign(&c->code);
	if (r)
		return r;
	set_registers(c);
	c->head.record_bytes = c->code.record_bytes;
	c->head.nr_insns = (uint16_t)c->code.nr;
	c->head.nr_key_insns = (uint16_t)c->code.nr_key_insns;
	*ret_program = make_program(c);
	return *ret_program ? 0 : -ENOMEM;
}

int hist_compile(const struct hist_def *def, const struct event_format *format,
		 const struct hist_table_ref *(*place)(void *ctx, const struct hist_def *def),
		 void *ctx, uint32_t paused, struct hist_program **ret_program)
{
	struct compiler *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->def = def;
	c->format = format;
	c->place = place;
	c->ctx = ctx;
	c->head.paused = paused;
	r = compile_program(c, ret_program);
	free(c);
	return r;
}
