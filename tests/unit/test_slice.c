/* SPDX-License-Identifier: MIT */
/* A thread asks for short slices for itself alone, or for its children, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/slice.h"

/* Returns true if the calling thread has short slices. */
static bool has_short(void)
{
	struct slice_attr attr = { 0 };

	return !syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) && attr.runtime == SLICE_NS;
}

static bool child_has_short(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(has_short());
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Each test runs in a process of its own, because a slice stays short. */
static void in_child(void (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		test();
		_exit(0);
	}
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	assert_int_equal(0, WEXITSTATUS(status));
}

/* Kernels before 6.12 have no slices, so neither thread nor child has short ones. */
static void shorten_for_this_thread(void)
{
	slice_shorten_own(false);
	if (child_has_short())
		_exit(1);
}

static void shorten_for_children(void)
{
	slice_shorten_own(true);
	if (child_has_short() != has_short())
		_exit(1);
}

static void own(void **state)
{
	(void)state;
	in_child(shorten_for_this_thread);
}

static void children(void **state)
{
	(void)state;
	in_child(shorten_for_children);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own),
		cmocka_unit_test(children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
