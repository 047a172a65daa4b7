// SPDX-License-Identifier: MIT
// A function that is left by another way than its return, and what is called then.  Each
// line of stdin is the name of one way; "done" is the answer to each.
#include <csetjmp>
#include <cstdint>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>

#define INSIDE	extern "C" __attribute__((noinline))
#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define BEHIND	__asm__ volatile("")	// the call before it is not the last act

static volatile int sum;
static jmp_buf back;
static ucontext_t mine, other;

INSIDE void leaf(void)
{
	sum = sum + 1;
}

// Its own calls are deeper on the stack than that of a function that was left.
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

// Is left, but goes on.
INSIDE void yields(void)
{
	leaf();
	swapcontext(&other, &mine);
	leaf();
	BEHIND;
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

OUTSIDE static void in_coroutine(void)
{
	yields();
}

// Its stack is further down than this one: else calls here were inside of its own.
OUTSIDE static void coroutine(void)
{
	size_t size = 65536;
	uintptr_t below = (uintptr_t)&size - (1ul << 30);
	void *stack = mmap((void *)(below & -size), size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = size;
	other.uc_link = &mine;
	makecontext(&other, in_coroutine, 0);
	swapcontext(&mine, &other);
	later();
	swapcontext(&mine, &other);
	munmap(stack, size);
}

OUTSIDE int main()
{
	std::string way;

	while (std::getline(std::cin, way)) {
		void (*run)(void) = way.find("jump") == 0 ? jump :
				    way.find("throw") == 0 ? catches : coroutine;

		if (way.find(" thread") != way.npos)
			std::thread(run).join();
		else
			run();
		std::cout << "done" << std::endl;
	}
}
