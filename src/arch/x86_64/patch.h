/* SPDX-License-Identifier: MIT */
/*
 * Patches code that threads may be running.  Tracepoints (poke.c), function sites (fsite.c),
 * calls of __fentry__ (fcall.c) and the bodies of the graph tracer all use this engine.
 *
 *	patch_begin()
 *	collect writes			patch_get(), patch_put(), patch_change()
 *	patch_step()			write them; now every core executes the new bytes
 *	collect more writes ...
 *	patch_step()
 *	patch_end()
 *
 * A site is switched on in two steps.  The first step writes bytes that have no effect while
 * the site is off: stub, slot, and the distance of the jump.  The second step changes one byte
 * of the site, so that each core sees either the old or the new instruction.  A write may
 * fail.  So before the second step the caller must check by patch_get() that all bytes of the
 * first step are there.
 *
 * One caller at a time, from patch_begin() to patch_end(): the state is static, because
 * threads that register a probe may have a small stack.  Signals are blocked meanwhile.
 */
#ifndef ULF_ARCH_PATCH_H
#define ULF_ARCH_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The parts of memory to which patch.c writes.  patch_flush() writes them in this
 * order.  Each part collects the writes to one memory page at a time.  So callers
 * should change the addresses of a part in rising order; otherwise one page is
 * written several times.
 */
enum patch_part {
	PATCH_STUBS,			/* stubs: code that no thread can reach yet */
	PATCH_FAR,			/* the stubs of pun.c, which are far from each other */
	PATCH_SLOTS,			/* slots of function sites */
	PATCH_TEXT,			/* code of the program */
	PATCH_PARTS,
};

/* Begin to patch: block signals of this thread, open /proc/self/mem, and forget earlier
 * errors. */
void patch_begin(void);
/* End patching: close /proc/self/mem, and restore the signals.  Writes that were
 * collected but not flushed are dropped. */
void patch_end(void);

/* Get the @nr bytes that will be at @addr after patch_flush().  If the memory
 * page cannot be read, the bytes are 0.  No jump begins with 0, so the caller
 * does not mistake them for a jump. */
void patch_get(enum patch_part part, const uint8_t *addr, uint8_t *to, uint32_t nr);
/* Collect a write of @nr bytes to @addr.  patch_flush() also writes the bytes between
 * two changed bytes of a memory page, with the values that it has read just before. */
void patch_put(enum patch_part part, uint8_t *addr, const uint8_t *bytes, uint32_t nr);
/*
 * Collect a write of @new to the byte at @addr if this byte is @old now.
 * Returns 0, or -EILSEQ if the byte is not @old or cannot be read.
 */
int patch_change(enum patch_part part, uint8_t *addr, uint8_t old, uint8_t new);

/*
 * patch_flush() writes all bytes that were collected.
 * patch_step() also writes them, and then waits until every core executes the new
 * bytes.
 *
 * If a write fails, the other bytes are written all the same.  Both functions return
 * 0 or the first -errno since patch_begin(); -EFAULT: the memory page is not mapped.
 */
int patch_flush(void);
int patch_step(void);

#define PATCH_JUMP_BYTES	5	/* size of a jump with a 32-bit distance, bytes */
#define PATCH_JUMP		0xe9	/* opcode of a jump with a 32-bit distance */

/* Encode a jump from the address @from to @to. */
void patch_encode_jump(uint8_t *bytes, const uint8_t *from, const uint8_t *to);

/* Map @bytes bytes of memory with @rights (PROT_...) at exactly @base.  Returns false if the
 * addresses are not free. */
bool patch_map(uint64_t base, uint64_t bytes, int rights);

#endif
