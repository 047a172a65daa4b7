/* SPDX-License-Identifier: MIT */
/*
 * Hits events with random values, for hist/model.tc:
 *
 *   modeled THREADS
 *
 * For each line `SEED NUMBER` THREADS threads and as many children, each forked by a thread
 * in the middle of its hits, hit NUMBER events each.  Then a line `done` is written.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "model_trace.h"

#define THREADS_MAX	16

static unsigned long seed, number;
static int nr_threads;

static uint32_t draw(uint64_t *dice)
{
	*dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*dice >> 33);
}

/* Most numbers are small, so that keys are hit more than once. */
static uint64_t draw_number(uint64_t *dice)
{
	uint64_t number = (uint64_t)draw(dice) << 33 ^ (uint64_t)draw(dice) << 2;

	switch (draw(dice) % 8) {
	case 0:
		return number;
	case 1:
		return -(uint64_t)(draw(dice) % 100);
	case 2:
		return number >> (draw(dice) % 64);
	default:
		return draw(dice) % 50;
	}
}

static void draw_text(uint64_t *dice, char *text, uint32_t max)
{
	uint32_t len = draw(dice) % 4 ? draw(dice) % 3 : draw(dice) % max;

	for (uint32_t i = 0; i < len; i++)
		text[i] = (char)('a' + draw(dice) % 3);
	memset(text + len, 0, max - len);
}

static void hit(uint64_t *dice, int who, unsigned int seq)
{
	struct model_values v = { .who = who, .seq = seq };

	v.sb = (signed char)draw(dice);
	v.ub = (unsigned char)draw(dice);
	v.sh = (short)draw_number(dice);
	v.uh = (unsigned short)draw_number(dice);
	v.si = (int)draw_number(dice);
	v.ui = (unsigned int)draw_number(dice);
	v.sl = (long)draw_number(dice);
	v.ul = draw_number(dice);
	draw_text(dice, v.name, sizeof(v.name));
	draw_text(dice, v.dyn, sizeof(v.dyn));
	draw_text(dice, v.rel, sizeof(v.rel));
	if (draw(dice) % 2)
		trace_model_start(&v);
	else
		trace_model_end(&v);
}

static void hit_all(int who, unsigned int from, unsigned long to)
{
	uint64_t dice = seed * 1000 + (uint64_t)who * 2 + !from;

	for (unsigned int seq = from; seq < to; seq++)
		hit(&dice, who, seq);
}

static void set_name(int who)
{
	char name[16];

	snprintf(name, sizeof(name), "modeled/%d", who);
	prctl(PR_SET_NAME, name);
}

static void *run(void *arg)
{
	int who = (int)(long)arg, status;
	pid_t pid;

	set_name(who);
	hit_all(who, 0, number / 2);
	pid = fork();
	if (!pid) {
		set_name(who + nr_threads);
		hit_all(who + nr_threads, 0, number);
		_exit(0);
	}
	hit_all(who, (unsigned int)(number / 2), number);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];

	nr_threads = argc > 1 ? atoi(argv[1]) : 0;
	if (nr_threads < 1 || nr_threads > THREADS_MAX)
		return 2;
	while (scanf("%lu %lu", &seed, &number) == 2) {
		for (long i = 0; i < nr_threads; i++)
			if (pthread_create(&threads[i], NULL, run, (void *)i))
				return 1;
		for (long i = 0; i < nr_threads; i++)
			if (pthread_join(threads[i], NULL))
				return 1;
		puts("done");
		fflush(stdout);
	}
	return 0;
}
