/* SPDX-License-Identifier: MIT */
/* Wait for a server that may hang; see life.h. */
#include "cli/life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/beat.h"
#include "base/dir.h"
#include "base/posix_clock.h"
#include "cli/cli.h"

#define SECOND_NS	1000000000ull
#define SAY_NS		SECOND_NS		/* time of waiting after which a command
						 * prints a message, ns */
/* Time without a sign of life after which a command that waits for a slow answer prints a
 * message, ns.  An idle server shows a sign of life every second. */
#define SAY_SILENT_NS	(2 * SECOND_NS)
#define GIVE_UP_NS	(10 * SECOND_NS)	/* time without a sign of life of the
						 * server after which a command gives
						 * up, ns */

void life_begin(struct life *life, int pid, bool may_take_long)
{
	uint64_t now = clock_monotonic_ns();

	*life = (struct life){
		.asked_ns = now, .alive_ns = now, .pid = pid,
		.may_take_long = may_take_long,
	};
}

/* Read the file server.beat.  Returns false if there is no such file, or if it cannot be
 * read. */
static bool read_beat(const char *dir, struct abi_beat *ret_beat)
{
	char path[DIR_PATH_BYTES + 32];
	ssize_t n;
	int fd;

	if (dir_join(dir, ABI_BEAT_FILE, path, sizeof(path)) < 0)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = pread(fd, ret_beat, sizeof(*ret_beat), 0);
	close(fd);
	return n == sizeof(*ret_beat);
}

uint32_t life_server_version(const char *dir, int pid)
{
	struct abi_beat beat;

	/* An older server has possibly left the file, and this one could not write it. */
	return read_beat(dir, &beat) && beat.pid == (uint32_t)pid ? beat.version : 0;
}

/* Return the state of the process @pid, a letter as in /proc/PID/stat; '?' if it is not
 * known. */
static char process_state(int pid)
{
	char path[64], text[512], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '?';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')');
	return at && at[1] == ' ' && at[2] ? at[2] : '?';
}

bool life_has_ended(int pid)
{
	return (kill(pid, 0) < 0 && errno == ESRCH) || process_state(pid) == 'Z';
}

static const struct state {
	char letter;
	const char *text;
	bool can_continue;		/* true: a process in this state continues when it
					 * gets SIGCONT */
} states[] = {
	{ 'T', "it is stopped", true },
	{ 't', "a debugger has stopped it", false },
	{ 'D', "it waits for a disk or a file system", false },
	{ 'R', "it is busy", false },
	{ 'Z', "it has ended", false },
	{ 0, "it hangs", false },
};

static const struct state *find_state(int pid)
{
	const struct state *state = states;
	char letter = pid > 0 ? process_state(pid) : '?';

	while (state->letter && state->letter != letter)
		state++;
	return state;
}

/*
 * Return true if @pid is a process of this user.  A message must not advise the user to do
 * something with a process of another user.  The check is needed because the pid was read
 * from the file server.beat: the server may have ended since then, and the pid may belong to
 * another process now.
 */
static bool is_own_process(int pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return pid > 0 && stat(path, &st) == 0 && st.st_uid == geteuid();
}

static void report_wait(struct life *life, const char *dir, uint64_t waited_ns)
{
	const struct state *state = find_state(life->pid);
	char pid[32] = "";

	if (life->pid)
		snprintf(pid, sizeof(pid), "pid %d, ", life->pid);
	cli_error("waiting for the server (%s%s/" DIR_SOCKET "), which has not answered "
		  "for %u s%s%s", pid, dir, (unsigned int)(waited_ns / SECOND_NS),
		  state->letter ? ": " : "", state->letter ? state->text : "");
	life->has_reported = true;
}

static void report_give_up(const struct life *life, const char *dir)
{
	int pid = is_own_process(life->pid) ? life->pid : 0;
	const struct state *state = find_state(pid);
	char remedy[64] = "";

	if (!pid) {
		cli_error("the server (%s/" DIR_SOCKET ") has shown no sign of life for %u s; "
			  "its process is not known", dir,
			  (unsigned int)(GIVE_UP_NS / SECOND_NS));
		return;
	}
	if (state->can_continue)
		snprintf(remedy, sizeof(remedy), "`kill -CONT %d` lets it go on, ", pid);
	cli_error("the server (pid %d, %s/" DIR_SOCKET ") has shown no sign of life for %u s: "
		  "%s; %s`kill -9 %d` ends it: programs and their records stay, and the next "
		  "command starts another", pid, dir, (unsigned int)(GIVE_UP_NS / SECOND_NS),
		  state->text, remedy, pid);
}

int life_check(struct life *life, const char *dir)
{
	uint64_t now = clock_monotonic_ns(), waited_ns, silent_ns;
	struct abi_beat beat;

	if (read_beat(dir, &beat)) {
		/* Do not count the first beat that is read as a sign of life.  life->beats is
		 * still 0 then, so it is not known whether the server has written the beat
		 * during this wait. */
		if (beat.beats != life->beats && life->beats)
			life->alive_ns = now;
		life->beats = beat.beats;
		if (!life->pid && is_own_process((int)beat.pid))
			life->pid = (int)beat.pid;
	}
	waited_ns = now - life->asked_ns;
	silent_ns = now - life->alive_ns;
	if (!life->has_reported && (life->may_take_long ? silent_ns >= SAY_SILENT_NS :
						      waited_ns >= SAY_NS))
		report_wait(life, dir, waited_ns);
	if (silent_ns < GIVE_UP_NS)
		return 0;
	report_give_up(life, dir);
	return -ETIMEDOUT;
}
