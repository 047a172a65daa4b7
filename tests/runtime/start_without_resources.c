/* SPDX-License-Identifier: MIT */
/*
 * A program runs as usual where libulf lacks resources: no directory, no memory, no
 * descriptors, no threads, a full file system.  main() finds errno 0, and no more descriptors
 * than the program was given.
 *
 * no-sanitize: address its run-time needs more than these limits leave
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define GOOD	42

/* ---- the programs ---- */

static int errno_at_start;

__attribute__((constructor)) static void remember_errno(void)
{
	errno_at_start = errno;
}

static int plain(int argc, char **argv)
{
	int before = errno;

	(void)argc;
	(void)argv;
	trace_rt_hit(1, 1);
	trace_rt_long("text");
	return errno_at_start || before || errno ? 1 : GOOD;
}

/* The program itself can still use most of its limit. */
static int needs_memory(int argc, char **argv)
{
	size_t bytes = strtoul(argv[0], NULL, 0);
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)argc;
	return mem == MAP_FAILED ? 1 : GOOD;
}

static int no_descriptors(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (int fd = 0; fd < 10; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return 1;
	}
	return GOOD;
}

static void *hit(void *arg)
{
	trace_rt_hit(1, 2);
	trace_rt_long("text");
	return arg;
}

static void hit_in_threads(int nr)
{
	pthread_t thread;

	for (int i = 0; i < nr; i++) {
		if (!pthread_create(&thread, NULL, hit, NULL))
			pthread_join(thread, NULL);
	}
}

static int busy(int argc, char **argv)
{
	int status;
	pid_t pid;

	(void)argc;
	(void)argv;
	hit(NULL);
	hit_in_threads(20);
	pid = fork();
	if (!pid) {
		hit(NULL);
		hit_in_threads(5);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	return GOOD;
}

static const struct self_role roles[] = {
	{ "plain", plain },
	{ "needs_memory", needs_memory },
	{ "no_descriptors", no_descriptors },
	{ "busy", busy },
	{ NULL, NULL },
};

/* ---- the tests ---- */

static const char *exe, *tmp;
static int failed;

static void expect(const char *what, int status, int good)
{
	if (status == good)
		return;
	printf("%s: exit status %d\n", what, status);
	failed++;
}

static void test_directories(void)
{
	static const char *const setups[] = {
		"ULF_DIR=/nowhere/at/all",
		"ULF_DIR=/dev/null",
		"ULF_DIR=/proc/self",
		"mkdir -m 777 $TMPDIR/open && ULF_DIR=$TMPDIR/open",
		"mkdir -m 700 $TMPDIR/real && ln -s real $TMPDIR/link && "
			"ULF_DIR=$TMPDIR/link",
		"mkdir -m 500 $TMPDIR/fixed && ULF_DIR=$TMPDIR/fixed",
		"mkdir -m 700 $TMPDIR/half && touch $TMPDIR/half/roots && "
			"ULF_DIR=$TMPDIR/half",
		"ULF_DIR=/tmp/$(printf %04000d 0)",
		"ULF_DIR=$(printf %05000d 0)",
		"XDG_RUNTIME_DIR=/nowhere; unset ULF_DIR",
	};

	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++)
		expect(setups[i], command("%s; export ULF_DIR; exec '%s' plain",
					  setups[i], exe), GOOD);
	command("rmdir /dev/shm/ulf-$(id -u)/roots /dev/shm/ulf-$(id -u) "
		"2>/dev/null");
}

static void test_limits(void)
{
	static const char *const limits[] = {
		"-n 4", "-n 8", "-f 0", "-f 1", "-f 40000", "-s 64",
		"-l 0", "-c 0", "-d 4000", "-v 20000", "-v 50000", "-v 100000",
		"-v 200000", "-v 400000", "-v 1000000", "-v 4000000",
		"-v 20000000",
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		expect(limits[i], command("ulimit %s && exec '%s' plain",
					  limits[i], exe), GOOD);
	/* four fifths of the limit */
	expect("memory of 1 GB", command("ulimit -v 1000000 && exec '%s' "
					 "needs_memory 800000000", exe), GOOD);
	expect("memory of 200 MB", command("ulimit -v 200000 && exec '%s' "
					   "needs_memory 160000000", exe), GOOD);
	expect("no descriptors", command("exec '%s' no_descriptors <&- >&- "
					 "2>&- 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- "
					 "9<&-", exe), GOOD);
}

/* The limit on processes does not apply to root, so use another user. */
static void test_no_threads(void)
{
	const char *user = "";

	if (!geteuid() && !command_is_reachable()) {
		puts("left out: no threads, as another user cannot reach this "
		     "directory");
		return;
	}
	if (!geteuid())
		user = "chown 65534 $TMPDIR/nobody && exec setpriv "
		       "--reuid=65534 --regid=65534 --clear-groups";
	expect("no threads", command("mkdir -m 700 $TMPDIR/nobody; "
				     "export ULF_DIR=$TMPDIR/nobody; "
				     "%s prlimit --nproc=1 '%s' plain",
				     user, exe), GOOD);
}

/* Use a file system with space for a few KiB, so that libulf finds it full at every step. */
static void test_full(void)
{
	if (command("unshare -rm true 2>/dev/null")) {
		printf("left out: a full file system: unshare -rm fails\n");
		return;
	}
	expect("a full file system", command(
		"mkdir -p '%s/small' && exec unshare -rm sh -c '\n"
		"for kb in $(seq 4 4 120) 160 200 300 400 800; do\n"
		"	mount -t tmpfs -o size=${kb}k,mode=700 none %s/small\n"
		"	ULF_DIR=%s/small ULF_TRACE=trace_event=rt %s busy; r=$?\n"
		"	umount %s/small\n"
		"	[ $r = 42 ] || { echo $kb KiB: status $r; exit 1; }\n"
		"done'", tmp, tmp, tmp, exe, tmp), 0);
}

int main(int argc, char **argv)
{
	static char path[4096];

	self_role(argc, argv, roles);
	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	exe = path;
	tmp = command_env("TMPDIR");
	expect("no limit", command("'%s' plain", exe), GOOD);
	test_directories();
	test_limits();
	test_no_threads();
	test_full();
	return failed != 0;
}
