/* SPDX-License-Identifier: MIT */
/* The server's sign of life, `server.beat`: see abi/beat.h. */
#ifndef ULF_SERVER_BEAT_H
#define ULF_SERVER_BEAT_H

/*
 * Write the file in @dir from now on.  If it cannot be opened, nothing is written: then
 * programs wait a tenth of a second for an answer of the server.
 */
void beat_start(const char *dir);
/* Stop writing and close the file. */
void beat_stop(void);

/*
 * Show that the server is working.  Cheap: a loop that may take long calls it in each
 * round.  Does nothing before beat_start().  Call from the server's thread only.
 */
void beat(void);

#endif
