/* SPDX-License-Identifier: MIT */
/*
 * Functions that a change of settings could not switch: counted, and reported to the server,
 * which says so in error_log.  Lock held for all functions.
 */
#ifndef ULF_RUNTIME_LEFT_H
#define ULF_RUNTIME_LEFT_H

/* Begin to count what is switched. */
void left_begin(void);
/*
 * left_end - report the functions that are not as they must be
 * @error: result of still_flip()
 *
 * Returns the error for the client that has changed the settings.  That is 0 if some functions
 * were switched, or if only functions to be switched off are left: these record nothing.
 */
int left_end(int error);

#endif
