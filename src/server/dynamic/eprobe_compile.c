/* SPDX-License-Identifier: MIT */
/*
 * Compile event probes.  Each number or string of the record gets a register of its
 * own, because all registers are stored at the end, by the action that records the
 * event.  Example, for a target with a field `const char *name` at offset 8, and a
 * probe "n=+4($name):u32 s=$name:string":
 *
 *	LOAD_U64 r0 <- [8]	PEEK r0 <- 4 bytes at r0 + 4	store r0 at 8, 4 bytes
 *	STR_PTR r1 <- [8]					store r1 at 12, as a string
 *
 * A text in the definition (\"text") is stored as numbers in the fixed part of the
 * record, after the fields.
 */
#include "server/dynamic/eprobe_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hist.h"
#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include <ulf/record.h>

#define OFFSET_MAX	4096u		/* maximum distance between memory that is read and
					 * the address in a pointer field, bytes */
#define CODE_MAX	(1u << 16)	/* limit of the size of an event probe's program,
					 * bytes */

/* How the field of the target that an argument names is recorded. */
enum field_use {
	USE_NUMBER, USE_POINTER, USE_STRING_POINTER, USE_ARRAY, USE_LOC, USE_REL,
};

/* The state of eprobe_compile() while it compiles one event probe. */
struct compiler {
	const struct eprobe *eprobe;
	const struct event_format *target;
	struct eprobe_refusal *refusal;
	const struct eprobe_arg *arg;	/* argument that is being compiled now */
	struct text insns, params;	/* the program's arrays of struct hist_insn and of
					 * struct hist_param */
	bool reads_memory;		/* true: the program may read memory at any
					 * address */
	uint32_t nr_regs;
	uint32_t target_bytes;		/* minimum size of a record of the target that the
					 * program can read, bytes */
	uint32_t record_bytes;		/* size of the fixed part of the event probe's
					 * record, bytes */
};

static int refuse_argument(struct compiler *c, enum eprobe_error_code code, int errnum)
{
	*c->refusal = (struct eprobe_refusal){
		.code = code,
		.arg = (uint32_t)(c->arg - c->eprobe->args),
	};
	return errnum;
}

/* ---- instructions ---- */

/* Append @insn, an instruction that reads the first @bytes bytes of the target's record. */
static void put_insn(struct compiler *c, const struct hist_insn *insn, uint32_t bytes)
{
	text_write(&c->insns, insn, sizeof(*insn));
	if (bytes && insn->offset + bytes > c->target_bytes)
		c->target_bytes = insn->offset + bytes;
}

/* Allocate a register.  Returns its number, or -E2BIG if there is none left. */
static int take_reg(struct compiler *c)
{
	return c->nr_regs < HIST_REGS ? (int)c->nr_regs++ :
	       refuse_argument(c, EPROBE_ERR_TOO_MANY_VALUES, -E2BIG);
}

/* Append code that stores the number in register @reg in @size bytes at @offset of the
 * probe's record. */
static void store_number(struct compiler *c, uint32_t reg, uint32_t offset, uint32_t size)
{
	const struct hist_param param = {
		.reg = (uint8_t)reg, .kind = HIST_NUM, .store = HIST_STORE_NUM,
		.offset = (uint16_t)offset, .size = (uint16_t)size,
	};

	text_write(&c->params, &param, sizeof(param));
}

/* Append @insn, which computes a number, and store the number in the probe's record. */
static int put_number(struct compiler *c, struct hist_insn insn, uint32_t bytes,
		      uint32_t offset, uint32_t size)
{
	int reg = take_reg(c);

	if (reg < 0)
		return reg;
	insn.dst = (uint8_t)reg;
	put_insn(c, &insn, bytes);
	store_number(c, insn.dst, offset, size);
	return 0;
}

/* Append @insn, which finds a string and reads the first @bytes bytes of the target's
 * record.  Store the string in the probe's record. */
static int put_string(struct compiler *c, struct hist_insn insn, uint32_t bytes,
		      uint32_t offset)
{
	int reg = take_reg(c);
	const struct hist_param param = {
		.reg = (uint8_t)reg, .kind = HIST_STR, .store = HIST_STORE_LOC,
		.offset = (uint16_t)offset, .size = 4,
	};

	if (reg < 0)
		return reg;
	insn.dst = (uint8_t)reg;
	put_insn(c, &insn, bytes);
	text_write(&c->params, &param, sizeof(param));
	return 0;
}

/* Return an instruction that loads a number of @size bytes from @offset of the target's record. */
static struct hist_insn load_insn(uint32_t offset, uint32_t size, bool is_signed)
{
	static const uint8_t ops[2][9] = {
		{ [1] = HIST_OP_LOAD_U8, [2] = HIST_OP_LOAD_U16, [4] = HIST_OP_LOAD_U32,
		  [8] = HIST_OP_LOAD_U64 },
		{ [1] = HIST_OP_LOAD_S8, [2] = HIST_OP_LOAD_S16, [4] = HIST_OP_LOAD_S32,
		  [8] = HIST_OP_LOAD_U64 },
	};

	return (struct hist_insn){ .op = ops[is_signed][size], .offset = (uint16_t)offset };
}

/* Shift register @reg to the left and to the right, so that only the bit field of the
 * argument is left in it. */
static void put_bits(struct compiler *c, uint32_t reg)
{
	uint32_t unused = 64 - 8 * c->arg->type->size;
	const struct hist_insn insn = {
		.op = HIST_OP_BITS, .dst = (uint8_t)reg, .a = (uint8_t)reg,
		.value = (unused + c->arg->left) | (unused + c->arg->right) << 8,
	};

	if (c->arg->is_bitfield)
		put_insn(c, &insn, 0);
}

/* ---- functions for fields of the target ---- */

/* Return the field of the target that the argument names, or NULL if the argument is the
 * name of the thread. */
static const struct event_field *find_field(const struct compiler *c)
{
	for (size_t i = 0; i < c->target->nr_fields; i++)
		if (!strcmp(c->target->fields[i].name, c->arg->text))
			return &c->target->fields[i];
	return NULL;
}

static enum field_use use_of(const struct event_field *field)
{
	bool is_char = strstr(field->type, "char");

	if (field->kind == FIELD_DATA_LOC && is_char)
		return USE_LOC;
	if (field->kind == FIELD_REL_LOC && is_char)
		return USE_REL;
	if (field->kind == FIELD_ARRAY && is_char)
		return USE_ARRAY;
	if (field->size != 8 || field->kind != FIELD_PLAIN || !strchr(field->type, '*'))
		return USE_NUMBER;
	return field->filter == FILTER_PTR_STRING || !strcmp(field->type, "char *") ||
	       !strcmp(field->type, "const char *") ? USE_STRING_POINTER : USE_POINTER;
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- values ---- */

/* Memory that an argument reads.  Either its address is a register plus an offset, or it
 * is a part of the target's record at an offset. */
struct memory {
	int base;			/* register; -1: the record */
	int64_t offset;
};

/* Return an instruction that reads @size bytes from @memory, at @more bytes after its
 * start. */
static struct hist_insn read_insn(const struct memory *memory, uint32_t more, uint32_t size)
{
	if (memory->base < 0)
		return load_insn((uint32_t)memory->offset + more, size, false);
	return (struct hist_insn){
		.op = HIST_OP_PEEK, .a = (uint8_t)memory->base, .size = (uint16_t)size,
		.value = (uint64_t)memory->offset + more,
	};
}

/* Copy @bytes bytes from @memory, at @more bytes after its start, to offset @to of the
 * probe's record. */
static int copy_bytes(struct compiler *c, const struct memory *memory, uint32_t more,
		      uint32_t to, uint32_t bytes)
{
	uint32_t size;
	int r = 0;

	for (; !r && bytes; bytes -= size, more += size, to += size) {
		for (size = 8; size > bytes; size /= 2)
			;
		r = put_number(c, read_insn(memory, more, size), memory->base < 0 ? size : 0, to,
			       size);
	}
	return r;
}

/* Compile the elements of the argument, which are in @memory. */
static int put_memory(struct compiler *c, const struct memory *memory)
{
	const struct eprobe_arg *arg = c->arg;
	uint32_t count = arg->count ? arg->count : 1, size = arg->type->size;
	int r = 0;

	if (!arg->is_bitfield)
		return copy_bytes(c, memory, 0, arg->offset, count * size);
	for (uint32_t i = 0; !r && i < count; i++) {
		r = copy_bytes(c, memory, i * size, arg->offset + i * size, size);
		if (!r)
			put_bits(c, c->nr_regs - 1);
	}
	return r;
}

/* Compile an argument that reads at @offset of the array @field, which is in the target's
 * record. */
static int put_array_part(struct compiler *c, const struct event_field *field, int64_t offset)
{
	const struct eprobe_arg *arg = c->arg;
	uint32_t bytes = arg->type->size * (arg->count ? arg->count : 1);
	bool is_string = arg->type->print == EPROBE_STRING;
	struct hist_insn insn = { .op = HIST_OP_STR_ARRAY };

	if (is_string && arg->count)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (is_string)
		bytes = 1;
	if (offset < 0 || offset > field->size || bytes > field->size - offset)
		return refuse_argument(c, EPROBE_ERR_OUTSIDE_FIELD, -EINVAL);
	insn.offset = (uint16_t)(field->offset + offset);
	insn.size = (uint16_t)(field->size - offset);
	if (is_string)
		return put_string(c, insn, insn.size, arg->offset);
	return put_memory(c, &(struct memory){ -1, insn.offset });
}

/* Compile an argument that reads at @offset of a dynamic string, which lies after the
 * fixed part of the target's record. */
static int put_dynamic_part(struct compiler *c, const struct event_field *field,
			    int64_t offset)
{
	if (offset || c->arg->count || c->arg->type->print != EPROBE_STRING)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	return put_string(c, (struct hist_insn){
		.op = use_of(field) == USE_LOC ? HIST_OP_STR_LOC : HIST_OP_STR_REL,
		.offset = (uint16_t)field->offset,
	}, 4, c->arg->offset);
}

/*
 * Return true if a process is allowed to read the memory of the argument.  This is
 * allowed if the memory is close to the address in a field that is declared as a
 * pointer, or if the program has permitted reads of all its memory (ULF_READ_MEMORY).
 */
static bool is_allowed(const struct compiler *c, bool is_pointer, int64_t offset)
{
	const struct eprobe_arg *arg = c->arg;
	bool is_string = arg->type->print == EPROBE_STRING;
	uint32_t bytes = is_string ? 1 : arg->type->size * (arg->count ? arg->count : 1);

	if (c->reads_memory)
		return true;
	return is_pointer && arg->nr_derefs <= 1 && offset >= 0 &&
	       offset <= OFFSET_MAX - bytes && !(is_string && arg->count);
}

/* Append an instruction that follows a pointer: it loads 8 bytes from the address in register
 * @base, plus @offset, into register @base. */
static void put_step(struct compiler *c, int base, int64_t offset)
{
	put_insn(c, &(struct hist_insn){
		.op = HIST_OP_PEEK, .dst = (uint8_t)base, .a = (uint8_t)base, .size = 8,
		.value = (uint64_t)offset,
	}, 0);
}

/* Compile an argument that is an array of strings.  @memory contains the addresses of the
 * strings. */
static int put_strings(struct compiler *c, const struct memory *memory)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < c->arg->count; i++) {
		struct hist_insn address = read_insn(memory, 8 * i, 8);
		int reg = take_reg(c);

		if (reg < 0)
			return reg;
		address.dst = (uint8_t)reg;
		put_insn(c, &address, 0);
		r = put_string(c, (struct hist_insn){
			.op = HIST_OP_PEEK_STR, .a = address.dst,
		}, 0, c->arg->offset + i * c->arg->type->size);
	}
	return r;
}

/* Compile an argument whose memory is at the address that the instruction @address
 * computes.  @bytes: number of bytes of the target's record that @address reads. */
static int put_at(struct compiler *c, struct hist_insn address, uint32_t bytes,
		  bool is_pointer)
{
	const struct eprobe_arg *arg = c->arg;
	uint32_t last = arg->nr_derefs ? arg->nr_derefs - 1 : 0;
	struct memory memory = { .offset = arg->derefs[last] };

	if (!is_allowed(c, is_pointer, memory.offset))
		return refuse_argument(c, EPROBE_ERR_NO_POINTER, -EPERM);
	memory.base = take_reg(c);
	if (memory.base < 0)
		return memory.base;
	address.dst = (uint8_t)memory.base;
	put_insn(c, &address, bytes);
	for (uint32_t i = 0; i < last; i++)
		put_step(c, memory.base, arg->derefs[i]);
	if (arg->type->print != EPROBE_STRING)
		return put_memory(c, &memory);
	if (arg->count)
		return put_strings(c, &memory);
	return put_string(c, (struct hist_insn){
		.op = HIST_OP_PEEK_STR, .a = address.dst, .value = (uint64_t)memory.offset,
	}, 0, arg->offset);
}

/*
 * Compile an argument that reads memory by the target's field @field.  The memory is at
 * the address that the field contains; or, for an array or a dynamic string, it is the
 * field's bytes in the record.
 */
static int put_at_field(struct compiler *c, const struct event_field *field)
{
	enum field_use use = use_of(field);
	bool is_pointer = use == USE_POINTER || use == USE_STRING_POINTER;
	uint32_t size = field->size;

	if (!is_pointer && use != USE_NUMBER && c->arg->nr_derefs > 1)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (use == USE_ARRAY)
		return put_array_part(c, field, c->arg->derefs[0]);
	if (!is_pointer && use != USE_NUMBER)
		return put_dynamic_part(c, field, c->arg->derefs[0]);
	if (!is_number_size(size))
		return refuse_argument(c, EPROBE_ERR_OUTSIDE_FIELD, -EINVAL);
	return put_at(c, load_insn(field->offset, size, field->is_signed), size, is_pointer);
}

/* Compile an argument with dereferences, which reads memory. */
static int put_deref(struct compiler *c)
{
	const struct event_field *field = c->arg->base == EPROBE_VARIABLE ? find_field(c) : NULL;

	if (field)
		return put_at_field(c, field);
	if (c->arg->base != EPROBE_NUMBER)
		return refuse_argument(c, c->arg->base == EPROBE_ADDRESS_OF ? EPROBE_ERR_NO_SYMBOL :
			      EPROBE_ERR_NO_ADDRESS, -EPERM);
	return put_at(c, (struct hist_insn){
		.op = HIST_OP_CONST, .value = c->arg->number,
	}, 0, false);
}

/* Compile "$FIELD:string". */
static int put_field_string(struct compiler *c, const struct event_field *field)
{
	enum field_use use = use_of(field);

	if (c->arg->count)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (use == USE_STRING_POINTER)
		return put_string(c, (struct hist_insn){
			.op = HIST_OP_STR_PTR, .offset = (uint16_t)field->offset,
		}, 8, c->arg->offset);
	return put_at_field(c, field);
}

static int put_variable(struct compiler *c)
{
	const struct event_field *field = find_field(c);
	bool is_string = c->arg->type->print == EPROBE_STRING;
	enum field_use use;
	int r;

	if (!field && (!is_string || c->arg->count))
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (!field)
		return put_string(c, (struct hist_insn){ .op = HIST_OP_STR_COMM }, 0,
				  c->arg->offset);
	if (is_string)
		return put_field_string(c, field);
	use = use_of(field);
	if (use == USE_ARRAY || use == USE_LOC || use == USE_REL)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (!is_number_size(field->size))
		return refuse_argument(c, EPROBE_ERR_OUTSIDE_FIELD, -EINVAL);
	r = put_number(c, load_insn(field->offset, field->size, field->is_signed), field->size,
		       c->arg->offset, c->arg->type->size);
	if (!r)
		put_bits(c, c->nr_regs - 1);
	return r;
}

/* Compile an argument that is a text (\"text"): store the text after the fields, and in
 * the field a word with its offset and length. */
static int put_text(struct compiler *c)
{
	uint32_t bytes = (uint32_t)strlen(c->arg->text) + 1, at = c->record_bytes;
	uint32_t padded = ALIGN_UP(bytes, 8u);
	int r;

	if (c->arg->type->print != EPROBE_STRING || c->arg->count)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	c->record_bytes += padded;
	r = put_number(c, (struct hist_insn){ .op = HIST_OP_CONST, .value = bytes << 16 | at },
		       0, c->arg->offset, 4);
	for (uint32_t i = 0; !r && i < padded; i += 8) {
		struct hist_insn insn = { .op = HIST_OP_CONST };

		memcpy(&insn.value, c->arg->text + i, min_u32(bytes - i, 8));
		r = put_number(c, insn, 0, at + i, 8);
	}
	return r;
}

/* Compile "\\number". */
static int put_constant(struct compiler *c)
{
	const struct hist_insn insn = { .op = HIST_OP_CONST, .value = c->arg->number };
	int r;

	if (c->arg->type->print == EPROBE_STRING && c->arg->count)
		return refuse_argument(c, EPROBE_ERR_NO_ADDRESS, -EPERM);
	if (c->arg->type->print == EPROBE_STRING)
		return put_at(c, insn, 0, false);
	r = put_number(c, insn, 0, c->arg->offset, c->arg->type->size);
	if (!r)
		put_bits(c, c->nr_regs - 1);
	return r;
}

static int put_arg(struct compiler *c)
{
	if (c->arg->nr_derefs)
		return put_deref(c);
	if (c->arg->base == EPROBE_VARIABLE)
		return put_variable(c);
	return c->arg->base == EPROBE_TEXT ? put_text(c) : put_constant(c);
}

/* ---- the program ---- */

static int make_program(const struct compiler *c, uint32_t row,
			struct hist_program **ret_program)
{
	struct hist_program head = {
		.magic = HIST_PROGRAM_MAGIC,
		.record_bytes = c->target_bytes,
		.flags = HIST_PROG_EVENT_PROBE,
		.nr_insns = (uint16_t)(c->insns.len / sizeof(struct hist_insn)),
		.nr_actions = 1,
		.nr_params = (uint16_t)(c->params.len / sizeof(struct hist_param)),
	};
	const struct hist_action action = {
		.handler = HIST_ON_MATCH, .kind = HIST_DO_TRACE, .nr = head.nr_params,
		.record_bytes = (uint16_t)c->record_bytes, .row = row,
	};
	char *program, *at;

	if (c->insns.error || c->params.error)
		return -ENOMEM;
	head.bytes = hist_program_bytes(&head);
	program = malloc(head.bytes);
	if (!program)
		return -ENOMEM;
	at = mempcpy(program, &head, sizeof(head));
	at = c->insns.len ? mempcpy(at, c->insns.data, c->insns.len) : at;
	at = mempcpy(at, &action, sizeof(action));
	if (c->params.len)
		memcpy(at, c->params.data, c->params.len);
	*ret_program = (struct hist_program *)(void *)program;
	return 0;
}

int eprobe_compile(const struct eprobe *eprobe, const struct event_format *target, uint32_t row,
		   bool reads_memory, struct hist_program **ret_program,
		   struct eprobe_refusal *ret_refusal)
{
	struct compiler c = {
		.eprobe = eprobe, .target = target, .refusal = ret_refusal,
		.reads_memory = reads_memory,
		.target_bytes = 8, .record_bytes = ALIGN_UP(eprobe->record_bytes, 8u),
	};
	int r = 0;

	*ret_refusal = (struct eprobe_refusal){ .code = EPROBE_ERR_NONE };
	text_init(&c.insns, CODE_MAX);
	text_init(&c.params, CODE_MAX);
	for (uint32_t i = 0; !r && i < eprobe->nr_args; i++) {
		c.arg = &eprobe->args[i];
		r = put_arg(&c);
	}
	if (!r)
		r = make_program(&c, row, ret_program);
	text_done(&c.insns);
	text_done(&c.params);
	return r;
}
