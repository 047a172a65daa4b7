/* SPDX-License-Identifier: MIT */
/*
 * model SEED FOLLOWED STARTS SKIPPED DEPTH [PAUSE]: functions call each other at random, some
 * by tail calls.  Prints what the graph tracer should see: a line for each entry and exit,
 * with its depth.  The lists consist of letters; -: none.  PAUSE: in microseconds, between
 * calls from main().
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTSIDE		__attribute__((noinline, patchable_function_entry(0)))
#define FUNCTIONS	WITH(a) WITH(b) WITH(c) WITH(d) WITH(e) WITH(f) WITH(g) WITH(h)
#define NR		8u
#define NESTED_MAX	14
#define CALLS		60		/* number of calls that one call from main() makes */

static const char *followed, *starts, *skipped;
static int depth_max;
static unsigned long seed;

/* The place on the stack that contains the return address of a call. */
static struct place {
	bool is_watched;		/* the tracer sees the return of this call */
	char name;			/* the function whose exit is then recorded, or 0 */
	int depth;
	bool is_skipped;
} places[NESTED_MAX + 2];
static int nr_places, nr_left;
static bool is_last_act;

OUTSIDE static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(seed >> 33) % n;
}

OUTSIDE static bool has(const char *list, char name)
{
	return strchr(list, name);
}

OUTSIDE static void tell(const struct place *place, char brace)
{
	if (place->name)
		printf("%d %c %c\n", place->depth, place->name, brace);
}

OUTSIDE static void enter(char name)
{
	struct place *place, *around;
	bool is_quiet, is_wanted;

	if (!is_last_act)
		places[nr_places++] = (struct place){ 0 };
	is_last_act = false;
	if (!has(followed, name))
		return;
	place = around = &places[nr_places - 1];
	while (around > places && !(--around)->is_watched)
		;
	if (around == place || !around->is_watched)
		around = NULL;
	tell(place, '}');
	place->depth = around ? around->depth + 1 : 0;
	is_quiet = around && around->is_skipped;
	is_wanted = !is_quiet && place->depth < depth_max &&
		    (place->depth || *starts == '-' || has(starts, name));
	place->is_skipped = is_quiet || (is_wanted && has(skipped, name));
	place->name = is_wanted && !place->is_skipped ? name : 0;
	tell(place, '{');
	/* A call that is not recorded does not add to the depth. */
	if (!place->name)
		place->depth--;
	place->is_watched |= place->name || (is_wanted && place->is_skipped);
}

OUTSIDE static void leave(void)
{
	tell(&places[--nr_places], '}');
}

/* Decide at random whether there is one more call. */
OUTSIDE static bool goes_on(unsigned one_of)
{
	return nr_places < NESTED_MAX && nr_left > 0 && !pick(one_of) && nr_left--;
}

static long (*const table[NR])(long);

#define WITH(letter)							\
	__attribute__((noinline)) long model_##letter(long sum)		\
	{								\
		enter(#letter[0]);					\
		while (goes_on(2))					\
			sum = table[pick(NR)](sum) + 1;			\
		is_last_act = goes_on(3);				\
		if (is_last_act)					\
			return table[pick(NR)](sum);			\
		leave();						\
		return sum;						\
	}
FUNCTIONS
#undef WITH

#define WITH(letter) model_##letter,
static long (*const table[NR])(long) = { FUNCTIONS };

OUTSIDE int main(int argc, char **argv)
{
	seed = strtoul(argv[1], NULL, 10);
	followed = argv[2];
	starts = argv[3];
	skipped = argv[4];
	depth_max = atoi(argv[5]);
	getchar();
	for (int i = 0; i < 300; i++) {
		nr_left = CALLS;
		table[pick(NR)](i);
		if (argc > 6)
			usleep(atoi(argv[6]));
	}
	return 0;
}
