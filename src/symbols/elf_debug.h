/* SPDX-License-Identifier: MIT */
/*
 * Files with what was stripped from another.  The parser knows their names, but has no
 * right to open them: it asks, and gets a descriptor.
 */
#ifndef ULF_SERVER_ELF_DEBUG_H
#define ULF_SERVER_ELF_DEBUG_H

#include <stdint.h>

enum elf_ask_kind {
	ELF_ASK_ID,			/* DEBUGDIR/.build-id/12/3456.debug */
	ELF_ASK_BESIDE,			/* DIR/NAME, DIR is the directory of the file */
	ELF_ASK_BELOW,			/* DIR/.debug/NAME */
	ELF_ASK_GLOBAL,			/* DEBUGDIR/DIR/NAME */
	ELF_ASKS,
};

struct elf_ask {
	uint32_t kind;			/* enum elf_ask_kind */
	uint32_t bytes;			/* of the build id; or of the name, without NUL */
	char name[256];			/* the bytes of the build id, or a file name */
};

/* How @ask is answered: 0 and an open descriptor, or -errno.  May block in the parser,
 * never in the server. */
struct elf_finder {
	int (*open)(const struct elf_finder *finder, const struct elf_ask *ask,
		    int *ret_fd);
	const char *path;		/* elf_finder_local(): of the file */
};

/*
 * elf_ask_open - open the file that @ask names
 * @path: of the file that it was stripped from; NULL: not known, so only a build id
 *	finds it
 *
 * For the server, and for processes that read files on their own account.  Checks
 * @ask.  -EINVAL, -ENOENT, or as localfile_open().
 */
int elf_ask_open(const char *path, const struct elf_ask *ask, int *ret_fd);

/* A finder that opens by itself. */
struct elf_finder elf_finder_local(const char *path);

#endif
