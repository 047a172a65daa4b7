/* SPDX-License-Identifier: MIT */
/*
 * TRACE_EVENT_FN in a process that cannot start the thread for the calls: the event cannot be
 * switched on from outside, and everything else works.
 *
 * no-sanitize: thread its threads are made by pthread_create()
 * no-sanitize: address its agent is made by pthread_create()
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "nc_trace.h"

static struct driver d;
static int nr_reg, nr_unreg;

int nc_hit_reg(void)
{
	nr_reg++;
	return 0;
}

void nc_hit_unreg(void)
{
	nr_unreg++;
}

/* libulf calls this pthread_create(), which fails. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *), void *arg)
{
	(void)thread;
	(void)attr;
	(void)run;
	(void)arg;
	return EAGAIN;
}

static void probe(void *data, int who)
{
	(void)data;
	(void)who;
}

int main(void)
{
	struct abi_event *rows;

	trace_open(&d, getpid());
	rows = (void *)(d.mem + d.control->events_off);
	CHECK_EQ(driver_enable(&d, "nc", "nc_hit", true), -EAGAIN);
	CHECK_EQ(rows[driver_find_event(&d, "nc", "nc_hit")].failed, EAGAIN);
	CHECK_EQ(driver_enable(&d, "nc", "nc_plain", true), 0);
	trace_nc_hit(1);
	trace_nc_plain(1);
	CHECK_EQ(trace_drain(&d, "nc", "nc_plain"), 1);
	CHECK_EQ(nr_reg, 0);
	/* The program's own registrations do not need this thread. */
	CHECK_EQ(register_trace_nc_hit(probe, NULL), 0);
	CHECK_EQ(unregister_trace_nc_hit(probe, NULL), 0);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(nr_unreg, 1);
	driver_close(&d);
	return 0;
}
