/* SPDX-License-Identifier: MIT */
/*
 * A program with code that is hard to patch, which checks itself in a thread for each kind:
 *
 *	made		code that is made at run time, calls functions, is rewritten, and unmapped
 *	chosen		functions that a resolver chooses (IFUNC), also in a library
 *	mixed		functions written in assembler, with data before and after their code
 *	cloned		children that clone() makes on another stack, in the same memory
 *
 *	odd PLUGIN	ends when its input ends; prints `ok' or what was wrong
 *
 * Lines of input, each answered by a line:
 *
 *	sum		print how many bytes of the program's code are not those of its start
 *	patch, unpatch	replace the first bytes of odd_patched() by a jump to odd_replacement(), and
 *			write back what was there, as a program that patches itself would
 *	load, bind, unload	load the library, call it from now on, unload it
 *	call		print odd_patched(5): 16, or 1016 if its own jump is there
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE	__attribute__((noinline, noclone))
#define PAGE		4096ul
#define STACK		65536

static atomic_int is_over, nr_wrong;
static atomic_long nr_rounds;
static const char *plugin_path;

static void check(int is_right, const char *what)
{
	if (!is_right && !atomic_fetch_add(&nr_wrong, 1)) {
		printf("wrong: %s\n", what);
		fflush(stdout);
	}
}

/* ---- code that is made at run time ---- */

static __thread jmp_buf left;

NOINLINE long odd_helper(long x)
{
	if (x == 7)
		longjmp(left, 1);
	__asm__ volatile("" : "+r"(x));
	return 2 * x;
}

/* Write a function that returns odd_helper(x) + @more. */
static void generate(unsigned char *code, int more)
{
	static const unsigned char text[] = {
		0x53,					/* push %rbx */
		0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,	/* mov $odd_helper,%rax */
		0xff, 0xd0,				/* call *%rax */
		0x48, 0x05, 0, 0, 0, 0,			/* add $more,%rax */
		0x5b, 0xc3,				/* pop %rbx; ret */
	};
	long (*helper)(long x) = odd_helper;

	memcpy(code, text, sizeof(text));
	memcpy(code + 3, &helper, 8);
	memcpy(code + 15, &more, 4);
}

NOINLINE void odd_made(int nr)
{
	unsigned char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*made)(long x) = (long (*)(long x))code;
	volatile int i;

	for (i = 0; i < 3; i++) {
		mprotect(code, PAGE, PROT_READ | PROT_WRITE);
		generate(code, nr + i);
		mprotect(code, PAGE, PROT_READ | PROT_EXEC);
		check(made(nr % 5) == 2 * (nr % 5) + nr + i, "made code");
		if (!setjmp(left)) {
			made(7);
			check(0, "a jump over made code");
		}
	}
	munmap(code, PAGE);
}

/* ---- functions that a resolver chooses ---- */

long odd_first(long x);
long odd_second(long x);

NOINLINE long odd_first(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

NOINLINE long odd_second(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

static long (*odd_resolver(void))(long x)
{
	return odd_second;
}

long odd_chosen(long x) __attribute__((ifunc("odd_resolver")));

static void *plugin;
static _Atomic(long (*)(long x)) plugin_calls;
static atomic_int is_calling;

NOINLINE void odd_choose(int nr)
{
	long (*calls)(long x);

	check(odd_chosen(nr) == nr + 2, "a chosen function");
	is_calling = 1;
	calls = plugin_calls;
	if (calls)
		check(calls(nr) == nr + 30, "a chosen function of a library");
	is_calling = 0;
}

static long load(void)
{
	plugin = dlopen(plugin_path, RTLD_LAZY);
	return !plugin;
}

/* The first call binds the library's own call of its chosen function. */
static long bind_late(void)
{
	plugin_calls = (long (*)(long x))dlsym(plugin, "plugin_calls");
	return !plugin_calls;
}

static long unload(void)
{
	plugin_calls = NULL;
	while (is_calling)
		usleep(100);
	return dlclose(plugin);
}

/* ---- functions with data ---- */

/* odd_reads(x) is word x % 4 of a table after it; odd_prefixed(x) adds the word before it;
 * odd_backwards(x) adds 3 by jumps to its second instruction. */
#define BEGIN(name)								\
	".globl " #name "\n\t.type " #name ",@function\n" #name ":\n\t.cfi_startproc\n\t"
#define END(name)								\
	".cfi_endproc\n\t.size " #name ",.-" #name "\n\t"
__asm__(".pushsection .text,\"ax\",@progbits\n\t.p2align 4\n\t"
	BEGIN(odd_reads)
	"andl $3,%edi\n\tleaq 1f(%rip),%rax\n\tmovslq (%rax,%rdi,4),%rax\n\tret\n"
	"1:\t.long 0x0100e9, 0x00eb, 0x5de8, 0x0fc3c3\n\t"
	END(odd_reads)
	/* the starts of instructions that do not end here */
	".byte 0xe9,0xff,0xff,0x48,0xb8\n\t"
	".long 41\n\t"
	BEGIN(odd_prefixed)
	"movslq odd_prefixed - 4(%rip),%rax\n\taddq %rdi,%rax\n\tret\n\t"
	END(odd_prefixed)
	BEGIN(odd_backwards)
	"movl $3,%eax\n2:\taddq $1,%rdi\n\tdecl %eax\n\tjne 2b\n\tmovq %rdi,%rax\n\tret\n\t"
	END(odd_backwards) ".popsection");
long odd_reads(long x);
long odd_prefixed(long x);
long odd_backwards(long x);

NOINLINE void odd_mixed(int nr)
{
	static const long words[] = { 0x0100e9, 0x00eb, 0x5de8, 0x0fc3c3 };

	check(odd_reads(nr) == words[nr & 3], "data after a function");
	check(odd_prefixed(nr) == nr + 41, "data before a function");
	check(odd_backwards(nr) == nr + 3, "a jump into the first bytes");
}

/* ---- children in the same memory ---- */

NOINLINE int odd_descend(int depth)
{
	volatile int left_to_go = depth;

	return depth ? odd_descend(depth - 1) + 1 + (depth - left_to_go) : 0;
}

NOINLINE int odd_child(void *result)
{
	*(int *)result = odd_descend(20);
	_exit(*(int *)result);
}

NOINLINE void odd_cloned(int nr)
{
	static const int flags[] = { SIGCHLD | CLONE_VM | CLONE_VFORK, SIGCHLD };
	char *stack = malloc(STACK);
	int status = -1, result = -1;
	pid_t pid = clone(odd_child, stack + STACK, flags[nr % 2], &result);

	check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 20, "a cloned child");
	check(result == (nr % 2 ? -1 : 20), "memory of a cloned child");
	check(odd_descend(10) == 10, "the parent of a cloned child");
	free(stack);
	usleep(1000);
}

/* ---- a program that patches itself ---- */

NOINLINE long odd_patched(long x)
{
	__asm__ volatile("" : "+r"(x));
	return 3 * x + 1;
}

NOINLINE long odd_replacement(long x)
{
	__asm__ volatile("" : "+r"(x));
	return 3 * x + 1001;
}

static unsigned char saved[5];

static void write_code(const unsigned char *bytes)
{
	unsigned char *at = (unsigned char *)odd_patched;
	void *page = (void *)((uintptr_t)at & -PAGE);

	mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(saved, at, sizeof(saved));
	memcpy(at, bytes, sizeof(saved));
	mprotect(page, 2 * PAGE, PROT_READ | PROT_EXEC);
}

static void patch(void)
{
	unsigned char jump[5] = { 0xe9 };
	int distance = (int)((char *)odd_replacement - (char *)odd_patched - 5);

	memcpy(jump + 1, &distance, 4);
	write_code(jump);
}

static void unpatch(void)
{
	unsigned char old[sizeof(saved)];

	memcpy(old, saved, sizeof(old));
	write_code(old);
}

/* ---- a program that checks its code ---- */

extern const char etext[];
static char *code_copy;

static const char *code_start(void)
{
	return (const char *)((uintptr_t)code_start & -PAGE);
}

static long nr_changed(void)
{
	long nr = 0;

	for (const char *p = code_start(); p < etext; p++)
		nr += *p != code_copy[p - code_start()];
	return nr;
}

static void copy_code(void)
{
	size_t bytes = (size_t)(etext - code_start());

	code_copy = malloc(bytes);
	memcpy(code_copy, code_start(), bytes);
}

/* ---- the program ---- */

static void *repeat(void *arg)
{
	void (*test)(int nr) = (void (*)(int nr))arg;

	for (int nr = 1; !is_over; nr++) {
		test(nr);
		nr_rounds++;
		usleep(200);
	}
	return NULL;
}

static void answer(const char *line)
{
	long result = 0;

	if (!strcmp(line, "sum\n"))
		result = nr_changed();
	else if (!strcmp(line, "load\n"))
		result = load();
	else if (!strcmp(line, "bind\n"))
		result = bind_late();
	else if (!strcmp(line, "unload\n"))
		result = unload();
	else if (!strcmp(line, "patch\n"))
		patch();
	else if (!strcmp(line, "unpatch\n"))
		unpatch();
	else if (!strcmp(line, "call\n"))
		result = odd_patched(5);
	printf("%ld\n", result);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static void (*const tests[])(int nr) = { odd_made, odd_choose, odd_mixed, odd_cloned };
	enum { NR = sizeof(tests) / sizeof(tests[0]) };
	pthread_t threads[NR];
	char line[16];

	if (argc != 2)
		return 2;
	plugin_path = argv[1];
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	copy_code();
	for (int i = 0; i < NR; i++)
		if (pthread_create(&threads[i], NULL, repeat, (void *)tests[i]))
			return 2;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		answer(line);
	is_over = 1;
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	if (!nr_wrong)
		puts(nr_rounds > 100 ? "ok" : "too few rounds");
	return nr_wrong != 0;
}
