/* SPDX-License-Identifier: MIT */
/*
 * The server's event loop, which has one thread and one epoll descriptor.  Every
 * function that the loop calls must return soon.  A request that cannot be finished is
 * parked and tried again on a tick.
 */
#ifndef ULF_DAEMON_LOOP_H
#define ULF_DAEMON_LOOP_H

#include <stdint.h>

struct loop;

/* A descriptor that the event loop watches.  The object to which the descriptor belongs
 * has this struct as a member. */
struct loop_source {
	int fd;
	/*
	 * Method that is called when @fd is ready.  @events: EPOLLIN and so on.  The
	 * method may unwatch and free any source, including @source.
	 */
	void (*ready)(struct loop_source *source, uint32_t events);
};

/* Begin to watch source->fd for @events (EPOLLIN and so on).  Returns 0 or -errno. */
int loop_watch(struct loop *loop, struct loop_source *source, uint32_t events);
/* Change the events for which @source is watched.  Returns 0 or -errno. */
int loop_change(struct loop *loop, struct loop_source *source, uint32_t events);
/* Stop watching @source.  Must be called before the descriptor is closed.  Afterwards the
 * method ready() is not called any more.  Does nothing if @source is not watched. */
void loop_unwatch(struct loop *loop, struct loop_source *source);
/* Make loop_run() return after the current event. */
void loop_stop(struct loop *loop);

/*
 * Raise the soft limit of descriptors, because the server needs one pidfd for each
 * process of each root.  The new limit has a maximum, because some programs close every
 * possible descriptor in a loop.
 */
void loop_allow_descriptors(void);

/*
 * loop_run - run the server of the ulf directory @dir until it is stopped
 * @ready: called once, when clients can connect
 *
 * Returns 0 after a regular end; -EBUSY if another server has the directory; or another
 * -errno.  The lock of the directory is held until the process ends.
 */
int loop_run(const char *dir, void (*ready)(const char *dir));

#endif
