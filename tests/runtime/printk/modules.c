/* SPDX-License-Identifier: MIT */
/* Modules are loaded and unloaded.  Their texts stay, and each format is listed once. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "abi/control.h"
#include "lib/said.h"
#include "parts.h"
#include <ulf/tracing.h>

struct plugin {
	void *handle;
	void (*say)(int value);
};

static struct plugin load(const char *name)
{
	struct plugin plugin;
	char exe[PATH_MAX] = "", path[PATH_MAX + 64];

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%s/runtime-printk-mod_%s.so", dirname(exe),
		 name);
	plugin.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin.handle)
		fail("%s", dlerror());
	*(void **)&plugin.say = dlsym(plugin.handle, "plugin_say");
	CHECK(plugin.say);
	return plugin;
}

void test_modules(void)
{
	struct plugin one = load("one"), two = load("two");
	struct said first, second;

	one.say(1);
	CHECK_EQ(said_take(&first), 1);
	CHECK_STR(first.text, "of both: 1\n");
	two.say(2);
	CHECK_EQ(said_take(&second), 2);
	CHECK_STR(second.text, "of the second\n");
	CHECK(second.fmt != first.fmt);
	trace_printk("of both: %d\n", 3);
	CHECK_EQ(said_take(&second), 1);
	CHECK_EQ(second.fmt, first.fmt);
	one.say(4);
	two.say(5);
	CHECK(!dlclose(one.handle));
	CHECK(!dlclose(two.handle));
	CHECK_EQ(said_take(&second), 3);
	CHECK_STR(second.text, "of the second\n");
	one = load("one");
	one.say(6);
	CHECK_EQ(said_take(&second), 1);
	CHECK_STR(second.text, "of both: 6\n");
	CHECK_EQ(second.fmt, first.fmt);
	CHECK(!dlclose(one.handle));
}
