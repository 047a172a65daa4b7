/* SPDX-License-Identifier: MIT */
/*
 * Unwinding compared with libc's backtrace(): at calls of many kinds, at every instruction of
 * some code (single-stepped), in signal handlers, on other stacks, and on damaged stacks and
 * tables.
 *
 * no-sanitize: thread its handlers have frames of their own on the stack
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/backtrace.h"
#include "cfi/cfi.h"
#include "runtime/unwind/unwind.h"

#define FRAMES	256

static volatile unsigned int sink;
static volatile int nr_compared;	/* incremented by handlers, too */
static int deepest;

#define NOINLINE __attribute__((noinline))
#ifdef __clang__
#define UNOPTIMIZED __attribute__((noinline, optnone))
#else
#define UNOPTIMIZED __attribute__((noinline, optimize("O0")))
#endif

static NOINLINE int our_frames(uint64_t pcs[FRAMES])
{
	struct unwind unwind;
	uint64_t function;
	int nr = 0;

	unwind_start(&unwind);
	while (nr < FRAMES && !unwind_step(&unwind, &function))
		pcs[nr++] = unwind_pc(&unwind);
	return nr;
}

/* Both unwinders start in this function, each at its own call. */
static NOINLINE void compare(void)
{
	uint64_t ours[FRAMES];
	void *theirs[FRAMES];
	int nr = our_frames(ours), nr_theirs = libc_backtrace(theirs, FRAMES);

	assert_int_equal(nr, nr_theirs);
	for (int i = 1; i < nr; i++)
		assert_ptr_equal((void *)ours[i], theirs[i]);
	nr_compared++;
	if (nr > deepest)
		deepest = nr;
}

/* ---- kinds of functions ---- */

static NOINLINE unsigned int deep(int n)
{
	if (n)
		sink += deep(n - 1) + 1;
	else
		compare();
	return sink;
}

static NOINLINE int with_alloca(size_t bytes)
{
	char *room = alloca(bytes);

	memset(room, 1, bytes);
	compare();
	return room[bytes / 2];
}

static NOINLINE int with_large_frame(void)
{
	char room[200000];

	memset(room, sink, sizeof(room));
	compare();
	return room[sink & 1];
}

static NOINLINE int with_many_arguments(int a, int b, int c, int d, int e, int f,
					int g, int h, int i)
{
	compare();
	return a + b + c + d + e + f + g + h + i;
}

static NOINLINE int with_aligned_frame(void)
{
	char room[64] __attribute__((aligned(256)));

	memset(room, sink, sizeof(room));
	compare();
	return room[sink & 1];
}

static jmp_buf out;

static NOINLINE __attribute__((noreturn)) void never_returns(void)
{
	compare();
	longjmp(out, 1);
}

/* The call is the last instruction of this function. */
static NOINLINE void calls_what_never_returns(void)
{
	never_returns();
}

static NOINLINE void tail(int n)
{
	if (n)
		compare();
	sink++;
}

static NOINLINE void calls_tail(void)
{
	sink++;
	tail(1);
}

static int order(const void *a, const void *b)
{
	compare();
	return *(const int *)a - *(const int *)b;
}

static UNOPTIMIZED int unoptimized(int n)
{
	int copy = n;

	compare();
	return copy;
}

static void all_shapes(void)
{
	int numbers[] = { 3, 1, 2 };

	deep(0);
	deep(60);
	with_alloca(100);
	with_alloca(70000);
	with_large_frame();
	with_aligned_frame();
	with_many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9);
	unoptimized(1);
	calls_tail();
	if (!setjmp(out))
		calls_what_never_returns();
	qsort(numbers, 3, sizeof(numbers[0]), order);
}

static void shapes(void **state)
{
	(void)state;
	nr_compared = deepest = 0;
	all_shapes();
	assert_true(nr_compared > 10);
	assert_true(deepest > 60);
}

/* ---- other stacks ---- */

static void *in_thread(void *arg)
{
	all_shapes();
	return arg;
}

static void thread(void **state)
{
	pthread_t id;

	(void)state;
	nr_compared = 0;
	assert_int_equal(pthread_create(&id, NULL, in_thread, NULL), 0);
	pthread_join(id, NULL);
	assert_true(nr_compared > 10);
}

static ucontext_t here, there;

static void in_context(void)
{
	deep(5);
}

static void context(void **state)
{
	char *stack = malloc(1 << 20);

	(void)state;
	nr_compared = 0;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = 1 << 20;
	there.uc_link = &here;
	/* an address that must not be used: the stack ends with the first function on it */
	there.uc_mcontext.gregs[REG_RBP] = (greg_t)__builtin_frame_address(0);
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
	free(stack);
	assert_int_equal(nr_compared, 1);
}

/* ---- signals ---- */

static void handler(int sig)
{
	(void)sig;
	deep(3);
}

static void install(int sig, int flags, void (*fn)(int))
{
	struct sigaction action = { .sa_flags = flags };

	action.sa_handler = fn;
	sigaction(sig, &action, NULL);
}

static void signals(void **state)
{
	char *room = malloc(1 << 20);
	stack_t stack = { .ss_sp = room, .ss_size = 1 << 20 };

	(void)state;
	nr_compared = 0;
	install(SIGUSR1, 0, handler);
	raise(SIGUSR1);
	sigaltstack(&stack, NULL);
	install(SIGUSR1, SA_ONSTACK, handler);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(room);
	assert_int_equal(nr_compared, 2);
}

/* The caller of a null pointer is not known: there are this function and the frame of the
 * signal. */
static void at_nothing(int sig)
{
	uint64_t pcs[FRAMES];

	(void)sig;
	assert_int_equal(our_frames(pcs), 2);
	nr_compared++;
	longjmp(out, 1);
}

static void call_of_nothing(void **state)
{
	void (*volatile nothing)(void) = NULL;

	(void)state;
	nr_compared = 0;
	install(SIGSEGV, SA_NODEFER, at_nothing);
	if (!setjmp(out))
		nothing();
	install(SIGSEGV, 0, SIG_DFL);
	assert_int_equal(nr_compared, 1);
}

/* ---- every instruction ---- */

#define TRAP_FLAG	0x100

static void at_instruction(int sig)
{
	(void)sig;
	compare();
}

static void step(bool is_on)
{
	uint64_t flags;

	__asm__ volatile("subq $128, %%rsp; pushfq; popq %0; addq $128, %%rsp"
			 : "=r"(flags));
	flags = is_on ? flags | TRAP_FLAG : flags & ~TRAP_FLAG;
	__asm__ volatile("subq $128, %%rsp; pushq %0; popfq; addq $128, %%rsp"
			 : : "r"(flags) : "cc");
}

static NOINLINE unsigned int stepped(int n)
{
	unsigned int numbers[] = { (unsigned int)n, 1, 2 };
	struct timespec now;
	char text[40];

	qsort(numbers, 1, sizeof(numbers[0]), order);	/* through the PLT to libc */
	clock_gettime(CLOCK_MONOTONIC, &now);		/* in the vDSO */
	memset(text, n, sizeof(text));
	return (unsigned int)now.tv_nsec + numbers[0] + (unsigned int)text[n] +
	       (n ? stepped(n - 1) : 0);
}

static void every_instruction(void **state)
{
	(void)state;
	stepped(1);			/* resolves symbols */
	nr_compared = 0;
	install(SIGTRAP, 0, at_instruction);
	step(true);
	sink += stepped(2);
	step(false);
	install(SIGTRAP, 0, SIG_DFL);
	assert_true(nr_compared > 300);
}

/* ---- code without a table ---- */

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const uint8_t with_frame[] = {
	0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3,
};

static NOINLINE void through(void)
{
	uint64_t pcs[FRAMES], after = 0;
	int nr = our_frames(pcs), i = 0;

	while (i < nr && dladdr((void *)pcs[i], &(Dl_info){ 0 }))
		i++;
	assert_in_range(i, 1, nr - 2);		/* the generated code, and other functions */
	after = pcs[i + 1];
	assert_true(dladdr((void *)after, &(Dl_info){ 0 }));
	nr_compared++;
}

static void made_code(void **state)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			  MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, with_frame, sizeof(with_frame));
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	nr_compared = 0;
	((void (*)(void (*)(void)))code)(through);
	munmap(code, 4096);
	assert_int_equal(nr_compared, 1);
}

/* ---- damaged stacks and tables ---- */

static uint64_t random_u64(void)
{
	static uint64_t word = 88172645463325252ull;

	word ^= word << 13;
	word ^= word >> 7;
	word ^= word << 17;
	return word;
}

/* Unwind to the end, through whatever is found. */
static int walk(struct unwind *unwind)
{
	uint64_t function;
	int nr = 0;

	while (nr < FRAMES && !unwind_step(unwind, &function))
		nr++;
	return nr;
}

/* Copy words, including those that a sanitizer has marked. */
static __attribute__((no_sanitize_address)) void
copy_words(uint64_t *to, const uint64_t *from, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		to[i] = *(volatile const uint64_t *)&from[i];
}

/* Words of the stack are swapped or changed.  There is no memory after its end. */
static void wrecked_stack(void **state)
{
	size_t bytes = 8192, most = 0;
	char *copy = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct unwind at, unwind;
	uint64_t *words = (uint64_t *)copy;
	const char *from;

	(void)state;
	assert_ptr_not_equal(copy, MAP_FAILED);
	assert_int_equal(mprotect(copy + bytes, 4096, PROT_NONE), 0);
	unwind_start(&at);
	from = (const char *)(at.regs[ARCH_UNWIND_SP] & ~15ull);
	for (int round = 0; round < 20000; round++) {
		int64_t moved = copy - from;

		copy_words(words, (const uint64_t *)from, 256);
		memset(copy + 2048, 0, bytes - 2048);
		unwind = at;
		for (int i = 0; i < ARCH_UNWIND_PC; i++)
			unwind.regs[i] += unwind.regs[i] - (uint64_t)from < 2048 ?
					  (uint64_t)moved : 0;
		for (int i = 0; i < round % 8; i++)
			words[random_u64() % 256] = round % 3 ? random_u64() :
				words[random_u64() % 256] + (uint64_t)moved;
		if (round % 5 == 0)
			unwind.regs[random_u64() % ARCH_UNWIND_REGS] =
				random_u64() >> random_u64() % 64;
		most += (size_t)walk(&unwind);
	}
	munmap(copy, bytes + 4096);
	assert_true(most > 20000);	/* many walks find several frames */
}

/* A copy of libc's tables with some bytes changed. */
static void wrecked_tables(void **state)
{
	struct dl_find_object found;
	struct cfi_object object;
	struct cfi_function function;
	size_t bytes, known = 0, text, tables;
	uint8_t *copy;

	(void)state;
	assert_int_equal(_dl_find_object((void *)qsort, &found), 0);
	bytes = (size_t)((char *)found.dlfo_map_end - (char *)found.dlfo_map_start);
	text = (size_t)((char *)qsort - (char *)found.dlfo_map_start);
	tables = (size_t)((char *)found.dlfo_eh_frame - (char *)found.dlfo_map_start);
	copy = malloc(bytes);
	object = (struct cfi_object){ copy, copy + bytes, copy + tables, 0 };
	for (int round = 0; round < 3000; round++) {
		uint64_t pc = (uint64_t)copy + text + random_u64() % 500000;

		if (round % 100 == 0)
			memcpy(copy, found.dlfo_map_start, bytes);
		for (int i = 0; round % 2 && i < 200; i++)
			copy[tables + random_u64() % (bytes - tables)] =
				(uint8_t)random_u64();
		if (round % 50 == 7)
			copy[tables + random_u64() % 12] ^= 1 << random_u64() % 8;
		known += !cfi_find(&object, pc, &function);
	}
	free(copy);
	assert_true(known > 300);
}

static bool read_nothing(void *arg, uint64_t addr, uint64_t *ret_word)
{
	(void)arg;
	*ret_word = addr;
	return addr % 2;
}

static void expressions(void **state)
{
	/* CFA of a PLT entry: rsp + 8 + ((pc & 15) >= 11) * 8 */
	static const uint8_t plt[] = {
		11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
	};
	static const uint8_t loop[] = { 3, 0x2f, 0xfd, 0xff };
	struct cfi_object object = { plt, plt + sizeof(plt), NULL, 0 };
	uint64_t regs[ARCH_UNWIND_REGS] = { [7] = 1000, [16] = 0x400 };
	uint64_t value;
	uint8_t junk[64];

	(void)state;
	assert_int_equal(cfi_evaluate(&object, 0, regs, NULL, read_nothing, NULL, &value), 0);
	assert_int_equal(value, 1008);
	regs[16] += 11;
	assert_int_equal(cfi_evaluate(&object, 0, regs, NULL, read_nothing, NULL, &value), 0);
	assert_int_equal(value, 1016);
	object = (struct cfi_object){ loop, loop + sizeof(loop), NULL, 0 };
	assert_int_equal(cfi_evaluate(&object, 0, regs, NULL, read_nothing, NULL, &value),
			 -EINVAL);
	object = (struct cfi_object){ junk, junk + sizeof(junk), NULL, 0 };
	for (int round = 0; round < 100000; round++) {
		for (size_t i = 0; i < sizeof(junk); i++)
			junk[i] = (uint8_t)random_u64();
		junk[0] %= 64;
		cfi_evaluate(&object, 0, regs, &regs[7], read_nothing, NULL, &value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(thread),
		cmocka_unit_test(context),
		cmocka_unit_test(signals),
		cmocka_unit_test(call_of_nothing),
		cmocka_unit_test(every_instruction),
		cmocka_unit_test(made_code),
		cmocka_unit_test(wrecked_stack),
		cmocka_unit_test(wrecked_tables),
		cmocka_unit_test(expressions),
	};

	libc_backtrace_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
