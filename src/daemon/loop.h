/* SPDX-License-Identifier: MIT */
/*
 * The server's event loop: one thread, one epoll descriptor.  Whatever it calls
 * returns soon; what cannot be finished is parked and tried again on a tick.
 */
#ifndef ULF_SERVER_LOOP_H
#define ULF_SERVER_LOOP_H

#include <stdint.h>

struct loop;

/* Something with a descriptor; embedded in whatever it belongs to. */
struct loop_source {
	int fd;
	/* @events: EPOLLIN ...; may unwatch and free any source, its own too */
	void (*ready)(struct loop_source *source, uint32_t events);
};

int loop_watch(struct loop *loop, struct loop_source *source, uint32_t events);
int loop_change(struct loop *loop, struct loop_source *source, uint32_t events);
/* Before its descriptor is closed.  Harmless if it is not watched. */
void loop_unwatch(struct loop *loop, struct loop_source *source);
/* Let loop_run() return after what it is doing. */
void loop_stop(struct loop *loop);

/*
 * loop_run - be the server of the ulf directory @dir until told to stop
 * @ready: called once clients can connect
 *
 * -EBUSY: another server has it.  The lock is held until the process ends.
 */
int loop_run(const char *dir, void (*ready)(const char *dir));

#endif
