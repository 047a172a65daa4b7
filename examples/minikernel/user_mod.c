/* SPDX-License-Identifier: MIT */
/* Things of the real machine, named by their path there: modules and markers.
 *
 * A module is a shared object.  It may have an int module_init(void), which can refuse to
 * be loaded, and a void module_exit(void). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <mini/syscalls.h>

int insmod_main(const char *args)
{
	void *module = dlopen(args, RTLD_NOW);
	int (*init)(void);
	int r = 0;

	if (!module)
		return 1;
	init = (int (*)(void))dlsym(module, "module_init");
	if (init)
		r = init();
	if (r < 0)
		dlclose(module);
	return r < 0;
}

int rmmod_main(const char *args)
{
	void *module = dlopen(args, RTLD_NOW | RTLD_NOLOAD);
	void (*cleanup)(void);

	if (!module)
		return 1;
	cleanup = (void (*)(void))dlsym(module, "module_exit");
	if (cleanup)
		cleanup();
	/* Drop the reference that insmod took, and the reference of the dlopen() above. */
	dlclose(module);
	dlclose(module);
	return 0;
}

int write_marker(const char *args)
{
	char from[PATH_LEN], to[PATH_LEN], text[4096];
	int in, out, r = -EINVAL;
	ssize_t n;

	if (sscanf(args, "%127s %127s", from, to) != 2)
		return r;
	in = open(from, O_RDONLY | O_CLOEXEC);
	out = open(to, O_WRONLY | O_CLOEXEC);
	n = in < 0 ? -1 : read(in, text, sizeof(text));
	if (n >= 0 && out >= 0)
		r = write(out, text, (size_t)n) < 0 ? -errno : 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return r;
}
