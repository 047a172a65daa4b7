/* SPDX-License-Identifier: MIT */
/*
 * Make thread-local variables for the starter, as libc does for a new thread:
 * docs/design/attach.md, "The starter".  The variables get their initial values, because a
 * malloc() that replaces libc's may need those of its own variables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ptrace/remote.h"
#include "ptrace/starter.h"

#define STACK_BYTES	65536u
#define DTV_ENTRIES	1024u		/* number of entries of a dtv, a thread's array of the
					 * addresses of its thread-local variables; the first
					 * two entries are for no object */
#define OBJECTS_MAX	4096u
#define TLS_BYTES_MAX	(1u << 20)	/* maximum size of all thread-local variables of the
					 * starter, and of the initial values of one object,
					 * bytes */
#define TLS_SPARE	65536u		/* space for thread-local variables of objects that
					 * are loaded later, bytes */

struct dtv_entry {
	uint64_t value;
	uint64_t to_free;
};

#define DTV_BYTES	(DTV_ENTRIES * sizeof(struct dtv_entry))
#define DTV_UNALLOCATED	UINT64_MAX	/* value of a dtv entry if libc allocates the object's
					 * variables at their first use */

/* The first members of struct link_map (link.h), by which the dynamic linker lists an object. */
struct link {
	uint64_t bias;
	uint64_t name;
	uint64_t dynamic;
	uint64_t next;
};

/* Returns the address of the first page of the object whose dynamic section is at @dynamic,
 * or 0. */
static uint64_t object_start(const struct target *target, uint64_t dynamic)
{
	const struct remote_map *rows = target->maps.rows;

	for (size_t i = 0; i < target->maps.nr; i++) {
		size_t first = i;

		if (dynamic < rows[i].start || dynamic >= rows[i].end)
			continue;
		while (first && rows[first].offset && !strcmp(rows[first - 1].path, rows[i].path))
			first--;
		return rows[first].offset ? 0 : rows[first].start;
	}
	return 0;
}

/* Copy the initial values of an object's thread-local variables from the program.  Returns 0
 * or -errno. */
static int read_image(const struct target *target, const struct link *link,
		      struct starter_tls *tls)
{
	uint64_t start = object_start(target, link->dynamic);
	struct remote_object object;
	int r = start ? remote_object_read(target->pid, start, &object) : -ENOEXEC;

	if (r)
		return r;
	if (object.tls_file_bytes > TLS_BYTES_MAX || object.tls_file_bytes > object.tls_bytes)
		return -E2BIG;
	tls->bytes = object.tls_file_bytes;
	tls->image = malloc(tls->bytes ? tls->bytes : 1);
	if (!tls->image)
		return -ENOMEM;
	return tls->bytes ? remote_read(target->pid, object.tls, tls->image, tls->bytes) : 0;
}

/* Add the thread-local variables of the object whose struct link_map is at @address in the
 * program. */
static int add_object(const struct target *target, uint64_t address, const struct link *link,
		      struct starter *starter)
{
	struct starter_tls tls = { 0 };
	int r = remote_read(target->pid, address + target->tls_modid_offset, &tls.module, 8);

	if (!r)
		r = remote_read(target->pid, address + target->tls_offset_offset, &tls.offset, 8);
	if (r)
		return r;
	/* The object has no thread-local variables, or libc allocates them at their first use
	 * (offset 0 or -1). */
	if (!tls.module || !tls.offset || tls.offset == UINT64_MAX)
		return 0;
	if (tls.module >= DTV_ENTRIES - 1 || tls.offset > TLS_BYTES_MAX)
		return -E2BIG;
	r = read_image(target, link, &tls);
	starter->rows[starter->nr++] = tls;
	return r ? r : tls.bytes > tls.offset ? -EINVAL : 0;
}

static int read_objects(const struct target *target, struct starter *starter)
{
	uint64_t address;
	struct link link;
	int r = remote_read(target->pid, target->r_debug + 8, &address, 8);

	for (unsigned int i = 0; !r && address; i++) {
		if (i == OBJECTS_MAX)
			return -E2BIG;
		r = remote_read(target->pid, address, &link, sizeof(link));
		if (!r)
			r = add_object(target, address, &link, starter);
		address = link.next;
	}
	return r;
}

static void set_layout(const struct target *target, struct starter *starter)
{
	uint64_t tls_bytes = 0;

	for (size_t i = 0; i < starter->nr; i++)
		tls_bytes = max_u64(tls_bytes, starter->rows[i].offset);
	starter->stack = ARCH_PAGE_BYTES;
	starter->tls = starter->stack + STACK_BYTES;
	/* Align the thread pointer to the largest alignment that an object requires for its
	 * thread-local variables. */
	starter->tp = starter->tls + ALIGN_UP(tls_bytes + TLS_SPARE, 65536u);
	starter->lowest = starter->tp - tls_bytes;
	starter->dtv = starter->tp + ALIGN_UP((uint64_t)target->pthread_bytes, ARCH_PAGE_BYTES);
	starter->bytes = starter->dtv + DTV_BYTES;
}

int starter_read(const struct target *target, struct starter *ret_starter)
{
	int r;

	memset(ret_starter, 0, sizeof(*ret_starter));
	ret_starter->rows = calloc(OBJECTS_MAX, sizeof(*ret_starter->rows));
	if (!ret_starter->rows)
		return -ENOMEM;
	r = read_objects(target, ret_starter);
	set_layout(target, ret_starter);
	return r;
}

void starter_done(struct starter *starter)
{
	for (size_t i = 0; i < starter->nr; i++)
		free(starter->rows[i].image);
	free(starter->rows);
	memset(starter, 0, sizeof(*starter));
}

/* Fill the dtv, the array by which a thread finds the thread-local variables of each object.
 * Entry -1 has the number of entries.  Entry 0 has the generation of the dynamic linker's
 * list of objects for which the dtv was made. */
static void fill_dtv(const struct starter *starter, uint64_t base, uint64_t generation,
		     struct dtv_entry *dtv)
{
	dtv[0].value = DTV_ENTRIES - 2;
	dtv[1].value = generation;
	for (size_t i = 2; i < DTV_ENTRIES; i++)
		dtv[i].value = DTV_UNALLOCATED;
	for (size_t i = 0; i < starter->nr; i++)
		dtv[1 + starter->rows[i].module].value = base + starter->tp -
							 starter->rows[i].offset;
}

/* Fill @image, a copy of the starter's memory from the offset starter->lowest on. */
static void fill_image(const struct starter *starter, uint64_t base,
		       const uint64_t other[ARCH_TCB_WORDS], uint64_t generation, uint8_t *image)
{
	struct dtv_entry *dtv = (void *)(image + (starter->dtv - starter->lowest));
	uint8_t *tp = image + (starter->tp - starter->lowest);

	for (size_t i = 0; i < starter->nr; i++)
		memcpy(tp - starter->rows[i].offset, starter->rows[i].image,
		       starter->rows[i].bytes);
	arch_tcb_fill(other, base + starter->tp,
		      base + starter->dtv + sizeof(struct dtv_entry), (uint64_t *)(void *)tp);
	fill_dtv(starter, base, generation, dtv);
}

/* Copy the rseq registration from the thread with the thread pointer @other.
 * pthread_create() registers rseq for a new thread only if the calling thread has rseq.  A
 * negative CPU number in the area says that the program does not use rseq. */
static int copy_rseq(const struct target *target, uint64_t other, uint64_t tp)
{
	int32_t cpu;
	int r;

	if (!target->rseq_offset)
		return 0;
	r = remote_read(target->pid, other + target->rseq_offset + 4, &cpu, sizeof(cpu));
	if (r || cpu >= 0)
		return r;
	return remote_write(target->pid, tp + target->rseq_offset + 4, &cpu, sizeof(cpu));
}

int starter_write(const struct target *target, const struct starter *starter, uint64_t base,
		  uint64_t other)
{
	uint64_t tcb[ARCH_TCB_WORDS], generation;
	size_t bytes = starter->bytes - starter->lowest;
	uint8_t *image;
	int r = remote_read(target->pid, other, tcb, sizeof(tcb));

	if (!r)
		r = remote_read(target->pid, tcb[ARCH_TCB_DTV], &generation, sizeof(generation));
	if (r)
		return r;
	image = calloc(1, bytes);
	if (!image)
		return -ENOMEM;
	fill_image(starter, base, tcb, generation, image);
	r = remote_write(target->pid, base + starter->lowest, image, bytes);
	free(image);
	return r ? r : copy_rseq(target, other, base + starter->tp);
}
