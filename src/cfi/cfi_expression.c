/* SPDX-License-Identifier: MIT */
/*
 * Run DWARF expressions.  .eh_frame uses them for the PLT, and for the frame that the kernel
 * makes for a signal.  An expression is a program for a stack machine.  Example, a part of
 * the expression for a PLT (how much the PLT entry has pushed depends on the pc):
 *
 *	breg7 8		push rsp + 8
 *	breg16 0	push pc
 *	lit15 and	pc & 15, the offset in the PLT entry
 *	lit11 ge	1 if the entry has pushed its number already, else 0
 *	lit3 shl plus	add 8 for that
 */
#include <errno.h>

#include "cfi/cfi.h"
#include "cfi/cfi_bytes.h"

#define DEPTH_MAX	16		/* maximum number of values on the machine's
					 * stack */
#define STEPS_MAX	1024		/* maximum number of operations of one run,
					 * because an expression can contain an
					 * endless loop */

enum {
	OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S,
	OP_CONST4U, OP_CONST4S, OP_CONST8U, OP_CONST8S, OP_CONSTU, OP_CONSTS,
	OP_DUP, OP_DROP, OP_OVER, OP_PICK, OP_SWAP,
	OP_AND = 0x1a, OP_MINUS = 0x1c, OP_MUL = 0x1e, OP_NEG, OP_NOT, OP_OR,
	OP_PLUS, OP_PLUS_UCONST, OP_SHL, OP_SHR, OP_SHRA, OP_XOR, OP_BRA,
	OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE, OP_SKIP,
	OP_LIT0 = 0x30, OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70, OP_BREG31 = 0x8f,
	OP_NOP = 0x96,
};

struct machine {
	struct cfi_bytes bytes;		/* the operations that are not executed yet */
	const uint8_t *start;		/* start of the expression */
	const uint64_t *regs;
	cfi_read read;
	void *arg;
	uint64_t stack[DEPTH_MAX];
	unsigned int depth;
	bool is_bad;
};

static void push_value(struct machine *m, uint64_t value)
{
	if (m->depth < DEPTH_MAX)
		m->stack[m->depth++] = value;
	else
		m->is_bad = true;
}

static uint64_t pop_value(struct machine *m)
{
	if (m->depth)
		return m->stack[--m->depth];
	m->is_bad = true;
	return 0;
}

/* Returns the value @back positions below the top of the machine's stack; 0 is the top. */
static uint64_t peek_value(struct machine *m, unsigned int back)
{
	if (back < m->depth)
		return m->stack[m->depth - 1 - back];
	m->is_bad = true;
	return 0;
}

/* Jump by @by bytes, counted from the end of the jump's own operation. */
static void jump_by(struct machine *m, int16_t by)
{
	int64_t to = m->bytes.at - m->start + by;

	if (to < 0 || to > m->bytes.end - m->start)
		m->is_bad = true;
	else
		m->bytes.at = m->start + to;
}

static uint64_t shift_value(uint8_t op, uint64_t value, uint64_t by)
{
	if (by > 63)
		return op == OP_SHRA && (int64_t)value < 0 ? ~0ull : 0;
	if (op == OP_SHL)
		return value << by;
	return op == OP_SHR ? value >> by : (uint64_t)((int64_t)value >> by);
}

/* Evaluate a binary operator.  Returns false if @op is not a binary operator. */
static bool do_binary(struct machine *m, uint8_t op)
{
	uint64_t b = m->depth > 0 ? m->stack[m->depth - 1] : 0;
	uint64_t a = m->depth > 1 ? m->stack[m->depth - 2] : 0;
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	uint64_t value;

	switch (op) {
	case OP_AND:	value = a & b; break;
	case OP_OR:	value = a | b; break;
	case OP_XOR:	value = a ^ b; break;
	case OP_MINUS:	value = a - b; break;
	case OP_PLUS:	value = a + b; break;
	case OP_MUL:	value = a * b; break;
	case OP_SHL: case OP_SHR: case OP_SHRA:
		value = shift_value(op, a, b);
		break;
	case OP_EQ:	value = a == b; break;
	case OP_NE:	value = a != b; break;
	case OP_GE:	value = sa >= sb; break;
	case OP_GT:	value = sa > sb; break;
	case OP_LE:	value = sa <= sb; break;
	case OP_LT:	value = sa < sb; break;
	default:
		return false;
	}
	pop_value(m);
	pop_value(m);
	push_value(m, value);
	return true;
}

/* Evaluate an operation that pushes a constant.  Returns false if @op is not such an
 * operation. */
static bool do_constant(struct machine *m, uint8_t op)
{
	struct cfi_bytes *bytes = &m->bytes;

	switch (op) {
	case OP_CONST1U: push_value(m, bytes_u8(bytes)); break;
	case OP_CONST1S: push_value(m, (uint64_t)(int8_t)bytes_u8(bytes)); break;
	case OP_CONST2U: push_value(m, bytes_u16(bytes)); break;
	case OP_CONST2S: push_value(m, (uint64_t)(int16_t)bytes_u16(bytes)); break;
	case OP_CONST4U: push_value(m, bytes_u32(bytes)); break;
	case OP_CONST4S: push_value(m, (uint64_t)(int32_t)bytes_u32(bytes)); break;
	case OP_CONST8U:
	case OP_CONST8S: push_value(m, bytes_u64(bytes)); break;
	case OP_CONSTU:	push_value(m, bytes_uleb(bytes)); break;
	case OP_CONSTS:	push_value(m, (uint64_t)bytes_sleb(bytes)); break;
	default:
		if (op < OP_LIT0 || op > OP_LIT31)
			return false;
		push_value(m, op - OP_LIT0);
	}
	return true;
}

/* Evaluate an operation that moves or copies values on the machine's stack.  Returns
 * false if @op is not such an operation. */
static bool do_stack(struct machine *m, uint8_t op)
{
	uint64_t a, b;

	switch (op) {
	case OP_DUP:	push_value(m, peek_value(m, 0)); break;
	case OP_DROP:	pop_value(m); break;
	case OP_OVER:	push_value(m, peek_value(m, 1)); break;
	case OP_PICK:	push_value(m, peek_value(m, bytes_u8(&m->bytes))); break;
	case OP_SWAP:
		b = pop_value(m);
		a = pop_value(m);
		push_value(m, b);
		push_value(m, a);
		break;
	default:
		return false;
	}
	return true;
}

/* Evaluate OP_BREG0 to OP_BREG31: push a register plus an offset. */
static void do_register(struct machine *m, uint8_t op)
{
	unsigned int reg = op - OP_BREG0;
	int64_t offset = bytes_sleb(&m->bytes);

	if (reg < ARCH_UNWIND_REGS)
		push_value(m, m->regs[reg] + (uint64_t)offset);
	else
		m->is_bad = true;
}

static void do_other(struct machine *m, uint8_t op)
{
	uint64_t value;
	int16_t by;

	switch (op) {
	case OP_NOP:
		break;
	case OP_DEREF:
		value = pop_value(m);
		if (m->is_bad || !m->read(m->arg, value, &value))
			m->is_bad = true;
		push_value(m, value);
		break;
	case OP_NEG:
		push_value(m, -pop_value(m));
		break;
	case OP_NOT:
		push_value(m, ~pop_value(m));
		break;
	case OP_PLUS_UCONST:
		value = pop_value(m);
		push_value(m, value + bytes_uleb(&m->bytes));
		break;
	case OP_SKIP:
		jump_by(m, (int16_t)bytes_u16(&m->bytes));
		break;
	case OP_BRA:
		by = (int16_t)bytes_u16(&m->bytes);
		if (pop_value(m))
			jump_by(m, by);
		break;
	default:
		m->is_bad = true;
	}
}

static void do_one(struct machine *m)
{
	uint8_t op = bytes_u8(&m->bytes);

	if (op >= OP_BREG0 && op <= OP_BREG31)
		do_register(m, op);
	else if (!do_constant(m, op) && !do_stack(m, op) && !do_binary(m, op))
		do_other(m, op);
}

int cfi_evaluate(const struct cfi_object *object, int32_t at,
		 const uint64_t regs[ARCH_UNWIND_REGS], const uint64_t *first,
		 cfi_read read, void *arg, uint64_t *ret_value)
{
	struct cfi_bytes bytes = { object->start + at, object->end, false };
	uint64_t length = bytes_uleb(&bytes);
	struct machine m = { .regs = regs, .read = read, .arg = arg };

	if (bytes.is_bad || length > bytes_left(&bytes))
		return -EINVAL;
	m.start = bytes.at;
	m.bytes = (struct cfi_bytes){ bytes.at, bytes.at + length, false };
	if (first)
		push_value(&m, *first);
	for (int steps = 0; bytes_left(&m.bytes) && steps < STEPS_MAX; steps++) {
		do_one(&m);
		if (m.is_bad || m.bytes.is_bad)
			return -EINVAL;
	}
	if (bytes_left(&m.bytes) || !m.depth)
		return -EINVAL;
	*ret_value = pop_value(&m);
	return 0;
}
