/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's driver: start the workers, let them take turns for some rounds, print
 * the medians in one table, then the ratios for scripts.
 *
 *	driver DIRECTORY [ROUNDS]
 *
 * DIRECTORY contains the workers.  ULF_DIR must be set: the driver looks up the sizes of
 * the roots' memory there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "table.h"

#define MAX_ROUNDS	101
#define DEFAULT_ROUNDS	31
#define NR_STARTS	20

struct worker {
	const char *program;
	const char *boot;	/* boot settings (ULF_TRACE); NULL: none */
	bool is_optional;	/* the worker's rows stay empty if it cannot run */
	pid_t pid;
	FILE *to, *from;
};

enum {
	EVENT, LTTNG, UPROBE, PLAIN, DORMANT, DETACHED, PRINT, FUNCTION, UFTRACE, SYSCALL,
	STRACE,
	NR_WORKERS
};

static struct worker workers[NR_WORKERS] = {
	[EVENT] = { .program = "bench_event" },
	[LTTNG] = { .program = "bench_lttng", .is_optional = true },
	[UPROBE] = { .program = "bench_uprobe", .is_optional = true },
	[PLAIN] = { .program = "dormant_plain" },
	[DORMANT] = { .program = "dormant_ulf" },
	[DETACHED] = { .program = "dormant_detached", .is_optional = true },
	[FUNCTION] = { .program = "bench_function" },
	[UFTRACE] = { .program = "bench_uftrace", .is_optional = true },
	[PRINT] = { .program = "bench_print", .is_optional = true },
	[SYSCALL] = { .program = "bench_syscall", .boot = "syscalls" },
	[STRACE] = { .program = "bench_strace", .is_optional = true },
};

extern char **environ;

static const char *directory;
static int nr_rounds = DEFAULT_ROUNDS;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

static void worker_path(const struct worker *worker, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/%s", directory, worker->program);
}

static void worker_start(struct worker *worker)
{
	char path[PATH_MAX];
	char *argv[] = { (char *)worker->program, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], r;

	worker_path(worker, path, sizeof(path));
	if (access(path, X_OK)) {
		if (!worker->is_optional)
			die(path, strerror(errno));
		return;
	}
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (worker->boot)
		setenv("ULF_TRACE", worker->boot, 1);
	r = posix_spawn(&worker->pid, path, &actions, NULL, argv, environ);
	if (worker->boot)
		unsetenv("ULF_TRACE");
	if (r)
		die(path, strerror(r));
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	worker->to = fdopen(in[1], "w");
	worker->from = fdopen(out[0], "r");
	if (!worker->to || !worker->from)
		die("fdopen", strerror(errno));
}

static void worker_stop(struct worker *worker)
{
	if (!worker->pid)
		return;
	fclose(worker->to);
	fclose(worker->from);
	waitpid(worker->pid, NULL, 0);
	worker->pid = 0;
}

/* Let a worker measure once, and store its results. */
static void worker_round(struct worker *worker)
{
	char line[256], name[64];
	double value;

	if (!worker->pid)
		return;
	fputs("go\n", worker->to);
	fflush(worker->to);
	while (fgets(line, sizeof(line), worker->from)) {
		if (!strcmp(line, "end\n"))
			return;
		if (sscanf(line, "%63s %lf", name, &value) == 2) {
			table_add(name, value);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		break;
	}
	if (feof(worker->from))
		strcpy(line, "it ended");
	if (!worker->is_optional)
		die(worker->program, line);
	fprintf(stderr, "bench: %s: %s\n", worker->program, line);
	worker_stop(worker);
}

/* Returns the time in ns from posix_spawn() to the end of a worker that exits at once. */
static double start_up_ns(const struct worker *worker)
{
	char path[PATH_MAX];
	char *argv[] = { (char *)worker->program, "exit", NULL };
	uint64_t begin;
	int status, r;
	pid_t pid;

	worker_path(worker, path, sizeof(path));
	begin = measure_now_ns();
	r = posix_spawn(&pid, path, NULL, NULL, argv, environ);
	if (r)
		die(path, strerror(r));
	if (waitpid(pid, &status, 0) != pid || status)
		die(path, "it failed");
	return measure_now_ns() - begin;
}

static void measure_start_up(void)
{
	double plain[NR_STARTS], dormant[NR_STARTS];

	for (int k = 0; k < NR_STARTS; k++) {
		plain[k] = start_up_ns(&workers[PLAIN]);
		dormant[k] = start_up_ns(&workers[DORMANT]);
	}
	table_add("dormant_plain_start", measure_median(plain, NR_STARTS));
	table_add("dormant_ulf_start", measure_median(dormant, NR_STARTS));
}

/* Returns the size in bytes of the memory that a worker's root uses now. */
static double root_bytes(const struct worker *worker)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/roots/%s.%d/memory", getenv("ULF_DIR"),
		 worker->program, (int)worker->pid);
	if (stat(path, &st))
		die(path, strerror(errno));
	return st.st_blocks * 512.0;
}

/* Returns the size in bytes of a worker's resident memory.  Shared pages count in
 * proportion (Pss). */
static double resident_bytes(const struct worker *worker)
{
	char path[64], line[256];
	long kb = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)worker->pid);
	file = fopen(path, "r");
	if (!file)
		die(path, strerror(errno));
	while (kb < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "Pss: %ld kB", &kb) != 1)
			kb = -1;
	fclose(file);
	if (kb < 0)
		die(path, "no Pss line");
	return kb * 1024.0;
}

/* Measure memory after the rounds, when the rings are full.  The case with the most threads
 * has 4, so 4 CPUs have a ring, or all CPUs if there are fewer. */
static void measure_memory(void)
{
	cpu_set_t allowed;
	int nr_cpus;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	nr_cpus = CPU_COUNT(&allowed) < 4 ? CPU_COUNT(&allowed) : 4;
	table_add("root_dormant", root_bytes(&workers[DORMANT]));
	table_add("root_per_cpu", (root_bytes(&workers[EVENT]) -
				   root_bytes(&workers[DORMANT])) / nr_cpus);
	table_add("resident_plain", resident_bytes(&workers[PLAIN]));
	table_add("resident_ulf", resident_bytes(&workers[DORMANT]));
	if (workers[DETACHED].pid)
		table_add("resident_detached", resident_bytes(&workers[DETACHED]));
}

int main(int argc, char **argv)
{
	if (argc > 2)
		nr_rounds = atoi(argv[2]);
	if (argc < 2 || nr_rounds < 1 || nr_rounds > MAX_ROUNDS)
		die("usage", "driver DIRECTORY [ROUNDS]");
	if (!getenv("ULF_DIR"))
		die("ULF_DIR", "not set");
	directory = argv[1];
	for (int k = 0; k < NR_WORKERS; k++)
		worker_start(&workers[k]);
	for (int r = 0; r < nr_rounds; r++) {
		if (isatty(2))
			fprintf(stderr, "\rround %d of %d ", r + 1, nr_rounds);
		for (int k = 0; k < NR_WORKERS; k++)
			worker_round(&workers[k]);
		measure_start_up();
	}
	if (isatty(2))
		fputs("\r                    \r", stderr);
	measure_memory();
	for (int k = 0; k < NR_WORKERS; k++)
		worker_stop(&workers[k]);
	return table_print(nr_rounds);
}
