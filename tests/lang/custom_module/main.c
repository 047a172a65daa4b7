/* SPDX-License-Identifier: MIT */
/*
 * A custom event on the tracepoint of a module: the tracepoint is unloaded with its module,
 * but the event stays.  near.c tests the opposite case.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "far_trace.h"
#include "lib/check.h"
#include "lib/trace.h"
#include "near.h"

#define CREATE_CUSTOM_TRACE_EVENTS
#include "custom_trace.h"

static struct driver d;

static void attach(struct tracepoint *tp, void *priv)
{
	*(int *)priv += trace_custom_event_far_hit_update(tp);
}

static int attach_all(void)
{
	int nr = 0;

	for_each_kernel_tracepoint(attach, &nr);
	return nr;
}

static void come_and_go(const char *path, bool is_on)
{
	void *module = dlopen(path, RTLD_NOW);
	void (*hit_far)(int value);

	if (!module)
		fail("%s", dlerror());
	*(void **)&hit_far = dlsym(module, "hit_far");
	CHECK(hit_far);
	hit_far(1);
	CHECK_EQ(trace_drain(&d, "custom", "far_hit"), 0);
	CHECK_EQ(attach_all(), 1);
	hit_far(2);
	CHECK_EQ(trace_drain(&d, "custom", "far_hit"), is_on);
	CHECK_EQ(dlclose(module), 0);
	CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
	CHECK_EQ(attach_all(), 0);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];

	self_role(argc, argv, near_roles);
	CHECK(getenv("ULF_BUILD"));
	snprintf(path, sizeof(path),
		 "%s/tests/lang-custom_module-mod_far.so", getenv("ULF_BUILD"));
	trace_open(&d, getpid());
	come_and_go(path, false);
	CHECK_EQ(driver_enable(&d, "custom", "far_hit", true), 0);
	come_and_go(path, true);
	come_and_go(path, true);
	CHECK_EQ(driver_enable(&d, "custom", "far_hit", false), 0);
	come_and_go(path, false);
	driver_close(&d);
	test_near();
	return 0;
}
