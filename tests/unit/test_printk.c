/* SPDX-License-Identifier: MIT */
/* Wrong formats of trace_printk(), and records that do not fit them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define S	1000000000ull

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
	uint64_t format, text;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	fake_dir_make(f.dir);
	fake_root_make(&f.root, f.dir, "fake.1");
	f.format = fake_format(&f.root, "%d and \"%s\"\n");
	f.text = fake_format(&f.root, "a text\n");
	fake_root_show(&f.root, "fake.1");
	assert_int_equal(server_new(f.dir, &f.server), 0);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	return 0;
}

static struct abi_printk *row_of(struct fixture *f, uint64_t addr)
{
	return (struct abi_printk *)(f->root.mem + (addr - FAKE_MAP_ADDR)) - 1;
}

/* Read the list in a new server, which reads each format once. */
static const char *formats(struct fixture *f)
{
	server_free(f->server);
	assert_int_equal(server_new(f->dir, &f->server), 0);
	return tree_cat(f->server, "fake.1/printk_formats");
}

/* Formats that are added later are read, too: to lists that were read before, and before
 * other formats. */
static void formats_that_come(void **state)
{
	struct fixture *f = *state;
	char want[256], text[32], *at;

	formats(f);
	for (int i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "%*d", 1 + i % 16, i);
		snprintf(want, sizeof(want), "0x%lx : \"%s\"\n", fake_format(&f->root, text),
			 text);
		assert_non_null(strstr(tree_cat(f->server, "fake.1/printk_formats"), want));
	}
	at = strstr(tree_cat(f->server, "fake.1/printk_formats"), "a text");
	assert_non_null(at);
	assert_null(strstr(at + 1, "a text"));
	assert_int_equal(strtoul(at - strlen("0x7f12005ac430 : \""), NULL, 16), f->text);
}

/* Returns the message of a record of this type, with @bytes of @data after the ip. */
static const char *message(struct fixture *f, uint32_t type, uint64_t fmt,
			   const void *data, uint32_t bytes)
{
	struct {
		uint64_t headroom;
		uint32_t type, pid;
		uint64_t ip, fmt;
		char data[256];
	} record = { .type = type, .pid = 1, .ip = 0x4711, .fmt = fmt };
	const char *text;

	memcpy(record.data, data, bytes);
	tree_echo(f->server, "fake.1/trace", "");
	assert_int_equal(ring_write_locked(
		fake_ring(&f->root, 0, ABI_RING_SLOW), &record.type,
		24 + bytes, S, (uint32_t)syscall(SYS_gettid)), 0);
	text = tree_cat(f->server, "fake.1/trace");
	while (*text == '#')
		text = strchr(text, '\n') + 1;
	return text;
}

static void rings_are_there_for_formats(void **state)
{
	struct fixture *f = *state;
	char want[256];

	assert_non_null(fake_ring(&f->root, 0, ABI_RING_FAST));
	snprintf(want, sizeof(want), "0x%lx : \"%%d and \\\"%%s\\\"\\n\"\n"
		 "0x%lx : \"a text\\n\"\n", f->format, f->text);
	assert_string_equal(formats(f), want);
}

static void records_that_fit(void **state)
{
	struct fixture *f = *state;

	tree_echo(f->server, "fake.1/options/printk-msg-only", "1");
	assert_string_equal(message(f, ABI_EVENT_ID_BPRINT, f->format,
				    "\5\0\0\0five\0\0\0", 12), "5 and \"five\"\n");
	assert_string_equal(message(f, ABI_EVENT_ID_BPUTS, f->text, "", 0),
			    "a text\n");
}

static void records_that_do_not(void **state)
{
	struct fixture *f = *state;

	tree_echo(f->server, "fake.1/options/printk-msg-only", "1");
	assert_string_equal(message(f, ABI_EVENT_ID_BPRINT, f->format, "", 0),
			    "[cut short]\n");
	assert_string_equal(message(f, ABI_EVENT_ID_BPRINT, f->format,
				    "\5\0\0\0five", 8), "5 and \"[cut short]\n");
	assert_non_null(strstr(message(f, ABI_EVENT_ID_BPUTS, f->text + 1, "", 0),
			       "[no format at 0x7f12"));
	assert_string_equal(message(f, ABI_EVENT_ID_BPRINT, 0, "", 0),
			    "[no format at 0x0]\n");
	assert_string_equal(message(f, ABI_EVENT_ID_BPRINT, UINT64_MAX, "", 0),
			    "[no format at 0xffffffffffffffff]\n");
}

/* Formats before the wrong one are listed, and nothing hangs. */
static void lists_that_lie(void **state)
{
	struct fixture *f = *state;
	struct abi_printk *row = row_of(f, f->text);
	struct abi_printk_table *table = (void *)(f->root.mem +
						  f->root.control->printk);
	uint32_t off = (uint32_t)((char *)row - f->root.mem);
	static const uint32_t wrong[] = {
		1, 7, 4096, UINT32_MAX, UINT32_MAX - 7, (uint32_t)ABI_ARENA_OFF - 4,
		(uint32_t)ABI_HEAP_OFF - 8,
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		row->next = wrong[i];
		assert_non_null(strstr(formats(f), "\"a text\\n\"\n"));
		row->next = 0;
		row->text_bytes = wrong[i] | 1u << 20;
		assert_null(strstr(formats(f), "a text"));
		row->text_bytes = 8;
		table->first[0] = wrong[i];
		assert_non_null(strstr(formats(f), "\"a text\\n\"\n"));
		table->first[0] = 0;
	}
	row->next = off;		/* in a circle: listed once */
	assert_non_null(strstr(formats(f), "\"a text\\n\"\n"));
	assert_null(strstr(strstr(formats(f), "a text") + 1, "a text"));
	row->next = 0;
	memset(row + 1, 'x', 8);	/* without an end */
	assert_non_null(strstr(formats(f), "\"xxxxxxxx\"\n"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		f->root.control->printk = wrong[i];
		formats(f);
	}
}

int main(void)
{
#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(rings_are_there_for_formats),
		T(records_that_fit),
		T(records_that_do_not),
		T(formats_that_come),
		T(lists_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
