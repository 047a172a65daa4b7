/* SPDX-License-Identifier: MIT */
/*
 * USDT probes of the program and its libraries, as events; see usdt.c and
 * docs/design/usdt.md.
 */
#ifndef ULF_RUNTIME_USDT_H
#define ULF_RUNTIME_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include <ulf/event.h>

/* An event of an object, which libulf has made. */
struct usdt_made {
	struct ulf_event event;
	struct ulf_field fields[USDT_ARGS_MAX + 2];	/* __probe_ip, the arguments, the end; must
							 * follow @event: event_fields() */
	struct tracepoint tracepoint;
	uint8_t nr_args;
	uint8_t offsets[USDT_ARGS_MAX];	/* offset of each argument in a record; 0: it is left out */
	uint8_t sizes[USDT_ARGS_MAX];
	uint32_t bytes;			/* size of a record */
	char print_fmt[512];
};

static_assert(offsetof(struct usdt_made, fields) == sizeof(struct ulf_event), "event_fields()");

/* A site that can be patched, and what a hit needs. */
struct usdt_place {
	struct usdt_made *made;
	const struct usdt_arg *args;
	uint64_t code;			/* address of the NOP */
	uint64_t bias;			/* address in memory minus address in the file */
	uint64_t semaphore;		/* address of the semaphore; 0: none */
	bool is_counted;		/* true: libulf has counted the semaphore up */
};

/* ---- lock held ---- */

/* Method runtime_part.apply and start: make and remove events as the server's block of objects
 * says, and switch their sites.  Returns 0 or the first -errno. */
int usdt_apply(void);
/* Method runtime_part.leave: switch all sites off. */
int usdt_leave(void);

/* ---- no lock held; not for signal handlers ---- */

/* Called after a dlopen() has loaded objects, and after a dlclose(). */
void usdt_objects_changed(void);

/* ---- any context ---- */

/* The probe (ulf_event.probe) that records an event.  @event: the first member of a struct
 * usdt_made. */
void usdt_probe(void *event, const struct usite_regs *regs, const struct usdt_place *place);

#endif
