/* SPDX-License-Identifier: MIT */
/*
 * A compiled event filter: what the server writes and the runtime runs.
 *
 *	struct filter_program, insns[nr_insns], pool[pool_bytes]
 *
 * An instruction asks one question about the record and names two ways to go
 * on: `yes` and `no` are numbers of later instructions, or one of the two ends
 * behind the last, nr_insns (the record is dropped) and nr_insns + 1 (it is
 * kept). So a run takes at most nr_insns steps. All is position independent
 * and little endian; the pool holds strings and masks.
 */
#ifndef ULF_ABI_FILTER_H
#define ULF_ABI_FILTER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_MAGIC		0x32746c66u	/* "flt2" */
#define FILTER_INSNS_MAX	8192u
#define FILTER_POOL_MAX		65535u

/* Questions about numbers, strings and masks; the last two are compared with
 * bytes of the pool. */
enum filter_op {
	FILTER_OP_RANGE,		/* the number is from `low` to `low` + `span`,
					 * perhaps around the end of all numbers:
					 * so every comparison is one */
	FILTER_OP_AND,			/* has a bit in common with `value` */
	FILTER_OP_IN,			/* is a bit of the mask in the pool */
	FILTER_OP_NEVER,		/* no */
	FILTER_OP_STR_ARRAY,		/* `size` bytes of the record; 0: the rest */
	FILTER_OP_STR_LOC,		/* found by a __data_loc word */
	FILTER_OP_STR_REL,		/* found by a __rel_loc word */
	FILTER_OP_STR_PTR,		/* the record has its address */
	FILTER_OP_STR_COMM,		/* the name of the thread */
	FILTER_OP_MASK_LOC,
	FILTER_OP_MASK_REL,
	FILTER_OPS,
};

/*
 * How a number is loaded. It is shifted up to bit 63, and so are `low`, `span` and
 * `value`: then all sizes compare alike.
 */
enum filter_load {
	FILTER_LOAD_1,			/* 1 << n bytes of the record */
	FILTER_LOAD_2,
	FILTER_LOAD_4,
	FILTER_LOAD_8,
	FILTER_LOAD_CPU,		/* the CPU that the event is on: 4 */
	FILTER_LOADS,
};

enum filter_flags {
	FILTER_GLOB		= 1,	/* string: the pool has a pattern */
	FILTER_NOT		= 2,	/* string: must be there and differ */
	FILTER_INTERSECT	= 4,	/* mask: a bit in common, not equal */
	FILTER_FLAGS		= 7,
};

struct filter_insn {
	uint8_t op;
	union {
		uint8_t load;		/* of a number */
		uint8_t flags;		/* of a string or mask */
	};
	uint16_t offset;		/* of the field in the record */
	uint16_t yes, no;
	union {
		uint64_t value;
		struct {
			uint64_t low, span;
		};
		struct {
			uint16_t pool;	/* where in the pool */
			uint16_t bytes;	/* how much of it */
			uint16_t size;	/* of a STR_ARRAY */
			uint16_t reserved;
		};
	};
};

struct filter_program {
	uint32_t magic;
	uint32_t record_bytes;		/* records are at least as long */
	uint32_t nr_insns;
	uint32_t pool_bytes;
	struct filter_insn insns[];
};

static_assert(sizeof(struct filter_insn) == 24, "ABI");
static_assert(offsetof(struct filter_insn, value) == 8, "ABI");
static_assert(sizeof(struct filter_program) == 16, "ABI");

/* How far a number is shifted up. */
static inline unsigned int filter_load_shift(unsigned int load)
{
	return load == FILTER_LOAD_CPU ? 32 : 64 - (8u << load);
}

static inline size_t filter_program_bytes(const struct filter_program *p)
{
	return sizeof(*p) + (size_t)p->nr_insns * sizeof(p->insns[0]) +
	       p->pool_bytes;
}

static inline const char *filter_program_pool(const struct filter_program *p)
{
	return (const char *)&p->insns[p->nr_insns];
}

#endif
