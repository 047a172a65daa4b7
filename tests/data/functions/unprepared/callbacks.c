/* SPDX-License-Identifier: MIT */
/*
 * A program that no compiler has prepared sets callbacks at functions, which lines of its input
 * name:
 *
 *	filter GLOB	set the filter; prints the result
 *	ip NAME		set the filter by the address of a function of a library
 *	all		remove the filter
 *	call		call the functions; prints which calls the callback has seen
 *	load FILE	a library, whose functions are called, too
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ftrace.h>

#define SEEN_MAX	1000

int plain_one(int value);
int plain_two(int value);

static unsigned long seen[SEEN_MAX];
static volatile int nr_seen;
static int (*volatile to_number)(const char *) = atoi;

static void on_call(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *regs)
{
	if (nr_seen < SEEN_MAX)
		seen[nr_seen++] = ip;
}

static struct ftrace_ops ops = { .func = on_call };

__attribute__((noinline)) int own_function(int value)
{
	__asm__ volatile("");
	return value + 100;
}

static void print_seen(int nr)
{
	static const char *const names[] = {
		"plain_one", "plain_two", "late_function", "own_function", "atoi",
	};

	printf("seen");
	for (int i = 0; i < nr; i++) {
		Dl_info info;

		if (!dladdr((void *)seen[i], &info) || !info.dli_sname)
			continue;
		for (unsigned int k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(info.dli_sname, names[k]))
				printf(" %s", names[k]);
	}
	printf("\n");
}

static void call(void *library)
{
	int (*late)(int) = NULL;
	int sum, nr;

	if (library)
		*(void **)&late = dlsym(library, "late_function");
	nr_seen = 0;
	sum = plain_one(1) + plain_two(2) + own_function(3) + to_number("4");
	if (late)
		sum += late(5);
	nr = nr_seen;
	if (sum != 11 + 22 + 103 + 4 + (late ? 55 : 0))
		printf("wrong\n");
	print_seen(nr);
}

static int set_filter(const char *glob)
{
	return ftrace_set_filter(&ops, (unsigned char *)glob, (int)strlen(glob), 1);
}

int main(void)
{
	char line[512], word[16], arg[512];
	void *library = NULL;

	if (register_ftrace_function(&ops))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		*arg = '\0';
		sscanf(line, "%15s %511s", word, arg);
		if (!strcmp(word, "filter"))
			printf("%s %s\n", arg, strerrorname_np(-set_filter(arg)));
		else if (!strcmp(word, "ip"))
			printf("%s %s\n", arg, strerrorname_np(-ftrace_set_filter_ip(&ops,
				(unsigned long)dlsym(RTLD_DEFAULT, arg), 0, 1)));
		else if (!strcmp(word, "all"))
			printf("all %d\n", ftrace_set_filter(&ops, NULL, 0, 1));
		else if (!strcmp(word, "load"))
			printf("load %d\n", !!(library = dlopen(arg, RTLD_NOW)));
		else
			call(library);
		fflush(stdout);
	}
	return 0;
}
