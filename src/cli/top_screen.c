/* SPDX-License-Identifier: MIT */
/*
 * ulf top: the terminal, and signals; see top.h.
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

#include "base/posix_clock.h"
#include "cli/top.h"

#define SCREEN_ENTER	"\033[?1049h\033[?25l"	/* switch to the other screen, hide the cursor */
#define SCREEN_LEAVE	"\033[?25h\033[?1049l"
#define SCREEN_HOME	"\033[H"
#define LINE_END	"\033[K"		/* clear the rest of the line */
#define REST_CLEAR	"\033[J"		/* clear the lines below */
#define REVERSE		"\033[7m"
#define PLAIN		"\033[0m"

static struct {
	bool is_entered;
	bool has_keys;			/* true: stdin is a terminal, whose settings are in @old */
	struct termios old;
} screen;

/* The handler of a signal writes the signal's number to signal_pipe[1], so that poll() returns
 * also if the signal arrives just before the call. */
static int signal_pipe[2] = { -1, -1 };

/* ---- the screen ---- */

void top_screen_enter(void)
{
	struct termios raw;

	if (screen.is_entered)
		return;
	screen.is_entered = true;
	screen.has_keys = tcgetattr(STDIN_FILENO, &screen.old) == 0;
	if (screen.has_keys) {
		raw = screen.old;
		/* Keep ISIG, so that the terminal still sends signals for ^C and ^Z. */
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs(SCREEN_ENTER, stdout);
	fflush(stdout);
}

void top_screen_leave(void)
{
	if (!screen.is_entered)
		return;
	screen.is_entered = false;
	fputs(SCREEN_LEAVE, stdout);
	fflush(stdout);
	if (screen.has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen.old);
}

void top_screen_size(uint32_t *ret_width, uint32_t *ret_height)
{
	struct winsize size;

	*ret_width = 80;
	*ret_height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		return;
	*ret_width = size.ws_col;
	*ret_height = size.ws_row;
}

/* Print lines.  Each line clears the rest of its line on the screen. */
static void print_lines(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("%.*s" LINE_END "\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

void top_screen_show(const char *summary, const char *titles, const char *rows,
		     const char *status)
{
	uint32_t width, height;

	top_screen_size(&width, &height);
	fputs(SCREEN_HOME, stdout);
	print_lines(summary);
	printf(REVERSE "%-*.*s" PLAIN LINE_END "\n", (int)width, (int)strcspn(titles, "\n"),
	       titles);
	print_lines(rows);
	printf(REST_CLEAR "\033[%u;1H%.*s" LINE_END, height, (int)width - 1, status);
	fflush(stdout);
}

/* ---- signals ---- */

static void on_signal(int number)
{
	int saved = errno;
	char byte = (char)number;

	if (write(signal_pipe[1], &byte, 1) < 0)
		errno = 0;		/* A full pipe is no error: then poll() returns anyway. */
	errno = saved;
}

void top_signals_start(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction old;

		/* Keep ignoring a signal that was ignored at the start, as by nohup(1). */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	/* Ignore SIGPIPE: when nobody reads stdout any more, this process must still remove
	 * the histogram. */
	signal(SIGPIPE, SIG_IGN);
}

static enum top_event event_of_signal(int number)
{
	switch (number) {
	case SIGWINCH:
		return TOP_RESIZE;
	case SIGTSTP:
		return TOP_STOP;
	default:
		return TOP_END;
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

enum top_event top_wait(uint64_t deadline_ns, bool has_keys, char *ret_key)
{
	struct pollfd fds[2] = {
		{ .fd = signal_pipe[0], .events = POLLIN },
		{ .fd = has_keys && screen.has_keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	char byte;

	for (;;) {
		int ms = ms_until(deadline_ns);

		poll(fds, 2, ms);
		if (read(signal_pipe[0], &byte, 1) == 1)
			return event_of_signal(byte);
		if (fds[1].revents && fds[1].fd >= 0) {
			if (read(STDIN_FILENO, ret_key, 1) == 1)
				return TOP_KEY_PRESS;
			return TOP_END;		/* the terminal was closed */
		}
		if (!ms)
			return TOP_TIMEOUT;
	}
}
