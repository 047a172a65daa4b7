/* SPDX-License-Identifier: MIT */
/*
 * Find the functions of an ELF file that can be traced although no compiler has prepared them,
 * and make the table of moved functions (abi/moved.h): docs/design/moving.md.
 *
 * The file may be hostile.  mover_analyse() opens no files, it only reads from the descriptor
 * that it gets, and its memory is bounded.  So it can run in a parser's sandbox.  The sandbox
 * also limits the time.
 */
#ifndef ULF_MOVER_MOVER_H
#define ULF_MOVER_MOVER_H

#include <stdint.h>

#include "abi/moved.h"

struct elf_source;
struct text;

struct mover_limits {
	uint64_t image_bytes;		/* maximum size of the file's image, which is what the
					 * loader would map, bytes */
	uint32_t functions;		/* maximum number of functions in an analysed file */
};

#define MOVER_LIMITS	((struct mover_limits){ 1ull << 30, 4000000 })

/*
 * mover_analyse - make the table of moved functions of an open file
 * @out: an empty buffer, which gets the table; its limit applies to the table
 *
 * Returns 0; -ENOEXEC if the file is no ELF file for this CPU or is malformed; -ESTALE if the
 * file has another build id; -E2BIG if it exceeds a limit; -ENOENT if it has no unwind table,
 * so that no function is known; or -ENOMEM.  moved_check() accepts the table.
 */
int mover_analyse(const struct elf_source *source, const struct mover_limits *limits,
		  struct text *out);

/*
 * mover_analyse_places - make a table for instructions anywhere in the code of an open file
 * @vaddrs: @nr addresses of instructions, in ascending order
 *
 * The table has the layout of that of mover_analyse(), and a row for each address.  A row's copy
 * has the instruction, and as many after it as a jump replaces.  Of the frames only the members
 * copy and original are set.  Returns what mover_analyse() returns.
 */
int mover_analyse_places(const struct elf_source *source, const struct mover_limits *limits,
			 const uint64_t *vaddrs, uint32_t nr, struct text *out);

/*
 * mover_build - return a number of this build of the analysis: a hash of this program and of
 * the library that decodes instructions
 *
 * If the number is the same, the analysis of a file makes the same table, so a stored table
 * can be used.  Returns 0 if the program has no build id, so tables of different builds
 * cannot be distinguished.
 */
uint64_t mover_build(void);

/* Returns the text for a reason why a function is not traced, as messages and lists print it:
 * "a jump may lead into ...". */
const char *mover_reason_text(enum moved_reason reason);

/*
 * mover_unsafe_name - say why the function @name must not be traced
 *
 * mover_analyse() looks at the names in the file itself.  A caller that has more names, from
 * a separate debug file, must call this function for these names.  Returns MOVED_BY_NONE if
 * the name is no reason.
 */
enum moved_reason mover_unsafe_name(const char *name);

#endif
