/* SPDX-License-Identifier: MIT */
/*
 * Histograms under fire: threads, signal handlers and children of a program hit events whose
 * histograms count, save, and record synthetic events, with delays, further hits and SIGKILL
 * between the steps.  One table has too few entries.  Meanwhile the histograms are read,
 * paused, cleared, removed and added, and the server is killed.  Each hit is counted once or
 * dropped, and figures and saved values always belong together.
 *
 * timeout: 600
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
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

#define THREADS		3
#define CHILDREN	2
#define WRITERS		(3 * THREADS + CHILDREN + 1)
#define MAIN		(WRITERS - 1)
#define KEYS		400u		/* more than the smallest table has entries */
#define SHORT_ROUNDS	4
#define LONG_ROUNDS	200
#define ROUND_READS	12		/* number of times that each round reads */
#define QUIET_HITS	10u

#define DIR		"events/torture/"
#define HIT		DIR "hist_hit/"
#define END		DIR "hist_end/"
#define SYNTH		"events/synthetic/hist_synth/"

void (*testpoint_hook)(const char *name);

/* A source of hits: a thread, the handler on a thread, or a child.  A reader of the histogram
 * must see at least @after hits if it begins after them, and at most @before hits. */
struct writer {
	uint64_t before, after;		/* number of hits that have begun, and ended */
	uint64_t ends_before, ends_after;	/* number of hits of hist_end */
	uint64_t reserved[4];
};

static struct shared {
	struct writer writers[WRITERS];
	uint32_t is_over;
	uint32_t nr_deaths;
} *shared;

static char root[64];
static bool is_kill;			/* the hook kills children */
static bool is_firing;			/* threads and children hit */
static pid_t parent;
static __thread uint64_t dice;
static __thread struct writer *handler;	/* NULL: no hits in handlers on this thread */

static uint32_t roll(uint32_t sides)
{
	if (!dice)
		dice = (uint64_t)gettid() * 0x9e3779b97f4a7c15ull;
	return random_below(&dice, sides);
}

static bool is_over(void)
{
	return __atomic_load_n(&shared->is_over, __ATOMIC_RELAXED);
}

static void count(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static void hit_key(struct writer *writer, unsigned long key)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";

	count(&writer->before);
	trace_hist_hit((int)(writer - shared->writers), key, text + key % 26);
	count(&writer->after);
}

/* A hit, and most of the time its end. */
static void hit(struct writer *writer)
{
	unsigned long key = roll(KEYS);

	hit_key(writer, key);
	if (!roll(4))
		return;
	count(&writer->ends_before);
	trace_hist_end((int)(writer - shared->writers), key + 7);
	count(&writer->ends_after);
}

/* ---- what happens between two steps ---- */

static __thread bool is_in_hook;

/* Returns true if this thread holds a lock of a table, so its signals are blocked. */
static bool is_locked(const char *point)
{
	return !strncmp(point, "hist.locked.", 12) || !strcmp(point, "hist.save") ||
	       !strcmp(point, "hist.snapshot");
}

static void trouble(const char *point)
{
	if (strncmp(point, "hist.", 5) || is_in_hook)
		return;
	is_in_hook = true;
	switch (roll(64)) {
	case 0:
	case 1:
		sched_yield();
		break;
	case 2:
		usleep(roll(200));
		break;
	case 3:
	case 4:
		if (handler && !is_locked(point))
			hit(handler);
		break;
	case 5:
		if (is_kill && getpid() != parent && !roll(8))
			kill(getpid(), SIGKILL);
		break;
	}
	is_in_hook = false;
}

/* ---- sources of hits ---- */

static void on_timer(int sig)
{
	(void)sig;
	/* Two handlers on one thread would be one writer. */
	if (handler && !is_in_hook) {
		is_in_hook = true;
		hit(handler);
		is_in_hook = false;
	}
}

static pid_t start_child(uint32_t who, uint32_t nr_hits)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handler = NULL;
	dice = 0;
	for (uint32_t i = 0; i < nr_hits && !is_over(); i++)
		hit(&shared->writers[who]);
	_exit(0);
}

/* Wait for a child.  A child that was killed may have counted its last hit or not. */
static void end_child(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(!status || WTERMSIG(status) == SIGKILL);
	if (status)
		__atomic_add_fetch(&shared->nr_deaths, 1, __ATOMIC_RELAXED);
}

static void *write_all(void *arg)
{
	uint32_t who = (uint32_t)(long)arg;
	sigset_t timer;

	handler = &shared->writers[THREADS + who];
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &timer, NULL);
	for (uint32_t i = 0; !is_over(); i++) {
		hit(&shared->writers[who]);
		if (i % 1024 == 0)
			end_child(start_child(2 * THREADS + who, 20));
		if (!roll(100))
			sched_yield();
	}
	handler = NULL;
	return NULL;
}

static void *fork_all(void *arg)
{
	uint32_t who = 3 * THREADS + (uint32_t)(long)arg;

	while (!is_over())
		end_child(start_child(who, 2000));
	return NULL;
}

static pthread_t threads[THREADS + CHILDREN];

static void start_fire(void)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } };

	shared->is_over = 0;
	is_firing = true;
	testpoint_hook = trouble;
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, write_all, (void *)i), 0);
	for (long i = 0; i < CHILDREN; i++)
		CHECK_EQ(pthread_create(&threads[THREADS + i], NULL, fork_all, (void *)i), 0);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void stop_fire(void)
{
	struct itimerval never = { 0 };

	__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS + CHILDREN; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	testpoint_hook = NULL;
	is_firing = false;
}

/* ---- files ---- */

/* Write @text to @file.  Returns true if the server has accepted it. */
static bool put(const char *file, const char *text)
{
	return !command("ulf echo -a '%s' %s/%s 2>/dev/null", text, root, file);
}

static void put_ok(const char *file, const char *text)
{
	command_ok("ulf echo -a '%s' %s/%s", text, root, file);
}

static const char *path_of(const char *file)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%shist", root, file);
	return path;
}

/* ---- what must be true ---- */

enum sum { BEFORE, AFTER, ENDS_BEFORE, ENDS_AFTER };

static uint64_t sum(enum sum which)
{
	uint64_t sum = 0;

	for (int i = 0; i < WRITERS; i++)
		sum += __atomic_load_n(&(&shared->writers[i].before)[which], __ATOMIC_SEQ_CST);
	return sum;
}

static bool has(const struct hist_file_table *table, const char *word)
{
	return strstr(table->trigger, word);
}

/* The saved values belong to one hit: that with the greatest key.  A reader may see parts of two
 * hits while a thread saves, as in the kernel; and a child that was killed while it saved has
 * left parts. */
static void check_saved(const char *line)
{
	uint64_t max;

	if (is_firing || is_kill || !strstr(line, "max:") || !strstr(line, "mirror:"))
		return;
	max = hist_file_number(line, "max");
	if (hist_file_number(line, "key") != max || hist_file_number(line, "mirror") != ~max)
		fail("values of two hits are saved: %s", line);
}

static void read_file(struct hist_file *file, const char *of)
{
	while (!hist_file_try(file, path_of(of)))
		;
}

/* Returns how many hits of hist_hit and hist_end were dropped by the histograms that the pairs
 * need.  A thread without rseq drops a hit if it does not get the lock for long.  Then a hit of
 * hist_end may find no variable, or that of an earlier hit, or the synthetic event is not
 * recorded. */
static uint64_t nr_unpaired(void)
{
	struct hist_file file;
	uint64_t nr = 0;

	for (int n = 0; n < 2; n++) {
		read_file(&file, n ? END : HIT);
		for (size_t i = 0; i < file.nr_tables; i++)
			if (has(&file.tables[i], ":k=key") || has(&file.tables[i], ":lat="))
				nr += file.tables[i].dropped;
		hist_file_free(&file);
	}
	return nr;
}

/* The figures of each entry belong to its hits. */
static void check_figures(const struct hist_file_table *table)
{
	for (size_t i = 0; i < table->nr_lines; i++) {
		const char *line = table->lines[i];
		uint64_t hits = hist_file_number(line, "hitcount");

		if (has(table, ",three") && hist_file_number(line, "three") != 3 * hits)
			fail("%llu hits of 3: %s", (unsigned long long)hits, line);
		if (has(table, ",lat") && hist_file_number(line, "lat") != 7 * hits &&
		    !nr_unpaired())
			fail("%llu hits of 7: %s", (unsigned long long)hits, line);
		check_saved(line);
	}
}

/* A reading of one file: the hits must lie between what was counted before and after. */
struct bounds {
	const char *file;
	enum sum at_least, at_most;
	uint64_t last[HIST_FILE_TABLES];	/* hits of the reading before */
};

/* Read a file while it changes.  Returns false if the server was killed. */
static bool check_file(struct bounds *bounds)
{
	uint64_t least = sum(bounds->at_least);
	struct hist_file file;

	if (!hist_file_try(&file, path_of(bounds->file)))
		return false;
	for (size_t i = 0; i < file.nr_tables; i++) {
		const struct hist_file_table *table = &file.tables[i];
		uint64_t most = sum(bounds->at_most), hits = hist_file_hits(table);

		check_figures(table);
		if (hits < least && bounds->at_least == ENDS_AFTER)
			least -= nr_unpaired();
		if (hits < least || hits > most || hits < bounds->last[i])
			fail("%llu hits of %llu to %llu, %llu before: %s",
			     (unsigned long long)hits, (unsigned long long)least,
			     (unsigned long long)most, (unsigned long long)bounds->last[i],
			     table->trigger);
		bounds->last[i] = hits;
	}
	hist_file_free(&file);
	return true;
}

/* ---- one storm ---- */

static const struct histogram {
	const char *file, *text;
} histograms[] = {
	{ HIT, "hist:keys=key:vals=hitcount,three,key:size=128" },
	{ HIT, "hist:keys=text,who:vals=hitcount,three" },
	{ HIT, "hist:keys=key.log2,who,mirror.buckets=64:vals=hitcount,three:size=256" },
	{ HIT, "hist:keys=who:m=key:onmax($m).save(key,mirror)" },
	{ HIT, "hist:keys=who:k=key" },
	{ HIT, "hist:keys=who:s=key:onmax($s).snapshot()" },
	{ END, "hist:keys=who:lat=key-$k:onmatch(torture.hist_hit).hist_synth(who,$lat)" },
	{ SYNTH, "hist:keys=who:vals=hitcount,lat" },
};

/* Without snapshot(): the buffer needs no second side, and the storm is faster. */
static bool is_used(const struct histogram *histogram, bool has_snapshot)
{
	return has_snapshot || !strstr(histogram->text, "snapshot()");
}

/* Write the text of @histogram, after @prefix. */
static void write_trigger(const struct histogram *histogram, const char *prefix)
{
	char file[100], text[200];

	snprintf(file, sizeof(file), "%strigger", histogram->file);
	snprintf(text, sizeof(text), "%s%s", prefix, histogram->text);
	put_ok(file, text);
}

static void add_all(bool has_snapshot)
{
	memset(shared->writers, 0, sizeof(shared->writers));
	for (size_t i = 0; i < ARRAY_SIZE(histograms); i++)
		if (is_used(&histograms[i], has_snapshot))
			write_trigger(&histograms[i], "");
}

static void remove_all(bool has_snapshot)
{
	for (size_t i = ARRAY_SIZE(histograms); i--; )
		if (is_used(&histograms[i], has_snapshot))
			write_trigger(&histograms[i], "!");
}

static void kill_server(void)
{
	command_ok("kill -9 $(cat \"$ULF_DIR/server.lock\")");
}

enum trouble { NONE = 0, KILL_CHILDREN = 1, KILL_SERVER = 2, KILL_READERS = 4, SNAPSHOTS = 8 };

/* Disturb readers and server, and read. */
static void read_all(uint32_t troubles, struct bounds *bounds, int nr)
{
	for (int i = 0; i < ROUND_READS; i++) {
		if (troubles & KILL_READERS)
			command("timeout -s KILL 0.00%u ulf cat %s >/dev/null 2>&1", 1 + roll(9),
				path_of(HIT));
		if (troubles & KILL_SERVER && !roll(3)) {
			command("{ ulf cat %s & } >/dev/null 2>&1", path_of(HIT));
			kill_server();
		}
		for (int k = 0; k < nr; k++)
			if (!check_file(&bounds[k]) && !(troubles & KILL_SERVER))
				fail("%s cannot be read", bounds[k].file);
	}
}

/* The entries of the pairs: a hit of hist_end counts if a hit of hist_hit was before, and its
 * value was not taken. */
static void storm(uint32_t troubles, uint64_t *nr_hits)
{
	struct bounds bounds[] = {
		{ HIT, AFTER, BEFORE, { 0 } },
		{ END, ENDS_AFTER, ENDS_BEFORE, { 0 } },
		{ SYNTH, ENDS_AFTER, ENDS_BEFORE, { 0 } },
	};

	add_all(troubles & SNAPSHOTS);
	is_kill = troubles & KILL_CHILDREN;
	start_fire();
	read_all(troubles, bounds, ARRAY_SIZE(bounds));
	stop_fire();
	/* With nothing killed, least and most are equal now. */
	if (!is_kill)
		CHECK_EQ(sum(AFTER), sum(BEFORE));
	while (!check_file(&bounds[0]))
		;	/* no server yet */
	for (size_t i = 1; i < ARRAY_SIZE(bounds); i++)
		CHECK(check_file(&bounds[i]));
	*nr_hits += sum(AFTER);
	remove_all(troubles & SNAPSHOTS);
}

/* ---- clear, pause, continue, remove, add ---- */

#define COUNTED	"hist:keys=key:vals=hitcount,three:size=128"
#define NAMED	"hist:name=named:keys=text,who:vals=hitcount,three"
#define VARIED	"hist:keys=who:vals=hitcount,three:m=key:onmax($m).save(key,mirror)"

static void check_any(void)
{
	struct hist_file file;

	hist_file_read(&file, path_of(HIT));
	for (size_t i = 0; i < file.nr_tables; i++) {
		check_figures(&file.tables[i]);
		CHECK(hist_file_hits(&file.tables[i]) <= sum(BEFORE));
	}
	hist_file_free(&file);
}

static void *switch_hists(void *arg)
{
	while (!is_over()) {
		trace_hist_off(MAIN, 0);
		usleep(roll(2000));
		trace_hist_on(MAIN, 0);
		usleep(roll(2000));
	}
	return arg;
}

/* Change the histograms at random. */
static void change(void)
{
	static const char *const changes[] = {
		COUNTED ":clear", COUNTED ":pause", COUNTED ":continue",
		"!" COUNTED, COUNTED, COUNTED ":clear", NAMED ":clear", NAMED ":pause",
		NAMED ":continue", "!" NAMED, NAMED, "!" VARIED, VARIED,
	};

	/* Some of them fail: there is no such histogram now, or one already. */
	put(HIT "trigger", changes[roll(ARRAY_SIZE(changes))]);
}

/* Hit, and check how many hits the histogram has afterwards. */
static void check_quiet(uint32_t nr_hits, uint64_t expected)
{
	struct hist_file file;

	for (uint32_t i = 0; i < nr_hits; i++)
		hit_key(&shared->writers[MAIN], i);
	hist_file_read(&file, path_of(HIT));
	for (size_t i = 0; i < file.nr_tables; i++) {
		check_figures(&file.tables[i]);
		CHECK_EQ(hist_file_hits(&file.tables[i]), expected);
	}
	CHECK_EQ(file.nr_tables, 2);
	hist_file_free(&file);
}

static void both(const char *suffix)
{
	char text[200];

	snprintf(text, sizeof(text), "%s%s", COUNTED, suffix);
	put_ok(HIT "trigger", text);
	snprintf(text, sizeof(text), "%s%s", NAMED, suffix);
	put_ok(HIT "trigger", text);
}

/* When nothing hits meanwhile all changes are exact. */
static void check_changes(void)
{
	put(HIT "trigger", COUNTED);
	put(HIT "trigger", NAMED);
	put(HIT "trigger", "!" VARIED);
	both(":continue");
	both(":clear");
	check_quiet(0, 0);
	check_quiet(QUIET_HITS, QUIET_HITS);
	both(":pause");
	check_quiet(QUIET_HITS, QUIET_HITS);
	both(":clear");
	check_quiet(QUIET_HITS, 0);
	both(":continue");
	check_quiet(QUIET_HITS, QUIET_HITS);
	trace_hist_off(MAIN, 0);
	check_quiet(QUIET_HITS, QUIET_HITS);
	trace_hist_on(MAIN, 0);
	check_quiet(QUIET_HITS, 2 * QUIET_HITS);
	put_ok(HIT "trigger", "!" COUNTED);
	put_ok(HIT "trigger", "!" NAMED);
	both("");
	check_quiet(QUIET_HITS, QUIET_HITS);
}

static void chaos(uint32_t nr_changes)
{
	pthread_t switcher;

	is_kill = false;
	memset(shared->writers, 0, sizeof(shared->writers));
	put_ok(DIR "hist_off/trigger", "disable_hist:torture:hist_hit");
	put_ok(DIR "hist_on/trigger", "enable_hist:torture:hist_hit");
	put_ok(HIT "trigger", COUNTED);
	start_fire();
	CHECK_EQ(pthread_create(&switcher, NULL, switch_hists, NULL), 0);
	for (uint32_t i = 0; i < nr_changes; i++) {
		change();
		check_any();
	}
	stop_fire();
	CHECK_EQ(pthread_join(switcher, NULL), 0);
	check_changes();
	put_ok(HIT "trigger", "!" COUNTED);
	put_ok(HIT "trigger", "!" NAMED);
	put_ok(DIR "hist_off/trigger", "!disable_hist:torture:hist_hit");
	put_ok(DIR "hist_on/trigger", "!enable_hist:torture:hist_hit");
}

/* ---- a child dies at each step ---- */

static const struct step {
	const char *point;
	const char *text;
	uint32_t nr_before;		/* hits with different keys before */
	uint32_t nr_counted;		/* hits of the child that count */
	bool needs_lock;		/* only hits without rseq pass the point */
	bool is_twice;			/* the child hits the key again at hist.filled */
} steps[] = {
	{ "hist.taken", COUNTED, 3, 0, false, false },
	{ "hist.filled", COUNTED, 3, 0, false, false },
	{ "hist.inserted", COUNTED, 3, 0, false, false },
	{ "hist.given", COUNTED, 3, 1, false, true },
	{ "hist.dropped", COUNTED, 200, 1, false, false },
	{ "hist.locked.sums", COUNTED, 3, 0, true, false },
	{ "hist.locked.commit", COUNTED, 3, 1, true, false },
	{ "hist.var", "hist:keys=who:vals=hitcount,three:v=key", 3, 1, false, false },
	{ "hist.last", VARIED, 3, 1, false, false },
	{ "hist.save", VARIED, 3, 1, false, false },
	{ "hist.snapshot", "hist:keys=who:vals=hitcount,three:m=key:onmax($m).snapshot()",
	  3, 1, false, false },
};

#define DEADLY_KEY	1000u
#define DEATHS		12u		/* of each step: more than there are spare entries */

static const struct step *deadly_step;
static unsigned long deadly_key;

static void die_here(const char *point)
{
	if (deadly_step->is_twice && !is_in_hook && !strcmp(point, "hist.filled")) {
		is_in_hook = true;
		hit_key(&shared->writers[MAIN], deadly_key);
	}
	if (!strcmp(point, deadly_step->point))
		kill(getpid(), SIGKILL);
}

static void die_at(const struct step *step)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		deadly_step = step;
		testpoint_hook = die_here;
		hit_key(&shared->writers[MAIN], deadly_key);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status))
		fail("no hit has passed %s", step->point);
}

/* Children die there, each with a key of its own, which is greater than all before.  Then the
 * same keys are hit again. */
static void test_step(const struct step *step)
{
	uint64_t expected = step->nr_before + DEATHS * step->nr_counted + QUIET_HITS;
	struct hist_file file;

	put_ok(HIT "trigger", step->text);
	for (uint32_t i = 0; i < step->nr_before; i++)
		hit_key(&shared->writers[MAIN], i);
	for (uint32_t i = 0; i < DEATHS; i++) {
		deadly_key = DEADLY_KEY + i;
		die_at(step);
	}
	for (uint32_t i = 0; i < QUIET_HITS; i++)
		hit_key(&shared->writers[MAIN], DEADLY_KEY + i);
	hist_file_read(&file, path_of(HIT));
	CHECK_EQ(file.nr_tables, 1);
	check_figures(file.tables);
	if (hist_file_hits(file.tables) != expected)
		fail("%s: %llu hits, not %llu", step->point,
		     (unsigned long long)hist_file_hits(file.tables),
		     (unsigned long long)expected);
	if (step->nr_before < 128)
		CHECK_EQ(file.tables[0].dropped, 0);
	hist_file_free(&file);
	command_ok("ulf echo '!%s' %s/%strigger", step->text, root, HIT);
}

static void test_steps(bool has_rseq)
{
	is_kill = true;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (!has_rseq || !steps[i].needs_lock)
			test_step(&steps[i]);
	is_kill = false;
}

/* ---- all ---- */

static bool is_long(void)
{
	const char *form = getenv("ULF_TORTURE");

	return form && !strcmp(form, "long");
}

static void test_fire(void)
{
	static const uint32_t troubles[] = {
		NONE, KILL_CHILDREN, KILL_SERVER | KILL_READERS,
		KILL_CHILDREN | KILL_SERVER | KILL_READERS | SNAPSHOTS,
	};
	uint64_t nr_hits = 0;

	for (int i = 0; i < (is_long() ? LONG_ROUNDS : SHORT_ROUNDS); i++)
		storm(troubles[i % ARRAY_SIZE(troubles)], &nr_hits);
	printf("%llu hits, %u deaths\n", (unsigned long long)nr_hits, shared->nr_deaths);
	CHECK(shared->nr_deaths > 0);
}

static void start(void)
{
	sigset_t timer;

	parent = getpid();
	snprintf(root, sizeof(root), "torture-hist.%d", parent);
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	sigprocmask(SIG_BLOCK, &timer, NULL);
	signal(SIGALRM, on_timer);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	/* Two minutes at least, as a busy machine may take long. */
	for (int tries = 0; command("ulf ls | grep -q '^%s .* alive .*/4 '", root); tries++) {
		CHECK(tries < 6000);
		usleep(20000);
	}
	put_ok("synthetic_events", "hist_synth int who; unsigned long lat");
}

/* Start again without rseq.  The root is named after the program, so it is not started by
 * /proc/self/exe. */
static void restart_without_rseq(const char *name)
{
	char path[PATH_MAX];

	fflush(stdout);
	snprintf(path, sizeof(path), "%s/tests/torture-hist", command_env("ULF_BUILD"));
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl(path, name, "norseq", NULL);
	fail("cannot start %s", path);
}

int main(int argc, char **argv)
{
	bool has_rseq = argc < 2;

	start();
	test_steps(has_rseq);
	chaos(is_long() ? 2000 : 60);
	test_fire();
	if (has_rseq)
		restart_without_rseq(argv[0]);
	return 0;
}
