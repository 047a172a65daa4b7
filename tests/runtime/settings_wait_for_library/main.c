/* SPDX-License-Identifier: MIT */
/*
 * A program without tracepoints has settings that are not about functions, like an interpreter
 * under `ulf run`.  The settings are applied when the program loads the first library with
 * functions that can be traced.  Until then libulf does not ask the server.
 *
 * no-sanitize: address its library can be traced from the start
 * no-sanitize: thread its library can be traced from the start
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/driver.h"

#define LIBRARIES	20

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library)
		fail("%s", dlerror());
	return library;
}

/* Load another copy of the library.  Unload every second copy. */
static void load_plain(int number)
{
	char path[PATH_MAX];
	void *library;

	snprintf(path, sizeof(path), "%s/plain%d.so", command_env("TMPDIR"), number);
	command_ok("cp $ULF_BUILD/tests/runtime-settings_wait_for_library-mod_plain.so %s", path);
	library = load(path);
	if (number % 2)
		CHECK_EQ(dlclose(library), 0);
}

static void start_again(char *self)
{
	command_ok("ulf ls >/dev/null");	/* starts a server */
	CHECK(!setenv("ULF_TRACE", "trace_options=sym-offset", 1));
	execl("/proc/self/exe", self, "again", NULL);
	fail("cannot be started again");
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	struct driver d;

	if (argc < 2)
		start_again(argv[0]);
	CHECK_EQ(driver_open(&d, getpid()), 0);
	CHECK_EQ(d.control->boot_state, ABI_BOOT_LATER);
	for (int i = 0; i < LIBRARIES; i++)
		load_plain(i);
	CHECK_EQ(d.control->asked, 0);
	CHECK_EQ(d.control->boot_state, ABI_BOOT_LATER);
	snprintf(path, sizeof(path), "%s/tests/runtime-settings_wait_for_library-mod_function.so",
		 command_env("ULF_BUILD"));
	load(path);
	CHECK_EQ(d.control->asked, 1);
	CHECK_EQ(d.control->answered, 1);
	CHECK(d.control->boot_state != ABI_BOOT_LATER);
	driver_close(&d);
	return 0;
}
