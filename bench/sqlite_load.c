/* SPDX-License-Identifier: MIT */
/*
 * A load for SQLite, in threads with one database each: insert rows, query them in
 * several ways, change and delete them.  Each answer is compared with the expected one.
 *
 *   sqlite_load ROUNDS [THREADS]
 *
 * For each line of input each thread runs ROUNDS rounds; then the program prints the CPU
 * time of one round in the fastest thread, in microseconds.  ROUNDS 0: run for ever.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sqlite3.h"

#define ROWS		100
#define THREADS_MAX	64

static long rounds;

struct worker {
	pthread_t thread;
	int number;
	sqlite3 *db;
	sqlite3_stmt *insert;
	uint64_t took_ns;
};

static void fail_worker(struct worker *worker, const char *what)
{
	fprintf(stderr, "sqlite_load: %s: %s\n", what, sqlite3_errmsg(worker->db));
	exit(1);
}

static void run_sql(struct worker *worker, const char *sql)
{
	if (sqlite3_exec(worker->db, sql, NULL, NULL, NULL))
		fail_worker(worker, sql);
}

/* Run a query whose answer is one number, and compare the answer with @wanted. */
static void expect_number(struct worker *worker, const char *sql, int64_t wanted)
{
	sqlite3_stmt *query;
	int64_t got;

	if (sqlite3_prepare_v2(worker->db, sql, -1, &query, NULL) ||
	    sqlite3_step(query) != SQLITE_ROW)
		fail_worker(worker, sql);
	got = sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	if (got != wanted) {
		fprintf(stderr, "sqlite_load: %s: %lld, not %lld\n", sql,
			(long long)got, (long long)wanted);
		exit(1);
	}
}

static void open_database(struct worker *worker)
{
	/* the name "" means a temporary file, which SQLite keeps in memory if it can */
	if (sqlite3_open("", &worker->db))
		fail_worker(worker, "open");
	run_sql(worker, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);"
			"CREATE INDEX by_text ON t(b);");
	if (sqlite3_prepare_v2(worker->db, "INSERT INTO t VALUES(?, ?, ?)", -1,
			       &worker->insert, NULL))
		fail_worker(worker, "insert");
}

static void insert_rows(struct worker *worker)
{
	char text[32];

	run_sql(worker, "BEGIN");
	for (int i = 0; i < ROWS; i++) {
		snprintf(text, sizeof(text), "row %d of %d", i % 10, worker->number);
		sqlite3_bind_int(worker->insert, 1, i);
		sqlite3_bind_text(worker->insert, 2, text, -1, SQLITE_TRANSIENT);
		sqlite3_bind_double(worker->insert, 3, i / 2.0);
		if (sqlite3_step(worker->insert) != SQLITE_DONE)
			fail_worker(worker, "insert");
		sqlite3_reset(worker->insert);
	}
	run_sql(worker, "COMMIT");
}

static void run_load_round(struct worker *worker)
{
	insert_rows(worker);
	expect_number(worker, "SELECT sum(a) FROM t", ROWS * (ROWS - 1) / 2);
	expect_number(worker, "SELECT count(*) FROM t x, t y WHERE x.b = y.b",
		      ROWS * ROWS / 10);
	expect_number(worker, "SELECT max(n) FROM (SELECT b, count(*) n FROM t GROUP BY b)",
		      ROWS / 10);
	expect_number(worker, "SELECT a FROM t WHERE b LIKE 'row 7%' ORDER BY c DESC LIMIT 1",
		      ROWS - 3);
	run_sql(worker, "UPDATE t SET c = c + 1, b = upper(b) WHERE a % 2");
	expect_number(worker, "SELECT count(*) FROM t WHERE b GLOB 'ROW *'", ROWS / 2);
	run_sql(worker, "BEGIN; DELETE FROM t WHERE a < 10; ROLLBACK");
	expect_number(worker, "SELECT count(*) FROM t", ROWS);
	run_sql(worker, "DELETE FROM t");
}

/* Returns the CPU time of this thread, because other threads may be busy, too. */
static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	uint64_t start;

	open_database(worker);
	start = thread_cpu_ns();
	for (long i = 0; i < rounds || !rounds; i++)
		run_load_round(worker);
	worker->took_ns = thread_cpu_ns() - start;
	sqlite3_finalize(worker->insert);
	sqlite3_close(worker->db);
	return NULL;
}

static int run_workers(int nr)
{
	struct worker workers[THREADS_MAX];
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < nr; i++) {
		workers[i] = (struct worker){ .number = i };
		if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]))
			return 1;
	}
	for (int i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].took_ns < least)
			least = workers[i].took_ns;
	}
	printf("%.1f\n", (double)least / 1e3 / (double)rounds);
	return fflush(stdout);
}

int main(int argc, char **argv)
{
	int nr = argc > 2 ? atoi(argv[2]) : 1;
	char line[16];
	int r = 0;

	if (argc < 2 || nr < 1 || nr > THREADS_MAX)
		return 2;
	rounds = atol(argv[1]);
	while (!r && (!rounds || fgets(line, sizeof(line), stdin)))
		r = run_workers(nr);
	return r;
}
