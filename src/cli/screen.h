/* SPDX-License-Identifier: MIT */
/*
 * Show lines on the whole terminal, and wait for keys, signals and changes of its size.  Used
 * by ulf top, ulf watch and ulf ls --watch.
 */
#ifndef ULF_CLI_SCREEN_H
#define ULF_CLI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

/* Begin to use the terminal: stdout, and also stdin if that is a terminal. */
void screen_enter(void);
/* Restore the old settings of the terminal.  May be called twice. */
void screen_leave(void);
/* Get the size of the terminal, in columns and lines. */
void screen_size(uint32_t *ret_width, uint32_t *ret_height);
#define SCREEN_MARK	'\001'		/* first byte of a line that is shown in reverse colours */

/* Fill the terminal: first @summary; then @titles, in reverse colours; then @rows; and
 * @status in the last line.  Lines that are too long are cut. */
void screen_show(const char *summary, const char *titles, const char *rows, const char *status);

/* Catch the signals that end or stop this command, or report a new size of the terminal.
 * After this call screen_wait() reports these signals. */
void screen_signals_start(void);
/* Stop this process after ^Z.  Before it stops, the terminal gets its old settings back if
 * the command uses it.  Returns when the process continues; then the caller must show its
 * screen again. */
void screen_stop_process(void);

enum screen_event {
	SCREEN_TIMEOUT,
	SCREEN_END,			/* SIGINT, SIGTERM, SIGHUP */
	SCREEN_RESIZE,
	SCREEN_STOP,			/* SIGTSTP */
	SCREEN_KEY,
};

/* Numbers for keys that are not characters. */
enum screen_key {
	KEY_ESCAPE = 27,
	KEY_UP = 256, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END,
};

/* Wait until @deadline_ns (CLOCK_MONOTONIC), a signal, or a key press.  *@ret_key: the byte
 * of the key, or a number of enum screen_key.  @has_keys: false if key presses must not end
 * the wait. */
enum screen_event screen_wait(uint64_t deadline_ns, bool has_keys, int *ret_key);

#endif
