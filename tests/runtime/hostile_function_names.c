/* SPDX-License-Identifier: MIT */
/*
 * The list of functions is in memory that a worker without rights can write.  Whatever the
 * list names, only entries of functions are patched, each by one object, and the target of a
 * function's jump does not move.
 */
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/driver.h"
#include "lib/own_functions.h"
#include "lib/rules.h"

#define KIND_MCOUNT	1u
#define KIND_XRAY	2u

int one(int x);
int two(int x);

__attribute__((noinline, patchable_function_entry(5))) int one(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

__attribute__((noinline, patchable_function_entry(5))) int two(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 2;
}

/* Five bytes that look like a NOP in the middle of a function, and a table in memory that a
 * worker may have filled. */
int middle(int x);
__attribute__((noinline)) int middle(int x)
{
	__asm__ volatile("add $1, %0\n\t.globl middle_nop\n"
			 "middle_nop: .byte 0x0f, 0x1f, 0x44, 0, 0\n\tadd $1, %0"
			 : "+r"(x));
	return x;
}
extern const uint8_t middle_nop[5];
static uint64_t own_table[4];

/* A function with a call through the PLT, and a jump over real code. */
int calls(void);
__attribute__((noinline)) int calls(void)
{
	__asm__ volatile("" : : : "memory");
	return (int)getppid();
}

static struct driver driver;

static struct abi_functions *block(void)
{
	return (void *)(driver.mem + driver.control->functions);
}

/* Apply a hostile block.  The process may refuse it. */
static void apply(void)
{
	block()->serial++;
	driver_apply(&driver);
}

static bool is_on(int (*fn)(int))
{
	const uint8_t *code = (const void *)fn;

	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		code += 4;
	return *code == 0xe9;
}

static void check_all(void)
{
	CHECK_EQ(one(1), 2);
	CHECK_EQ(two(1), 3);
	CHECK_EQ(middle(1), 3);
	CHECK_EQ(calls(), getppid());
	CHECK(!memcmp(middle_nop, "\x0f\x1f\x44\0\0", 5));
}

static void start(void)
{
	own_functions_set_users(&driver, 1);
	apply();
	CHECK(is_on(one) && is_on(two));
	check_all();
}

static void name_another_build(void)
{
	block()->objects[0].build_id[31] ^= 1;
	apply();
	check_all();
	block()->objects[0].build_id[31] ^= 1;
	block()->objects[0].build_id_bytes = 0;
	apply();
	check_all();
}

/* Name the sites a second time, in another object. */
static void name_twice(void)
{
	struct abi_function_object *objects = block()->objects;
	uint32_t users = objects[0].users;

	for (int i = 0; i < 4; i++) {
		memmove((char *)block() + 2048, (char *)block() + users, 64);
		objects[1] = objects[0];
		objects[0].users = objects[1].users = 2048;
		objects[1].text += (uint64_t)i;
		objects[1].kind = (uint16_t)(i % 3);
		block()->nr_objects = 2;
		apply();
		check_all();
		users = 2048;
	}
	block()->nr_objects = 1;
	apply();
	check_all();
}

static void name_table(uint32_t kind, uint64_t row)
{
	struct abi_function_object *object = &block()->objects[0];

	own_table[0] = own_table[1] = own_table[2] = own_table[3] = row;
	object->table = (uint64_t)own_table;
	object->nr = kind == KIND_XRAY ? 1 : 4;
	object->kind = (uint16_t)kind;
	apply();
	check_all();
}

static void name_other_code(void)
{
	const uint8_t *code = (const void *)calls;

	for (uint32_t kind = 0; kind < 3; kind++) {
		name_table(kind, (uint64_t)middle_nop);
		for (uint32_t i = 0; i < 32; i++)
			name_table(kind, (uint64_t)code + i);
	}
}

int main(void)
{
	rules_open(&driver);
	start();
	name_another_build();
	start();
	name_twice();
	start();
	name_other_code();
	return 0;
}
