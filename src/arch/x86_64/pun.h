/* SPDX-License-Identifier: MIT */
/*
 * Punned jumps.  A jump is written into code by a change of one byte, which becomes the
 * jump's opcode.  The four bytes after it stay as they are, and are the jump's distance.
 * So the program's own instructions decide where the jump leads.  At that address a stub
 * jumps to the real target.  See pun.c.
 */
#ifndef ULF_ARCH_PUN_H
#define ULF_ARCH_PUN_H

#include <stdbool.h>
#include <stdint.h>

#define PUN_REX_FIRST	0x40u		/* range of the REX prefixes, which have no effect on a
					 * jump */
#define PUN_REX_LAST	0x4fu

/* Returns the address at which the stub of a punned jump must be.  @at: address of the byte
 * that becomes the opcode of the jump.  @distance: the four bytes after @at. */
uint64_t pun_stub(uint64_t at, const uint8_t distance[4]);

/*
 * pun_take - get memory for the stub at @stub, which jumps to @to, and write the stub
 *
 * Returns true if all conditions hold: the program uses nothing at these addresses and, as
 * far as can be known, will not need them; no other stub is at these addresses; the stub
 * can reach @to; the process does not have too many stubs already.  The stub is written by
 * the caller's next patch_step().
 */
bool pun_take(uint64_t stub, const uint8_t *to);
/* Takes memory for a stub as pun_take() does, but leaves less space for the heap to grow:
 * 32 MiB.  For callers that need few stubs and have no other way.  A heap that reaches such
 * a stub continues elsewhere:
 * malloc() uses mmap() when brk() fails. */
bool pun_take_near_heap(uint64_t stub, const uint8_t *to);
/* Write the stub at @stub again, because an earlier write of it may have failed.
 * pun_take() has accepted this stub. */
void pun_write(uint64_t stub, const uint8_t *to);
/* Returns true if the stub at @stub is a jump to @to.  pun_take() has accepted this
 * stub. */
bool pun_is_complete(uint64_t stub, const uint8_t *to);
/* Free the stub at @stub.  No site may lead to it any more, and no thread may
 * be in it. */
void pun_give_back(uint64_t stub);

/* Returns true if @addr is in memory that pun_take() has mapped.  Also lowers *@until to the
 * end of the addresses for which the answer is valid, unless it is lower already.  Takes no
 * locks, so the answer may be out of date. */
bool pun_has(uint64_t addr, uint64_t *until);

#endif
