/* SPDX-License-Identifier: MIT */
/* A writer that is stopped after each of its instructions, see step.h. */
#include <errno.h>
#include <linux/rseq.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "lib/step.h"

#define FAILURES_MAX	20

#define PATHS_SEEN	5		/* number of paths to try before one is used */
#define PASSES_SHORT	4		/* limit of the passes of a loop in the short form */

static const char *const action_names[] = { "kill", "intrude", "signal" };

void step_fail(struct step_stage *st, const char *where, uint32_t at,
	       const char *what, long value)
{
	if (++st->nr_failures <= FAILURES_MAX)
		printf("WRONG: %s, %s at instruction %u: %s (%ld)\n",
		       st->scenario->name, where, at, what, value);
}

void step_fail_at(struct step_stage *st, const struct step_point *p, const char *what,
		  long value)
{
	step_fail(st, action_names[p->action], p->step, what, value);
}

static int write_record(struct step_stage *st, uint32_t number, uint32_t bytes)
{
	uint64_t buffer[520];

	st->ops->prepare(st, buffer, number, bytes);
	return st->ops->write(st, buffer, st->now_ns);
}

/* ---- the writer ---- */

static struct step_stage *handler_stage;
static uint64_t handler_buffer[520];

static void on_signal(int signal)
{
	struct step_stage *st = handler_stage;

	(void)signal;
	st->shared->handler_result = st->ops->write(st, handler_buffer,
						    st->now_ns);
	st->shared->handled++;
}

static void be_stepped(struct step_stage *st)
{
	const struct step_scenario *sc = st->scenario;
	uint64_t now_ns = st->now_ns + (sc->has_extend ? 1ull << 30 : 0);
	uint64_t buffer[520];

	handler_stage = st;
	st->ops->prepare(st, buffer, STEP_STEPPED, sc->bytes);
	st->ops->prepare(st, handler_buffer, STEP_HANDLER, st->ops->fill_bytes);
	signal(SIGUSR1, on_signal);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	st->shared->phase = 1;
	__asm__ volatile("int3" ::: "memory");
	st->shared->result = st->ops->write(st, buffer, now_ns);
	__atomic_store_n(&st->shared->phase, 2, __ATOMIC_RELEASE);
	__asm__ volatile("int3" ::: "memory");
	_exit(0);
}

/* ---- the tracer ---- */

/* Returns the address of the word that names the rseq section.  The writer, which is forked
 * from this thread, has it at the same address. */
static void *section_word(void)
{
	return (char *)__builtin_thread_pointer() + arch_rseq_offset +
	       offsetof(struct rseq, rseq_cs);
}

static int wait_stop(pid_t pid, int *ret_signal)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return -EPERM;
	if (!WIFSTOPPED(status))
		return -ECHILD;
	*ret_signal = WSTOPSIG(status);
	return 0;
}

/* Clear the word that names the writer's section, and store its value in *@section. */
static int take_section(struct step_stage *st, pid_t pid, long *section)
{
	long word;

	if (!st->has_section)
		return 0;
	word = ptrace(PTRACE_PEEKDATA, pid, section_word(), NULL);
	if (!word)
		return 0;
	*section = word;
	return ptrace(PTRACE_POKEDATA, pid, section_word(), 0L) ? -errno : 0;
}

/* Run one instruction.  Returns 1 if it was the last one.  See take_section() for @section. */
static int step_once(struct step_stage *st, pid_t pid, long *section)
{
	int signal, r;

	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
		return -errno;
	r = wait_stop(pid, &signal);
	if (r || signal != SIGTRAP)
		return r ? r : -EINTR;
	if (__atomic_load_n(&st->shared->phase, __ATOMIC_ACQUIRE) == 2)
		return 1;
	return take_section(st, pid, section);
}

static int step(struct step_stage *st, pid_t pid, uint32_t steps)
{
	long section = 0;
	int r = take_section(st, pid, &section);

	for (uint32_t i = 0; i < steps && !r; i++)
		r = step_once(st, pid, &section);
	if (!r && section &&
	    ptrace(PTRACE_POKEDATA, pid, section_word(), section))
		r = -errno;
	return r;
}

/* Run the writer to the instruction at @address, which it must not have passed. */
static int run_to(pid_t pid, unsigned long address)
{
	struct user_regs_struct regs;
	long word, broken;
	int signal, r;

	word = ptrace(PTRACE_PEEKTEXT, pid, address, NULL);
	broken = (word & ~0xffl) | 0xcc;
	if (ptrace(PTRACE_POKETEXT, pid, address, broken) ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL))
		return -errno;
	r = wait_stop(pid, &signal);
	if (r || signal != SIGTRAP)
		return r ? r : -EINTR;
	if (ptrace(PTRACE_POKETEXT, pid, address, word) ||
	    ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return -errno;
	if (regs.rip != address + 1)
		return -ESTALE;
	regs.rip = address;
	return ptrace(PTRACE_SETREGS, pid, NULL, &regs) ? -errno : 0;
}

/* Returns how often the writer passes the instruction at @at before. */
static uint32_t passes_before(const struct step_stage *st, uint32_t at)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < at; i++)
		nr += st->path[i] == st->path[at];
	return nr;
}

/*
 * Run the writer until it has executed @steps instructions.  A breakpoint stops it where an
 * instruction is passed for the first time.  An instruction that the writer has passed
 * before, in a loop, is reached by single steps from the last possible breakpoint.
 */
static int go_to(struct step_stage *st, pid_t pid, uint32_t steps)
{
	uint32_t at = steps;
	int r;

	while (at && (st->is_by_steps || passes_before(st, at)))
		at--;
	r = at ? run_to(pid, st->path[at]) : 0;
	return r || at == steps ? r : step(st, pid, steps - at);
}

static int run_to_end(struct step_stage *st, pid_t pid, int deliver)
{
	int signal, r;

	do {
		if (ptrace(PTRACE_CONT, pid, NULL, (long)deliver))
			return -errno;
		r = wait_stop(pid, &signal);
		if (r)
			return r;
		deliver = signal == SIGTRAP ? 0 : signal;
	} while (signal != SIGTRAP);
	return st->shared->phase == 2 ? 0 : -EINTR;
}

/* ---- checks ---- */

struct found {
	uint32_t filled, stepped, intruders, handlers, later, other;
	uint64_t lost;
	bool is_torn, went_back;
};

static void find_records(struct step_stage *st, struct found *f)
{
	struct ring_cursor cursor;
	struct ring_record record;
	uint64_t last_ns = 0;
	uint32_t number;

	*f = (struct found){ 0 };
	if (ring_cursor_init(&cursor, &st->view))
		exit(1);
	while (ring_cursor_peek(&cursor, &record)) {
		f->lost += cursor.lost;
		f->is_torn |= !st->ops->parse(st, &record, &number);
		f->went_back |= record.time_ns < last_ns;
		last_ns = record.time_ns;
		if (number == STEP_STEPPED)
			f->stepped++;
		else if (number == STEP_INTRUDER)
			f->intruders++;
		else if (number == STEP_HANDLER)
			f->handlers++;
		else if (number == f->lost + f->filled)
			f->filled++;
		else if (number == STEP_LATER + f->later)
			f->later++;
		else
			f->other++;
		ring_cursor_advance(&cursor, &record);
	}
	f->is_torn |= cursor.is_corrupt;
	ring_cursor_done(&cursor);
}

/* Returns true if the record must be there after a write with this result. */
static bool is_written(const struct step_stage *st, int result)
{
	return st->ops->knows_refusal ? result == 0 : !st->scenario->is_refused;
}

/* Check the records in the ring, or what the writer has written elsewhere.  Returns 1 if the
 * stepped record is there. */
static int check(struct step_stage *st, const struct step_point *p)
{
	const struct step_scenario *sc = st->scenario;
	uint32_t nr_later = 0;
	struct ring_head head;
	struct found f;

	if (st->ops->check)
		return st->ops->check(st, p);
	/* Other writers must be able to write. */
	for (uint32_t i = 0; i < 3; i++)
		nr_later += is_written(st, write_record(st, STEP_LATER + nr_later,
							st->ops->fill_bytes));
	find_records(st, &f);
	if (ring_head(&st->view, &head))
		step_fail_at(st, p, "no head", 0);
	if (f.is_torn || f.other)
		step_fail_at(st, p, "torn or strange", f.other);
	if (f.went_back)
		step_fail_at(st, p, "time ran back", 0);
	if (f.lost + f.filled != sc->fill)
		step_fail_at(st, p, "records before it", f.filled);
	if (f.later != nr_later || (!sc->is_refused && nr_later != 3))
		step_fail_at(st, p, "records after it", f.later);
	if (!p->is_killed && f.stepped != is_written(st, st->shared->result))
		step_fail_at(st, p, "times written", f.stepped);
	if (f.stepped > 1 || (sc->is_refused && st->ops->knows_refusal &&
			      !p->is_killed && st->shared->result != -ENOBUFS))
		step_fail_at(st, p, "result", st->shared->result);
	if (f.intruders != (p->action == STEP_INTRUDE &&
			    is_written(st, p->intruder_result)))
		step_fail_at(st, p, "the intruder's", f.intruders);
	if (f.handlers != (p->action == STEP_SIGNAL &&
			   is_written(st, st->shared->handler_result)))
		step_fail_at(st, p, "the handler's", f.handlers);
	if (p->action == STEP_SIGNAL && st->shared->handled != 1)
		step_fail_at(st, p, "handled", st->shared->handled);
	if (head.entries != sc->fill + f.stepped + f.intruders + f.handlers +
	    f.later)
		step_fail_at(st, p, "count", (long)head.entries);
	return (int)f.stepped;
}

/* ---- one point ---- */

static void set_stage(struct step_stage *st)
{
	memset(st->shared, 0, sizeof(*st->shared));
	st->ops->reset(st);
	st->now_ns = 1000;
	for (uint32_t i = 0; i < st->scenario->fill; i++) {
		st->now_ns++;
		if (write_record(st, i, st->ops->fill_bytes))
			exit(1);
	}
}

/* Start a writer, and stop it just before it writes. */
static int start(struct step_stage *st, pid_t *ret_pid)
{
	int r, signal = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid == 0)
		be_stepped(st);
	r = wait_stop(pid, &signal);
	if (r == 0 && signal != SIGTRAP)
		r = -EINTR;
	*ret_pid = pid;
	return r;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Learn the path: single-step the writer and store the address of each instruction. */
static int learn_path(struct step_stage *st)
{
	struct user_regs_struct regs;
	long section;
	pid_t pid;
	int r;

	/* Write once before, so that the dynamic linker has resolved all symbols. */
	set_stage(st);
	write_record(st, STEP_STEPPED, st->scenario->bytes);
	set_stage(st);
	r = start(st, &pid);
	st->nr_path = 0;
	while (r == 0 && st->nr_path < STEPS_MAX) {
		if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
			r = -errno;
		st->path[st->nr_path++] = regs.rip;
		r = r ? r : step_once(st, pid, &section);
	}
	end(pid);
	return r < 0 ? r : 0;
}

static int interrupt_at(struct step_stage *st, struct step_point *p)
{
	pid_t pid;
	int r;

	set_stage(st);
	r = start(st, &pid);
	r = r ? r : go_to(st, pid, p->step);
	p->is_killed = r == 0 && p->action == STEP_KILL;
	if (r == 0 && p->action == STEP_INTRUDE)
		p->intruder_result = write_record(st, STEP_INTRUDER,
						  st->ops->fill_bytes);
	if (r == 0 && p->action != STEP_KILL)
		r = run_to_end(st, pid, p->action == STEP_SIGNAL ? SIGUSR1 : 0);
	end(pid);
	return r;
}

static void sweep(struct step_stage *st, enum step_action action, uint32_t stride)
{
	struct step_point p = { .action = action };
	bool was_there = false;

	for (uint32_t i = action % stride; i < st->nr_path &&
	     st->nr_failures <= FAILURES_MAX; i += stride) {
		int r = -ESTALE;

		if (stride > 1 && passes_before(st, i) >= PASSES_SHORT)
			continue;
		/* If the writer is preempted by chance, it takes another path, so try again.
		 * An instruction that it only reaches when it is stepped is then reached by
		 * single steps. */
		for (int n = 0; n < 100 && r == -ESTALE; n++) {
			st->is_by_steps = n >= 10;
			p = (struct step_point){ .action = action, .step = i };
			r = interrupt_at(st, &p);
		}
		st->nr_points++;
		if (r) {
			step_fail_at(st, &p, "stepping", r);
			continue;
		}
		r = check(st, &p);
		/* The commit is one instruction, so after it every point must find the
		 * record. */
		if (action == STEP_KILL && was_there && !r)
			step_fail_at(st, &p, "came and went", r);
		was_there = r > 0;
	}
	if (action == STEP_KILL && was_there == st->scenario->is_refused)
		step_fail_at(st, &p, "the outcome", was_there);
}

static int sweep_all(struct step_stage *st, const struct step_scenario *scenario)
{
	const char *form = getenv("ULF_TORTURE");
	uint32_t stride = form && !strcmp(form, "long") ? 1 : st->short_stride;
	uint32_t nr_least = UINT32_MAX;
	int r;

	st->scenario = scenario;
	/* A preempted writer takes a longer path, so use the shortest of several. */
	for (int i = 0; i < PATHS_SEEN || st->nr_path != nr_least; i++) {
		r = learn_path(st);
		if (r)
			return r;
		if (st->nr_path < nr_least)
			nr_least = st->nr_path;
	}
	for (int action = 0; action < STEP_ACTIONS; action++)
		sweep(st, action, stride);
	return 0;
}

void step_sweep(struct step_stage *st, const struct step_scenario *scenarios,
		size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int r = sweep_all(st, &scenarios[i]);

		if (r == -EPERM) {
			printf("ptrace() is not allowed here\n");
			exit(77);
		}
		if (r || st->nr_path < 50)
			step_fail(st, "path", st->nr_path, "too short", r);
		printf("%-13s %4u instructions\n", scenarios[i].name, st->nr_path);
	}
}

int step_report(const struct step_stage *st)
{
	printf("interrupted at %llu points: %s\n", (unsigned long long)st->nr_points,
	       st->nr_failures ? "FAIL" : "PASS");
	return st->nr_failures ? 1 : 0;
}

uint32_t step_debug(struct step_stage *st, const struct step_scenario *scenario)
{
	uint32_t steps = 0;
	pid_t pid;
	int r;

	st->scenario = scenario;
	set_stage(st);
	r = start(st, &pid);
	while (r == 0 && steps++ < 100 * STEPS_MAX) {
		int signal = 0;

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
			r = -errno;
		r = r ? r : wait_stop(pid, &signal);
		if (r == 0)
			r = signal != SIGTRAP ? -EINTR : st->shared->phase == 2;
	}
	end(pid);
	return r == 1 ? steps : 0;
}

int step_init(struct step_stage *st, uint32_t *ret_cpu)
{
	cpu_set_t cpus;

	memset(st, 0, sizeof(*st));
	if (!arch_rseq_init())
		return -ENOSYS;
	*ret_cpu = arch_rseq_cpu();
	CPU_ZERO(&cpus);
	CPU_SET(*ret_cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	st->shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return st->shared == MAP_FAILED ? -ENOMEM : 0;
}
