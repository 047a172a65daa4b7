/* SPDX-License-Identifier: MIT */
/*
 * Replace code at one instant, while threads run it: the file is mapped once more, the new
 * bytes are written to the new mapping, and mremap() moves this mapping to the address of
 * the old one.  See retext.c.  The caller of all functions holds runtime_lock(), and no
 * thread may unmap the object meanwhile.
 */
#ifndef ULF_RUNTIME_RETEXT_H
#define ULF_RUNTIME_RETEXT_H

#include <stdint.h>

struct retext {
	uint64_t start, end;		/* the mapping that will be replaced */
	uint8_t *copy;			/* the new mapping, of the same size */
};

/*
 * retext_begin - make a second mapping of the code at @addr, with its present
 * bytes
 * @path: path of the file that is mapped at @addr; "": the program
 *
 * Returns 0; -ENOENT if the mapping is not code of that file; or another
 * -errno.
 */
int retext_begin(const char *path, uint64_t addr, struct retext *ret);
/* Read or write the @nr bytes that will be at @addr.  The bytes must be inside of the
 * mapping. */
void retext_get(const struct retext *retext, uint64_t addr, uint8_t *to, uint32_t nr);
void retext_put(const struct retext *retext, uint64_t addr, const uint8_t *bytes, uint32_t nr);
/* Move the new mapping to the address of the old mapping.  Returns 0, or -errno if the
 * old mapping is unchanged. */
int retext_end(struct retext *retext);

#endif
