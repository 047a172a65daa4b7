/* SPDX-License-Identifier: MIT */
/*
 * Open separate debug files, which contain the debug information of stripped files.  A parser
 * knows the name of the debug file but has no right to open it.  So it asks the server, which
 * sends a descriptor.
 */
#ifndef ULF_SYMBOLS_ELF_DEBUG_H
#define ULF_SYMBOLS_ELF_DEBUG_H

#include <stdint.h>

enum elf_ask_kind {
	ELF_ASK_ID,			/* the file DEBUGDIR/.build-id/12/3456.debug,
					 * for the build id 123456 */
	ELF_ASK_BESIDE,			/* the file DIR/NAME, where DIR is the directory
					 * of the stripped file */
	ELF_ASK_BELOW,			/* the file DIR/.debug/NAME, where DIR is the
					 * directory of the stripped file */
	ELF_ASK_GLOBAL,			/* the file DEBUGDIR/DIR/NAME, where DIR is the
					 * directory of the stripped file */
	ELF_ASKS,
};

struct elf_ask {
	uint32_t kind;			/* enum elf_ask_kind */
	uint32_t bytes;			/* length of the bytes in @name: of the build id, or
					 * of the file name without its NUL */
	char name[256];			/* the bytes of the build id, or a file name */
};

/*
 * A finder opens separate debug files.  Its method open() opens the file that @ask
 * describes, and returns 0 and a descriptor that the caller closes, or -errno.  open()
 * may block in a parser, but must not block in the server.
 */
struct elf_finder {
	int (*open)(const struct elf_finder *finder, const struct elf_ask *ask,
		    int *ret_fd);
	const char *path;		/* path of the stripped file; used only by a finder
					 * that elf_finder_local() has returned */
};

/*
 * elf_ask_open - open the separate debug file that @ask describes
 * @path: path of the stripped file; NULL: the path is unknown, so only a search by build id
 * (ELF_ASK_ID) finds a file
 *
 * Called by the server for its parsers, and by processes that read files with their own
 * rights.  Checks @ask, which may be hostile.  Returns 0, -EINVAL, -ENOENT,
 * -ENAMETOOLONG or an error of localfile_open().
 */
int elf_ask_open(const char *path, const struct elf_ask *ask, int *ret_fd);

/* Return a finder that opens files with the rights of this process.  @path must stay
 * valid while the finder is used. */
struct elf_finder elf_finder_local(const char *path);

#endif
