/* SPDX-License-Identifier: MIT */
/*
 * Show lines on the whole terminal, and wait for keys and signals; see screen.h.
 *
 * The escape sequences are those of ECMA-48 and xterm that each terminal of today knows.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/posix_clock.h"
#include "cli/screen.h"

#define ENTER_TEXT	"\033[?1049h\033[?25l"	/* escape sequence: switch to the alternate
						 * screen, and hide the cursor */
#define LEAVE_TEXT	"\033[?25h\033[?1049l"
#define HOME_TEXT	"\033[H"
#define LINE_END	"\033[K"		/* escape sequence: clear the rest of the line */
#define REST_CLEAR	"\033[J"		/* clear the lines below */
#define REVERSE		"\033[7m"
#define PLAIN		"\033[0m"

static struct {
	bool is_entered;
	bool has_keys;			/* true: stdin is a terminal whose settings were
					 * changed; the old settings are in @old */
	char keys[16];			/* bytes from the terminal that do not form a complete
					 * key yet */
	size_t nr_keys;
	struct termios old;
} screen;

/* A pipe to which signal handlers write the number of the signal.  So poll() also returns if
 * a signal arrives just before the call. */
static int signal_pipe[2] = { -1, -1 };

/* ---- the screen ---- */

void screen_enter(void)
{
	struct termios raw;

	if (screen.is_entered)
		return;
	screen.is_entered = true;
	screen.has_keys = tcgetattr(STDIN_FILENO, &screen.old) == 0;
	if (screen.has_keys) {
		raw = screen.old;
		/* Keep ISIG set, so that the terminal still sends signals for ^C and ^Z. */
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs(ENTER_TEXT, stdout);
	fflush(stdout);
}

void screen_leave(void)
{
	if (!screen.is_entered)
		return;
	screen.is_entered = false;
	fputs(LEAVE_TEXT, stdout);
	fflush(stdout);
	if (screen.has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.old);
}

void screen_size(uint32_t *ret_width, uint32_t *ret_height)
{
	struct winsize size;

	*ret_width = 80;
	*ret_height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		return;
	*ret_width = size.ws_col;
	*ret_height = size.ws_row;
}

/* Return how many bytes of the line @line fit into @width columns. */
static size_t fit_line(const char *line, size_t len, uint32_t width)
{
	size_t at = 0;

	while (at < len && width--) {
		size_t bytes = utf8_length(line + at, len - at);

		at += bytes ? bytes : 1;
	}
	return at;
}

/* Print lines of text.  Each line also clears the rest of its line on the screen. */
static void print_lines(const char *text, uint32_t width)
{
	while (*text) {
		bool is_marked = *text == SCREEN_MARK;
		size_t len;

		text += is_marked;
		len = strcspn(text, "\n");
		printf("%s%.*s%s" LINE_END "\n", is_marked ? REVERSE : "",
		       (int)fit_line(text, len, width), text, is_marked ? PLAIN : "");
		text += len + (text[len] == '\n');
	}
}

void screen_show(const char *summary, const char *titles, const char *rows,
		 const char *status)
{
	uint32_t width, height;

	screen_size(&width, &height);
	fputs(HOME_TEXT, stdout);
	print_lines(summary, width);
	printf(REVERSE "%-*.*s" PLAIN LINE_END "\n", (int)width, (int)strcspn(titles, "\n"),
	       titles);
	print_lines(rows, width);
	printf(REST_CLEAR "\033[%u;1H%.*s" LINE_END, height, (int)width - 1, status);
	fflush(stdout);
}

/* ---- signals ---- */

static void on_signal(int number)
{
	int saved = errno;
	char byte = (char)number;

	if (write(signal_pipe[1], &byte, 1) < 0)
		errno = 0;		/* A full pipe is no error: poll() returns anyway. */
	errno = saved;
}

void screen_signals_start(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction old;

		/* A signal that was ignored at the start, for example by nohup(1), must stay
		 * ignored. */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	/* Ignore SIGPIPE: when nobody reads stdout any more, the process must not end before
	 * it has removed its histogram. */
	signal(SIGPIPE, SIG_IGN);
}

void screen_stop_process(void)
{
	bool was_entered = screen.is_entered;

	screen_leave();
	/* Stop this process by SIGSTOP, because it has a handler for SIGTSTP. */
	raise(SIGSTOP);
	if (was_entered)
		screen_enter();
}

static enum screen_event event_of_signal(int number)
{
	switch (number) {
	case SIGWINCH:
		return SCREEN_RESIZE;
	case SIGTSTP:
		return SCREEN_STOP;
	default:
		return SCREEN_END;
	}
}

/* Returns the time until @deadline_ns in ms, rounded up. */
static int ms_until(uint64_t deadline_ns)
{
	uint64_t now = clock_monotonic_ns();

	if (now >= deadline_ns)
		return 0;
	return deadline_ns - now > 3600000000000u ? 3600000 :
	       (int)((deadline_ns - now + 999999) / 1000000);
}

/* ---- keys ---- */

/* The byte sequences that a terminal sends for keys, without the ESC at their start. */
static const struct {
	const char *bytes;
	int key;
} sequences[] = {
	{ "[A", KEY_UP }, { "OA", KEY_UP }, { "[B", KEY_DOWN }, { "OB", KEY_DOWN },
	{ "[5~", KEY_PAGE_UP }, { "[6~", KEY_PAGE_DOWN },
	{ "[H", KEY_HOME }, { "OH", KEY_HOME }, { "[1~", KEY_HOME },
	{ "[F", KEY_END }, { "OF", KEY_END }, { "[4~", KEY_END },
};

static void remove_bytes(size_t nr)
{
	screen.nr_keys -= nr;
	memmove(screen.keys, screen.keys + nr, screen.nr_keys);
}

/* Return the length of the byte sequence at screen.keys.  It consists of ESC [, parameters,
 * and a last byte of `@` or above.  If the sequence is incomplete, returns the number of
 * bytes that are there. */
static size_t sequence_length(void)
{
	size_t at = 2;

	while (at < screen.nr_keys && screen.keys[at] < '@')
		at++;
	return at < screen.nr_keys ? at + 1 : at;
}

/* Take a key from the bytes that were read.  A terminal sends all bytes of a key at once.
 * Returns false for a key that @sequences does not list. */
static bool take_key(int *ret_key)
{
	size_t nr = 1;

	*ret_key = (uint8_t)screen.keys[0];
	if (*ret_key != KEY_ESCAPE || screen.nr_keys < 3 ||
	    (screen.keys[1] != '[' && screen.keys[1] != 'O')) {
		remove_bytes(1);
		return true;
	}
	nr = screen.keys[1] == 'O' ? 3 : sequence_length();
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (strlen(sequences[i].bytes) == nr - 1 &&
		    !memcmp(screen.keys + 1, sequences[i].bytes, nr - 1))
			*ret_key = sequences[i].key;
	remove_bytes(nr);
	return *ret_key != KEY_ESCAPE;
}

static bool read_keys(void)
{
	ssize_t bytes = read(STDIN_FILENO, screen.keys, sizeof(screen.keys));

	screen.nr_keys = bytes > 0 ? (size_t)bytes : 0;
	return bytes > 0;
}

enum screen_event screen_wait(uint64_t deadline_ns, bool has_keys, int *ret_key)
{
	struct pollfd fds[2] = {
		{ .fd = signal_pipe[0], .events = POLLIN },
		{ .fd = has_keys && screen.has_keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	char byte;

	for (;;) {
		int ms = screen.nr_keys ? 0 : ms_until(deadline_ns);

		poll(fds, 2, ms);
		if (read(signal_pipe[0], &byte, 1) == 1)
			return event_of_signal(byte);
		if (!screen.nr_keys && fds[1].revents && fds[1].fd >= 0 && !read_keys())
			return SCREEN_END;	/* the terminal was closed */
		while (screen.nr_keys)
			if (take_key(ret_key))
				return SCREEN_KEY;
		if (!ms_until(deadline_ns))
			return SCREEN_TIMEOUT;
	}
}
