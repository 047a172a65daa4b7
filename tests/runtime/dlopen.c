/* SPDX-License-Identifier: MIT */
/*
 * A module is loaded and unloaded while its events are on, and while other events are hit and
 * switched.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define THREADS		3
#define BUSY_LOADS	300
#define MOVED_LOADS	(ABI_MODULES + 50)
#define CHILD_LOADS	40
#define HITS		50

static struct driver d;
static char path[PATH_MAX];

struct module {
	void *handle;
	void (*hit)(long value);
	char *base;
};

static struct module load(void)
{
	struct module m = { .handle = dlopen(path, RTLD_NOW) };
	struct link_map *map;

	if (!m.handle)
		fail("%s", dlerror());
	*(void **)&m.hit = dlsym(m.handle, "mod_hit");
	CHECK(m.hit);
	CHECK_EQ(dlinfo(m.handle, RTLD_DI_LINKMAP, &map), 0);
	m.base = (char *)map->l_addr;
	return m;
}

static void unload(struct module *m)
{
	CHECK_EQ(dlclose(m->handle), 0);
	CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

/* Returns true if this process's bitmap says that the module of the event is loaded. */
static bool is_there(int row)
{
	struct abi_event *rows = (void *)(d.mem + d.control->events_off);
	struct abi_process *process = trace_process(&d, getpid());
	uint32_t module = rows[row].module;

	CHECK(process);
	return process->modules[module / 64] >> (module % 64) & 1;
}

static void test_come_and_go(void)
{
	struct module m;
	uint32_t nr;
	int row;

	CHECK_EQ(driver_find_event(&d, "mod", "mod_hit"), -1);
	m = load();
	row = driver_find_event(&d, "mod", "mod_hit");
	CHECK(row >= 0);
	CHECK(is_there(row));
	m.hit(1);
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), 0);
	CHECK_EQ(driver_enable(&d, "mod", "mod_hit", true), 0);
	m.hit(2);
	m.hit(3);
	nr = d.control->nr_events;
	unload(&m);
	CHECK(!is_there(row));
	/* 2, 3, and a hit of the destructor */
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), 3);

	/* The event is on from the module's first instruction, and has its old number. */
	m = load();
	CHECK(is_there(row));
	CHECK_EQ(driver_find_event(&d, "mod", "mod_hit"), row);
	CHECK_EQ(d.control->nr_events, nr);
	m.hit(4);
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), 2);
	CHECK_EQ(driver_enable(&d, "mod", "mod_hit", false), 0);
	m.hit(5);
	unload(&m);
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), 0);

	/* Switch the event on while the module is not loaded. */
	CHECK_EQ(driver_enable(&d, "mod", "mod_hit", true), 0);
	m = load();
	unload(&m);
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), 2);
}

/* ---- loads while other threads hit events ---- */

#define BUDGET	20000

static bool is_over;
static int budget;			/* records that may be written before the next reading */

static void *hammer(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		trace_rt_hit(1, (long)arg);
		if (__atomic_fetch_sub(&budget, 1, __ATOMIC_RELAXED) > 0)
			trace_rt_other(2, (long)arg);
	}
	return NULL;
}

static void probe(void *data, int who, long value)
{
	(void)data;
	(void)value;
	CHECK_EQ(who, 1);
}

static void *load_again(void *arg)
{
	for (int i = 0; i < BUSY_LOADS; i++) {
		struct module m = load();

		for (long j = 0; j < HITS; j++)
			m.hit(j);
		unload(&m);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	return arg;
}

static void check_records(size_t *nr, size_t *nr_loads)
{
	struct trace trace;
	int row = driver_find_event(&d, "mod", "mod_hit");

	trace_read(&d, &trace);
	for (size_t i = 0; i < trace.nr; i++) {
		if (trace.records[i].row != (uint32_t)row)
			continue;
		(*nr)++;
		*nr_loads += trace_number(&d, &trace.records[i], "value") == -1;
	}
	CHECK_EQ(trace.lost, 0);
	trace_free(&trace);
}

/* While another thread loads and unloads the module, this one switches other events and reads
 * records.  No record may be missing. */
static void test_busy(void)
{
	pthread_t threads[THREADS], loader;
	size_t nr = 0, nr_loads = 0;

	is_over = false;
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)i),
			 0);
	CHECK_EQ(pthread_create(&loader, NULL, load_again, NULL), 0);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		__atomic_store_n(&budget, BUDGET, __ATOMIC_RELAXED);
		CHECK_EQ(driver_enable(&d, "rt", "rt_other", true), 0);
		CHECK_EQ(register_trace_rt_hit(probe, NULL), 0);
		CHECK_EQ(driver_enable(&d, "rt", "rt_other", false), 0);
		CHECK_EQ(unregister_trace_rt_hit(probe, NULL), 0);
		check_records(&nr, &nr_loads);
	}
	CHECK_EQ(pthread_join(loader, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	check_records(&nr, &nr_loads);
	CHECK_EQ(nr_loads, BUSY_LOADS);
	CHECK_EQ(nr, BUSY_LOADS * (HITS + 2));
	CHECK_EQ(d.control->table_errors, 0);
}

/* ---- loads at a new address each time ---- */

static void test_moved(void)
{
	char **held = calloc(MOVED_LOADS, sizeof(*held));
	unsigned int nr_bases = 0;
	char *last = NULL;

	CHECK(held);
	for (unsigned int i = 0; i < MOVED_LOADS; i++) {
		struct module m = load();

		nr_bases += m.base != last;
		last = m.base;
		m.hit((long)i);
		unload(&m);
		/* so that the next load cannot get this address */
		held[i] = mmap(m.base, 4096, PROT_NONE, MAP_PRIVATE |
			       MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	CHECK_EQ(nr_bases, MOVED_LOADS);
	CHECK_EQ(trace_drain(&d, "mod", "mod_hit"), MOVED_LOADS * 3);
	CHECK_EQ(d.control->table_errors, 0);
	CHECK(d.control->nr_modules < 10);
	for (unsigned int i = 0; i < MOVED_LOADS; i++)
		munmap(held[i], 4096);
	free(held);
}

/* ---- in a child: the parent must be able to read what the child has put into the root
 * ---- */

static void load_many(void)
{
	char target[PATH_MAX];

	strcpy(target, path);
	for (int i = 0; i < CHILD_LOADS; i++) {
		struct module m;

		snprintf(path, sizeof(path), "%s/%0200d.so", getenv("TMPDIR"), i);
		CHECK_EQ(symlink(target, path), 0);
		m = load();
		unload(&m);
	}
}

static void test_child(void)
{
	uint64_t used = d.control->heap_used;
	struct module m;
	pid_t child = fork();
	int status;

	if (!child) {
		load_many();
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	CHECK(d.control->heap_used > used + 2 * 4096);
	m = load();
	unload(&m);
}

/* ---- by a path that is valid in this process only ---- */

static void test_relative(void)
{
	uint32_t nr = d.control->nr_modules;
	char full[PATH_MAX];
	struct module m;

	snprintf(full, sizeof(full), "%s", path);
	CHECK_EQ(chdir(dirname(full)), 0);
	snprintf(full, sizeof(full), "%s", path);
	strcpy(path, "./runtime-mod_events.so");
	m = load();
	CHECK_EQ(d.control->nr_modules, nr);
	unload(&m);
	strcpy(path, full);
}

/* ---- a module without the ELF header in its memory ---- */

static void test_no_header(void)
{
	struct abi_module *rows = (void *)(d.mem + d.control->modules_off);
	struct module m;

	strcpy(strrchr(path, '/'), "/runtime-mod_nohead.so");
	m = load();
	m.hit(1);
	unload(&m);
	rows += d.control->nr_modules - 1;
	CHECK_STR(d.mem + rows->path, path);
	CHECK(rows->build_id_bytes);
}

int main(void)
{
	char exe[PATH_MAX] = "";

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/runtime-mod_events.so",
		 dirname(exe));
	trace_open(&d, getpid());
	test_come_and_go();
	test_busy();
	test_moved();
	test_child();
	test_relative();
	test_no_header();
	driver_close(&d);
	return 0;
}
