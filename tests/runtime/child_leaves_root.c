/* SPDX-License-Identifier: MIT */
/*
 * A child that leaves the root has no part of its memory any more, and lives on.  If it is
 * asked for, a child that changes its user leaves by itself.  The parent is not affected.
 *
 * user: both only root can change its user
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include "lib/check.h"
#include "lib/driver.h"
#include <ulf/tracing.h>

#define NOBODY	65534

static struct driver driver;

/* Returns the number of bytes of the root's memory that this process has mapped. */
static unsigned long mapped_bytes(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, sum = 0;
	char line[PATH_MAX + 100];

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/memory") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			sum += end - start;
	fclose(maps);
	return sum;
}

static int wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Do the usual work of a program, in a process that has left. */
static void live_on(void)
{
	pid_t pid;

	for (int i = 0; i < 1000; i++)
		trace_rt_hit(1, i);
	trace_printk("nobody reads %d\n", 1);
	tracing_on();
	CHECK(!mapped_bytes());
	pid = fork();
	if (!pid) {
		trace_rt_hit(2, 0);
		_exit(mapped_bytes() != 0);
	}
	CHECK_EQ(wait_for(pid), 0);
	ulf_leave();			/* leave again */
}

static void by_call(void)
{
	uint64_t before = driver_nr_records(&driver);
	struct stat st;
	pid_t pid = fork();

	if (!pid) {
		driver_close(&driver);
		CHECK(mapped_bytes());
		errno = 4711;
		ulf_leave();
		CHECK_EQ(errno, 4711);
		live_on();
		exit(0);		/* exit() instead of _exit(): it must not remove the root */
	}
	CHECK_EQ(wait_for(pid), 0);
	CHECK_EQ(driver_nr_records(&driver), before);
	CHECK(mapped_bytes());
	trace_rt_hit(3, 0);
	CHECK_EQ(driver_nr_records(&driver), before + 1);
	CHECK(!fstat(driver.fd, &st));
	CHECK_EQ(st.st_nlink, 1);	/* the root's memory still has its name */
}

static void by_user(void)
{
	pid_t pid = fork();

	if (!pid) {
		driver_close(&driver);
		CHECK(!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY));
		CHECK(mapped_bytes());
		CHECK(!setuid(NOBODY));
		live_on();
		_exit(0);
	}
	CHECK_EQ(wait_for(pid), 0);
	CHECK(mapped_bytes());
	/* A call that changes nothing does not count, and neither does a change by the
	 * process that made the root. */
	pid = fork();
	if (!pid) {
		driver_close(&driver);
		_exit(setreuid(0, 0) || !mapped_bytes());
	}
	CHECK_EQ(wait_for(pid), 0);
	CHECK(!seteuid(NOBODY) && !seteuid(0));
	CHECK(mapped_bytes());
}

int main(int argc, char **argv)
{
	const struct driver_config config = {
		.page_bytes = 4096, .fast_pages = 16, .slow_pages = 4, .overwrite = true,
	};

	if (argc == 1) {
		setenv("ULF_UNMAP_ON_SETUID", "1", 1);
		execv("/proc/self/exe", (char *[]){ argv[0], "again", NULL });
		fail("exec");
	}
	CHECK(!driver_open(&driver, getpid()));
	CHECK(!driver_rings(&driver, &config));
	CHECK(!driver_enable(&driver, "rt", "rt_hit", true));
	by_call();
	if (geteuid())
		printf("not root: setuid() was not tried\n");
	else
		by_user();
	return 0;
}
