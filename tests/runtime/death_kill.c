/* SPDX-License-Identifier: MIT */
/*
 * A program that traces at full speed, in several threads, their signal handlers and
 * children, is killed at a random moment, many times.  Each time the dead root must have
 * every committed record, whole, and the formats of all events and the names of all threads.
 * The program counts its records in memory that outlives it.
 *
 * timeout: 300
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/self.h"
#define CREATE_TRACE_POINTS
#include "ring_ops.h"

#define SHORT_DEATHS	40
#define LONG_DEATHS	1000
#define RUN_US_MAX	15000
#define SHARED_FD	20

static const struct torture_config configs[] = {
	{ "rseq-4k", TORTURE_RSEQ, TORTURE_TSC, 4096, 128, true, false },
	{ "rseq-64k", TORTURE_RSEQ, TORTURE_TSC, 65536, 8, true, false },
	{ "slow-4k", TORTURE_NO_RSEQ, TORTURE_TSC, 4096, 64, true, false },
	{ "rseq-4k-full", TORTURE_RSEQ, TORTURE_TSC, 4096, 512, false, false },
	{ "slow-64k-full", TORTURE_NO_RSEQ, TORTURE_TSC, 65536, 4, false, false },
};

/* ---- the program that is killed ---- */

static struct torture_shared *map_shared(int fd)
{
	void *mem = mmap(NULL, sizeof(struct torture_shared),
			 PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(mem != MAP_FAILED);
	return mem;
}

static int be_killed(int argc, char **argv)
{
	struct torture t;

	CHECK_EQ(argc, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK_EQ(torture_prepare(&t, &configs[atoi(argv[0])]), 0);
	t.ops = &ring_event_ops;
	t.shared = map_shared(SHARED_FD);
	self_say('r');
	if (self_hear() != 'g')
		return 1;
	torture_writer(&t, 2 * t.nr_cpus, t.seed);
}

/* ---- the root after the death ---- */

static const struct abi_comm *find_comm(struct driver *d, int32_t tid)
{
	const struct abi_comm *comms =
		(const void *)(d->mem + d->control->comms_off);

	for (uint32_t i = 0; i < ABI_COMMS; i++) {
		if (comms[i].tid == (uint32_t)tid && !(comms[i].sequence & 1))
			return &comms[i];
	}
	return NULL;
}

/* Check the names of all threads.  Children have the name of the thread that forked them. */
static void check_names(struct torture *t, struct ring_root *root)
{
	for (uint32_t i = 0; i < root->nr_threads; i++) {
		const struct abi_comm *comm = find_comm(&root->driver,
							root->threads[i]);

		if (!comm)
			torture_fail(t, "thread %d has no name",
				     root->threads[i]);
		else if (strncmp(comm->comm, "torture-", 8) ||
			 !comm->comm[8] || !comm->tgid)
			torture_fail(t, "thread %d is called %.16s",
				     root->threads[i], comm->comm);
	}
}

static const char *blob_string(struct torture *t, const char *blob,
			       uint32_t bytes, uint32_t at)
{
	if (at < bytes && memchr(blob + at, '\0', bytes - at))
		return blob + at;
	torture_fail(t, "a string of an event is missing");
	return "";
}

static void check_format(struct torture *t, struct driver *d, const char *name,
			 const char *const *fields, const char *print_fmt)
{
	const struct abi_event *rows =
		(const void *)(d->mem + d->control->events_off);
	int row = driver_find_event(d, "ring", name);
	const struct abi_format *format;
	const struct abi_field *field;
	uint32_t bytes, nr = 0;
	const char *blob;

	CHECK(row >= 0);
	blob = d->mem + rows[row].blob;
	bytes = rows[row].blob_bytes;
	format = (const void *)blob;
	field = (const void *)(blob + sizeof(*format));
	while (fields[nr])
		nr++;
	if (format->nr_fields != nr)
		torture_fail(t, "%s has %u fields", name, format->nr_fields);
	for (uint32_t i = 0; i < nr && i < format->nr_fields; i++) {
		if (strcmp(blob_string(t, blob, bytes, field[i].name),
			   fields[i]))
			torture_fail(t, "%s has no field %s", name, fields[i]);
	}
	if (!strstr(blob_string(t, blob, bytes, format->print_fmt), print_fmt))
		torture_fail(t, "%s is not printed with %s", name, print_fmt);
}

static void check_formats(struct torture *t, struct driver *d)
{
	static const char *const head[] = { "head", NULL };
	static const char *const body[] = { "head", "body", NULL };

	check_format(t, d, "ring_short", head, "head=%lx");
	check_format(t, d, "ring_array", body, "head=%lx");
	check_format(t, d, "ring_dynamic", body, "head=%lx bytes=%u");
}

/* ---- one program ---- */

struct sums {
	uint64_t written, read, lost, dropped, killed_in_the_act, threads;
};

static void add(struct sums *sums, const struct torture *t,
		const struct ring_root *root)
{
	const struct torture_shared *shared = t->shared;

	for (uint32_t i = 0; i < shared->nr_contexts; i++) {
		sums->written += shared->contexts[i].written;
		sums->killed_in_the_act += shared->contexts[i].is_trying;
	}
	sums->read += shared->read;
	sums->lost += shared->lost;
	sums->dropped += shared->dropped;
	sums->threads += root->nr_threads;
}

/* Children of a killed process may live a little longer. */
static void reap_orphans(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static pid_t live_and_die(uint32_t which, uint64_t *random)
{
	const struct torture_config *config = &configs[which];
	struct ring_root root = { 0 };
	char arg[16];
	struct self self;

	if (config->path == TORTURE_NO_RSEQ)
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	snprintf(arg, sizeof(arg), "%u", which);
	self = self_start("be_killed", arg);
	unsetenv("GLIBC_TUNABLES");
	CHECK_EQ(self_get(&self), 'r');
	ring_root_start(&root, self.pid, config);
	self_put(&self, 'g');
	usleep(random_below(random, RUN_US_MAX));
	kill(self.pid, SIGKILL);
	CHECK_EQ(self_wait(&self), 128 + SIGKILL);
	reap_orphans();
	driver_close(&root.driver);
	return self.pid;
}

/* Run a program, kill it and check its root.  Returns the number of failures. */
static uint32_t one_death(uint32_t which, uint64_t *random, struct sums *sums)
{
	struct ring_root root = { 0 };
	struct torture t;
	uint32_t failures;
	pid_t pid;
	int fd;

	CHECK_EQ(torture_prepare(&t, &configs[which]), 0);
	munmap(t.shared, sizeof(*t.shared));
	fd = memfd_create("shared", 0);
	CHECK_EQ(ftruncate(fd, sizeof(*t.shared)), 0);
	CHECK_EQ(dup2(fd, SHARED_FD), SHARED_FD);
	t.shared = map_shared(fd);
	close(fd);
	pid = live_and_die(which, random);

	/* Open the root, as a server that starts later does. */
	CHECK_EQ(driver_open(&root.driver, pid), 0);
	ring_root_look(&t, &root);
	t.is_dead = true;
	t.shared->drain = 1;
	if (torture_consume(&t))
		torture_fail(&t, "the rings cannot be read");
	check_names(&t, &root);
	check_formats(&t, &root.driver);
	add(sums, &t, &root);
	failures = t.shared->failures;
	driver_close(&root.driver);
	driver_remove(pid);
	torture_done(&t);
	return failures;
}

int main(int argc, char **argv)
{
	static const struct self_role roles[] = {
		{ "be_killed", be_killed },
		{ NULL, NULL },
	};
	const char *form = getenv("ULF_TORTURE");
	uint32_t deaths = form && !strcmp(form, "long") ? LONG_DEATHS :
			  SHORT_DEATHS;
	uint64_t random = torture_now_ns();
	struct sums sums = { 0 };
	uint32_t failures = 0;

	self_role(argc, argv, roles);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (uint32_t i = 0; i < deaths && !failures; i++) {
		failures += one_death(i % ARRAY_SIZE(configs), &random, &sums);
		if (i % 100 == 99) {
			printf("%u deaths\n", i + 1);
			fflush(stdout);
		}
	}
	printf("%u deaths: %" PRIu64 " written, %" PRIu64 " read, %" PRIu64
	       " overrun, %" PRIu64 " dropped, %" PRIu64 " killed in the act, %"
	       PRIu64 " threads named: %s\n", deaths, sums.written, sums.read,
	       sums.lost, sums.dropped, sums.killed_in_the_act, sums.threads,
	       failures ? "FAIL" : "PASS");
	return failures ? 1 : 0;
}
