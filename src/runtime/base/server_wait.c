/* SPDX-License-Identifier: MIT */
/*
 * Find out whether the server is alive, and wait for the server as long as it is alive.
 * The traced program must not be delayed for long: it waits less than a tenth of a
 * second for a server that is stopped or hangs.  For a server that works, the program
 * waits until the server has answered, up to a limit that the caller sets.
 *
 *	a look at the server finds	action
 *	beats have changed		keep waiting
 *	beats have not changed, the	keep waiting until it has used SILENT_TICKS of CPU
 *	server is runnable		time: on a busy machine it waits for a CPU
 *	beats have not changed, any	keep waiting until 80 ms have passed
 *	other state
 *
 * This code calls no function of libc that is a cancellation point.
 */
#include "runtime/base/server_wait.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "abi/beat.h"
#include "abi/control.h"
#include "abi/socket.h"
#include "arch/arch.h"

#define LOOK_NS		20000000u
#define SILENT_LOOKS	(ABI_BEAT_SILENT_NS / LOOK_NS)
/* Limit of the CPU time that a server may use without a beat; a server that uses
 * more counts as hanging.  The unit is a tick of /proc/PID/stat (10 ms, as USER_HZ
 * is 100).  The limit is the time between the first and the last of SILENT_LOOKS
 * looks. */
#define SILENT_TICKS	((SILENT_LOOKS - 1) * (LOOK_NS / 10000000u))

/* The address of the server's socket, which is written when the root is created.  A path
 * that is too long is truncated.  The truncated path names no file, so no server is
 * found. */
static struct sockaddr_un server_addr = { .sun_family = AF_UNIX };
static char beat_path[sizeof(server_addr.sun_path) + 8];

static bool has_missed;			/* true: a wait for the server has failed */
static uint64_t missed_beats;		/* abi_beat.beats when the last wait failed */

void server_init(const char *dir)
{
	snprintf(server_addr.sun_path, sizeof(server_addr.sun_path), "%s/server.sock", dir);
	snprintf(beat_path, sizeof(beat_path), "%s/" ABI_BEAT_FILE, dir);
}

/* Connect to the server's socket.  Returns a descriptor or -errno. */
static long connect_server(void)
{
	long fd = arch_syscall3(SYS_socket, AF_UNIX,
				SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	long r;

	if (fd < 0)
		return fd;
	r = arch_syscall3(SYS_connect, fd, &server_addr, sizeof(server_addr));
	if (!r)
		return fd;
	arch_syscall1(SYS_close, fd);
	return r;
}

bool server_is_there(void)
{
	long fd = connect_server();

	if (fd < 0)
		return false;
	arch_syscall1(SYS_close, fd);
	return true;
}

/* Send ABI_SOCKET_NO_ROOT, and do not wait for the answer. */
static void send_report(uint32_t run_id, uint32_t value, const char comm[ABI_COMM_LEN])
{
	struct {
		struct abi_request request;
		char comm[ABI_COMM_LEN];
	} message = {
		.request = {
			.op = ABI_SOCKET_NO_ROOT, .value = value, .offset = run_id,
		},
	};
	long fd = connect_server();

	if (fd < 0)
		return;
	memcpy(message.comm, comm, sizeof(message.comm));
	message.request.bytes = (uint32_t)strnlen(message.comm, sizeof(message.comm));
	arch_syscall4(SYS_sendto, fd, &message,
		      sizeof(message.request) + message.request.bytes,
		      MSG_NOSIGNAL | MSG_DONTWAIT);
	arch_syscall1(SYS_close, fd);
}

void server_report_no_root(uint32_t run_id, uint32_t error)
{
	char comm[ABI_COMM_LEN] = "";

	arch_syscall2(SYS_prctl, PR_GET_NAME, comm);
	send_report(run_id, error, comm);
}

void server_report_unfollowed(uint32_t run_id, uint32_t reason, const char *name)
{
	char comm[ABI_COMM_LEN] = "";

	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	send_report(run_id, reason, comm);
}

/* Read at most @size bytes from the start of the file @path.  Returns the number of
 * bytes read, or -errno. */
static long read_file(const char *path, void *to, size_t size)
{
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, path,
				O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	long n;

	if (fd < 0)
		return fd;
	n = arch_syscall4(SYS_pread64, fd, to, size, 0);
	arch_syscall1(SYS_close, fd);
	return n;
}

/* Read the beats of the server.  Returns a struct of zeroes if there are no beats,
 * or if the server has another ABI version, because such a server does not serve
 * this root. */
static struct abi_beat read_beat(void)
{
	struct abi_beat beat = { 0 };

	if (read_file(beat_path, &beat, sizeof(beat)) != sizeof(beat) ||
	    beat.version != ABI_VERSION)
		beat = (struct abi_beat){ 0 };
	return beat;
}

/* Parse the number at *@at, and move *@at to its end. */
static uint64_t next_number(const char **at)
{
	uint64_t number = 0;

	while (**at == ' ')
		(*at)++;
	for (; **at >= '0' && **at <= '9'; (*at)++)
		number = number * 10 + (uint64_t)(**at - '0');
	return number;
}

/* Returns true if the server is runnable.  Stores its CPU time in *@ret_cpu, even if it is
 * not runnable.  In /proc/PID/stat, the state is field 3, right after the name; the times
 * utime and stime are the fields 14 and 15. */
static bool is_runnable(uint32_t pid, uint64_t *ret_cpu)
{
	char path[32], text[512];
	const char *at;
	bool can_run;
	long n;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	n = read_file(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')');
	if (!at || at[1] != ' ')
		return false;
	at += 2;
	can_run = *at == 'R';
	for (int field = 3; *at && field < 14; at++)
		field += *at == ' ';
	*ret_cpu = next_number(&at);
	*ret_cpu += next_number(&at);
	return can_run;
}

bool server_is_silent(void)
{
	return __atomic_load_n(&has_missed, __ATOMIC_RELAXED) &&
	       read_beat().beats == __atomic_load_n(&missed_beats, __ATOMIC_RELAXED);
}

static bool give_up(const struct server_wait *wait)
{
	__atomic_store_n(&missed_beats, wait->beats, __ATOMIC_RELAXED);
	__atomic_store_n(&has_missed, true, __ATOMIC_RELAXED);
	return false;
}

/* Check whether the server has shown signs of life.  Returns false if the caller must
 * give up. */
static bool look_at_server(struct server_wait *wait)
{
	struct abi_beat beat = read_beat();
	uint64_t cpu = 0;
	bool can_run = is_runnable(beat.pid, &cpu);

	if (beat.beats != wait->beats || !wait->nr_silent) {
		wait->nr_silent = 0;
		wait->cpu = cpu;
	}
	wait->beats = beat.beats;
	if (++wait->nr_silent < SILENT_LOOKS)
		return true;
	return (can_run && cpu - wait->cpu < SILENT_TICKS) || give_up(wait);
}

static uint64_t now_ns(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool server_wait(struct server_wait *wait, const uint32_t *word, uint32_t value,
		 uint32_t seconds)
{
	const struct timespec nap = { 0, LOOK_NS };
	uint64_t now = now_ns();

	if (!wait->end_ns) {
		wait->end_ns = now + seconds * 1000000000ull;
		wait->look_ns = now + LOOK_NS;
	}
	if (now >= wait->end_ns)
		return give_up(wait);
	arch_syscall4(SYS_futex, word, FUTEX_WAIT, value, &nap);
	/* Check for signs of life only every LOOK_NS, because a signal may end this
	 * sleep earlier. */
	now = now_ns();
	if (__atomic_load_n(word, __ATOMIC_RELAXED) != value || now < wait->look_ns)
		return true;
	wait->look_ns = now + LOOK_NS;
	return look_at_server(wait);
}
