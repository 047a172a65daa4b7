/* SPDX-License-Identifier: MIT */
/* Two libraries have events of equal names; each library hits its own event. */
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#include <ulf/tracepoint.h>

void hit_one(int who);
void hit_two(int who);

static struct driver d;

static struct tracepoint *found[4];
static int nr_found;

static void find(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, priv))
		found[nr_found++ % 4] = tp;
}

static void probe(void *data, int who)
{
	*(int *)data += who;
}

static void test_probes(void)
{
	int first = 0, second = 0;

	for_each_kernel_tracepoint(find, "twins_hit");
	CHECK_EQ(nr_found, 2);
	CHECK_EQ(tracepoint_probe_register(found[0], (void *)probe, &first), 0);
	hit_one(1);
	hit_two(10);
	CHECK(first == 1 || first == 10);
	CHECK_EQ(tracepoint_probe_register(found[1], (void *)probe, &second),
		 0);
	hit_one(1);
	hit_two(10);
	CHECK_EQ(first + second, first < 10 ? 12 : 21);
	CHECK_EQ(tracepoint_probe_unregister(found[0], (void *)probe, &first),
		 0);
	CHECK_EQ(tracepoint_probe_unregister(found[1], (void *)probe, &second),
		 0);
}

static uint32_t nr_rows(const char *name)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < d.control->nr_events; i++)
		nr += driver_is_event(&d, i, "twins", name);
	return nr;
}

/* Each library has rows of its own, even for an event that is equal in both, because
 * libraries are loaded and unloaded independently.  Switching a name switches all events of
 * that name. */
static void test_events(void)
{
	struct trace trace;
	uint32_t nr = 0;

	trace_open(&d, getpid());
	CHECK_EQ(driver_enable(&d, "twins", "twins_hit", true), 0);
	hit_one(3);
	hit_two(4);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 2);
	CHECK_EQ(trace_count(&d, &trace, "twins", "twins_hit", 0), 2);
	CHECK(trace.records[0].row != trace.records[1].row);
	CHECK_EQ(trace_number(&d, &trace.records[0], "who") +
		 trace_number(&d, &trace.records[1], "who"), 7);
	trace_free(&trace);
	CHECK_EQ(driver_enable(&d, "twins", "twins_hit", false), 0);

	CHECK_EQ(nr_rows("twins_hit"), 2);
	CHECK_EQ(nr_rows("twins_differ"), 2);
	CHECK_EQ(driver_enable(&d, "twins", "twins_differ", true), 0);
	hit_one(5);
	hit_two(6);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 2);
	for (size_t i = 0; i < trace.nr; i++)
		nr += (uint32_t)trace_number(&d, &trace.records[i], "who") *
		      trace.records[i].bytes;
	/* int: 8 + 4 bytes, long: 8 + 8 */
	CHECK_EQ(nr, 5 * 12 + 6 * 16);
	trace_free(&trace);
	driver_close(&d);
}

int main(void)
{
	test_probes();
	test_events();
	return 0;
}
