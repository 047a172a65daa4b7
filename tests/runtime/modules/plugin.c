/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "plugin.h"
#define CREATE_TRACE_POINTS
#include "prog_trace.h"

void plugin_path(const char *name, char *path, unsigned long size)
{
	char exe[PATH_MAX] = "";

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, size, "%s/runtime-modules-mod_%s.so", dirname(exe), name);
}

struct plugin plugin_load(const char *name)
{
	char path[PATH_MAX + 64];
	struct plugin plugin;

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		plugin_path(name, path, sizeof(path));
	plugin.handle = dlopen(path, RTLD_NOW);
	if (!plugin.handle)
		fail("%s", dlerror());
	*(void **)&plugin.hit = dlsym(plugin.handle, "hit");
	CHECK(plugin.hit);
	return plugin;
}

void plugin_unload(struct plugin *plugin)
{
	CHECK_EQ(dlclose(plugin->handle), 0);
	plugin->handle = NULL;
}

/* ---- a program that obeys commands ---- */

static struct plugin one, two;
static pid_t child;

static void child_start(const char *name, int who, FILE *out)
{
	struct plugin plugin;
	int ready[2];
	char c;

	CHECK_EQ(pipe(ready), 0);
	fflush(out);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		plugin = plugin_load(name);
		plugin.hit(who);
		CHECK_EQ(write(ready[1], "r", 1), 1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
}

static void do_line(const char *line, FILE *out)
{
	char verb[16] = "", name[16] = "";
	struct plugin *plugin;
	int who = 0;

	CHECK(sscanf(line, "%15s %15s %d", verb, name, &who) >= 1);
	plugin = !strcmp(name, "one") ? &one : &two;
	if (!strcmp(verb, "load"))
		*plugin = plugin_load(name);
	else if (!strcmp(verb, "unload"))
		plugin_unload(plugin);
	else if (!strcmp(verb, "hit"))
		plugin->hit(who);
	else if (!strcmp(verb, "child"))
		child_start(name, who, out);
	else if (!strcmp(verb, "orphan"))
		CHECK(!kill(child, SIGKILL) &&
		      waitpid(child, NULL, 0) == child);
	else
		fail("what is `%s'?", line);
	trace_mods_program(who);
}

int plugin_obey(int argc, char **argv)
{
	FILE *in, *out;
	char line[256];

	CHECK_EQ(argc, 2);
	in = fopen(argv[0], "r");
	out = fopen(argv[1], "w");
	CHECK(in && out);
	while (fgets(line, sizeof(line), in)) {
		do_line(line, out);
		fprintf(out, "%s", line);
		fflush(out);
	}
	return 0;
}
