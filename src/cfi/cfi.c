/* SPDX-License-Identifier: MIT */
/*
 * Read .eh_frame.  search_fde() finds the FDE (frame description entry) of a function in the
 * table of .eh_frame_hdr, which is sorted by address; cfi_next() finds all FDEs.  The FDE refers
 * to a CIE (common information entry), which several functions share.  Both have instructions.
 * run_program() executes the instructions up to an address.  The result says where the
 * caller's registers are when the pc is at this address.  See the Linux Standard Base,
 * "Exception Frames".
 *
 * Example, at pc = start + 5 of a function that begins with push %rbp (1 byte) and
 * mov %rsp,%rbp (3 bytes):
 *
 *	CIE	def_cfa rsp+8; offset pc at cfa-8	the rules at start
 *	FDE	advance 1; def_cfa_offset 16; offset rbp at cfa-16
 *		advance 3; def_cfa_register rbp		the rules from start + 4 on
 */
#include "cfi/cfi.h"

#include <errno.h>
#include <stddef.h>

#include "cfi/cfi_bytes.h"

/* How an address is encoded: its format, and the base to which it is relative
 * (DW_EH_PE_...). */
enum {
	PE_ABSOLUTE = 0x00, PE_ULEB, PE_U2, PE_U4, PE_U8,
	PE_SLEB = 0x09, PE_S2, PE_S4, PE_S8,
	PE_FORMAT = CFI_FORMAT,
	PE_RELATIVE = 0x70, PE_PC = 0x10, PE_HEADER = 0x30,
	PE_INDIRECT = 0x80,
	PE_OMITTED = CFI_OMITTED,
};

/* Instructions of call frame information (DW_CFA_...).  The first three use only the upper
 * two bits of a byte; the lower six bits are an operand. */
enum {
	/* the byte is value << 6 | operand */
	CFA_ADVANCE = 1, CFA_OFFSET = 2, CFA_RESTORE = 3,
	CFA_NOP = 0, CFA_SET_LOC, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4,
	CFA_OFFSET_EXTENDED, CFA_RESTORE_EXTENDED, CFA_UNDEFINED,
	CFA_SAME_VALUE, CFA_REGISTER, CFA_REMEMBER_STATE, CFA_RESTORE_STATE,
	CFA_DEF_CFA, CFA_DEF_CFA_REGISTER, CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION, CFA_EXPRESSION, CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_CFA_SF, CFA_DEF_CFA_OFFSET_SF, CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF, CFA_VAL_EXPRESSION,
	CFA_GNU_ARGS_SIZE = 0x2e, CFA_GNU_NEGATIVE_OFFSET_EXTENDED,
};

/* ---- read encoded addresses ---- */

uint64_t cfi_number(struct cfi_bytes *bytes, uint8_t format)
{
	switch (format) {
	case PE_ABSOLUTE:
	case PE_U8:
	case PE_S8:	return bytes_u64(bytes);
	case PE_U2:	return bytes_u16(bytes);
	case PE_U4:	return bytes_u32(bytes);
	case PE_S2:	return (uint64_t)(int16_t)bytes_u16(bytes);
	case PE_S4:	return (uint64_t)(int32_t)bytes_u32(bytes);
	case PE_ULEB:	return bytes_uleb(bytes);
	case PE_SLEB:	return (uint64_t)bytes_sleb(bytes);
	}
	bytes->is_bad = true;
	return 0;
}

static uint64_t get_address(const struct cfi_object *object,
			    struct cfi_bytes *bytes, uint8_t encoding)
{
	uint64_t base = 0;

	switch (encoding & PE_RELATIVE) {
	case 0:
		base = object->bias;
		break;
	case PE_PC:
		base = (uint64_t)bytes->at;
		break;
	case PE_HEADER:
		base = (uint64_t)object->header;
		break;
	default:
		bytes->is_bad = true;
	}
	return base + cfi_number(bytes, encoding & PE_FORMAT);
}

/* ---- parse a CIE and an FDE ---- */

/* Returns the bytes of the object from @at on.  If @at is outside of the object, returns no
 * bytes, and cfi_bytes.is_bad of the result is set. */
static struct cfi_bytes bytes_from(const struct cfi_object *object,
				   uint64_t at)
{
	uint64_t off = at - (uint64_t)object->start;
	uint64_t size = (uint64_t)(object->end - object->start);

	if (off >= size)
		return (struct cfi_bytes){ object->end, object->end, true };
	return (struct cfi_bytes){ object->start + off, object->end, false };
}

/* Returns the bytes of the CIE or FDE at the offset @at, without its length
 * field. */
static struct cfi_bytes entry_at(const struct cfi_object *object, uint64_t at)
{
	struct cfi_bytes bytes = bytes_from(object, at);
	uint64_t length = bytes_u32(&bytes);

	if (length == 0xffffffff)
		length = bytes_u64(&bytes);
	if (!length || length > bytes_left(&bytes))
		bytes.is_bad = true;
	else
		bytes.end = bytes.at + length;
	return bytes;
}

/* Read the augmentation data of a CIE.  @letters: the augmentation string after its 'z';
 * each letter says which value comes next. */
static void parse_data(const struct cfi_object *object, const char *letters,
		       struct cfi_bytes *data, struct cfi_cie *cie)
{
	uint8_t encoding;

	for (; *letters && !data->is_bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = bytes_u8(data);
			break;
		case 'L':
			cie->exceptions = bytes_u8(data);
			break;
		case 'P':
			encoding = bytes_u8(data);
			get_address(object, data, encoding & ~PE_INDIRECT);
			break;
		case 'S':
			cie->is_signal_frame = true;
			break;
		default:
			data->is_bad = true;
		}
	}
}

static int parse_cie(const struct cfi_object *object, uint64_t at,
		     struct cfi_cie *ret_cie)
{
	struct cfi_bytes bytes = entry_at(object, at), data;
	const char *letters;
	uint64_t length, column;
	uint8_t version;

	*ret_cie = (struct cfi_cie){ .exceptions = PE_OMITTED };
	if (bytes_u32(&bytes))		/* If this number is not 0, the entry is an
					 * FDE and not a CIE. */
		return -EINVAL;
	version = bytes_u8(&bytes);
	letters = (const char *)bytes.at;
	while (!bytes.is_bad && bytes_u8(&bytes))
		;
	ret_cie->code_align = bytes_uleb(&bytes);
	ret_cie->data_align = bytes_sleb(&bytes);
	column = version == 1 ? bytes_u8(&bytes) : bytes_uleb(&bytes);
	if (bytes.is_bad || (version != 1 && version != 3) ||
	    column != ARCH_UNWIND_PC)
		return -EINVAL;
	if (*letters == 'z') {
		length = bytes_uleb(&bytes);
		data = bytes;
		bytes_skip(&bytes, length);
		data.end = bytes.at;
		parse_data(object, letters + 1, &data, ret_cie);
		if (data.is_bad)
			return -EINVAL;
		ret_cie->has_data = true;
	} else if (*letters) {
		return -EINVAL;
	}
	ret_cie->program = bytes;
	return bytes.is_bad ? -EINVAL : 0;
}

/* Read the address of the function's table of exception handlers from @data, the
 * augmentation data of an FDE.  The value 0 means that there is no table. */
static void parse_exceptions(const struct cfi_object *object, const struct cfi_cie *cie,
			     struct cfi_bytes *data, struct cfi_function *function)
{
	struct cfi_bytes plain = *data;

	if (cie->exceptions == PE_OMITTED || !bytes_left(data))
		return;
	if (!cfi_number(&plain, cie->exceptions & PE_FORMAT) && !plain.is_bad)
		return;
	function->exceptions = get_address(object, data, cie->exceptions);
	function->has_bad_exceptions = data->is_bad || cie->exceptions & PE_INDIRECT;
}

/* Parse the FDE at @at and its CIE.  @ret_program: the instructions of the FDE, which run
 * after those of the CIE. */
static int parse_fde(const struct cfi_object *object, uint64_t at,
		     struct cfi_cie *ret_cie, struct cfi_function *ret_function,
		     struct cfi_bytes *ret_program)
{
	struct cfi_bytes bytes = entry_at(object, at), data;
	uint64_t here = (uint64_t)bytes.at;
	uint32_t back = bytes_u32(&bytes);
	int r;

	if (bytes.is_bad || !back)
		return -EINVAL;
	r = parse_cie(object, here - back, ret_cie);
	if (r)
		return r;
	*ret_function = (struct cfi_function){ .is_signal_frame = ret_cie->is_signal_frame };
	ret_function->start = get_address(object, &bytes, ret_cie->encoding);
	ret_function->end = ret_function->start +
		cfi_number(&bytes, ret_cie->encoding & PE_FORMAT);
	if (ret_cie->has_data) {
		uint64_t length = bytes_uleb(&bytes);

		data = bytes;
		bytes_skip(&bytes, length);
		data.end = bytes.at;
		parse_exceptions(object, ret_cie, &data, ret_function);
	}
	*ret_program = bytes;
	return bytes.is_bad ? -EINVAL : 0;
}

/* ---- walk through .eh_frame ---- */

uint64_t cfi_first(const struct cfi_object *object)
{
	struct cfi_bytes bytes = bytes_from(object, (uint64_t)object->header);
	uint8_t version = bytes_u8(&bytes), frames = bytes_u8(&bytes);
	uint64_t first;

	bytes_skip(&bytes, 2);
	first = version == 1 && frames != PE_OMITTED && !(frames & PE_INDIRECT) ?
		get_address(object, &bytes, frames) : 0;
	return bytes.is_bad ? 0 : first;
}

bool cfi_next(const struct cfi_object *object, uint64_t *at, uint64_t *ret_fde)
{
	for (;;) {
		uint64_t entry = *at;
		struct cfi_bytes bytes = entry_at(object, entry);
		uint64_t end = (uint64_t)bytes.end;
		uint32_t back = bytes_u32(&bytes);

		if (bytes.is_bad)
			return false;
		*at = end;
		if (back) {
			*ret_fde = entry;
			return true;
		}
	}
}

/* ---- search the table of .eh_frame_hdr ---- */

struct table_row {
	int32_t start, fde;		/* offsets of a function's start and of its FDE from
					 * .eh_frame_hdr */
};

/* Store in *@ret_fde the address of the FDE of the last function that does not begin after
 * @pc.  Returns 0, -ENOENT (no such function, or no table) or -EINVAL (the table is
 * corrupt). */
static int search_fde(const struct cfi_object *object, uint64_t pc,
		      uint64_t *ret_fde)
{
	struct cfi_bytes bytes = bytes_from(object, (uint64_t)object->header);
	uint8_t version = bytes_u8(&bytes), frames = bytes_u8(&bytes);
	uint8_t count = bytes_u8(&bytes), table = bytes_u8(&bytes);
	int64_t want = (int64_t)(pc - (uint64_t)object->header);
	uint64_t low = 0, high;
	struct table_row row;

	if (version != 1 || count == PE_OMITTED || table != (PE_HEADER | PE_S4))
		return -ENOENT;
	if (frames != PE_OMITTED)
		get_address(object, &bytes, frames);
	high = get_address(object, &bytes, count);
	if (bytes.is_bad || high > bytes_left(&bytes) / sizeof(row))
		return -EINVAL;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		memcpy(&row, bytes.at + middle * sizeof(row), sizeof(row));
		if (row.start <= want)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -ENOENT;
	memcpy(&row, bytes.at + (low - 1) * sizeof(row), sizeof(row));
	*ret_fde = (uint64_t)object->header + (uint64_t)(int64_t)row.fde;
	return 0;
}

/* ---- execute the instructions of a CIE or an FDE ---- */

static int32_t to_value(struct cfi_walk *m, int64_t value)
{
	if (value != (int32_t)value)
		m->is_bad = true;
	return (int32_t)value;
}

/* Set the rule of register @reg.  Registers from ARCH_UNWIND_REGS on are ignored, because
 * unwinding does not need them. */
static void set_rule(struct cfi_walk *m, uint64_t reg, enum cfi_how how,
		     int64_t value)
{
	if (reg >= ARCH_UNWIND_REGS)
		return;
	m->row.how[reg] = (uint8_t)how;
	m->row.value[reg] = to_value(m, value);
}

static void restore_rule(struct cfi_walk *m, uint64_t reg)
{
	if (reg >= ARCH_UNWIND_REGS)
		return;
	m->row.how[reg] = m->first.how[reg];
	m->row.value[reg] = m->first.value[reg];
}

static void set_cfa(struct cfi_walk *m, uint64_t reg, int64_t offset)
{
	if (reg >= ARCH_UNWIND_REGS)
		m->is_bad = true;
	m->row.cfa_register = (uint8_t)reg;
	m->row.cfa_value = to_value(m, offset);
	m->row.is_cfa_expression = false;
}

/* Skip an expression, which is the last operand of its instruction.  Returns the offset of
 * the expression in the object. */
static int64_t get_expression(struct cfi_walk *m)
{
	int64_t at = m->bytes.at - m->object->start;

	bytes_skip(&m->bytes, bytes_uleb(&m->bytes));
	return at;
}

static int64_t factored_offset(const struct cfi_walk *m, int64_t value)
{
	return (int64_t)((uint64_t)value * (uint64_t)m->cie.data_align);
}

static int64_t get_offset(struct cfi_walk *m)
{
	return factored_offset(m, (int64_t)bytes_uleb(&m->bytes));
}

static int64_t get_signed_offset(struct cfi_walk *m)
{
	return factored_offset(m, bytes_sleb(&m->bytes));
}

static void advance_location(struct cfi_walk *m, uint64_t by)
{
	m->at += by * m->cie.code_align;
}

static void remember_row(struct cfi_walk *m)
{
	if (m->nr_states == CFI_STATES_MAX)
		m->is_bad = true;
	else
		m->states[m->nr_states++] = m->row;
}

static void recall_row(struct cfi_walk *m)
{
	if (!m->nr_states)
		m->is_bad = true;
	else
		m->row = m->states[--m->nr_states];
}

/* Execute an instruction that changes the address or the CFA.  Returns false if @op is not
 * such an instruction. */
static bool do_cfa(struct cfi_walk *m, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case CFA_SET_LOC:
		m->at = get_address(m->object, &m->bytes, m->cie.encoding);
		break;
	case CFA_ADVANCE1:
		advance_location(m, bytes_u8(&m->bytes));
		break;
	case CFA_ADVANCE2:
		advance_location(m, bytes_u16(&m->bytes));
		break;
	case CFA_ADVANCE4:
		advance_location(m, bytes_u32(&m->bytes));
		break;
	case CFA_DEF_CFA:
		reg = bytes_uleb(&m->bytes);
		set_cfa(m, reg, (int64_t)bytes_uleb(&m->bytes));
		break;
	case CFA_DEF_CFA_SF:
		reg = bytes_uleb(&m->bytes);
		set_cfa(m, reg, get_signed_offset(m));
		break;
	case CFA_DEF_CFA_REGISTER:
		set_cfa(m, bytes_uleb(&m->bytes), m->row.cfa_value);
		break;
	case CFA_DEF_CFA_OFFSET:
		set_cfa(m, m->row.cfa_register, (int64_t)bytes_uleb(&m->bytes));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa(m, m->row.cfa_register, get_signed_offset(m));
		break;
	case CFA_DEF_CFA_EXPRESSION:
		m->row.cfa_value = to_value(m, get_expression(m));
		m->row.is_cfa_expression = true;
		break;
	default:
		return false;
	}
	return true;
}

/* Execute an instruction that sets the rule of one register.  Returns false if @op is not
 * such an instruction. */
static bool do_register(struct cfi_walk *m, uint8_t op)
{
	uint64_t reg;

	if (op < CFA_OFFSET_EXTENDED || (op > CFA_VAL_EXPRESSION &&
					 op != CFA_GNU_NEGATIVE_OFFSET_EXTENDED))
		return false;
	reg = bytes_uleb(&m->bytes);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(m, reg, CFI_AT_OFFSET, get_offset(m));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(m, reg, CFI_AT_OFFSET, get_signed_offset(m));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(m, reg, CFI_AT_OFFSET, -get_offset(m));
		break;
	case CFA_VAL_OFFSET:
		set_rule(m, reg, CFI_OFFSET, get_offset(m));
		break;
	case CFA_VAL_OFFSET_SF:
		set_rule(m, reg, CFI_OFFSET, get_signed_offset(m));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_rule(m, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(m, reg, CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_rule(m, reg, CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		set_rule(m, reg, CFI_REGISTER, (int64_t)bytes_uleb(&m->bytes));
		break;
	case CFA_EXPRESSION:
		set_rule(m, reg, CFI_AT_EXPRESSION, get_expression(m));
		break;
	case CFA_VAL_EXPRESSION:
		set_rule(m, reg, CFI_EXPRESSION, get_expression(m));
		break;
	default:
		m->is_bad = true;
	}
	return true;
}

static void do_one(struct cfi_walk *m)
{
	uint8_t op = bytes_u8(&m->bytes), low = op & 0x3f;

	switch (op >> 6) {
	case CFA_ADVANCE:
		advance_location(m, low);
		return;
	case CFA_OFFSET:
		set_rule(m, low, CFI_AT_OFFSET, get_offset(m));
		return;
	case CFA_RESTORE:
		restore_rule(m, low);
		return;
	}
	if (op == CFA_REMEMBER_STATE)
		remember_row(m);
	else if (op == CFA_RESTORE_STATE)
		recall_row(m);
	else if (op == CFA_GNU_ARGS_SIZE)
		bytes_uleb(&m->bytes);
	else if (op != CFA_NOP && !do_cfa(m, op) && !do_register(m, op))
		m->is_bad = true;
}

/* Execute the instructions m->bytes, but stop at an instruction that advances beyond
 * @pc: the instructions after it apply to later addresses.  Returns 0 or -EINVAL. */
static int run_program(struct cfi_walk *m, uint64_t pc)
{
	while (bytes_left(&m->bytes) && m->at <= pc) {
		do_one(m);
		if (m->is_bad || m->bytes.is_bad)
			return -EINVAL;
	}
	return 0;
}

int cfi_walk_begin(const struct cfi_object *object, uint64_t fde, struct cfi_walk *walk,
		   struct cfi_function *ret_function)
{
	struct cfi_bytes program;
	int r = parse_fde(object, fde, &walk->cie, ret_function, &program);

	if (r)
		return r;
	walk->object = object;
	walk->at = ret_function->start;
	walk->row = (struct cfi_row){ 0 };
	walk->nr_states = 0;
	walk->is_bad = false;
	walk->bytes = walk->cie.program;
	r = run_program(walk, ret_function->start);
	walk->first = walk->row;
	walk->bytes = program;
	return r;
}

int cfi_walk_to(struct cfi_walk *walk, uint64_t pc)
{
	return run_program(walk, pc);
}

int cfi_find(const struct cfi_object *object, uint64_t pc,
	     struct cfi_function *ret_function)
{
	struct cfi_walk walk;
	uint64_t fde;
	int r;

	r = search_fde(object, pc, &fde);
	if (!r)
		r = cfi_walk_begin(object, fde, &walk, ret_function);
	if (r)
		return r;
	if (pc < ret_function->start || pc >= ret_function->end)
		return -ENOENT;
	r = cfi_walk_to(&walk, pc);
	ret_function->row = walk.row;
	return r;
}
