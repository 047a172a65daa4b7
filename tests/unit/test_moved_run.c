/* SPDX-License-Identifier: MIT */
/*
 * A copy does what the moved instructions do.  For each function of real objects the first
 * instructions run in a child, one step at a time, from random registers: once where they are,
 * and once in the copy.  Registers, flags, memory, faults, and the address at which the thread
 * continues must be equal.  At each step in the copy the frame must lead to the caller: to its
 * stack pointer, and to the registers that it had.
 *
 *	unit-test_moved_run [FILE...]	with files: only these
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <dlfcn.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf.h"

#define ARENA	(64u << 10)	/* memory to which random registers point */
#define STEPS	200		/* maximum number of steps of one run */
#define ROWS	6000		/* maximum number of functions of an object */
#define COPY_ROOM 4096

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* An object, mapped for the child and this process at one address. */
struct object {
	struct text text;		/* the table */
	const struct moved_head *head;
	uint8_t *image;			/* the segments; a copy runs at their end */
	uint64_t bytes, bias;
	uint8_t *copy;
};

struct state {
	struct user_regs_struct regs;
	struct user_fpregs_struct fp;
	int signal;			/* 0, or the signal that a fault raised */
	uint64_t fault;			/* address of the fault */
	uint8_t arena[ARENA];
	uint8_t near[MOVED_FIXUPS_MAX][64];	/* memory of the object at targets of fixups */
};

static uint8_t *arena;
static pid_t child;
static uint64_t nr_runs, nr_steps, nr_faults, nr_unsaved, nr_wrong;

/* ---- the object ---- */

static void map_object(const char *path, struct object *ret_object)
{
	uint64_t left = 1ull << 30, high = 0;
	struct elf_source source = { .fd = open(path, O_RDONLY), .bytes_left = &left };
	struct object object = { .bias = 0 };
	Elf64_Phdr program;
	Elf64_Ehdr head;

	assert_true(source.fd >= 0);
	text_init(&object.text, MOVED_BYTES_MAX);
	assert_int_equal(mover_analyse(&source, &MOVER_LIMITS, &object.text), 0);
	assert_true(moved_check(object.text.data, object.text.len));
	object.head = (const struct moved_head *)object.text.data;
	assert_int_equal(pread(source.fd, &head, sizeof(head), 0), sizeof(head));
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < head.e_phnum; i++) {
			assert_int_equal(pread(source.fd, &program, sizeof(program),
					       (off_t)head.e_phoff + i * (int)sizeof(program)),
					 sizeof(program));
			if (program.p_type != PT_LOAD)
				continue;
			if (!pass && program.p_vaddr + program.p_memsz > high)
				high = program.p_vaddr + program.p_memsz;
			if (pass)
				assert_int_equal(pread(source.fd, object.image + program.p_vaddr,
						       program.p_filesz, (off_t)program.p_offset),
						 program.p_filesz);
		}
		if (pass)
			continue;
		object.bytes = (high + COPY_ROOM + 4095) & ~4095ull;
		object.image = mmap(NULL, object.bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(object.image, MAP_FAILED);
	}
	object.bias = (uint64_t)object.image;
	object.copy = object.image + object.bytes - COPY_ROOM / 2;
	close(source.fd);
	*ret_object = object;
}

static void unmap_object(struct object *object)
{
	text_done(&object->text);
	munmap(object->image, object->bytes);
}

/* ---- the child ---- */

static void start_child(void)
{
	int status;

	child = fork();
	assert_true(child >= 0);
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status))
		skip();
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL);
}

static void end_child(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Execute one instruction.  Returns the signal of a fault, or 0. */
static int step(struct state *state)
{
	siginfo_t info = { .si_signo = 0 };
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &state->regs), 0);
	nr_steps++;
	if (WSTOPSIG(status) == SIGTRAP)
		return 0;
	assert_int_equal(ptrace(PTRACE_GETSIGINFO, child, NULL, &info), 0);
	state->fault = (uint64_t)info.si_addr;
	return WSTOPSIG(status);
}

/* ---- one run ---- */

static uint8_t *near_fixup(const struct object *object, const struct moved_fixup *fixup)
{
	uint64_t at = fixup->target & ~7ull;

	return fixup->kind == MOVED_REL32 && at < object->bytes - COPY_ROOM - 64 ?
	       object->image + at : NULL;
}

/* Copy memory at the targets of fixups to @near, or back. */
static void copy_near(const struct object *object, const struct moved_row *row, bool is_back,
		      uint8_t near[][64])
{
	const struct moved_fixup *fixups = moved_fixups(object->head, row);

	for (uint32_t i = 0; i < row->nr_fixups; i++) {
		uint8_t *at = near_fixup(object, &fixups[i]);

		if (at)
			memcpy(is_back ? at : near[i], is_back ? near[i] : at, 64);
	}
}

static uint64_t *reg_of(struct user_regs_struct *regs, uint32_t dwarf)
{
	unsigned long long *const all[] = {
		&regs->rax, &regs->rdx, &regs->rcx, &regs->rbx, &regs->rsi, &regs->rdi,
		&regs->rbp, &regs->rsp, &regs->r8, &regs->r9, &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return (uint64_t *)all[dwarf];
}

static void make_random_state(const struct state *stopped, struct state *state)
{
	*state = *stopped;
	for (uint32_t i = 0; i < 16; i++) {
		uint64_t value = random_u64();

		switch (random_u64() % 4) {
		case 0:	value %= 64; break;
		case 1:	break;
		default: value = (uint64_t)arena + ARENA / 4 + value % (ARENA / 4) / 8 * 8;
		}
		*reg_of(&state->regs, i) = value;
	}
	state->regs.rsp = (uint64_t)arena + ARENA / 2 + ARENA / 4 + 8;
	if (random_u64() % 2)
		state->regs.rcx %= 8;
	state->regs.eflags = (state->regs.eflags & ~0x8d5ull) | (random_u64() & 0x8d5);
	state->regs.orig_rax = UINT64_MAX;
	for (uint32_t i = 0; i < sizeof(state->fp.xmm_space) / 4; i++)
		state->fp.xmm_space[i] = (unsigned int)random_u64();
	for (uint32_t i = 0; i < ARENA; i += 8) {
		uint64_t value = random_u64();

		memcpy(state->arena + i, &value, sizeof(value));
	}
}

static void load_state(const struct object *object, const struct moved_row *row,
		       const struct state *from, uint64_t pc)
{
	struct user_regs_struct regs = from->regs;

	regs.rip = pc;
	memcpy(arena, from->arena, ARENA);
	copy_near(object, row, true, (uint8_t (*)[64])from->near);
	assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &regs), 0);
	assert_int_equal(ptrace(PTRACE_SETFPREGS, child, NULL, &from->fp), 0);
	nr_runs++;
}

static void save_state(const struct object *object, const struct moved_row *row,
		       struct state *state)
{
	memcpy(state->arena, arena, ARENA);
	copy_near(object, row, false, state->near);
	assert_int_equal(ptrace(PTRACE_GETFPREGS, child, NULL, &state->fp), 0);
	state->regs.eflags &= ~0x10100ull;	/* of single steps: TF and RF */
	nr_faults += state->signal != 0;
}

/* A string instruction that repeats stays where it is. */
static bool repeats(const uint8_t *code)
{
	return (code[0] | 1) == 0xf3;
}

/* Run the original instructions, which have @bytes bytes. */
static void run_original(const struct object *object, const struct moved_row *row,
			 const struct state *from, uint32_t bytes, struct state *ret_state)
{
	uint64_t site = object->bias + row->vaddr;

	load_state(object, row, from, site);
	*ret_state = (struct state){ .regs = from->regs };
	for (int i = 0; i < STEPS; i++) {
		ret_state->signal = step(ret_state);
		if (ret_state->signal || ret_state->regs.rip - site >= bytes ||
		    (ret_state->regs.rip == site && !repeats(object->image + row->vaddr)))
			break;
	}
	save_state(object, row, ret_state);
}

/*
 * Check that a frame of the copy leads to the caller.  @first: the state at the entry.  Functions
 * of hand-written code that only such code calls may use a register without saving it, and
 * their unwind table does not say so.  They are counted.  So are frames in functions whose table
 * does not follow the stack pointer, such as bn_gather5() in libcrypto 3.0.20.
 */
static void check_frame(const struct object *object, const struct moved_row *row,
			const struct state *first, struct user_regs_struct *regs, uint32_t at)
{
	static const uint8_t numbers[] = MOVED_SAVED_DWARF;
	const struct moved_frame *frames = moved_frames(object->head, row), *frame = NULL;
	uint64_t cfa, value;

	for (uint32_t i = 0; i < row->nr_frames; i++)
		if (frames[i].copy == at)
			frame = &frames[i];
	if (!frame)
		fail_msg("%#lx: no frame for byte %u of the copy", row->vaddr, at);
	cfa = *reg_of(regs, frame->cfa_register) + (uint64_t)(int64_t)frame->cfa_offset;
	if (cfa != first->regs.rsp + 8) {
		print_message("%#lx + %u: the CFA is wrong by %ld\n", row->vaddr, at,
			      (long)(cfa - first->regs.rsp - 8));
		nr_wrong++;
		return;
	}
	for (uint32_t i = 0; i < MOVED_SAVED_REGS; i++) {
		uint64_t was = *reg_of((struct user_regs_struct *)&first->regs, numbers[i]);

		value = *reg_of(regs, numbers[i]);
		if (frame->saved[i])
			memcpy(&value, (void *)(cfa - 8ull * frame->saved[i]), sizeof(value));
		if (value != was && frame->saved[i])
			fail_msg("%#lx + %u: register %u is not where the frame says",
				 row->vaddr, at, numbers[i]);
		nr_unsaved += value != was;
	}
}

static void run_copy(const struct object *object, const struct moved_row *row,
		     const struct state *from, uint32_t bytes, struct state *ret_state)
{
	uint64_t copy = (uint64_t)object->copy;

	load_state(object, row, from, copy);
	*ret_state = (struct state){ .regs = from->regs };
	check_frame(object, row, from, &ret_state->regs, 0);
	for (int i = 0; i < STEPS; i++) {
		ret_state->signal = step(ret_state);
		if (ret_state->signal || ret_state->regs.rip - copy >= bytes)
			break;
		check_frame(object, row, from, &ret_state->regs,
			    (uint32_t)(ret_state->regs.rip - copy));
	}
	save_state(object, row, ret_state);
}

/*
 * After a fault the thread is in the copy: replace its pc by the original one.  If a call through
 * memory has failed, the copy has pushed the return address already; take it back.
 */
static void translate_pc(const struct object *object, const struct moved_row *row,
			 const struct state *original, struct state *state)
{
	const struct moved_frame *frames = moved_frames(object->head, row);
	uint64_t at = state->regs.rip - (uint64_t)object->copy;

	for (uint32_t i = 0; state->signal && i < row->nr_frames; i++) {
		uint64_t low = state->regs.rsp - (uint64_t)arena;

		if (frames[i].copy != at)
			continue;
		state->regs.rip = object->bias + row->vaddr + frames[i].original;
		if (i && frames[i - 1].original == frames[i].original) {
			memcpy(state->arena + low, original->arena + low, 8);
			state->regs.rsp += 8;
		}
		return;
	}
}

static void print_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	const unsigned long long *x = (const unsigned long long *)a;
	const unsigned long long *y = (const unsigned long long *)b;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*x); i++)
		if (x[i] != y[i])
			print_message("word %zu of user_regs_struct: %#llx %#llx\n", i, x[i], y[i]);
}

static void compare(const struct moved_row *row, struct state *a, struct state *b)
{
	const char *what = a->signal != b->signal ? "signal" :
			   a->signal == SIGSEGV && a->fault != b->fault ? "fault" :
			   a->regs.rip != b->regs.rip ? "pc" :
			   memcmp(&a->regs, &b->regs, sizeof(a->regs)) ? "registers" :
			   memcmp(a->fp.xmm_space, b->fp.xmm_space, sizeof(a->fp.xmm_space)) ?
			   "vector registers" : memcmp(a->arena, b->arena, ARENA) ? "memory" :
			   memcmp(a->near, b->near, sizeof(a->near)) ? "the object's data" : NULL;

	if (what)
		print_registers(&a->regs, &b->regs);
	if (what)
		fail_msg("%#lx: other %s: pc %#llx %#llx, signal %d %d, fault %#lx %#lx",
			 row->vaddr, what, a->regs.rip, b->regs.rip, a->signal, b->signal,
			 a->fault, b->fault);
}

static bool has_clock(const uint8_t *code, uint32_t bytes)
{
	for (uint32_t i = 0; i + 1 < bytes; i++)
		if (code[i] == 0x0f && (code[i + 1] == 0x31 || code[i + 1] == 0xc7 ||
					code[i + 1] == 0x01))
			return true;
	return false;
}

static void run_row(const struct object *object, const struct moved_row *row)
{
	static struct state stopped, from, original, copied;
	uint32_t nr = row->moved_bytes;
	int bytes;

	assert_memory_equal(object->image + row->vaddr, moved_original(object->head, row),
			    row->original_bytes);
	if (has_clock(object->image + row->vaddr, nr))
		return;
	bytes = moved_copy(object->head, row, object->bias, (uint64_t)object->copy, object->copy);
	assert_in_range(bytes, 1, MOVED_COPY_MAX);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &stopped.regs), 0);
	assert_int_equal(ptrace(PTRACE_GETFPREGS, child, NULL, &stopped.fp), 0);
	make_random_state(&stopped, &from);
	copy_near(object, row, false, from.near);
	run_original(object, row, &from, nr, &original);
	run_copy(object, row, &from, (uint32_t)bytes, &copied);
	translate_pc(object, row, &original, &copied);
	compare(row, &original, &copied);
	copy_near(object, row, true, from.near);
}

static void run_object(const char *path)
{
	struct object object;
	uint64_t unsaved = nr_unsaved, wrong = nr_wrong;
	uint32_t nr = 0, every;

	map_object(path, &object);
	every = (object.head->nr_rows - object.head->nr_refused) / ROWS + 1;
	start_child();
	for (uint32_t i = 0; i < object.head->nr_rows; i++) {
		const struct moved_row *row = &moved_rows(object.head)[i];

		if (row->class != MOVED_REFUSED && !(nr++ % every))
			run_row(&object, row);
	}
	end_child();
	unmap_object(&object);
	assert_true(nr > 100);
	assert_true(nr_unsaved - unsaved <= nr / 200);
	assert_true(nr_wrong - wrong <= nr / 1000);
	print_message("%s: %u functions\n", path, nr);
}

static void copies_of_libc(void **state)
{
	Dl_info info;

	(void)state;
	assert_true(dladdr((void *)qsort, &info));
	run_object(info.dli_fname);
}

static void copies_of_this_program(void **state)
{
	(void)state;
	run_object("/proc/self/exe");
}

static char **files;

static void copies_of_files(void **state)
{
	(void)state;
	for (; *files; files++)
		run_object(*files);
}

static void copies_of_other_objects(void **state)
{
	static const char *const paths[] = {
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/bin/bash",
	};
	uint32_t nr = 0;

	(void)state;
	for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!access(paths[i], R_OK)) {
			run_object(paths[i]);
			nr++;
		}
	if (!nr)
		skip();
}

static int make_arena(void **state)
{
	(void)state;
	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return arena == MAP_FAILED;
}

static int print_score(void **state)
{
	(void)state;
	print_message("score: %lu runs, %lu steps, %lu faults\n", nr_runs, nr_steps, nr_faults);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest of_files[] = { cmocka_unit_test(copies_of_files) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_libc),
		cmocka_unit_test(copies_of_this_program),
		cmocka_unit_test(copies_of_other_objects),
	};

	files = argv + 1;
	if (argc > 1)
		return cmocka_run_group_tests(of_files, make_arena, print_score);
	return cmocka_run_group_tests(tests, make_arena, print_score);
}
