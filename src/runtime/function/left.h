/* SPDX-License-Identifier: MIT */
/*
 * Count the functions that a change of settings could not switch, and report them to the
 * server, which logs them in error_log.  The caller of each function holds runtime_lock().
 */
#ifndef ULF_RUNTIME_LEFT_H
#define ULF_RUNTIME_LEFT_H

/* Begin a change of settings: from now on, count the functions that are switched on
 * or off. */
void left_begin(void);
/*
 * left_end - report the functions that are not in the state that the settings require
 * @error: result of still_flip()
 *
 * Returns the error for the client that has changed the settings: 0 if some functions were
 * switched; 0 if only functions that should be off are left on, because these record
 * nothing any more; else @error.
 */
int left_end(int error);

#endif
