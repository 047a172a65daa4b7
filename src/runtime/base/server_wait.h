/* SPDX-License-Identifier: MIT */
/* Wait for the server as long as it shows signs of life (abi/beat.h). */
#ifndef ULF_RUNTIME_BASE_SERVER_WAIT_H
#define ULF_RUNTIME_BASE_SERVER_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Store the paths of the server's socket and of its beats.  @dir: the ulf directory. Must
 * be called before the other functions. */
void server_init(const char *dir);

/* Returns true if a server accepts connections.  Does not wait.  Any thread may call
 * this; it is not a cancellation point. */
bool server_is_there(void);

/* Report to the server that this program has no root.  @run_id: number of the `ulf run`
 * that has started the program.  @error: errno, positive.  Does not wait for an answer.
 * The caller must have called server_init(). */
void server_report_no_root(uint32_t run_id, uint32_t error);

/* Report to the server that the program @name cannot be followed.  @reason: enum abi_unfollowed.
 * Does not wait.  A child of vfork() and signal handlers may call this.  The caller must have
 * called server_init(). */
void server_report_unfollowed(uint32_t run_id, uint32_t reason, const char *name);

/* Returns true if a wait for the server has failed and the server has shown no sign of life
 * since then.  Then callers should not wait again, so that a server that hangs delays a
 * program only once. */
bool server_is_silent(void);

struct server_wait {			/* The state of one wait for the server; all
					 * members are 0 before the first
					 * server_wait(). */
	uint64_t end_ns;		/* time at which the wait ends even if the
					 * server is alive, CLOCK_MONOTONIC */
	uint64_t look_ns;		/* time of the next check for signs of life,
					 * CLOCK_MONOTONIC */
	uint64_t beats;			/* abi_beat.beats when server_wait() last looked
					 * for signs of life */
	uint64_t cpu;			/* CPU time that the server had used when
					 * @beats changed last, in ticks of 10 ms */
	uint32_t nr_silent;		/* number of checks for signs of life since
					 * @beats changed */
};

/*
 * Sleep until *@word is not @value, but at most a fiftieth of a second.
 * Returns false if the caller must give up.  There are two reasons: the server has shown
 * no sign of life for a tenth of a second; or @seconds have passed since the first call
 * with this @wait.
 *
 * A server that is runnable but gets no CPU cannot show signs of life.  This function
 * waits for such a server all the same, until @seconds have passed.
 */
bool server_wait(struct server_wait *wait, const uint32_t *word, uint32_t value,
		 uint32_t seconds);

#endif
