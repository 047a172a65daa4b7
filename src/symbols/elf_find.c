/* SPDX-License-Identifier: MIT */
/*
 * Find files with debug information.  An ELF file may contain the name of its debug file, and
 * may be hostile.  So only this file of the source makes a path from such a name, after
 * checking it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_debug.h"
#include "symbols/localfile.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define PATH_BYTES	4096u
#define ID_BYTES_MAX	32u

static const char *debug_dir(void)
{
	const char *dir = getenv("ULF_DEBUG_DIR");

	return dir && *dir ? dir : DEBUG_DIR;
}

/* Make the path of a debug file from its build id: DEBUGDIR/.build-id/12/3456.debug */
static int debug_path_by_id(const struct elf_ask *ask, char path[PATH_BYTES])
{
	char hex[2 * ID_BYTES_MAX + 1];

	if (ask->bytes < 2 || ask->bytes > ID_BYTES_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < ask->bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", (uint8_t)ask->name[i]);
	return snprintf(path, PATH_BYTES, "%s/.build-id/%.2s/%s.debug", debug_dir(), hex,
			hex + 2);
}

/*
 * Make the path of a debug file from its name: DIR/NAME, DIR/.debug/NAME or
 * DEBUGDIR/DIR/NAME.  DIR is the directory of the stripped file @of.
 */
static int debug_path_by_name(const char *of, const struct elf_ask *ask, char path[PATH_BYTES])
{
	const char *slash = of && *of == '/' ? strrchr(of, '/') : NULL;

	if (!slash)
		return -ENOENT;
	if (!ask->bytes || ask->bytes >= sizeof(ask->name) ||
	    strnlen(ask->name, sizeof(ask->name)) != ask->bytes ||
	    strchr(ask->name, '/'))
		return -EINVAL;
	return snprintf(path, PATH_BYTES, "%s%.*s%s/%s",
			ask->kind == ELF_ASK_GLOBAL ? debug_dir() : "",
			(int)(slash - of), of,
			ask->kind == ELF_ASK_BELOW ? "/.debug" : "", ask->name);
}

int elf_ask_open(const char *path, const struct elf_ask *ask, int *ret_fd)
{
	char found[PATH_BYTES];
	int len;

	if (ask->kind >= ELF_ASKS)
		return -EINVAL;
	len = ask->kind == ELF_ASK_ID ? debug_path_by_id(ask, found) :
					debug_path_by_name(path, ask, found);
	if (len < 0)
		return len;
	return len < (int)sizeof(found) ? localfile_open(found, ret_fd) : -ENAMETOOLONG;
}

static int open_local_debug_file(const struct elf_finder *finder, const struct elf_ask *ask,
				 int *ret_fd)
{
	return elf_ask_open(finder->path, ask, ret_fd);
}

struct elf_finder elf_finder_local(const char *path)
{
	return (struct elf_finder){ .open = open_local_debug_file, .path = path };
}
