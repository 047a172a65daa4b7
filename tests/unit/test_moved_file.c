/* SPDX-License-Identifier: MIT */
/*
 * A process takes a table of moved functions only from a file that nobody else can have written,
 * and only for the object that it has mapped.
 *
 * user: both root can give a file to another user
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/moved_file.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/function/moved_file.h"
#include <ulf/tracing.h>

#define ID	0x123456789abcdef0ull

static const uint8_t insn[5] = { 0xb8, 1, 2, 3, 4 };	/* mov $0x4030201, %eax */

/* A file with one function. */
struct file {
	struct abi_moved_file head;
	struct moved_head table;
	struct moved_row row;
	struct moved_frame frames[2];
	uint8_t original[5], copy[5], rest[6];
};

static char path[512];

/* Store in @head which file is mapped at @addr, as /proc/self/maps says. */
static void find_mapping(uint64_t addr, struct abi_moved_file *head)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	uint64_t start, end;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64, &start, &end,
			   &head->dev_major, &head->dev_minor, &head->ino) == 5 &&
		    addr >= start && addr < end)
			break;
	assert_true(addr >= start && addr < end);
	fclose(maps);
}

static struct file good_file(void)
{
	struct file file = {
		.head = {
			.magic = ABI_MOVED_FILE_MAGIC, .head_bytes = sizeof(file.head),
			.table_bytes = sizeof(file) - sizeof(file.head),
		},
		.table = {
			.magic = MOVED_MAGIC, .head_bytes = sizeof(file.table),
			.row_bytes = sizeof(file.row), .nr_rows = 1,
			.pool_at = offsetof(struct file, frames) - sizeof(file.head),
			.pool_bytes = sizeof(file) - offsetof(struct file, frames),
			.syscalls_at = sizeof(file) - sizeof(file.head),
			.text = 0x1000, .text_end = 0x2000,
		},
		.row = {
			.vaddr = 0x1000, .bytes = 32, .class = MOVED_ONE,
			.original_bytes = sizeof(insn), .copy_bytes = sizeof(insn),
			.nr_frames = 2, .moved_bytes = sizeof(insn),
		},
		.frames = {
			{ .cfa_offset = 8, .cfa_register = 7 },
			{ .cfa_offset = 8, .cfa_register = 7, .copy = sizeof(insn),
			  .original = sizeof(insn) },
		},
	};

	memcpy(file.original, insn, sizeof(insn));
	memcpy(file.copy, insn, sizeof(insn));
	find_mapping((uint64_t)good_file, &file.head);
	return file;
}

/* Write the first @bytes bytes of @file with the rights @mode, and load the table for the object
 * at @addr. */
static int load_some(const struct file *file, size_t bytes, mode_t mode, uint64_t addr)
{
	const struct moved_head *head;
	const void *table = NULL;
	int fd, r;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, bytes), bytes);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	runtime_lock();
	r = moved_file_load(ID, addr, moved_check, &table);
	runtime_unlock();
	head = table;
	if (!r)
		assert_int_equal(head->nr_rows, 1);
	assert_true(!r == !!table);
	memory_free((void *)table);
	return r;
}

static int load(const struct file *file)
{
	return load_some(file, sizeof(*file), 0644, (uint64_t)good_file);
}

static void test_good(void **state)
{
	struct file file = good_file();

	(void)state;
	assert_int_equal(load(&file), 0);
	assert_int_equal(load_some(&file, sizeof(file), 0600, (uint64_t)good_file), 0);
}

static void test_another_object(void **state)
{
	struct file file = good_file();

	(void)state;
	assert_int_equal(load_some(&file, sizeof(file), 0644, (uint64_t)&printf), -ENOENT);
	file.head.ino++;
	assert_int_equal(load(&file), -ENOENT);
	file = good_file();
	file.head.dev_minor++;
	assert_int_equal(load(&file), -ENOENT);
	file = good_file();
	file.head.dev_major++;
	assert_int_equal(load(&file), -ENOENT);
	/* An address that no file is mapped at */
	file = good_file();
	file.head.ino = file.head.dev_major = file.head.dev_minor = 0;
	assert_int_equal(load_some(&file, sizeof(file), 0644, (uint64_t)&file), -ENOENT);
	assert_int_equal(load_some(&file, sizeof(file), 0644, 8), -ENOENT);
}

static void test_others_may_write(void **state)
{
	struct file file = good_file();

	(void)state;
	assert_int_equal(load_some(&file, sizeof(file), 0664, (uint64_t)good_file), -EPERM);
	assert_int_equal(load_some(&file, sizeof(file), 0646, (uint64_t)good_file), -EPERM);
	if (!geteuid()) {
		assert_int_equal(load(&file), 0);
		assert_int_equal(chown(path, 1, (gid_t)-1), 0);
		runtime_lock();
		assert_int_equal(moved_file_load(ID, (uint64_t)good_file, moved_check,
						 &(const void *){ NULL }), -EPERM);
		runtime_unlock();
	}
}

static void test_no_file(void **state)
{
	const void *table;

	(void)state;
	runtime_lock();
	unlink(path);
	assert_int_equal(moved_file_load(ID, (uint64_t)good_file, moved_check, &table), -ENOENT);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(moved_file_load(ID, (uint64_t)good_file, moved_check, &table), -ELOOP);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(moved_file_load(ID, (uint64_t)good_file, moved_check, &table), -EPERM);
	unlink(path);
	runtime_unlock();
}

static void test_wrong_contents(void **state)
{
	struct file file = good_file();

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(file); bytes += 7)
		assert_int_equal(load_some(&file, bytes, 0644, (uint64_t)good_file), -EBADMSG);
	file.head.magic++;
	assert_int_equal(load(&file), -EBADMSG);
	file = good_file();
	file.head.table_bytes = UINT64_MAX;
	assert_int_equal(load(&file), -EBADMSG);
	file = good_file();
	file.table.nr_rows = UINT32_MAX;
	assert_int_equal(load(&file), -EBADMSG);
	file = good_file();
	file.row.pool = 0x10000;
	assert_int_equal(load(&file), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_another_object),
		cmocka_unit_test(test_others_may_write),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_wrong_contents),
	};

	tracing_on();		/* refers to libulf, which makes the root at the start */
	snprintf(path, sizeof(path), "%s/moved/%016llx", getenv("ULF_DIR"), ID);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
