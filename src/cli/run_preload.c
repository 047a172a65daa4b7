/* SPDX-License-Identifier: MIT */
/* ulf run: preload libulf into programs whose functions can be traced, and that are not
 * linked with libulf.  A program that no compiler has prepared for tracing has functions, but
 * no events.  So libulf is loaded into such a program only if a setting traces functions:
 * `ulf run -e EVENT sh -c ...` does not trace the shell. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/run_impl.h"

/* In a build directory, libulf is in the directory of the file of `ulf`.  Otherwise it is in
 * the directory in which it was installed. */
bool run_find_libulf(char ret_path[RUN_PATH_BYTES])
{
	char *path = ret_path;
	ssize_t len = readlink("/proc/self/exe", path, RUN_PATH_BYTES - sizeof(RUN_LIBULF));

	while (len > 0 && path[len - 1] != '/')
		len--;
	strcpy(path + (len > 0 ? len : 0), RUN_LIBULF);
	return !access(path, R_OK) ||
	       !access(strcpy(path, ULF_LIBDIR "/" RUN_LIBULF), R_OK);
}

/* Return true if libulf must be loaded into the program by LD_PRELOAD.  This must not be done
 * for a program that contains libulf.a, because it would then have libulf twice. */
static bool is_preload_wanted(const struct run *run)
{
	const struct run_program *program = &run->about;

	if (program->kind > RUN_PLAIN || program->has_libulf_a)
		return false;
	return run->is_following || (!program->is_script && program->kind == RUN_FOR_ULF &&
				     !program->has_libulf);
}

void run_preload(const struct run *run)
{
	const struct run_program *program = &run->about;
	const char *others = getenv("LD_PRELOAD");
	char libulf[RUN_PATH_BYTES];
	struct text all;

	run_follow_set(run, NULL);
	if (!is_preload_wanted(run))
		return;
	if (program->has_libasan) {
		cli_error("%s has AddressSanitizer, before which nothing can be loaded: "
			  "link it with libulf", run->program);
		return;
	}
	if (!run_find_libulf(libulf)) {
		cli_error("no " RUN_LIBULF " in " ULF_LIBDIR ": the functions of %s cannot "
			  "be traced", run->program);
		return;
	}
	text_init(&all, RUN_PATH_BYTES * 16);
	text_printf(&all, "%s%s%s", libulf, others ? ":" : "", others ? others : "");
	if (!all.error)
		setenv("LD_PRELOAD", text_str(&all), 1);
	if (run->is_following)
		run_follow_set(run, libulf);
	text_done(&all);
}
