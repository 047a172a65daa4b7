/* SPDX-License-Identifier: MIT */
/* The modules of this test: mod_one.c is `one', mod_two.c is `two'. */
#ifndef PLUGIN_H
#define PLUGIN_H

struct plugin {
	void *handle;
	void (*hit)(int who);
};

/* Load a module.  @name: one, two, or a path.  Fails the test if it cannot be loaded. */
struct plugin plugin_load(const char *name);
void plugin_unload(struct plugin *plugin);
void plugin_path(const char *name, char *path, unsigned long size);

/* Obey the lines of file @in, and answer each with a line in @out:
 *	load NAME | unload NAME | hit NAME NUMBER | child NAME NUMBER
 * child: fork(); the child loads NAME, hits its event, and lives until `orphan'. */
int plugin_obey(int argc, char **argv);

#endif
