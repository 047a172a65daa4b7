/* SPDX-License-Identifier: MIT */
/* ulf run: libulf for programs whose functions can be traced, and who do not have it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "server/elf_impl.h"
#include "server/elf_sites.h"

#define LIBULF		"libulf.so.0"
#define LIBASAN		"libasan.so."
#define PATH_BYTES	4096
#define READ_BYTES_MAX	(1024ull << 20)

/* What execvp() will take, to be freed; NULL: nothing. */
static char *find_program(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_BYTES];

	if (strchr(name, '/'))
		return realpath(name, NULL);
	while (dirs) {
		int nr = (int)strcspn(dirs, ":");
		int len = snprintf(path, sizeof(path), "%.*s/%s", nr ? nr : 1,
				   nr ? dirs : ".", name);

		if (len < (int)sizeof(path) && !access(path, X_OK))
			return realpath(path, NULL);
		dirs = dirs[nr] ? dirs + nr + 1 : NULL;
	}
	return NULL;
}

static bool has_functions(const char *path)
{
	uint64_t bytes_left = READ_BYTES_MAX;
	struct elf_sites sites;
	bool has_some;

	if (elf_sites_read(path, NULL, 0, FSITE_PATCHABLE, &bytes_left, &sites))
		return false;
	has_some = sites.nr_rows;	/* in a table of any kind */
	elf_sites_done(&sites);
	return has_some;
}

/* What of it says that libulf cannot, or need not, come first. */
struct needs {
	bool has_libulf;	/* among its libraries, or in itself: ftrace.S has
				 * that section */
	bool has_libasan;	/* gcc's, which must be the first */
};

static struct needs find_needs(const char *path)
{
	uint64_t bytes_left = READ_BYTES_MAX;
	struct needs needs = { false, false };
	const Elf64_Shdr *strings;
	struct elf_file file;
	char *text;

	if (!elf_file_open(path, NULL, 0, &bytes_left, &file)) {
		strings = elf_find_section(&file, ".dynstr");
		text = strings ? elf_read_piece(&file, strings->sh_offset,
						strings->sh_size) : NULL;
		needs.has_libulf = elf_find_section(&file, ".bodies") ||
			(text && memmem(text, strings->sh_size, LIBULF, sizeof(LIBULF)));
		needs.has_libasan = text && memmem(text, strings->sh_size, LIBASAN,
						   strlen(LIBASAN));
		free(text);
	}
	elf_file_close(&file);
	return needs;
}

/* Next to this program, if it was not installed. */
static bool find_libulf(char path[PATH_BYTES])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_BYTES - sizeof(LIBULF));

	while (len > 0 && path[len - 1] != '/')
		len--;
	strcpy(path + (len > 0 ? len : 0), LIBULF);
	return !access(path, R_OK) ||
	       !access(strcpy(path, ULF_LIBDIR "/" LIBULF), R_OK);
}

void run_preload(const char *program)
{
	const char *others = getenv("LD_PRELOAD");
	char *path = find_program(program), libulf[PATH_BYTES];
	bool is_wanted = path && has_functions(path);
	struct needs needs = { false, false };
	struct text all;

	if (is_wanted)
		needs = find_needs(path);
	free(path);
	if (!is_wanted || needs.has_libulf)
		return;
	if (needs.has_libasan) {
		cli_error("%s has AddressSanitizer, before which nothing can be loaded: "
			  "link it with libulf", program);
		return;
	}
	if (!find_libulf(libulf)) {
		cli_error("no " LIBULF " in " ULF_LIBDIR ": the functions of %s cannot "
			  "be traced", program);
		return;
	}
	text_init(&all, PATH_BYTES * 16);
	text_printf(&all, "%s%s%s", libulf, others ? ":" : "", others ? others : "");
	if (!all.error)
		setenv("LD_PRELOAD", text_str(&all), 1);
	text_done(&all);
}

bool run_is_for_ulf(const char *program)
{
	char *path = find_program(program);
	bool is_for_ulf = path && (has_functions(path) || find_needs(path).has_libulf);

	free(path);
	return is_for_ulf;
}
