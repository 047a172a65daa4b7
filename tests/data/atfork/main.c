/* SPDX-License-Identifier: MIT */
/* Calls fork() while another thread is in dlclose() and holds the lock that fork() waits
 * for. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins.h"

static void *close_it(void *plugin)
{
	return plugin_close(plugin) ? plugin : NULL;
}

int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW), *result;
	pthread_t thread;
	int status, pid;

	if (!plugin || pthread_create(&thread, NULL, close_it, plugin))
		return 2;
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 3;
	return pthread_join(thread, &result) || result;
}
