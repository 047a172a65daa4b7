/* SPDX-License-Identifier: MIT */
/*
 * TRACE_EVENT_FN: one function is called before the first probe is registered, and another
 * one after the last probe was removed, by every kind of user.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 * no-sanitize: address with it the agent is a thread of libc's, and stays
 */
#include <unistd.h>

#include "regfunc.h"

struct driver d;

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	trace_open(&d, getpid());
	test_calls();
	test_modules();
	test_fork();
	test_fork_under_way();
	test_fork_inside();
	driver_close(&d);
	test_ends();
	return 0;
}
