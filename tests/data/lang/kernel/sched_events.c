/* SPDX-License-Identifier: MIT */
/* The kernel's own trace/events/sched.h in a program: what it records, and
 * what `format` says, compared with what Linux 6.1 says. */
#include <unistd.h>

#include "event_data.h"
#include "lib/check.h"
#include "lib/trace.h"

#define CREATE_TRACE_POINTS
#include <trace/events/sched.h>

static struct driver d;
static struct trace trace;

static struct task_struct prev = {
	.comm = "previous", .pid = 11, .tgid = 10, .prio = 120,
};
static struct task_struct next = {
	.comm = "0123456789abcde", .pid = 12, .tgid = 12, .prio = 98,
};

struct task_struct *current = &next;

static void check_switch(size_t nth, long prev_state)
{
	const struct trace_record *r = trace_find(&d, &trace, "sched",
						  "sched_switch", nth);

	CHECK_STR(trace_string(&d, r, "prev_comm"), prev.comm);
	CHECK_EQ(trace_number(&d, r, "prev_pid"), prev.pid);
	CHECK_EQ(trace_number(&d, r, "prev_prio"), prev.prio);
	CHECK_EQ(trace_number(&d, r, "prev_state"), prev_state);
	CHECK_STR(trace_string(&d, r, "next_comm"), next.comm);
	CHECK_EQ(trace_number(&d, r, "next_pid"), next.pid);
	CHECK_EQ(trace_number(&d, r, "next_prio"), next.prio);
	CHECK_EQ(r->bytes, 64);
}

static void check_records(void)
{
	struct linux_binprm program = { "/bin/true" };

	CHECK_EQ(driver_enable(&d, "sched", "sched_switch", true), 0);
	CHECK_EQ(driver_enable(&d, "sched", "sched_process_exec", true), 0);
	trace_sched_switch(false, &prev, &next, TASK_UNINTERRUPTIBLE);
	trace_sched_switch(true, &prev, &next, TASK_RUNNING);
	trace_sched_process_exec(&next, 7, &program);
	trace_read(&d, &trace);
	check_switch(0, TASK_UNINTERRUPTIBLE);
	check_switch(1, TASK_REPORT_MAX);
	CHECK_STR(trace_string(&d, trace_find(&d, &trace, "sched",
					      "sched_process_exec", 0),
			       "filename"), program.filename);
	trace_free(&trace);
}

/* One format after the other in @expect, each from `name: ...` on. */
static void check_formats(const char *expect)
{
	const char *at = expect;

	while (*at) {
		const char *end = strstr(at + 1, "\nname: ");
		size_t len = end ? (size_t)(end + 1 - at) : strlen(at);
		char name[64], *text;

		CHECK_EQ(sscanf(at, "name: %63s", name), 1);
		text = trace_format(&d, "sched", name);
		if (strlen(text) != len || strncmp(text, at, len))
			fail("%s is\n%s\nand not\n%.*s", name, text, (int)len,
			     at);
		free(text);
		at += len;
	}
}

int main(void)
{
	char *expect = read_data("lang/sched-6.1.formats");

	CHECK(expect);
	trace_open(&d, getpid());
	check_formats(expect);
	check_records();
	free(expect);
	driver_close(&d);
	return 0;
}
