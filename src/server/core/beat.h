/* SPDX-License-Identifier: MIT */
/* The server's sign of life, `server.beat`: see abi/beat.h. */
#ifndef ULF_SERVER_BEAT_H
#define ULF_SERVER_BEAT_H

/*
 * Write the file server.beat in @dir from now on.  If the file cannot be opened, the
 * server works without it.  Then programs see no sign of life, and wait less than a tenth
 * of a second for an answer of the server.
 */
void beat_start(const char *dir);
/* Stop writing server.beat and close the file. */
void beat_stop(void);

/*
 * Write a new beat to server.beat, unless the last one is younger than ABI_BEAT_NS.
 * The call is cheap, so a loop that may take long calls beat() in each round.  Does
 * nothing before beat_start().  Only the server's thread may call this.
 */
void beat(void);

#endif
