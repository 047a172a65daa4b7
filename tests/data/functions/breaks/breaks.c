/* SPDX-License-Identifier: MIT */
/*
 * Calls outer(), which calls inner(), for each instruction of libulf whose offset is read
 * from standard input.  A signal interrupts each of these instructions once, and its handler
 * must find the callers with backtrace().  Single steps abort every rseq section; this signal
 * also reaches instructions after the sections.
 *
 *	breaks [vfork]		in children, whose sections the kernel does not restart
 */
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))

static int text;			/* /proc/self/mem */
static unsigned char *volatile at;
static unsigned char was;
static volatile int nr_hits, nr_hushed, nr_lost;

__attribute__((noinline)) void hushed(void)
{
	nr_hushed++;
}

__attribute__((noinline)) void inner(void)
{
	__asm__ volatile("" ::: "memory");
}

/* inner() has its return address in another page of the stack. */
__attribute__((noinline)) void outer(void)
{
	volatile char pages[8192];

	pages[0] = 0;
	inner();
	__asm__ volatile("" ::: "memory");	/* inner() returns to here, not to main() */
}

OUTSIDE int main(int argc, char **argv);

OUTSIDE static bool is_main_behind(void)
{
	void *frames[64];
	int nr = backtrace(frames, 64);

	for (int i = 0; i < nr; i++)
		if ((unsigned long)frames[i] - (unsigned long)main < 1024)
			return true;
	return false;
}

OUTSIDE static void on_break(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	volatile char pages[8192];

	pages[0] = 0;

	/* In an rseq section, the kernel has set the address to the abort handler already. */
	if (regs[REG_RIP] == (greg_t)at + 1)
		regs[REG_RIP]--;
	pwrite(text, &was, 1, (off_t)at);
	nr_hits++;
	nr_lost += !is_main_behind();
	hushed();
}

OUTSIDE static int find_libulf(struct dl_phdr_info *info, size_t size, void *ret_base)
{
	if (!strstr(info->dlpi_name, "/libulf.so"))
		return 0;
	*(unsigned long *)ret_base = info->dlpi_addr;
	return 1;
}

OUTSIDE static void call(void)
{
	for (int i = 0; i < 40; i++)		/* more than one page of records */
		outer();
}

OUTSIDE static void call_in_child(void)
{
	int status = -1;
	pid_t child = vfork();

	if (!child) {
		call();
		_exit(0);
	}
	waitpid(child, &status, 0);
	nr_lost += status != 0;
	outer();
}

OUTSIDE int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_break, .sa_flags = SA_SIGINFO };
	unsigned long base = 0, offset;

	dl_iterate_phdr(find_libulf, &base);
	text = open("/proc/self/mem", O_RDWR);
	is_main_behind();		/* the first call loads a library */
	sigaction(SIGTRAP, &action, NULL);
	while (scanf("%lx", &offset) == 1) {
		outer();		/* opens a page of the ring */
		at = (unsigned char *)(base + offset);
		was = *at;
		pwrite(text, "\xcc", 1, (off_t)at);
		if (argc > 1)
			call_in_child();
		else
			call();
		pwrite(text, &was, 1, (off_t)at);
	}
	fprintf(stderr, "%d hits, %d hushed, %d lost\n", nr_hits, nr_hushed, nr_lost);
	return nr_lost || nr_hits < 100;
}
