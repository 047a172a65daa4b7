/* SPDX-License-Identifier: MIT */
/* Waiting for the server, as long as it shows signs of life (abi/beat.h). */
#ifndef ULF_RUNTIME_SERVER_H
#define ULF_RUNTIME_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/* Note where its socket and its beats are; @dir: the ulf directory. */
void server_init(const char *dir);

/* Is there one that would do at once what it is asked?  Any thread; no cancellation. */
bool server_is_there(void);

/* Report to the server that this program of `ulf run` @run_id has no root; @error: errno.  Does
 * not wait for an answer.  The caller must have called server_init(). */
void server_report_no_root(uint32_t run_id, uint32_t error);

/* Was the server waited for in vain, and has it shown no sign of life since?  Then nobody
 * should wait again: a server that hangs costs a program its time once. */
bool server_is_silent(void);

struct server_wait {			/* { 0 } at first */
	uint64_t end_ns;		/* give up then, whatever signs there are */
	uint64_t look_ns;		/* look for signs of life not before then */
	uint64_t beats;			/* the last that was seen */
	uint64_t cpu;			/* time that the server had used by then */
	uint32_t nr_silent;		/* looks since then */
};

/*
 * Sleep until *@word is not @value, for a fiftieth of a second at most.  False: give up.
 * That is so when the server has shown no sign of life for a tenth of a second, or when
 * @seconds have passed since the first call with this @wait.
 *
 * A server that is runnable but gets no CPU cannot show any; it is not given up.
 */
bool server_wait(struct server_wait *wait, const uint32_t *word, uint32_t value,
		 uint32_t seconds);

#endif
