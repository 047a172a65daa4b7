// SPDX-License-Identifier: MIT
// An unwinder sees the same frames with the graph tracer and without it, except frames that
// the tracer adds.  CFA and return address of each frame are equal in a personality routine,
// in the callback of _Unwind_Backtrace() and in the stop function of a forced unwind.
// Exceptions work, too.  All this is tested with each unwinder that is installed as a
// library.
//
// With an argument the program does this once: "exact", or "odd", where the CFAs of callers
// may be too large by one because the unwinder is linked statically.
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <vector>

#include <linux/ftrace.h>

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%d: not true: %s\n",	\
				     __LINE__, #condition);		\
			std::_Exit(1);					\
		}							\
	} while (0)

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
// In a function that contains this, the compiler knows nothing of its effects, and the call
// before it is not a tail call.
#define STAYS	__asm__ volatile("" ::: "memory")

static bool may_be_odd;
static volatile int entries;

static int on_entry(struct ftrace_graph_ent *, struct fgraph_ops *)
{
	__atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED);
	return 1;
}

static void on_exit(struct ftrace_graph_ret *, struct fgraph_ops *)
{
}

static struct fgraph_ops gops;

static void on(void)
{
	gops.entryfunc = on_entry;
	gops.retfunc = on_exit;
	entries = 0;
	CHECK(!register_ftrace_graph(&gops));
}

static void off(void)
{
	unregister_ftrace_graph(&gops);
}

// ---- the frames that an unwinder sees ----

struct frame {
	uint64_t ip, cfa;
	int actions;
};

static std::vector<frame> seen;

// The frames that the tracer adds return to a range of this size, at a multiple of the size.
#define BODIES	0x800000ul

static uint64_t bodies;

TRACED uint64_t where(void)
{
	STAYS;
	return (uint64_t)__builtin_return_address(0);
}

static void find_bodies(void)
{
	on();
	bodies = where() & -BODIES;
	off();
	CHECK((where() & -BODIES) != bodies);
}

// Store the frame.  Returns false if it is a frame of the tracer.
static bool see(struct _Unwind_Context *context, int actions)
{
	frame f = { _Unwind_GetIP(context), _Unwind_GetCFA(context), actions };

	if ((f.ip & -BODIES) == bodies)
		return false;
	seen.push_back(f);
	return true;
}

static void compare(const std::vector<frame> &without, const char *what)
{
	bool is_equal = without.size() == seen.size() && without.size() > 3;

	for (size_t i = 0; i < without.size() && is_equal; i++)
		is_equal = without[i].ip == seen[i].ip &&
			   without[i].actions == seen[i].actions &&
			   (without[i].cfa == seen[i].cfa ||
			    (may_be_odd && without[i].cfa + 1 == seen[i].cfa));
	if (is_equal)
		return;
	std::fprintf(stderr, "%s: %zu frames without, %zu with the tracer:\n", what,
		     without.size(), seen.size());
	for (size_t i = 0; i < without.size() && i < seen.size(); i++)
		std::fprintf(stderr, "%#lx %#lx %x\t%#lx %#lx %x\n",
			     without[i].ip, without[i].cfa, without[i].actions,
			     seen[i].ip, seen[i].cfa, seen[i].actions);
	std::_Exit(1);
}

// Compare the frames.  In both rounds the same instruction calls @fn, with the same stack.
static void test_same(void (*fn)(void), const char *what)
{
	std::vector<frame> without;

	for (volatile int i = 0; i < 2; i++) {	// must not be unrolled
		seen.clear();
		seen.reserve(4096);
		if (i)
			on();
		fn();
		if (i)
			off();
		else
			without = seen;
	}
	CHECK(entries);
	compare(without, what);
}

// ---- a frame with a personality routine of its own, which uses the CFA ----

#define MAGIC	0x4a1f6a3e51d2c0b7

// frame_call(fn, arg): returns the result of fn(arg), or the value with which an exception
// lands here.
extern "C" long frame_call(long (*fn)(long), long arg);
extern "C" char frame_landing[] __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
	".globl	frame_call\n"
	".hidden frame_landing\n"
	".type	frame_call, @function\n"
"frame_call:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, frame_personality\n"
	"pushq	%rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"subq	$32, %rsp\n"
	".cfi_def_cfa_offset 48\n"
	"movabsq $0x4a1f6a3e51d2c0b7, %rax\n"
	"movq	%rax, 0(%rsp)\n"
	"movq	%rsp, 8(%rsp)\n"
	"movq	%rsp, %rbx\n"
	"movq	%rdi, %rax\n"
	"movq	%rsi, %rdi\n"
	"call	*%rax\n"
	".globl	frame_landing\n"
"frame_landing:\n"
	"cmpq	%rbx, %rsp\n"		// both registers are unchanged
	"je	1f\n"
	"ud2\n"
"1:\n"
	"addq	$32, %rsp\n"
	".cfi_def_cfa_offset 16\n"
	"popq	%rbx\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size	frame_call, . - frame_call\n"
	".popsection\n");

static const _Unwind_Exception_Class CLASS = 0x756c66746573740a;
static bool lands_everything;		// if false, only exceptions of this test land

extern "C" __attribute__((visibility("hidden"), used)) _Unwind_Reason_Code
frame_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class cls,
		  struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
{
	uint64_t is_odd = may_be_odd ? _Unwind_GetCFA(context) & 1 : 0;
	const uint64_t *cfa = (const uint64_t *)(_Unwind_GetCFA(context) - is_odd);

	CHECK(version == 1);
	see(context, actions);
	CHECK(!((uint64_t)cfa & 7) && cfa[0] == MAGIC && cfa[1] == (uint64_t)cfa);
	if (actions & _UA_FORCE_UNWIND || (cls != CLASS && !lands_everything))
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	if (cls != CLASS)
		_Unwind_DeleteException(thrown);
	_Unwind_SetGR(context, 0, 42);
	_Unwind_SetIP(context, (uint64_t)frame_landing);
	return _URC_INSTALL_CONTEXT;
}

static struct _Unwind_Exception exception;

// The compiler does not know that these functions never return.
static volatile bool is_true = true;

TRACED long raises(long x)
{
	if (!is_true)
		return x;
	exception.exception_class = CLASS;
	exception.exception_cleanup = NULL;
	_Unwind_RaiseException(&exception);
	std::_Exit(1);			// no frame has caught it
}

static int destroyed;

struct guard {
	~guard() { destroyed++; }
};

// The exception passes untraced and traced functions, with and without a cleanup.
TRACED long plain_raises(long x) { long r = raises(x); STAYS; return r; }
__attribute__((noinline)) long untraced_raises(long x)
{
	guard g;

	return plain_raises(x);
}
TRACED long guarded_raises(long x) { guard g; return untraced_raises(x); }
TRACED long deep_raises(long x) { long r = x ? deep_raises(x - 1) : raises(x); STAYS; return r; }
// The call is a tail call, so this function's frame is that of its caller.
TRACED long tail_raises(long x) { return raises(x); }
TRACED long returns(long x) { STAYS; return x; }

static void land_all(void)
{
	CHECK(frame_call(returns, 7) == 7);
	CHECK(frame_call(raises, 0) == 42);
	CHECK(frame_call(plain_raises, 0) == 42);
	CHECK(frame_call(tail_raises, 0) == 42);
	destroyed = 0;
	CHECK(frame_call(untraced_raises, 0) == 42 && destroyed == 1);
	CHECK(frame_call(guarded_raises, 0) == 42 && destroyed == 3);
	CHECK(frame_call(deep_raises, 500) == 42);
}

// ---- such frames around others, and C++ exceptions through them ----

TRACED long nested(long x)
{
	return x ? frame_call(nested, x - 1) + 1 : frame_call(guarded_raises, 0);
}

TRACED long throws(long x)
{
	if (x >= 0)
		throw std::runtime_error("thrown");
	return x;
}

TRACED long throws_through(long x)
{
	guard g;

	return frame_call(throws, x) + 1;
}

TRACED long catches(long x)
{
	try {
		return throws_through(x);
	} catch (const std::runtime_error &) {
		return 5;
	}
}

// The handler is in the caller of the function that throws.
TRACED long catches_at_once(long x)
{
	try {
		throws(x);
	} catch (...) {
		return 6;
	}
	return 7;
}

TRACED long rethrows(long x)
{
	try {
		return throws(x);
	} catch (...) {
		guard g;

		throw;
	}
}

TRACED long catches_each(long depth)
{
	try {
		if (depth)
			return catches_each(depth - 1) + throws(0);
		throw 1L;
	} catch (long thrown) {
		return thrown;
	} catch (const std::exception &) {
		return catches_at_once(0) + depth;
	}
}

TRACED long throws_in_cleanup(long x)
{
	struct careful {
		~careful()
		{
			CHECK(catches_at_once(0) == 6);
			destroyed++;
		}
	} c;

	return throws(x);
}

static void mix_all(void)
{
	CHECK(nested(5) == 47);
	destroyed = 0;
	CHECK(catches(0) == 5 && destroyed == 1);
	CHECK(catches(-4) == -3 && destroyed == 2);
	lands_everything = true;
	CHECK(catches(0) == 43 && destroyed == 3);
	CHECK(frame_call(rethrows, 0) == 42 && destroyed == 4);
	CHECK(frame_call(throws_in_cleanup, 0) == 42 && destroyed == 5);
	lands_everything = false;
	for (int i = 0; i < 100; i++)
		CHECK(catches_at_once(0) == 6);
	CHECK(catches_each(100) == 106);
}

// ---- _Unwind_Backtrace(), _Unwind_ForcedUnwind() ----

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *)
{
	see(context, 0);
	return _URC_NO_REASON;
}

TRACED long looks(long x)
{
	_Unwind_Backtrace(on_frame, NULL);
	STAYS;
	return x;
}

TRACED long looks_deep(long x) { guard g; return x ? looks_deep(x - 1) : looks(x); }

static void look_all(void)
{
	CHECK(frame_call(looks_deep, 20) == 0);
	CHECK(frame_call(looks, 1) == 1);
}

static jmp_buf there;
static uint64_t there_cfa;

static _Unwind_Reason_Code on_stop(int, _Unwind_Action actions, _Unwind_Exception_Class,
				   struct _Unwind_Exception *,
				   struct _Unwind_Context *context, void *arg)
{
	CHECK(arg == &there);
	if (see(context, actions) && _Unwind_GetCFA(context) >= there_cfa)
		longjmp(there, 1);
	return _URC_NO_REASON;
}

TRACED long is_forced(long x)
{
	if (!is_true)
		return x;
	_Unwind_ForcedUnwind(&exception, on_stop, &there);
	std::_Exit(1);
}

TRACED long guarded_force(long x) { guard g; return x ? guarded_force(x - 1) : is_forced(x); }
TRACED long force_through(long x) { guard g; return frame_call(guarded_force, x) + 1; }

static __attribute__((noinline)) void force_all(void)
{
	there_cfa = (uint64_t)__builtin_frame_address(0);
	destroyed = 0;
	if (!setjmp(there)) {
		force_through(10);
		std::_Exit(1);
	}
	CHECK(destroyed == 12);
}

// ---- at each instruction ----

static uint64_t libulf_low, libulf_high;

static int find_libulf(struct dl_phdr_info *info, size_t, void *)
{
	uint64_t here = (uint64_t)register_ftrace_graph, low = UINT64_MAX, high = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		low = std::min<uint64_t>(low, info->dlpi_addr + p->p_vaddr);
		high = std::max<uint64_t>(high, info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	if (here < low || here >= high)
		return 0;
	libulf_low = low;
	libulf_high = high;
	return 1;
}

static _Unwind_Reason_Code on_step_frame(struct _Unwind_Context *context, void *arg)
{
	const uint64_t *cfa = (const uint64_t *)_Unwind_GetCFA(context);

	if (_Unwind_GetIP(context) != (uint64_t)frame_landing)
		return _URC_NO_REASON;
	*(bool *)arg = !((uint64_t)cfa & 7) && cfa[0] == MAGIC && cfa[1] == (uint64_t)cfa;
	return _URC_END_OF_STACK;
}

static volatile int nr_steps;

// Called at each instruction of a traced call of frame_call(): the unwinder must find
// frame_call() from every place in libulf.
static void on_step(int, siginfo_t *, void *arg)
{
	uint64_t ip = (uint64_t)((ucontext_t *)arg)->uc_mcontext.gregs[REG_RIP];
	bool is_found = false;

	if (ip < libulf_low || ip >= libulf_high)
		return;
	nr_steps++;
	_Unwind_Backtrace(on_step_frame, &is_found);
	if (is_found)
		return;
	std::fprintf(stderr, "step %d, at libulf + %#lx: the caller is not found\n", nr_steps,
		     ip - libulf_low);
	std::_Exit(1);
}

static __attribute__((noinline)) void set_trap_flag(unsigned long flag)
{
	__asm__ volatile("pushfq\n\t"
			 "andq	$~0x100, (%%rsp)\n\t"
			 "orq	%0, (%%rsp)\n\t"
			 "popfq" : : "r"(flag) : "memory", "cc");
}

static void test_steps(void)
{
	static long (*const fns[])(long) = { returns, raises, guarded_raises, tail_raises };
	struct sigaction action = {};

	CHECK(dl_iterate_phdr(find_libulf, NULL) == 1);
	// In a static program every address would be in this range.
	if ((uint64_t)on_step >= libulf_low && (uint64_t)on_step < libulf_high)
		return;
	action.sa_sigaction = on_step;
	action.sa_flags = SA_SIGINFO;
	CHECK(!sigaction(SIGTRAP, &action, NULL));
	on();
	for (auto fn : fns) {
		frame_call(fn, 0);		// binds the symbols
		nr_steps = 0;
		set_trap_flag(0x100);
		frame_call(fn, 0);
		set_trap_flag(0);
		CHECK(nr_steps > 50);
	}
	off();
}

// ---- threads ----

TRACED long waits(long)
{
	guard g;

	for (;;)
		pause();
}

TRACED long leaves(long) { guard g; pthread_exit(NULL); }

static void *wait_in_frame(void *arg)
{
	frame_call((long (*)(long))arg, 0);
	return NULL;
}

static void end_all(void)
{
	pthread_t waiter, leaver;

	destroyed = 0;
	CHECK(!pthread_create(&waiter, NULL, wait_in_frame, (void *)waits));
	CHECK(!pthread_cancel(waiter));
	CHECK(!pthread_join(waiter, NULL));
	CHECK(!pthread_create(&leaver, NULL, wait_in_frame, (void *)leaves));
	CHECK(!pthread_join(leaver, NULL));
	CHECK(destroyed == 2);
}

static void test_threads(void)
{
	on();
	for (int i = 0; i < 20; i++)
		end_all();
	off();
}

// ---- unwinders ----

static bool is_sanitized(void)
{
	const char *sanitizer = std::getenv("ULF_SANITIZER");

	return sanitizer && *sanitizer;
}

static void test_all(void)
{
	find_bodies();
	test_same(land_all, "landing");
	test_same(mix_all, "C++");
	test_same(look_all, "_Unwind_Backtrace()");
	test_same(force_all, "_Unwind_ForcedUnwind()");
	// libc unwinds threads with libgcc.  LLVM 14's unwinder fails where a signal has
	// interrupted the first instruction of a function.
	if (std::getenv("LD_PRELOAD"))
		return;
	if (!is_sanitized() && !may_be_odd)
		test_steps();
	test_threads();
}

static void run_with(const char *unwinder)
{
	int status = 0;
	pid_t child;

	if (unwinder && !dlopen(unwinder, RTLD_NOW | RTLD_LOCAL)) {
		std::printf("no %s here\n", unwinder);
		return;
	}
	std::fflush(stdout);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		if (unwinder)
			setenv("LD_PRELOAD", unwinder, 1);
		execl("/proc/self/exe", "cfa", "exact", NULL);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!status)
		return;
	std::fprintf(stderr, "with %s: status %#x\n", unwinder ? unwinder : "libgcc", status);
	std::_Exit(1);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		may_be_odd = !std::strcmp(argv[1], "odd");
		test_all();
		return 0;
	}
	run_with(NULL);
	// A sanitizer must be the first of all preloaded libraries.
	if (is_sanitized())
		return 0;
	run_with("libunwind.so.1");	// the unwinder of LLVM
	run_with("libunwind.so.8");	// the unwinder of nongnu.org
	return 0;
}
