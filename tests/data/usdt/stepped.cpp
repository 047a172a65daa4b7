// SPDX-License-Identifier: MIT
// Steps through a function with a USDT probe, one instruction at a time.  At each one a signal
// handler takes a backtrace, which must lead to the caller.  Where no object is loaded, which is in
// the stub and in the cell of the probe, a child of the handler throws an exception, which the
// caller must catch.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe.h"

extern "C" __attribute__((noinline)) void helper()
{
	__asm__ volatile("");
}

extern "C" long probed(long value);
__asm__(".text\n"
	".globl probed\n"
	".type probed, @function\n"
	"probed:\n"
	".cfi_startproc\n"
	"pushq %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"movq %rdi, %rbx\n"
	PROBE_NOTE("stepped", "probed", "0", "8@%rbx 8@(%rsp)")
	"leaq 1(%rbx), %rax\n"
	"popq %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size probed, . - probed\n");

static volatile int nr_steps, nr_bare, nr_lost, nr_caught;
static volatile unsigned long low, high;	// addresses of the caller, call()

static bool has_caller()
{
	void *frames[100];
	int nr = backtrace(frames, 100);

	for (int i = 0; i < nr; i++)
		if ((unsigned long)frames[i] >= low && (unsigned long)frames[i] < high)
			return true;
	return false;
}

static void on_step(int, siginfo_t *, void *arg)
{
	ucontext_t *context = static_cast<ucontext_t *>(arg);
	unsigned long pc = (unsigned long)context->uc_mcontext.gregs[REG_RIP];
	Dl_info info;
	pid_t child;
	int status;

	nr_steps++;
	if (!has_caller()) {
		nr_lost++;
		std::fprintf(stderr, "lost at %#lx\n", pc);
	}
	if (dladdr((void *)pc, &info))
		return;
	nr_bare++;
	child = fork();
	if (!child)
		throw 1;
	if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42)
		nr_caught++;
	else
		std::fprintf(stderr, "not caught at %#lx: %#x\n", pc, status);
}

__attribute__((noinline)) static long call(long value)
{
	long result = 0;

	try {
		__asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" : : : "cc", "memory");
		result = probed(value);
		__asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" : : : "cc", "memory");
	} catch (int) {
		_exit(42);
	}
	return result;
}

int main()
{
	struct sigaction action = {};
	void *frames[4];
	char line[80];

	low = (unsigned long)&call;
	high = low + 512;
	backtrace(frames, 4);		// loads libgcc
	action.sa_sigaction = on_step;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGTRAP, &action, nullptr);
	std::puts("ready");
	std::fflush(stdout);
	while (std::fgets(line, sizeof(line), stdin)) {
		nr_steps = nr_bare = nr_lost = nr_caught = 0;
		if (call(7) != 8)
			std::puts("wrong");
		std::printf("bare %d caught %d lost %d\n", nr_bare, nr_caught, nr_lost);
		std::fflush(stdout);
	}
}
