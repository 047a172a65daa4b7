/* SPDX-License-Identifier: MIT */
/*
 * A compiled event filter.  The server writes it, the runtime runs it.
 *
 *	struct filter_program, insns[nr_insns], pool[pool_bytes]
 *
 * An instruction tests the record and continues at `yes` or `no`.  Each of them is the
 * number of a later instruction, or it ends the program: nr_insns means that the record
 * is dropped, nr_insns + 1 that it is kept.  So a run takes at most nr_insns steps.
 * Example, `a == 1 && b == 2`, nr_insns = 2:
 *
 *	0: a in 1..1	yes 1	no 2 (drop)
 *	1: b in 2..2	yes 3 (keep)	no 2 (drop)
 *
 * All of it is position independent and little endian.  The pool holds strings and masks.
 */
#ifndef ULF_ABI_FILTER_H
#define ULF_ABI_FILTER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_MAGIC		0x32746c66u	/* the bytes "flt2" */
#define FILTER_INSNS_MAX	8192u
#define FILTER_POOL_MAX		65535u

/* The kinds of tests that an instruction makes.  Strings and masks of the record are
 * compared with bytes of the pool. */
enum filter_op {
	FILTER_OP_RANGE,		/* the number is in the range from `low` to `low`
					 * + `span`, modulo 2^64; every comparison of
					 * numbers is compiled to such a range */
	FILTER_OP_AND,			/* the number has a bit in common with `value` */
	FILTER_OP_IN,			/* the number is the index of a bit that is set
					 * in a mask of the pool */
	FILTER_OP_NEVER,		/* never true */
	FILTER_OP_STR_ARRAY,		/* compare a string: an array of `size` bytes in
					 * the record; size 0: up to the record's end */
	FILTER_OP_STR_LOC,		/* compare a string whose offset and length are
					 * in a __data_loc word */
	FILTER_OP_STR_REL,		/* compare a string whose offset and length are
					 * in a __rel_loc word */
	FILTER_OP_STR_PTR,		/* compare a string whose address is in the record */
	FILTER_OP_STR_COMM,		/* compare the name of the thread that hits
					 * the event */
	FILTER_OP_MASK_LOC,		/* compare a mask whose offset and length are in
					 * a __data_loc word */
	FILTER_OP_MASK_REL,		/* compare a mask whose offset and length are in
					 * a __rel_loc word */
	FILTER_OPS,
};

/* How an instruction loads a number.  The number is shifted left so that its highest bit
 * becomes bit 63.  The compiler has shifted `low`, `span` and `value` in the same way, so
 * one comparison works for numbers of all sizes. */
enum filter_load {
	FILTER_LOAD_1,			/* FILTER_LOAD_1 + n loads 1 << n bytes of the record */
	FILTER_LOAD_2,
	FILTER_LOAD_4,
	FILTER_LOAD_8,
	FILTER_LOAD_CPU,		/* load the number of the current CPU, 4 bytes */
	FILTER_LOADS,
};

enum filter_flags {
	FILTER_GLOB		= 1,	/* for strings: the bytes in the pool are a glob
					 * pattern */
	FILTER_NOT		= 2,	/* for strings: the test is true if the string
					 * exists and does not match */
	FILTER_INTERSECT	= 4,	/* for masks: test for a common bit, not for equality */
	FILTER_FLAGS		= 7,
};

struct filter_insn {
	uint8_t op;			/* enum filter_op */
	union {
		uint8_t load;		/* enum filter_load: how the instruction loads its number */
		uint8_t flags;		/* enum filter_flags; only for tests of
					 * strings and masks */
	};
	uint16_t offset;		/* offset of the field in the record, bytes */
	uint16_t yes, no;		/* number of the instruction that runs next:
					 * @yes if the test is true, @no if it is
					 * false */
	union {
		uint64_t value;		/* the bits that FILTER_OP_AND tests */
		struct {
			uint64_t low, span;	/* start and length of the range of
						 * FILTER_OP_RANGE */
		};
		struct {
			uint16_t pool;	/* offset in the pool of the string or mask to
					 * compare with, bytes */
			uint16_t bytes;	/* size of the string or mask in the pool,
					 * bytes */
			uint16_t size;	/* size of the array in the record, bytes; only
					 * for FILTER_OP_STR_ARRAY */
			uint16_t reserved;
		};
	};
};

struct filter_program {
	uint32_t magic;			/* FILTER_MAGIC */
	uint32_t record_bytes;		/* minimum size of a record on which the program
					 * may run, bytes */
	uint32_t nr_insns;
	uint32_t pool_bytes;
	struct filter_insn insns[];
};

static_assert(sizeof(struct filter_insn) == 24, "ABI");
static_assert(offsetof(struct filter_insn, value) == 8, "ABI");
static_assert(sizeof(struct filter_program) == 16, "ABI");

/* Returns the number of bits by which a number is shifted left when it is loaded as @load
 * (enum filter_load). */
static inline unsigned int filter_load_shift(unsigned int load)
{
	return load == FILTER_LOAD_CPU ? 32 : 64 - (8u << load);
}

/* Returns the size of the program with its instructions and its pool, in bytes. */
static inline size_t filter_program_bytes(const struct filter_program *p)
{
	return sizeof(*p) + (size_t)p->nr_insns * sizeof(p->insns[0]) +
	       p->pool_bytes;
}

/* Returns the pool of the program. */
static inline const char *filter_program_pool(const struct filter_program *p)
{
	return (const char *)&p->insns[p->nr_insns];
}

#endif
