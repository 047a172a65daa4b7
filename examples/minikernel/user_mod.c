/* SPDX-License-Identifier: MIT */
/* Modules are shared objects of the real machine, named by their path there.  A module may
 * have an int module_init(void), which can refuse to be loaded, and a void
 * module_exit(void). */
#include <dlfcn.h>

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
