/* SPDX-License-Identifier: MIT */
/*
 * cli/record_late.c: which processes a recorder waits for, and the times up to which it stores the
 * records of a CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "cli/record_late.h"
#include "server/core/mapping.h"

#define MS	3000000u	/* about 1 ms, in cycles of the TSC */

static struct abi_process processes[ABI_PROCESSES];
static struct mapping map = { .addr = processes };
static const struct record_late late = { .map = &map, .processes = processes };

/* Set the slot @i to the process @pid, whose last round was @age cycles ago. */
static void set_slot(uint32_t i, pid_t pid, uint64_t age)
{
	processes[i].pid = (uint32_t)pid;
	processes[i].late = abi_late_stamp(arch_tsc() - age);
}

/* Return the time from record_late_until() to the present, in cycles of the TSC; UINT64_MAX if
 * no process is waited for. */
static uint64_t behind(void)
{
	uint64_t until = record_late_until(&late);

	return until == UINT64_MAX ? until : arch_tsc() - until;
}

static int begin(void **state)
{
	(void)state;
	memset(processes, 0, sizeof(processes));
	return 0;
}

static void test_none(void **state)
{
	(void)state;
	assert_true(behind() == UINT64_MAX);
	/* A number below ABI_LATE_FIRST is an errno. */
	processes[3] = (struct abi_process){ .pid = (uint32_t)getpid(), .late = 13 };
	assert_true(behind() == UINT64_MAX);
	assert_true(record_late_until(&(struct record_late){ .map = NULL }) == UINT64_MAX);
}

static void test_oldest_process(void **state)
{
	(void)state;
	set_slot(0, getpid(), 1 * MS);
	set_slot(ABI_PROCESSES - 1, getpid(), 100 * MS);
	assert_true(behind() >= 100 * MS);
	assert_true(behind() != UINT64_MAX);
}

static void test_hung_process(void **state)
{
	(void)state;
	set_slot(0, getpid(), 6000000000u);
	assert_true(behind() == UINT64_MAX);
}

static void test_ended_process(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	set_slot(0, pid, 400ull * MS);
	assert_true(behind() == UINT64_MAX);
}

/* Processes without late records: everything is stored at once. */
static void test_no_wait(void **state)
{
	struct record_marks marks = { .nr = 0 };

	(void)state;
	for (uint64_t i = 1; i < 100; i++)
		assert_int_equal(record_marks_horizon(&marks, (struct record_mark){ i, i * MS },
						      UINT64_MAX), i);
	assert_int_equal(marks.nr, 0);
}

/* The last round of a process is always 7 ms old, and a pass follows each ms. */
static void test_behind(void **state)
{
	struct record_marks marks = { .nr = 0 };

	(void)state;
	for (uint64_t i = 8; i < 100; i++)
		assert_int_equal(record_marks_horizon(&marks, (struct record_mark){ i, i * MS },
						      (i - 7) * MS), i < 15 ? 0 : i - 7);
	/* Then nothing is recorded any more: the last record is stored, too. */
	for (uint64_t i = 100; i < 107; i++)
		record_marks_horizon(&marks, (struct record_mark){ 99, i * MS }, (i - 7) * MS);
	assert_int_equal(marks.horizon, 99);
	assert_int_equal(marks.nr, 0);
}

/* Passes follow each other faster than the marks. */
static void test_fast_passes(void **state)
{
	struct record_marks marks = { .nr = 0 };
	const uint64_t step = MS / 100;

	(void)state;
	for (uint64_t i = 800; i < 100000; i++) {
		uint64_t until = (i - 700) * step;
		uint64_t time = record_marks_horizon(&marks, (struct record_mark){ i, i * step },
						     until);

		assert_true(time * step <= until);
		assert_true(i < 2000 || time + 1000 > i);
	}
}

/* A process hangs: the array of marks is full, and the newest records wait. */
static void test_full(void **state)
{
	struct record_marks marks = { .nr = 0 };

	(void)state;
	for (uint64_t i = 10; i < 1000; i++)
		assert_int_equal(record_marks_horizon(&marks, (struct record_mark){ i, i * MS },
						      9 * MS), 0);
	assert_int_equal(marks.nr, RECORD_LATE_MARKS);
	assert_int_equal(record_marks_horizon(&marks, (struct record_mark){ 1000, 1000ull * MS },
					      UINT64_MAX), 1000);
	assert_int_equal(marks.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_none, begin),
		cmocka_unit_test_setup(test_oldest_process, begin),
		cmocka_unit_test_setup(test_hung_process, begin),
		cmocka_unit_test_setup(test_ended_process, begin),
		cmocka_unit_test(test_no_wait),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_fast_passes),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
