/* SPDX-License-Identifier: MIT */
/*
 * Replace code at one instant, while threads run it: the file is mapped once more, the new bytes
 * are written to that mapping, and mremap() moves it to the place of the old one.  See retext.c.
 * The caller of all functions holds runtime_lock(), and no thread may unmap the object meanwhile.
 */
#ifndef ULF_RUNTIME_RETEXT_H
#define ULF_RUNTIME_RETEXT_H

#include <stdint.h>

struct retext {
	uint64_t start, end;		/* the mapping that will be replaced */
	uint8_t *copy;			/* the new mapping, of the same size */
};

/*
 * retext_begin - map the code at @addr once more, as it is now
 * @path: path of the file from which @addr is mapped; "": the program
 *
 * Returns 0; -ENOENT: the mapping is not code of that file; or another -errno.
 */
int retext_begin(const char *path, uint64_t addr, struct retext *ret);
/* Read the @nr bytes that will be at @addr, and write them.  The bytes must be inside of the
 * mapping. */
void retext_get(const struct retext *retext, uint64_t addr, uint8_t *to, uint32_t nr);
void retext_put(const struct retext *retext, uint64_t addr, const uint8_t *bytes, uint32_t nr);
/* Put the new mapping in the place of the old one.  Returns 0, or -errno: the old one is
 * unchanged. */
int retext_end(struct retext *retext);

#endif
