// SPDX-License-Identifier: MIT
// Calls functions one instruction at a time, for unwind_moved.sh, which traces them.  At each
// instruction that libulf has made a signal handler
//
//	- takes a backtrace, which must lead to the caller, and on to main();
//	- lets libulf record its own, for unwind_moved.sh;
//	- throws an exception in a child, where the caller must catch it;
//	- cancels the thread of another child, in which the caller's cleanup must run.
//
// These instructions are in stubs, slots and copies, where no object is loaded.  In the program and
// in libulf the handler takes backtraces, too.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%d: %s, step %u at %#lx: not true: %s\n",	\
				     __LINE__, function, nr_steps, last_pc, #condition);	\
			std::_Exit(1);					\
		}							\
	} while (0)

// The functions.  Each one returns its argument + 1, and begins with another kind of
// instructions.
__asm__(R"(
	.text
	.macro	begin name
	.balign	16
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	begin	leaf
	lea	1(%rdi), %rax
	ret
	end	leaf

	begin	moved_frame
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	sub	$16, %rsp
	lea	1(%rdi), %rax
	leave
	.cfi_def_cfa rsp, 8
	ret
	end	moved_frame

	begin	moved_sub
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	mov	%rdi, %rax
	inc	%rax
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end	moved_sub

	begin	moved_pushes
	push	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset r15, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset r12, -24
	push	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset rbx, -32
	mov	$1, %ebx
	xor	%r12d, %r12d
	mov	%rdi, %r15
	lea	(%r15,%rbx), %rax
	pop	%rbx
	.cfi_def_cfa_offset 24
	.cfi_restore rbx
	pop	%r12
	.cfi_def_cfa_offset 16
	.cfi_restore r12
	pop	%r15
	.cfi_def_cfa_offset 8
	.cfi_restore r15
	ret
	end	moved_pushes

	begin	moved_call
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end	moved_call

	begin	moved_frame_call
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	call	leaf
	pop	%rbp
	.cfi_def_cfa rsp, 8
	ret
	end	moved_frame_call

	begin	moved_indirect_call
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	call	*leaf_address(%rip)
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	end	moved_indirect_call

	begin	moved_jump
	jmp	leaf
	nop
	nop
	nop
	end	moved_jump

	begin	moved_branch
	test	%rdi, %rdi
	je	1f
	lea	1(%rdi), %rax
	ret
1:	mov	$1, %eax
	ret
	end	moved_branch

	begin	moved_endbr
	endbr64
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rdi, %rbp
	lea	1(%rbp), %rax
	pop	%rbp
	.cfi_def_cfa_offset 8
	ret
	end	moved_endbr

	begin	moved_relative
	mov	leaf_address(%rip), %rax
	lea	1(%rdi), %rax
	ret
	end	moved_relative

	# The first instruction is short, and padding follows the function.
	begin	moved_padded
	mov	%edi, %eax
	inc	%eax
	ret
	end	moved_padded
	.fill	32, 1, 0xcc
	.balign	16

	# Call the function rdi, stepped if rsi is not 0, with the argument rdx.
	begin	thunk
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	%rdi, %rax
	mov	%rdx, %rdi
	mov	%rsi, %rbx
	shl	$8, %rbx
	pushfq
	.cfi_adjust_cfa_offset 8
	or	%rbx, (%rsp)
	popfq
	.cfi_adjust_cfa_offset -8
	call	*%rax
thunk_return:
	pushfq
	.cfi_adjust_cfa_offset 8
	andl	$~0x100, (%rsp)
	popfq
	.cfi_adjust_cfa_offset -8
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	end	thunk

	.data
leaf_address:
	.quad	leaf
	.section .note.GNU-stack, "", @progbits
	.text
)");

#define FUNCTIONS(X)							\
	X(moved_frame) X(moved_sub) X(moved_pushes) X(moved_call) X(moved_frame_call)	\
	X(moved_indirect_call) X(moved_jump) X(moved_branch) X(moved_endbr)	\
	X(moved_relative) X(moved_padded)

extern "C" {
#define DECLARE(name) long name(long);
FUNCTIONS(DECLARE)
long thunk(long (*function)(long), long is_stepped, long argument);
extern const char thunk_return[];
}

static const char *function = "";
static volatile unsigned nr_steps;
static volatile unsigned long last_pc;

// ---- at each instruction ----

enum action { LOOK, THROW, CANCEL };

static volatile enum action action;	// what this process does; not LOOK in children
static volatile unsigned nr_ours;	// instructions of slots and copies so far
static volatile bool has_returned;	// the thunk has the thread again

#define FRAMES	64
static void *upper[FRAMES];		// return addresses from thunk_return on
static int nr_upper;

static unsigned long libulf, libulf_end;
static void (*dump_stack)(int);		// libulf's trace_dump_stack(), if libulf was preloaded

static int find_libulf(dl_phdr_info *info, size_t, void *)
{
	if (!std::strstr(info->dlpi_name, "libulf"))
		return 0;
	libulf = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			libulf_end = libulf + info->dlpi_phdr[i].p_vaddr +
				     info->dlpi_phdr[i].p_memsz;
	return 1;
}

static bool is_in_libulf(unsigned long pc)
{
	return pc >= libulf && pc < libulf_end;
}

// True if libulf has made the instruction: it is in no object.
static bool is_ours(unsigned long pc)
{
	Dl_info info;

	return !is_in_libulf(pc) && !dladdr((void *)pc, &info);
}

// Store the return addresses from thunk_return on, without those of libulf.
static int get_upper(void **ret)
{
	void *all[FRAMES];
	int nr = backtrace(all, FRAMES), nr_found = 0, i = 0;

	while (i < nr && all[i] != (void *)thunk_return)
		i++;
	for (; i < nr; i++)
		if (!is_in_libulf((unsigned long)all[i]))
			ret[nr_found++] = all[i];
	return nr_found;
}

static __attribute__((noinline)) void look(void)
{
	void *seen[FRAMES];
	int nr = get_upper(seen);

	CHECK(nr == nr_upper);
	CHECK(!std::memcmp(seen, upper, (size_t)nr * sizeof(seen[0])));
}

static long get_baseline(long argument)
{
	nr_upper = get_upper(upper);
	return argument + 1;
}

// Do @what in a child, which ends with status 0 if the caller gets to know.
static void act_in_child(enum action what)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid) {
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(!status);
		return;
	}
	action = what;
	if (what == THROW)
		throw (int)nr_ours;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cancel(pthread_self());
	_exit(3);
}

static void on_step(int, siginfo_t *, void *context)
{
	unsigned long pc = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	last_pc = pc;
	nr_steps = nr_steps + 1;
	if (pc == (unsigned long)thunk_return)
		has_returned = true;
	if (has_returned)
		return;
	// There are thousands in libulf, and each function has the same ones.
	if (!is_in_libulf(pc) || nr_steps % 29 == 0)
		look();
	if (!is_ours(pc))
		return;
	nr_ours = nr_ours + 1;
	if (dump_stack)
		dump_stack(0);
	act_in_child(THROW);
	act_in_child(CANCEL);
}

static void install(void)
{
	struct sigaction sa = {};

	sa.sa_sigaction = on_step;
	sa.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGTRAP, &sa, NULL);
}

// ---- the callers ----

struct cleanup {
	~cleanup()
	{
		if (action == CANCEL)
			_exit(0);
	}
};

// Call @fn.  In a child this function ends the process.
static __attribute__((noinline)) void call(long (*fn)(long), bool is_stepped, long argument)
{
	// The compiler keeps some of these in registers that the callees save.
	long a = argument * 3, b = argument * 5, c = argument * 7, d = argument * 11;
	int caught = 0;
	cleanup local;

	nr_steps = nr_ours = 0;
	has_returned = false;
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	try {
		CHECK(thunk(fn, is_stepped, argument) == argument + 1);
	} catch (int nr) {
		caught = nr;
	}
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	CHECK(a == argument * 3 && b == argument * 5 && c == argument * 7 && d == argument * 11);
	if (action == THROW)
		_exit(caught && caught == (int)nr_ours ? 0 : 4);
	CHECK(!caught);
}

static void test(const char *name, long (*fn)(long))
{
	function = name;
	// One call instruction for all three, because the backtraces have it.  The first call of
	// a traced function takes another way than others.
	for (volatile int i = 0; i < 3; i++)
		call(i ? fn : get_baseline, i == 2, 4);
	std::printf("%s %u\n", name, nr_ours);
	std::fflush(stdout);
}

// With an argument, wait for a line first.
int main(int argc, char **)
{
	if (argc > 1)
		(void)!std::getchar();
	install();
	dl_iterate_phdr(find_libulf, NULL);
	dump_stack = (void (*)(int))dlsym(RTLD_DEFAULT, "trace_dump_stack");
#define TEST(name) test(#name, name);
	FUNCTIONS(TEST)
	return 0;
}
