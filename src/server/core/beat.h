/* SPDX-License-Identifier: MIT */
/* Signs of life of the server: abi/beat.h. */
#ifndef ULF_SERVER_BEAT_H
#define ULF_SERVER_BEAT_H

/* Write the file in @dir from now on.  If it cannot be opened nothing is written: programs
 * then wait for an answer for a tenth of a second. */
void beat_start(const char *dir);
void beat_stop(void);

/* Show that the server is at work.  Cheap, so a loop that may take long calls it in each
 * round; does nothing before beat_start().  The server's thread. */
void beat(void);

#endif
