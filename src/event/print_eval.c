/* SPDX-License-Identifier: MIT */
/* Evaluate the nodes of expressions.  Operands may have any value, because records are not
 * trusted.  So this code avoids operations that are undefined in C: overflow, division by 0,
 * large shift counts. */
#include "event/print_impl.h"

static const struct val fault = { .kind = VAL_FAULT };

static struct val int_val(uint64_t u)
{
	return (struct val){ .u = u, .kind = VAL_INT };
}

uint64_t print_extend(uint64_t value, struct value_type type)
{
	if (type.is_bool)
		return value != 0;
	if (type.is_ptr || type.is_float)
		return value;
	switch (type.size) {
	case 1:
		return type.is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return type.is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return type.is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

/* Convert a value of type @from to @type.  At least one of the two types is float or
 * double. */
static uint64_t convert_float(uint64_t value, struct value_type from,
			      struct value_type type)
{
	double d = print_double(value);

	if (!type_is_float(from))
		d = from.is_signed ? (double)(int64_t)value : (double)value;
	if (type.is_bool)
		return d != 0;
	if (type_is_float(type))
		return print_double_bits(type.size == 4 ? (double)(float)d : d);
	/* cppcheck-suppress incorrectLogicOperator ; cppcheck misreads hex floats */
	if (!(d > -0x1p63 && d < 0x1p64))
		return 1ull << 63;	/* the value is out of range: return the result of the
					 * x86 instruction that converts floats to integers */
	return print_extend(d < 0x1p63 ? (uint64_t)(int64_t)d : (uint64_t)d, type);
}

static struct val load_val(const uint8_t *p, struct value_type type)
{
	if (type_is_float(type))
		return int_val(print_double_bits(print_load_float(p, type)));
	return int_val(print_load(p, type));
}

/*
 * Convert a value to a number.  A pointer becomes a number that is not 0, so that it counts
 * as true.
 */
static bool val_as_number(struct val val, uint64_t *ret_value)
{
	if (val.kind == VAL_FAULT)
		return false;
	*ret_value = val.kind == VAL_INT ? val.u : val.u + 1;
	return true;
}

bool print_eval_int(struct run *run, uint32_t node, uint64_t *ret_value)
{
	return val_as_number(print_eval(run, node), ret_value);
}

const uint8_t *print_val_mem(const struct run *run, struct val val,
			     size_t *ret_len)
{
	const struct text *pool = &run->program->pool;
	size_t limit;
	const void *base;

	if (val.kind == VAL_REC) {
		base = run->rec;
		limit = run->len;
	} else if (val.kind == VAL_STR) {
		base = pool->data;
		limit = pool->len;
	} else {
		return NULL;
	}
	if (val.end < limit)
		limit = val.end;
	if (!base || val.u > limit)
		return NULL;
	*ret_len = limit - val.u;
	return (const uint8_t *)base + val.u;
}

static struct val eval_dyn(const struct run *run, const struct node *node)
{
	const struct value_type loc_type = { .size = 4 };
	uint64_t loc, offset, end;

	if (node->imm + 4 > run->len)
		return fault;
	loc = print_load(run->rec + node->imm, loc_type);
	if (node->op == OP_DYNLEN)
		return int_val(loc >> 16);
	offset = loc & 0xffff;
	if (node->a)
		offset += node->imm + 4;
	end = offset + (loc >> 16);
	if (end > run->len)
		return fault;
	return (struct val){ .u = offset, .end = end, .kind = VAL_REC };
}

static struct val eval_load(struct run *run, const struct node *node)
{
	const uint8_t *mem;
	size_t len;

	mem = print_val_mem(run, print_eval(run, node->a), &len);
	if (!mem || len < node->type.size)
		return fault;
	return load_val(mem, node->type);
}

static struct val eval_ptradd(struct run *run, const struct node *node)
{
	struct val val = print_eval(run, node->a);
	uint64_t i;

	if (val.kind == VAL_NODE || !print_eval_int(run, node->b, &i))
		return fault;
	val.u += i * node->imm;
	return val;
}

static struct val eval_cast(struct run *run, const struct node *node)
{
	struct value_type from = run->program->nodes[node->a].type;
	struct val val = print_eval(run, node->a);
	uint64_t u;

	/* A pointer remains a pointer if it is cast to unsigned long and back. */
	if (val.kind != VAL_INT && !node->type.is_bool &&
	    (node->type.is_ptr || node->type.size == 8))
		return val;
	if (!val_as_number(val, &u))
		return fault;
	if (type_is_float(node->type) || type_is_float(from))
		return int_val(convert_float(u, from, node->type));
	return int_val(print_extend(u, node->type));
}

static struct val eval_unary(struct run *run, const struct node *node)
{
	uint64_t u;

	if (!print_eval_int(run, node->a, &u))
		return fault;
	switch (node->op) {
	case OP_NEG:
		if (type_is_float(node->type))
			return int_val(u ^ 1ull << 63);
		return int_val(print_extend(-u, node->type));
	case OP_INV:
		return int_val(print_extend(~u, node->type));
	case OP_BSWAP:
		u = __builtin_bswap64(u) >> (64 - node->type.size * 8);
		return int_val(u);
	default:
		return int_val(!u);
	}
}

static struct val divide_ints(uint64_t a, uint64_t b, const struct node *node)
{
	bool is_mod = node->op == OP_MOD;

	if (!b)
		return fault;
	if (!node->calc.is_signed)
		a = is_mod ? a % b : a / b;
	else if (b == UINT64_MAX)
		a = is_mod ? 0 : -a;	/* @b is -1: negate @a instead of dividing it, because
					 * the division INT64_MIN / -1 would overflow */
	else
		a = is_mod ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b;
	return int_val(print_extend(a, node->type));
}

static uint64_t shift_int(uint64_t a, uint64_t b, const struct node *node)
{
	b &= node->calc.size * 8 - 1;	/* use only the low bits of the shift count, as the
					 * CPU does (x86) */
	if (node->op == OP_SHL)
		return a << b;
	if (!node->calc.is_signed || !(a >> 63))
		return a >> b;
	return ~(~a >> b);
}

static bool is_less_int(uint64_t a, uint64_t b, const struct node *node)
{
	return node->calc.is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Evaluate an operator whose operands are of type double. */
static struct val eval_float(uint64_t left, uint64_t right, const struct node *node)
{
	double a = print_double(left), b = print_double(right);

	switch (node->op) {
	case OP_MUL:	return int_val(print_double_bits(a * b));
	case OP_DIV:	return int_val(print_double_bits(a / b));
	case OP_ADD:	return int_val(print_double_bits(a + b));
	case OP_SUB:	return int_val(print_double_bits(a - b));
	case OP_LT:	return int_val(a < b);
	case OP_LE:	return int_val(a <= b);
	case OP_GT:	return int_val(a > b);
	case OP_GE:	return int_val(a >= b);
	case OP_EQ:	return int_val(a == b);
	case OP_NE:	return int_val(a != b);
	default:	return fault;
	}
}

static struct val eval_binary(struct run *run, const struct node *node)
{
	uint64_t a, b;

	if (!print_eval_int(run, node->a, &a) || !print_eval_int(run, node->b, &b))
		return fault;
	if (type_is_float(node->calc))
		return eval_float(a, b, node);
	a = print_extend(a, node->calc);
	if (node->op != OP_SHL && node->op != OP_SHR)
		b = print_extend(b, node->calc);
	switch (node->op) {
	case OP_MUL:	a *= b; break;
	case OP_DIV:
	case OP_MOD:	return divide_ints(a, b, node);
	case OP_ADD:	a += b; break;
	case OP_SUB:	a -= b; break;
	case OP_SHL:
	case OP_SHR:	a = shift_int(a, b, node); break;
	case OP_LT:	a = is_less_int(a, b, node); break;
	case OP_LE:	a = !is_less_int(b, a, node); break;
	case OP_GT:	a = is_less_int(b, a, node); break;
	case OP_GE:	a = !is_less_int(a, b, node); break;
	case OP_EQ:	a = a == b; break;
	case OP_NE:	a = a != b; break;
	case OP_AND:	a &= b; break;
	case OP_XOR:	a ^= b; break;
	case OP_OR:	a |= b; break;
	}
	return int_val(print_extend(a, node->type));
}

/* Evaluate && or ||.  As in C, the right operand is evaluated only if the left operand does
 * not decide the result. */
static struct val eval_logic(struct run *run, const struct node *node)
{
	bool is_or = node->op == OP_LOR;
	uint64_t u;

	if (!print_eval_int(run, node->a, &u))
		return fault;
	if (!!u == is_or)
		return int_val(is_or);
	if (!print_eval_int(run, node->b, &u))
		return fault;
	return int_val(!!u);
}

static struct val eval_cond(struct run *run, const struct node *node)
{
	struct val val;
	uint64_t u;

	if (!print_eval_int(run, node->a, &u))
		return fault;
	val = print_eval(run, u ? node->b : node->c);
	if (val.kind == VAL_INT)
		val.u = print_extend(val.u, node->type);
	return val;
}

struct val print_eval(struct run *run, uint32_t n)
{
	const struct node *node = &run->program->nodes[n];
	struct value_type type = node->type;

	switch (node->op) {
	case OP_CONST:
		return int_val(node->imm);
	case OP_STR:
		return (struct val){ .u = node->imm, .end = node->imm + node->a,
				     .kind = VAL_STR };
	case OP_FIELD:
		if (type.is_ptr)
			type = (struct value_type){ .size = 8 };
		return load_val(run->rec + node->imm, type);
	case OP_ADDR:
		return (struct val){ .u = node->imm, .end = node->a,
				     .kind = VAL_REC };
	case OP_DYN:
	case OP_DYNLEN:
		return eval_dyn(run, node);
	case OP_LOAD:
		return eval_load(run, node);
	case OP_PTRADD:
		return eval_ptradd(run, node);
	case OP_CAST:
		return eval_cast(run, node);
	case OP_NEG:
	case OP_INV:
	case OP_NOT:
	case OP_BSWAP:
		return eval_unary(run, node);
	case OP_LAND:
	case OP_LOR:
		return eval_logic(run, node);
	case OP_COND:
		return eval_cond(run, node);
	case OP_LET:
		run->locals[node->imm] = print_eval(run, node->a);
		return print_eval(run, node->b);
	case OP_LOCAL:
		return run->locals[node->imm];
	case OP_FLAGS:
	case OP_SYMBOLIC:
	case OP_HEX:
	case OP_ARRAY:
	case OP_BITMASK:
	case OP_HEXDUMP:
		return (struct val){ .u = n, .kind = VAL_NODE };
	default:
		return eval_binary(run, node);
	}
}
