/* SPDX-License-Identifier: MIT */
/*
 * SIGKILL of a program, at each step of the histograms' code and at random moments, while its
 * threads and a child hit events.  Afterwards the server, and a server after that, read the
 * same figures: every hit that has ended is counted, none is counted twice, and the sums belong
 * to the hits.
 *
 * timeout: 300
 * waits: until the server has seen that a program died
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/testpoint.h"
#include "lib/check.h"
#include "lib/command.h"
#include "lib/hist_file.h"
#include "lib/record.h"
#define CREATE_TRACE_POINTS
#include "hist_trace.h"

#define THREADS		2
#define KEYS		300u		/* more than the table has entries */
#define HIT		"events/torture/hist_hit/"
#define END		"events/torture/hist_end/"
#define SYNTH		"events/synthetic/hist_synth/"

void (*testpoint_hook)(const char *name);

/* Memory that the processes share, in a file. */
static struct shared {
	uint64_t before, after;		/* number of hits that have begun, and ended */
	uint32_t may_hit;
	uint32_t left;			/* passages of the deadly point until death */
} *shared;

static const char *deadly_point;
static char root[64];

/* Only hits without rseq pass the points with this prefix. */
#define LOCKED	"hist.locked."

static const char *const points[] = {
	"hist.taken", "hist.filled", "hist.inserted", "hist.given", "hist.dropped", "hist.var",
	"hist.last", "hist.save", "hist.snapshot", "hist.locked.sums", "hist.locked.commit",
};

static void share(void)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/shared", command_env("TMPDIR"));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, sizeof(*shared)), 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(shared != MAP_FAILED);
	close(fd);
}

/* ---- the program that dies ---- */

static void die_here(const char *point)
{
	if (!strcmp(point, deadly_point) &&
	    __atomic_sub_fetch(&shared->left, 1, __ATOMIC_RELAXED) == 0)
		kill((pid_t)shared->may_hit, SIGKILL);
}

static void hit(uint64_t *dice, int who)
{
	unsigned long key = random_below(dice, KEYS);

	__atomic_add_fetch(&shared->before, 1, __ATOMIC_SEQ_CST);
	trace_hist_hit(who, key, "text");
	__atomic_add_fetch(&shared->after, 1, __ATOMIC_SEQ_CST);
	trace_hist_end(who, key + 7);
}

static __attribute__((noreturn)) void *hit_for_ever(void *arg)
{
	uint64_t dice = (uint64_t)gettid();

	for (;;)
		hit(&dice, (int)(long)arg);
}

static __attribute__((noreturn)) void victim(const char *point)
{
	pthread_t thread;

	deadly_point = point;
	while (!__atomic_load_n(&shared->may_hit, __ATOMIC_ACQUIRE))
		usleep(1000);
	testpoint_hook = die_here;
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, hit_for_ever, (void *)i), 0);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != (pid_t)shared->may_hit)
			_exit(0);	/* the parent has died before */
		hit_for_ever((void *)THREADS);
	}
	hit_for_ever((void *)(THREADS + 1));
}

/* ---- the test ---- */

static void put(const char *file, const char *text)
{
	command_ok("ulf echo -a '%s' %s/%s", text, root, file);
}

static void wait_until(const char *state)
{
	for (int tries = 0; command("ulf ls | grep -q '^%s .* %s '", root, state); tries++) {
		CHECK(tries < 6000);
		usleep(20000);
	}
}

static void kill_server(void)
{
	command_ok("kill -9 $(cat \"$ULF_DIR/server.lock\")");
}

static pid_t start_victim(const char *point)
{
	char path[PATH_MAX];
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	snprintf(path, sizeof(path), "%s/tests/torture-hist_death", command_env("ULF_BUILD"));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, "victim", point, NULL);
		_exit(1);
	}
	snprintf(root, sizeof(root), "%.15s.%d", "torture-hist_death", pid);
	wait_until("alive .*/4");
	put("synthetic_events", "hist_synth int who; unsigned long lat");
	put(HIT "trigger", "hist:keys=key:vals=hitcount,three,key:size=128");
	put(HIT "trigger", "hist:keys=who,key.log2:vals=hitcount,three");
	put(HIT "trigger", "hist:keys=who:k=key:m=key:onmax($m).save(key,mirror)");
	put(HIT "trigger", "hist:keys=who:s=key:onmax($s).snapshot()");
	put(END "trigger", "hist:keys=who:lat=key-$k:onmatch(torture.hist_hit)."
	    "hist_synth(who,$lat)");
	put(SYNTH "trigger", "hist:keys=who:vals=hitcount,lat");
	put(HIT "enable", "1");
	return pid;
}

static void check_figures(const struct hist_file_table *table)
{
	for (size_t i = 0; i < table->nr_lines; i++) {
		const char *line = table->lines[i];
		uint64_t hits = hist_file_number(line, "hitcount");

		if (strstr(table->trigger, ",three"))
			CHECK_EQ(hist_file_number(line, "three"), 3 * hits);
		if (strstr(table->trigger, ",lat"))
			CHECK_EQ(hist_file_number(line, "lat"), 7 * hits);
	}
}

static void check_file(const char *name, bool is_bounded)
{
	struct hist_file file, again;
	char path[100];

	snprintf(path, sizeof(path), "%s/%shist", root, name);
	hist_file_read(&file, path);
	for (size_t i = 0; i < file.nr_tables; i++) {
		const struct hist_file_table *table = &file.tables[i];
		uint64_t hits = hist_file_hits(table);

		check_figures(table);
		if (is_bounded && (hits < shared->after || hits > shared->before))
			fail("%llu hits of %llu to %llu: %s", (unsigned long long)hits,
			     (unsigned long long)shared->after,
			     (unsigned long long)shared->before, table->trigger);
	}
	if (is_bounded)
		kill_server();
	hist_file_read(&again, path);
	CHECK_EQ(again.nr_tables, file.nr_tables);
	for (size_t i = 0; i < file.nr_tables; i++) {
		CHECK_STR(again.tables[i].trigger, file.tables[i].trigger);
		CHECK_EQ(again.tables[i].hits, file.tables[i].hits);
		CHECK_EQ(again.tables[i].dropped, file.tables[i].dropped);
		check_figures(&again.tables[i]);
	}
	hist_file_free(&file);
	hist_file_free(&again);
}

/* One program.  @point "": it is killed at a random moment. */
static void one_death(const char *point, uint64_t *dice)
{
	pid_t pid = start_victim(point);
	int status;

	shared->left = 1 + random_below(dice, strcmp(point, "hist.taken") ? 200 : 100);
	__atomic_store_n(&shared->may_hit, (uint32_t)pid, __ATOMIC_RELEASE);
	/* A point that few threads pass may take long: then the moment is random, too. */
	for (int i = 0; i < (*point ? 300 : 1); i++) {
		usleep(random_below(dice, 3000));
		if (waitpid(pid, &status, WNOHANG) == pid)
			goto died;
	}
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
died:
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGKILL);
	wait_until("dead");
	check_file(HIT, true);
	check_file(END, false);
	check_file(SYNTH, false);
	/* "dead" may be from before the server has taken over: it looks at the process again. */
	while (command("ulf rm %s 2>/dev/null", root))
		sched_yield();
}

int main(int argc, char **argv)
{
	const char *form = getenv("ULF_TORTURE");
	int nr_rounds = form && !strcmp(form, "long") ? 50 : 1;
	uint64_t dice = (uint64_t)getpid();
	uint32_t nr_deaths = 0;

	share();
	if (argc > 2 && !strcmp(argv[1], "victim"))
		victim(argv[2]);
	for (int has_rseq = 1; has_rseq >= 0; has_rseq--) {
		if (!has_rseq)
			setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		for (int round = 0; round < nr_rounds; round++) {
			for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
				if (has_rseq == !strncmp(points[i], LOCKED, strlen(LOCKED)))
					continue;
				for (int k = 0; k < (has_rseq ? 1 : 6); k++, nr_deaths++)
					one_death(points[i], &dice);
				one_death("", &dice);
				nr_deaths++;
			}
		}
	}
	printf("score: %u deaths\n", nr_deaths);
	return 0;
}
