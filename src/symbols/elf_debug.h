/* SPDX-License-Identifier: MIT */
/*
 * Open separate debug files.  A parser knows their names but has no right to open them:
 * it asks the server, and gets a descriptor.
 */
#ifndef ULF_SERVER_ELF_DEBUG_H
#define ULF_SERVER_ELF_DEBUG_H

#include <stdint.h>

enum elf_ask_kind {
	ELF_ASK_ID,			/* DEBUGDIR/.build-id/12/3456.debug */
	ELF_ASK_BESIDE,			/* DIR/NAME, where DIR is the directory of the
					 * stripped file */
	ELF_ASK_BELOW,			/* DIR/.debug/NAME */
	ELF_ASK_GLOBAL,			/* DEBUGDIR/DIR/NAME */
	ELF_ASKS,
};

struct elf_ask {
	uint32_t kind;			/* enum elf_ask_kind */
	uint32_t bytes;			/* length of the build id, or of the name without
					 * its NUL */
	char name[256];			/* the bytes of the build id, or a file name */
};

/*
 * Opens the file that @ask describes. open() returns 0 and a descriptor that the caller
 * closes, or -errno.  open() may block in a parser, but must not block in the server.
 */
struct elf_finder {
	int (*open)(const struct elf_finder *finder, const struct elf_ask *ask,
		    int *ret_fd);
	const char *path;		/* path of the stripped file, used by
					 * elf_finder_local() */
};

/*
 * elf_ask_open - open the file that @ask describes
 * @path: path of the stripped file; NULL: unknown, so only ELF_ASK_ID finds a file
 *
 * The server calls this, as do processes that read files with their own rights.  Checks
 * @ask, which may be hostile.  Returns 0, -EINVAL, -ENOENT, -ENAMETOOLONG or an error of
 * localfile_open().
 */
int elf_ask_open(const char *path, const struct elf_ask *ask, int *ret_fd);

/* Return a finder that opens files in this process.  @path must stay valid. */
struct elf_finder elf_finder_local(const char *path);

#endif
