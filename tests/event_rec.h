/* SPDX-License-Identifier: MIT */
/*
 * One event with a field of every kind, and a record of it, for tests of the printer.
 */
#ifndef TESTS_EVENT_REC_H
#define TESTS_EVENT_REC_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/text.h"
#include "event/format.h"
#include "event/print.h"

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;
typedef u32 foo_t;

struct rec {
	u16 common_type;
	u8 common_flags, common_preempt_count;
	int common_pid;
	int i;
	unsigned int u;
	s8 b;
	u8 ub;
	s16 h;
	u16 uh;
	bool flag;
	char c;
	long l;
	u64 ul;
	char comm[16];
	char full[4];
	u8 mac[6];
	u8 ip4[4];
	u8 ip6[16];
	u8 mapped[16];
	u8 uuid[16];
	u8 in[16];
	u8 in6[28];
	u32 arr[4] __attribute__((aligned(8)));
	s16 shorts[2];
	u64 phys;
	void *ptr;
	const char *str;
	struct { char x[3]; } odd;
	foo_t foo;
	struct timespec ts;
	int tm[9];
	u32 name, list, mask, empty, bad;
	u32 rel;
	u32 addr, rel_addr;
	char data[64];
};

#define REC_FIELD(type, name, is_signed) \
	{ #type, #name, offsetof(struct rec, name), \
	  sizeof(((struct rec *)0)->name), is_signed }
#define REC_TYPED(type, name, is_signed) \
	{ type, #name, offsetof(struct rec, name), \
	  sizeof(((struct rec *)0)->name), is_signed }

static const struct {
	const char *type, *name;
	uint32_t offset, size;
	bool is_signed;
} rec_fields[] = {
	REC_FIELD(int, i, true), REC_FIELD(unsigned int, u, false),
	REC_FIELD(s8, b, true), REC_FIELD(u8, ub, false),
	REC_FIELD(s16, h, true), REC_FIELD(u16, uh, false),
	REC_FIELD(bool, flag, false), REC_FIELD(char, c, true),
	REC_FIELD(long, l, true), REC_FIELD(u64, ul, false),
	REC_TYPED("char[16]", comm, true), REC_TYPED("char[4]", full, true),
	REC_TYPED("u8[6]", mac, false), REC_TYPED("u8[4]", ip4, false),
	REC_TYPED("u8[16]", ip6, false), REC_TYPED("u8[16]", mapped, false),
	REC_TYPED("u8[16]", uuid, false), REC_TYPED("u8[16]", in, false),
	REC_TYPED("u8[28]", in6, false), REC_TYPED("u32[4]", arr, false),
	REC_TYPED("s16[2]", shorts, true), REC_FIELD(u64, phys, false),
	REC_TYPED("void *", ptr, false), REC_TYPED("const char *", str, false),
	REC_TYPED("struct odd", odd, false), REC_FIELD(foo_t, foo, false),
	REC_TYPED("struct timespec", ts, false), REC_TYPED("int[9]", tm, true),
	REC_TYPED("__data_loc char[]", name, true),
	REC_TYPED("__data_loc u32[]", list, false),
	REC_TYPED("__data_loc unsigned long[]", mask, false),
	REC_TYPED("__data_loc char[]", empty, true),
	REC_TYPED("__data_loc char[]", bad, true),
	REC_TYPED("__rel_loc char[]", rel, true),
	REC_TYPED("__data_loc u8[]", addr, false),
	REC_TYPED("__rel_loc u8[]", rel_addr, false),
};

#define REC_LOC(offset_, len) ((u32)(offset_) | (u32)(len) << 16)

static inline void rec_init(struct rec *r)
{
	static const u8 in6[28] = { 10, 0, 0x1f, 0x90, 0, 0, 0, 5,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3 };
	static const u8 ip6[16] = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0,
				    0, 0, 0, 0x10 };
	const size_t data = offsetof(struct rec, data);

	*r = (struct rec){
		.common_type = 7, .common_pid = 4711,
		.i = -5, .u = 0xdeadbeef, .b = -1, .ub = 200, .h = -300,
		.uh = 50000, .flag = true, .c = 'A', .l = -1234567890123,
		.ul = 0xffff888812345678, .comm = "bash",
		.full = { 'f', 'u', 'l', 'l' },
		.mac = { 2, 0, 0, 0xaa, 0xbb, 0xcc }, .ip4 = { 192, 168, 1, 20 },
		.mapped = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
		.in = { 2, 0, 0, 80, 127, 0, 0, 1 },
		.arr = { 1, 2, 0xffffffff, 4 }, .shorts = { -1, 2 },
		.phys = 0x12345, .ptr = (void *)0xffffc90000012340,
		.str = (const char *)0x400000, .foo = 7,
		.ts = { .tv_sec = 1700000000, .tv_nsec = 987654321 },
		.tm = { 5, 4, 3, 2, 1, 124 },
		.name = REC_LOC(data, 5), .list = REC_LOC(data + 8, 12),
		.mask = REC_LOC(data + 24, 8), .empty = REC_LOC(data, 0),
		.bad = REC_LOC(data + 60, 100),
		.rel = REC_LOC(data + 40 - offsetof(struct rec, rel) - 4, 4),
		.addr = REC_LOC(data + 44, 16),
		.rel_addr = REC_LOC(data + 44 - offsetof(struct rec, rel_addr) - 4, 16),
	};
	memcpy(r->ip6, ip6, sizeof(ip6));
	memcpy(r->in6, in6, sizeof(in6));
	for (int i = 0; i < 16; i++)
		r->uuid[i] = i * 16 + i;
	strcpy(r->data, "eth0");
	memcpy(r->data + 8, (u32[]){ 1, 2, 0x30 }, 12);
	memcpy(r->data + 24, (u64[]){ 0x10000000f }, 8);
	strcpy(r->data + 40, "rel");
	memcpy(r->data + 44, r->in, 16);
}

static inline struct event_format *rec_format(const char *print_fmt)
{
	struct event_format *fmt = event_format_alloc("test", "rec", 7, print_fmt);

	assert_non_null(fmt);
	for (size_t i = 0; i < sizeof(rec_fields) / sizeof(rec_fields[0]); i++)
		assert_int_equal(event_format_add_field(fmt, rec_fields[i].type,
			rec_fields[i].name, rec_fields[i].offset,
			rec_fields[i].size, rec_fields[i].is_signed), 0);
	return fmt;
}

/* Print the record with this format.  The caller frees the text with text_done(). */
static inline void rec_print(const char *print_fmt, const struct rec *r,
			     const struct print_env *env, struct text *out)
{
	struct event_format *fmt = rec_format(print_fmt);
	struct print_program *program;
	struct print_error err;

	text_init(out, 1 << 20);
	if (print_compile_names(fmt, NULL, &program, &err) != 0)
		fail_msg("%s: %s at %zu", print_fmt, err.message, err.pos);
	assert_int_equal(print_record(program, r, sizeof(*r), env, out), 0);
	print_program_free(program);
	event_format_free(fmt);
}

#endif
