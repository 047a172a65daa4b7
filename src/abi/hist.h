/* SPDX-License-Identifier: MIT */
/*
 * Histograms: the table in the root's memory, and the program that updates it.
 *
 * A histogram is a trigger of an event (`hist:keys=...`).  The server compiles its text to
 * a program (struct hist_program), one for each row of the event, and publishes it as the
 * data of the trigger (abi_trigger.data).  The thread that hits the event runs the program:
 * it computes the key and the values from the record, finds or inserts the entry of the key
 * in the table, and adds the values to the entry's figures.  Processes keep a private,
 * verified copy of the program.  The table (struct hist_table) is a block of the arena that
 * all processes of the root write to.  It outlives the program, the server and the traced
 * processes.
 *
 * The layout of a table, which begins at a multiple of 64.  hist_layout_init() computes all
 * offsets from the numbers of struct hist_geometry, of which each process has a private,
 * verified copy:
 *
 *	0		struct hist_table	counters, and a copy of the geometry
 *	slots_off	uint64_t slots[nr_slots]	hash table: finds an entry by its key
 *	entries_off	entries[nr_entries] of entry_bytes: key, variables, thread name
 *	parts_off	parts[nr_parts] of part_bytes: struct hist_part, then the figures
 *			of all entries: figures[nr_entries] of figure_bytes
 *
 * There is one part for each CPU, which threads on this CPU write to in rseq sections, and
 * one more, the last, for threads that cannot use rseq and for the server: it has a lock.
 * A figure of an entry is the sum over all parts.
 *
 * The figures of an entry in one part, if there is at most one value:
 *
 *	uint64_t hits;			number of hits
 *	uint64_t sum;			sum of the value; 0 if there is no value
 *
 * One instruction stores both.  If there are more values:
 *
 *	uint64_t hits;
 *	uint64_t sums[2][nr_vals];	two copies of the sums of the values; sums[hits % 2]
 *					is valid
 *
 * A hit stores sums[hits % 2] + values in the copy that is not valid, then stores hits + 1.
 * This last store commits all figures at once.  So in both cases a SIGKILL at any instruction
 * leaves hits and sums that belong together.  Example with two values: { hits 4,
 * sums { { 70, 7 }, { 66, 6 } } }; a hit with the values 5 and 1 stores sums[1] = { 75, 8 },
 * then hits = 5.
 *
 * An entry:
 *
 *	uint64_t key[key_words];
 *	uint64_t set;			bit n is 1 if variable n has a value
 *	uint32_t lock, reserved;	lock of onmax() and onchange() (ring/shmlock.h)
 *	variables, at the offsets hist_var.offset; struct hist_program describes them
 *	char comm[16];			name of the thread that inserted the key, for
 *					.execname; only if HIST_GEO_COMM
 *
 * A key is an array of words.  A key field that is a number takes one word.  A string takes
 * strlen / 8 + 1 words, padded with zeroes, so that its NUL ends it.  A stack takes one word
 * for its length and one word for each return address.  No key is the start of another key,
 * so two keys are equal if all words of the shorter one are equal.
 *
 * A slot of the hash table is 0 (free), or hash << 32 | 1 + index of an entry, where hash is
 * the lower half of hist_hash().  The upper bits of hist_hash() select the first slot to
 * look at; the slots after it follow.  Slots and entries are never freed.
 *
 *	word			writers			readers		order
 *	next, spare[]		threads that insert	same		relaxed, by CAS
 *	entry's key, comm	the thread that took	all		by the slot
 *				the entry from next
 *				or spare[]
 *	slots[]			threads that insert,	all		release, acquire
 *				0 to its value, once			[hist.slot]
 *	hits, sums[] of a CPU	threads on that CPU,	the server	program order; the
 *				in rseq sections			server reads hits,
 *									sums, hits again
 *	hits and sum		same			same		one load and store of
 *									16 bytes
 *	hits, sums[], last part	holder of hist_part.lock	the server	same
 *	variables, set		threads that hit	all		relaxed; `set` release,
 *									acquire [hist.set]
 *	a number that is taken	threads that hit	same		by exchange; then it is
 *									HIST_TAKEN
 *	dropped			threads that hit	the server	relaxed, atomic add
 *
 * SIGKILL leaves: after an entry was taken and before its slot was stored: an entry that
 * nobody finds (the table has one entry less); at any other point: a whole table.
 */
#ifndef ULF_ABI_HIST_H
#define ULF_ABI_HIST_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_TABLE_MAGIC	0x31746268u	/* the bytes "hbt1" */
#define HIST_PROGRAM_MAGIC	0x31707368u	/* the bytes "hsp1" */

#define HIST_KEYS_MAX		3u
#define HIST_VALS_MAX		16u	/* maximum number of values besides hitcount */
#define HIST_VARS_MAX		64u	/* maximum number of variables in a table */
#define HIST_REFS_MAX		16u	/* maximum number of references in a program
					 * to variables of other tables */
#define HIST_TABLES_MAX		17u	/* maximum number of tables that a program
					 * uses: its own, and those of its references */
#define HIST_ACTIONS_MAX	8u
#define HIST_PARAMS_MAX		64u	/* maximum number of fields of a synthetic event,
					 * and of parameters of save() */
#define HIST_ENTRIES_MIN	128u	/* limits of the number of entries of a table,
					 * as in the kernel */
#define HIST_ENTRIES_MAX	131072u
#define HIST_STR_BYTES		256u	/* maximum size of a string with its NUL; a
					 * longer one is cut */
#define HIST_STACK_DEPTH	16u	/* maximum number of return addresses of a stack */
#define HIST_KEY_WORDS_MAX	(HIST_KEYS_MAX * (HIST_STR_BYTES / 8))
#define HIST_REGS		64u	/* registers of a program */
#define HIST_INSNS_MAX		256u
#define HIST_SPARES		8u
#define HIST_PROBES_MAX		1024u	/* maximum number of slots of the hash table
					 * that one search looks at */
#define HIST_TABLE_BYTES_MAX	(1ull << 30)
#define HIST_TABLE_ALIGN	64u	/* alignment of a table, bytes */
#define HIST_COMM_LEN		16u
#define HIST_RECORD_HEAD	8u	/* size of the common fields of a record */
/* The value of a variable that has no value, because a reference has taken it
 * (hist_ref.is_once).  Only variables that are numbers use it.  To store just this number in a
 * variable, HIST_TAKEN + 1 is stored instead. */
#define HIST_TAKEN		0xfdfbf7efdfbf7ffeull

enum hist_geometry_flags {
	HIST_GEO_COMM	= 1,		/* each entry has the name of the thread that inserted
					 * its key */
};

/* The numbers that determine the layout of a table. */
struct hist_geometry {
	uint32_t nr_entries;		/* number of entries, a power of 2 from HIST_ENTRIES_MIN
					 * to HIST_ENTRIES_MAX */
	uint32_t nr_parts;		/* number of CPUs + 1 */
	uint32_t nr_vals;		/* number of values besides hitcount */
	uint32_t key_words;		/* maximum size of a key, in words */
	uint32_t var_bytes;		/* size of the variables in an entry, bytes; a multiple
					 * of 8 */
	uint32_t flags;			/* enum hist_geometry_flags */
	uint64_t seed;			/* start value of hist_hash(); random, so that
					 * the input of the traced program cannot make
					 * all keys collide */
};

/* The start of a table. */
struct hist_table {
	uint32_t magic;			/* HIST_TABLE_MAGIC */
	uint32_t reserved;
	uint64_t bytes;			/* size of the table */
	struct hist_geometry geometry;	/* copy of the geometry for the server;
					 * processes use the copy in their program */
	uint32_t next;			/* number of entries that threads have taken
					 * so far */
	uint32_t spare[HIST_SPARES];	/* spare entries, which threads took but did
					 * not use because another thread inserted the
					 * same key first: 1 + index of the entry, or
					 * 0 */
	/* The last hit for which onmax() or onchange() took a snapshot.  The
	 * thread that holds @last_lock (ring/shmlock.h) writes these members. */
	uint32_t last_lock;		/* ring/shmlock.h */
	uint32_t last_action;		/* 1 + number of the action that took the
					 * snapshot; 0: no snapshot yet */
	uint32_t last_entry;		/* index of the entry */
	uint64_t last_value;		/* value of onmax() or onchange() at that hit */
	uint64_t pad[4];
};

/* The start of a part of a table.  The figures of all entries follow. */
struct hist_part {
	uint64_t dropped;		/* number of hits that were dropped, because the table
					 * was full or the lock was not free */
	uint32_t lock;			/* only in the last part: lock of this part's
					 * figures (ring/shmlock.h) */
	uint32_t reserved;
	uint64_t pad[6];
};

/* The layout of a table, computed from its geometry. */
struct hist_layout {
	uint32_t nr_slots;		/* power of 2 */
	uint32_t slot_shift;		/* number of bits by which the hash of a key is
					 * shifted right; the result is the number of
					 * the slot at which a search for the key
					 * begins */
	uint32_t set_off;		/* offset of the word `set` in an entry;
					 * `lock` follows it */
	uint32_t vars_off;		/* offset of the variables in an entry */
	uint32_t comm_off;		/* offset of the thread name in an entry */
	uint32_t entry_bytes;
	uint32_t figure_bytes;
	uint64_t slots_off, entries_off, parts_off, part_bytes;
	uint64_t bytes;			/* size of the table */
};

/* ---- programs ---- */

/*
 * The instructions.  Each computes a number, a string or a stack and stores it in
 * register @dst.  There are no jumps.  Instructions that load a field find it at byte
 * @offset of the record.
 */
enum hist_op {
	HIST_OP_LOAD_U8, HIST_OP_LOAD_U16, HIST_OP_LOAD_U32, HIST_OP_LOAD_U64,
	HIST_OP_LOAD_S8, HIST_OP_LOAD_S16, HIST_OP_LOAD_S32,
	HIST_OP_CONST,			/* @value */
	HIST_OP_TIME,			/* time of the hit by the buffer's clock,
					 * which is read once a hit */
	HIST_OP_CPU,
	HIST_OP_ADD, HIST_OP_SUB, HIST_OP_MUL,	/* a and b, modulo 2^64 */
	HIST_OP_DIV,			/* a / b, unsigned; all bits set if b is 0, as in
					 * the kernel */
	HIST_OP_NEG,			/* -a */
	HIST_OP_LOG2,			/* smallest n with 1 << n >= a, as the kernel's .log2 */
	HIST_OP_SUBLOG2,		/* the lower bound of the bucket of a, where
					 * each power of 2 has 1 << @value buckets
					 * (ulf's .log2=N) */
	HIST_OP_BUCKET,			/* a / @value * @value */
	HIST_OP_REF,			/* value of reference number @value
					 * (hist_program.refs): a number, string or
					 * stack, as the reference says */
	/* strings */
	HIST_OP_STR_ARRAY,		/* string: an array of @size bytes in the
					 * record; size 0: up to the record's end */
	HIST_OP_STR_LOC,		/* string to which a __data_loc word refers */
	HIST_OP_STR_REL,		/* string to which a __rel_loc word refers */
	HIST_OP_STR_PTR,		/* string whose address is in the record;
					 * processes accept this instruction only for
					 * a field that is declared as a pointer to a
					 * string */
	HIST_OP_STR_COMM,		/* name of this thread */
	/* stacks */
	HIST_OP_STACK,			/* stack of this thread */
	HIST_OP_STACK_LOC,		/* dynamic array of unsigned long in the record */
	/* for event probes: read the memory of the process, safely; 0 or "" if it cannot
	 * be read.  The address is register a, plus @value. */
	HIST_OP_PEEK,			/* number of @size bytes (1, 2, 4 or 8), zero
					 * extended */
	HIST_OP_PEEK_STR,		/* a string */
	HIST_OP_SEXT,			/* sign extend the lower @size bytes of a */
	HIST_OP_BITS,			/* a << (@value & 255) >> (@value >> 8) in 64
					 * bits: extracts a bit field */
	HIST_OPS,
};

/* The kind of a register, a key, a variable or a parameter. */
enum hist_kind {
	HIST_NUM,
	HIST_STR,
	HIST_STACK,
	HIST_KINDS,
};

struct hist_insn {
	uint8_t op;			/* enum hist_op */
	uint8_t dst, a, b;		/* registers */
	uint16_t offset;		/* offset of a field in the record, bytes */
	uint16_t size;			/* bytes */
	uint64_t value;
};

/* A reference of a program to a table in the root's memory.  Number 0 is the
 * program's own table. */
struct hist_table_ref {
	uint64_t off, bytes;		/* offset of the table in the root's memory, and
					 * its size in bytes */
	struct hist_geometry geometry;
};

/*
 * A reference to a variable of another table.  The entry of that table is found by the key of
 * this hit, or by the first fields of the key if that table has fewer.  If there is no such
 * entry, or its variable has no value, the hit does not count.
 */
struct hist_ref {
	uint8_t table;			/* index in hist_program.tables, not 0 */
	uint8_t bit;			/* number of the variable's bit in the entry's
					 * word `set` */
	uint8_t kind;			/* enum hist_kind */
	uint8_t is_once;		/* 1: this hit takes the value, so that the
					 * variable has no value afterwards.  A number
					 * becomes HIST_TAKEN; for other kinds the bit
					 * in `set` becomes 0 */
	uint16_t offset;		/* offset of the variable from the start of the
					 * entry's variables, bytes */
	uint8_t nr_keys;		/* number of keys of the other table, which
					 * are the first keys of this hit; 0: all keys
					 * of this hit */
	uint8_t reserved;
};

/* A register to store in a variable of the hit's own entry. */
struct hist_var {
	uint8_t reg;
	uint8_t bit;			/* number of the variable's bit in the entry's
					 * word `set` */
	uint8_t kind;			/* enum hist_kind */
	uint8_t reserved;
	uint16_t offset;		/* offset of the variable from the start of the
					 * entry's variables.  Its size: 8 bytes for a
					 * number, HIST_STR_BYTES for a string, 8 +
					 * HIST_STACK_DEPTH * 8 for a stack (length
					 * first) */
	uint16_t reserved2;
};

enum hist_handler {
	HIST_ON_MATCH,			/* act at each hit that counts */
	HIST_ON_MAX,			/* act if register @reg is greater than the
					 * value that was stored last */
	HIST_ON_CHANGE,			/* act if register @reg differs from the value
					 * that was stored last */
	HIST_HANDLERS,
};

enum hist_action_kind {
	HIST_DO_TRACE,			/* record the dynamic event @row */
	HIST_DO_SAVE,			/* store the parameters in variables */
	HIST_DO_SNAPSHOT,		/* take a snapshot, after the record is written */
	HIST_ACTION_KINDS,
};

struct hist_action {
	uint8_t handler;		/* enum hist_handler */
	uint8_t kind;			/* enum hist_action_kind */
	uint8_t reg;			/* for onmax and onchange: number of the
					 * register with the value */
	uint8_t bit;			/* for onmax and onchange: bit in the word
					 * `set` for the variable that keeps the last
					 * value */
	uint16_t offset;		/* for onmax and onchange: offset of the
					 * variable that keeps the last value, from the
					 * start of the entry's variables */
	uint16_t first, nr;		/* parameters: index of the first one in
					 * hist_program.params, and their number */
	uint16_t record_bytes;		/* for HIST_DO_TRACE: size of the fixed part
					 * of the record, including 8 bytes of common
					 * fields */
	uint32_t row;			/* for HIST_DO_TRACE: row of the dynamic event
					 * that is recorded */
};

/* How HIST_DO_TRACE stores a parameter in its record. */
enum hist_store {
	HIST_STORE_NUM,			/* store the lower @size bytes (1, 2, 4 or 8) of the
					 * register */
	HIST_STORE_ARRAY,		/* store the string in an array of @size bytes */
	HIST_STORE_LOC,			/* store the string or stack after the fixed
					 * part of the record, and length << 16 |
					 * offset in a word of 4 bytes in the fixed
					 * part */
	HIST_STORES,
};

struct hist_param {
	uint8_t reg;
	uint8_t kind;			/* enum hist_kind */
	uint8_t store;			/* enum hist_store: how the parameter is
					 * stored; unused for HIST_DO_SAVE */
	uint8_t bit;			/* for HIST_DO_SAVE: bit of the variable in
					 * the entry's word `set` */
	uint16_t offset;		/* offset of the parameter in the record; for
					 * HIST_DO_SAVE: offset of the variable from the
					 * start of the entry's variables */
	uint16_t size;
};

struct hist_key {
	uint8_t reg;
	uint8_t kind;			/* enum hist_kind */
	uint8_t reserved[6];
};

enum hist_program_flags {
	HIST_PROG_EVENT_PROBE	= 1,	/* the program belongs to an event probe: it has no
					 * table, and only its actions run */
};

/*
 * A program.  The arrays follow this struct, in the order of their members, each at the
 * next multiple of 8 bytes:
 *	tables[nr_tables] insns[nr_insns] keys[nr_keys] vals[] (nr_vals registers, one byte
 *	each) refs[nr_refs] vars[nr_vars] actions[nr_actions] params[nr_params]
 *
 * A hit
 *	1  runs insns[0] to insns[nr_key_insns - 1], and makes the key of keys[];
 *	2  loads all refs[] with this key; a missing one ends the hit;
 *	3  finds or inserts the entry; if the table is full, the hit is dropped;
 *	4  runs the other insns[], and commits hits + 1 and the sums of vals[];
 *	5  stores vars[];
 *	6  runs actions[] in their order.
 */
struct hist_program {
	uint32_t magic;			/* HIST_PROGRAM_MAGIC */
	uint32_t bytes;			/* size with all arrays */
	uint32_t record_bytes;		/* minimum size of a record */
	uint32_t paused;		/* 1 + number of a rule word (abi/rules.h): while the
					 * word is not 0, hits do not count; 0: the program
					 * cannot be paused */
	uint16_t flags;			/* enum hist_program_flags */
	uint16_t nr_tables, nr_insns, nr_key_insns;
	uint16_t nr_keys, nr_vals, nr_refs, nr_vars;
	uint16_t nr_actions, nr_params;
	uint16_t reserved[2];
};

static_assert(sizeof(struct hist_geometry) == 32, "ABI");
static_assert(sizeof(struct hist_table) == 136, "ABI");
static_assert(sizeof(struct hist_part) == 64, "ABI");
static_assert(sizeof(struct hist_insn) == 16, "ABI");
static_assert(sizeof(struct hist_table_ref) == 48, "ABI");
static_assert(sizeof(struct hist_ref) == 8, "ABI");
static_assert(sizeof(struct hist_var) == 8, "ABI");
static_assert(sizeof(struct hist_action) == 16, "ABI");
static_assert(sizeof(struct hist_param) == 8, "ABI");
static_assert(sizeof(struct hist_key) == 8, "ABI");
static_assert(sizeof(struct hist_program) == 40, "ABI");

#define HIST_ALIGN(x, to)	(((uint64_t)(x) + ((to) - 1)) & ~(uint64_t)((to) - 1))

/* Compute the layout of a table.  The numbers of @geo must be within their limits. */
static inline void hist_layout_init(const struct hist_geometry *geo, struct hist_layout *ret)
{
	uint32_t shift = 64;

	ret->nr_slots = 2 * geo->nr_entries;
	for (uint32_t n = ret->nr_slots; n > 1; n >>= 1)
		shift--;
	ret->slot_shift = shift;
	ret->set_off = 8 * geo->key_words;
	ret->vars_off = ret->set_off + 16;
	ret->comm_off = ret->vars_off + geo->var_bytes;
	ret->entry_bytes = ret->comm_off + (geo->flags & HIST_GEO_COMM ? HIST_COMM_LEN : 0);
	ret->figure_bytes = geo->nr_vals <= 1 ? 16 : 8 * (1 + 2 * geo->nr_vals);
	ret->slots_off = HIST_ALIGN(sizeof(struct hist_table), 64);
	ret->entries_off = ret->slots_off + 8ull * ret->nr_slots;
	ret->parts_off = HIST_ALIGN(ret->entries_off +
				    (uint64_t)ret->entry_bytes * geo->nr_entries, 64);
	ret->part_bytes = HIST_ALIGN(sizeof(struct hist_part) +
				     (uint64_t)ret->figure_bytes * geo->nr_entries, 64);
	ret->bytes = ret->parts_off + ret->part_bytes * geo->nr_parts;
}

#define HIST_HASH_MULT		0x9e3779b97f4a7c15u

/* Returns the hash of a key of @nr words. */
static inline uint64_t hist_hash(uint64_t seed, const uint64_t *key, uint32_t nr)
{
	uint64_t hash = seed;

	for (uint32_t i = 0; i < nr; i++) {
		hash = (hash ^ key[i]) * HIST_HASH_MULT;
		hash ^= hash >> 32;
	}
	return hash * HIST_HASH_MULT;
}

/* Returns the size of a program with its arrays, computed from the numbers in
 * struct hist_program. */
static inline uint32_t hist_program_bytes(const struct hist_program *p)
{
	return (uint32_t)(sizeof(*p) + p->nr_tables * sizeof(struct hist_table_ref) +
			  p->nr_insns * sizeof(struct hist_insn) +
			  p->nr_keys * sizeof(struct hist_key) + HIST_ALIGN(p->nr_vals, 8) +
			  p->nr_refs * sizeof(struct hist_ref) +
			  p->nr_vars * sizeof(struct hist_var) +
			  p->nr_actions * sizeof(struct hist_action) +
			  p->nr_params * sizeof(struct hist_param));
}

/* Functions that return the arrays of a program. */
static inline const struct hist_table_ref *hist_tables(const struct hist_program *p)
{
	return (const struct hist_table_ref *)(p + 1);
}

static inline const struct hist_insn *hist_insns(const struct hist_program *p)
{
	return (const struct hist_insn *)(hist_tables(p) + p->nr_tables);
}

static inline const struct hist_key *hist_keys(const struct hist_program *p)
{
	return (const struct hist_key *)(hist_insns(p) + p->nr_insns);
}

static inline const uint8_t *hist_vals(const struct hist_program *p)
{
	return (const uint8_t *)(hist_keys(p) + p->nr_keys);
}

static inline const struct hist_ref *hist_refs(const struct hist_program *p)
{
	return (const struct hist_ref *)(hist_vals(p) + HIST_ALIGN(p->nr_vals, 8));
}

static inline const struct hist_var *hist_vars(const struct hist_program *p)
{
	return (const struct hist_var *)(hist_refs(p) + p->nr_refs);
}

static inline const struct hist_action *hist_actions(const struct hist_program *p)
{
	return (const struct hist_action *)(hist_vars(p) + p->nr_vars);
}

static inline const struct hist_param *hist_params(const struct hist_program *p)
{
	return (const struct hist_param *)(hist_actions(p) + p->nr_actions);
}

#endif
