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

/* An event that libulf has made for a USDT probe of an object. */
struct usdt_made {
	struct ulf_event event;
	/* fields of the event: __probe_ip, the arguments, and the end of the table;
	 * must follow @event, see event_fields() */
	struct ulf_field fields[USDT_ARGS_MAX + 2];
	struct tracepoint tracepoint;
	uint8_t nr_args;
	uint8_t offsets[USDT_ARGS_MAX];	/* offset of each argument in a record; 0: the
					 * argument is left out */
	uint8_t sizes[USDT_ARGS_MAX];
	uint32_t bytes;			/* size of a record */
	char print_fmt[512];
};

static_assert(offsetof(struct usdt_made, fields) == sizeof(struct ulf_event), "event_fields()");

/* A site that can be patched, and the data that a hit of it needs. */
struct usdt_place {
	struct usdt_made *made;
	const struct usdt_arg *args;
	uint64_t code;			/* address of the NOP */
	uint64_t bias;			/* address of a byte in memory minus its
					 * address in the file */
	uint64_t semaphore;		/* address of the semaphore; 0: the probe has
					 * no semaphore */
	bool is_counted;		/* true: libulf has added 1 to the semaphore */
};

/* ---- lock held ---- */

/* Method runtime_part.apply and start: make and remove events as the server's block of objects
 * says, and switch their sites.  Returns 0 or the first -errno. */
int usdt_apply(void);
/* Method runtime_part.leave: switch all sites off. */
int usdt_leave(void);

/* ---- functions whose caller holds no lock and is not a signal handler ---- */

/* Called after a dlopen() has loaded objects, and after a dlclose(). */
void usdt_objects_changed(void);

/* ---- any context ---- */

/* The probe (ulf_event.probe) that records a hit of a USDT probe.  @event: the first
 * member of a struct usdt_made. */
void usdt_probe(void *event, const struct usite_regs *regs, const struct usdt_place *place);

#endif
