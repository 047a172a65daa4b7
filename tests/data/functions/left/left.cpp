// SPDX-License-Identifier: MIT
// A function that is left without a return, and calls after that.  Each line of stdin names
// one case; the program answers each with "done".  In the case "deep" it first answers
// "there", and waits for another line.
#include <csetjmp>
#include <cstdint>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>

#define INSIDE	extern "C" __attribute__((noinline))
#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define BEHIND	__asm__ volatile("")	// prevents that the call before it is a tail call

#define DEPTH	100000
#define CALLS	1000000

static volatile int sum;
static jmp_buf back;
static ucontext_t mine, other;

INSIDE void leaf(void)
{
	sum = sum + 1;
}

// The calls of this function are deeper on the stack than the calls of the function that was left.
INSIDE void later(void)
{
	volatile char room[1024];

	room[0] = 1;
	leaf();
	sum = sum + room[0];
}

INSIDE void jumps(void)
{
	leaf();
	longjmp(back, 1);
}

INSIDE void throws(void)
{
	leaf();
	throw 1;
}

// This function is left by swapcontext(), and continues later.
INSIDE void yields(void)
{
	leaf();
	swapcontext(&other, &mine);
	leaf();
	BEHIND;
}

INSIDE void sinks(int depth, void (*bottom)(void))
{
	if (depth)
		sinks(depth - 1, bottom);
	else
		bottom();
	BEHIND;
}

OUTSIDE static void call(void)
{
	for (int i = 0; i < CALLS; i++)
		leaf();
}

OUTSIDE static void jump(void)
{
	if (!setjmp(back))
		jumps();
	later();
	later();
}

OUTSIDE static void catches(void)
{
	try {
		throws();
	} catch (int) {
	}
	later();
	later();
}

OUTSIDE static void yield(void)
{
	swapcontext(&other, &mine);
}

OUTSIDE static void in_deep(void)
{
	sinks(DEPTH, yield);
}

// The stack of the coroutine must be below this one.  Above it, calls of this function would
// look like calls inside of the coroutine.
OUTSIDE static void coroutine_on(void *stack, size_t size, void (*fn)(void), void (*calls)(void))
{
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = size;
	other.uc_link = &mine;
	makecontext(&other, fn, 0);
	swapcontext(&mine, &other);
	calls();
	swapcontext(&mine, &other);
}

OUTSIDE static void coroutine_of(size_t size, void (*fn)(void), void (*calls)(void))
{
	uintptr_t below = (uintptr_t)&size - (1ul << 30);
	void *stack = mmap((void *)(below & -size), size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	coroutine_on(stack, size, fn, calls);
	munmap(stack, size);
}

OUTSIDE static void coroutine(void)
{
	coroutine_of(65536, yields, later);
}

OUTSIDE static void far(void)
{
	coroutine_of(1 << 26, in_deep, call);
}

OUTSIDE static void *in_slab(void *stack)
{
	coroutine_on(stack, 65536, yields, later);
	return nullptr;
}

// The stacks of a thread and of a coroutine are in one mapping.
OUTSIDE static void slab(void)
{
	const size_t size = 1 << 27, own = 1 << 18;
	char *stacks = (char *)mmap(nullptr, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks + size - own, own);
	pthread_create(&thread, &attr, in_slab, stacks);
	pthread_join(thread, nullptr);
	munmap(stacks, size);
}

OUTSIDE static void at_bottom(void)
{
	std::string line;

	std::cout << "there" << std::endl;
	std::getline(std::cin, line);
	call();
}

OUTSIDE static void deep(void)
{
	sinks(DEPTH, at_bottom);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "jump", jump }, { "throw", catches }, { "coroutine", coroutine }, { "far", far },
	{ "deep", deep }, { "slab", slab },
};

OUTSIDE int main()
{
	std::string line;

	while (std::getline(std::cin, line)) {
		for (auto &way : ways) {
			if (line == way.name)
				way.run();
			else if (line == std::string(way.name) + " thread")
				std::thread(way.run).join();
		}
		std::cout << "done" << std::endl;
	}
}
