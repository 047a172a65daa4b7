/* SPDX-License-Identifier: MIT */
/*
 * Modules that share a system and names of events.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#include "lib/trace.h"
#include "plugin.h"

static struct driver d;

/* ---- rows ---- */

/* Returns true if process @pid has loaded the module of this row. */
static bool is_present(uint32_t row, pid_t pid)
{
	struct abi_event *rows = (void *)(d.mem + d.control->events_off);
	struct abi_process *process = trace_process(&d, pid);
	uint32_t module = rows[row].module;

	CHECK(process);
	return process->modules[module / 64] >> (module % 64) & 1;
}

/* Returns how many events of this name process @pid has. */
static int nr_present(const char *system, const char *name, pid_t pid)
{
	int nr = 0;

	for (uint32_t i = 0; i < d.control->nr_events; i++)
		nr += driver_is_event(&d, i, system, name) &&
		      is_present(i, pid);
	return nr;
}

static void expect(int same, int differ, int alone)
{
	CHECK_EQ(nr_present("mods", "mods_program", getpid()), 1);
	CHECK_EQ(nr_present("mods", "mods_same", getpid()), same);
	CHECK_EQ(nr_present("mods", "mods_differ", getpid()), differ);
	CHECK_EQ(nr_present("alone", "alone_hit", getpid()), alone);
}

/* Each module has its own events, in whichever order modules are loaded and unloaded. */
static void test_come_and_go(void)
{
	struct plugin one, two;
	/* The rows of libulf and of the program come first. */
	uint32_t first = d.control->nr_events, nr, modules = d.control->nr_modules;

	expect(0, 0, 0);
	one = plugin_load("one");
	expect(1, 1, 1);
	two = plugin_load("two");
	expect(2, 2, 1);
	nr = d.control->nr_events;
	CHECK_EQ(nr, first + 5);
	plugin_unload(&two);
	expect(1, 1, 1);
	two = plugin_load("two");
	plugin_unload(&one);
	expect(1, 1, 0);
	plugin_unload(&two);
	expect(0, 0, 0);
	two = plugin_load("two");
	one = plugin_load("one");
	expect(2, 2, 1);
	plugin_unload(&two);
	plugin_unload(&one);
	/* The modules got their old numbers back. */
	CHECK_EQ(d.control->nr_events, nr);
	CHECK_EQ(d.control->nr_modules, modules + 2);
}

static size_t hit_and_count(struct plugin *plugin, const char *name)
{
	plugin->hit(5);
	return trace_drain(&d, "mods", name);
}

/* A setting for a name applies to every module that brings this name. */
static void test_setting_of_reloaded_module(void)
{
	struct plugin one = plugin_load("one"), two;

	CHECK_EQ(driver_enable(&d, "mods", "mods_differ", true), 0);
	CHECK_EQ(hit_and_count(&one, "mods_differ"), 1);
	two = plugin_load("two");
	CHECK_EQ(hit_and_count(&two, "mods_differ"), 1);
	CHECK_EQ(hit_and_count(&one, "mods_differ"), 1);
	CHECK_EQ(driver_enable(&d, "mods", "mods_differ", false), 0);
	CHECK_EQ(hit_and_count(&two, "mods_differ"), 0);
	CHECK_EQ(hit_and_count(&one, "mods_differ"), 0);
	plugin_unload(&one);
	plugin_unload(&two);
}

/* A copy is another module with other numbers.  The setting of the name applies to it, too. */
static void test_copy(void)
{
	char path[PATH_MAX], *copy;
	struct plugin plugin;
	uint32_t nr;

	plugin_path("one", path, sizeof(path));
	copy = command_output("cp '%s' $TMPDIR/one.so && printf %%s "
			      "$TMPDIR/one.so", path);
	nr = d.control->nr_events;
	CHECK_EQ(driver_enable(&d, "mods", "mods_same", true), 0);
	plugin = plugin_load(copy);
	CHECK_EQ(d.control->nr_events, nr + 3);
	CHECK_EQ(hit_and_count(&plugin, "mods_same"), 1);
	CHECK_EQ(driver_enable(&d, "mods", "mods_same", false), 0);
	plugin_unload(&plugin);
	free(copy);
}

/* A module was built again, with other events, and replaces the old file. */
static void test_rebuilt(void)
{
	char one[PATH_MAX], two[PATH_MAX], *path;
	struct plugin plugin;
	uint32_t nr;

	plugin_path("one", one, sizeof(one));
	plugin_path("two", two, sizeof(two));
	path = command_output("cp '%s' $TMPDIR/plugin.so && printf %%s "
			      "$TMPDIR/plugin.so", one);
	plugin = plugin_load(path);
	expect(1, 1, 1);
	plugin_unload(&plugin);
	command_ok("cp '%s' $TMPDIR/new.so && mv $TMPDIR/new.so '%s'", two,
		   path);
	plugin = plugin_load(path);
	expect(1, 1, 0);
	plugin_unload(&plugin);
	command_ok("cp '%s' $TMPDIR/new.so && mv $TMPDIR/new.so '%s'", one,
		   path);
	nr = d.control->nr_events;
	plugin = plugin_load(path);
	expect(1, 1, 1);
	CHECK_EQ(d.control->nr_events, nr);
	plugin_unload(&plugin);
	free(path);
}

/* ---- processes with different modules ---- */

static void in_child(int to, int from)
{
	struct plugin two = plugin_load("two");
	char c;

	two.hit(7);
	CHECK_EQ(write(to, "r", 1), 1);
	if (read(from, &c, 1) == 1)
		plugin_unload(&two);
	_exit(0);
}

static void test_children(void)
{
	struct plugin one = plugin_load("one");
	int to[2], from[2], status;
	pid_t pid;
	char c;

	CHECK_EQ(driver_enable(&d, "mods", "mods_differ", true), 0);
	CHECK_EQ(pipe(to), 0);
	CHECK_EQ(pipe(from), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		in_child(from[1], to[0]);
	CHECK_EQ(read(from[0], &c, 1), 1);
	CHECK_EQ(nr_present("mods", "mods_differ", getpid()), 1);
	CHECK_EQ(nr_present("mods", "mods_differ", pid), 2);
	plugin_unload(&one);
	CHECK_EQ(nr_present("mods", "mods_differ", getpid()), 0);
	CHECK_EQ(nr_present("alone", "alone_hit", pid), 1);
	CHECK_EQ(trace_drain(&d, "mods", "mods_differ"), 1);
	one = plugin_load("one");
	CHECK_EQ(hit_and_count(&one, "mods_differ"), 1);
	CHECK_EQ(write(to[1], "e", 1), 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(driver_enable(&d, "mods", "mods_differ", false), 0);
	CHECK_EQ(d.control->table_errors, 0);
	plugin_unload(&one);
}

static const struct self_role roles[] = {
	{ "obey", plugin_obey },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	trace_open(&d, getpid());
	test_come_and_go();
	test_setting_of_reloaded_module();
	test_copy();
	test_rebuilt();
	test_children();
	driver_close(&d);
	return 0;
}
