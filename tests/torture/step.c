/* SPDX-License-Identifier: MIT */
/*
 * A writer is stopped after every single instruction of ring_write(), and at
 * each of these points one of three things happens to it: it is killed;
 * another writer on the same CPU writes to the same ring; or it gets a signal
 * whose handler writes to the same ring.  Each time every record must be
 * there, whole and once.
 *
 * The writer is traced with ptrace(): once step by step, to learn its path, and
 * then with a breakpoint on each instruction of it.  What it passes more than
 * once (in a loop) is reached by stepping.  A step would abort its rseq section
 * at once, so the tracer takes the word that names the section away while it
 * steps, and puts it back where the writer is to be interrupted.
 *
 * In the short form a third of the points is tried, another one for each of
 * the three; ULF_TORTURE=long: all.
 *
 * no-sanitize: address the instrumented writer has too many instructions
 * no-sanitize: thread the same
 */
#include <errno.h>
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
#include "arch/x86_64/offsets.h"
#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/ring.h"

#define STEPS_MAX	5000
#define SHORT_STRIDE	3
#define STAGE_BYTES	(2 * 4 * 4096)	/* two rings */

void (*testpoint_hook)(const char *name);

struct scenario {
	const char *name;
	bool is_slow, is_given, overwrite;
	uint32_t fill;			/* records of 96 bytes before it */
	uint32_t bytes;			/* of the record that is stepped */
	bool has_extend;
	bool is_refused;
};

/* 40 records of 100 bytes, header included, leave 80 bytes of a page. */
static const struct scenario scenarios[] = {
	{ "first", false, false, true, 0, 24, false, false },
	{ "small", false, false, true, 3, 24, false, false },
	{ "large", false, false, true, 3, 203, false, false },
	{ "cross", false, false, true, 40, 96, false, false },
	{ "wrap", false, false, true, 80, 96, false, false },
	{ "overwrite", false, false, true, 120, 96, false, false },
	{ "refused", false, false, false, 80, 96, false, true },
	{ "extend", false, true, true, 3, 24, true, false },
	{ "slow first", true, true, true, 0, 24, false, false },
	{ "slow large", true, true, true, 3, 203, false, false },
	{ "slow extend", true, true, true, 3, 24, true, false },
	{ "slow wrap", true, true, true, 80, 96, false, false },
	{ "slow refused", true, true, false, 80, 96, false, true },
};

enum action { KILL, INTRUDE, SIGNAL, ACTIONS };
static const char *const action_names[] = { "kill", "intrude", "signal" };

/* Numbers of records; those before are numbered from 0. */
#define STEPPED		1000u
#define INTRUDER	2000u
#define HANDLER		3000u
#define LATER		4000u

struct shared {
	uint32_t phase;			/* 1: about to write, 2: has written */
	int32_t result, handler_result;
	uint32_t handled;
};

struct stage {
	const struct scenario *scenario;
	struct shared *shared;
	struct ring_set *set;
	struct abi_ring *ring;
	struct ring_view view;
	uint64_t now_ns;
	unsigned long path[STEPS_MAX];	/* addresses of its instructions */
	uint32_t nr_path;
};

static uint32_t nr_failures;

static void fail(const struct stage *st, enum action action, uint32_t step,
		 const char *what, long value)
{
	if (++nr_failures <= 20)
		printf("WRONG: %s, %s at instruction %u: %s (%ld)\n",
		       st->scenario->name, action_names[action], step, what,
		       value);
}

/* ---- records ---- */

static int write_record(struct stage *st, uint32_t number, uint32_t bytes,
			uint64_t now_ns)
{
	uint32_t buffer[1030];
	uint8_t *payload = (uint8_t *)(buffer + 1);

	for (uint32_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)((number + i / 4) >> 8 * (i % 4));
	return ring_write(st->set, payload, bytes, now_ns);
}

static bool is_whole(const struct ring_record *record, uint32_t *ret_number)
{
	memcpy(ret_number, record->data, 4);
	for (uint32_t i = 0; i < record->bytes; i++) {
		if (record->data[i] == (uint8_t)((*ret_number + i / 4) >>
						 8 * (i % 4)))
			continue;
		if (i + 4 < record->bytes || record->data[i])
			return false;	/* the last word is filled with 0 */
	}
	return true;
}

/* ---- the writer ---- */

static struct stage *handler_stage;

static void on_signal(int signal)
{
	struct stage *st = handler_stage;

	(void)signal;
	st->shared->handler_result = write_record(st, HANDLER, 24, st->now_ns);
	st->shared->handled++;
}

static void be_stepped(struct stage *st)
{
	const struct scenario *sc = st->scenario;
	uint32_t buffer[1030] = { 0 };
	uint8_t *payload = (uint8_t *)(buffer + 1);
	uint64_t now_ns = st->now_ns + (sc->has_extend ? 1ull << 30 : 0);

	for (uint32_t i = 0; i < sc->bytes; i++)
		payload[i] = (uint8_t)((STEPPED + i / 4) >> 8 * (i % 4));
	handler_stage = st;
	signal(SIGUSR1, on_signal);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	st->shared->phase = 1;
	__asm__ volatile("int3" ::: "memory");
	st->shared->result = ring_write(st->set, payload, sc->bytes, now_ns);
	__atomic_store_n(&st->shared->phase, 2, __ATOMIC_RELEASE);
	__asm__ volatile("int3" ::: "memory");
	_exit(0);
}

/* ---- the tracer ---- */

/* This thread's word, and the writer's, which was forked from it. */
static void *section_word(void)
{
	return (char *)__builtin_thread_pointer() + arch_rseq_offset + RSEQ_CS;
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

/* One instruction.  1: it was the last.  *@section: the section's name, taken
 * away. */
static int step_once(struct stage *st, pid_t pid, long *section)
{
	int signal, r;
	long word;

	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
		return -errno;
	r = wait_stop(pid, &signal);
	if (r || signal != SIGTRAP)
		return r ? r : -EINTR;
	if (__atomic_load_n(&st->shared->phase, __ATOMIC_ACQUIRE) == 2)
		return 1;
	if (!st->set->has_rseq)
		return 0;
	word = ptrace(PTRACE_PEEKDATA, pid, section_word(), NULL);
	if (!word)
		return 0;
	*section = word;
	return ptrace(PTRACE_POKEDATA, pid, section_word(), 0L) ? -errno : 0;
}

static int step(struct stage *st, pid_t pid, uint32_t steps)
{
	long section = 0;
	int r = 0;

	for (uint32_t i = 0; i < steps && !r; i++)
		r = step_once(st, pid, &section);
	if (!r && section &&
	    ptrace(PTRACE_POKEDATA, pid, section_word(), section))
		r = -errno;
	return r;
}

/* Runs it up to the instruction at @address, which it has not yet passed. */
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

/* To the point where @steps instructions are done. */
static int go_to(struct stage *st, pid_t pid, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++) {
		if (st->path[i] == st->path[steps])
			return step(st, pid, steps);
	}
	return steps ? run_to(pid, st->path[steps]) : 0;
}

static int run_to_end(struct stage *st, pid_t pid, int deliver)
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

/* ---- what must be there ---- */

struct found {
	uint32_t filled, stepped, intruders, handlers, later, other;
	uint64_t lost;
	bool is_torn, went_back;
};

static void find_records(struct stage *st, struct found *f)
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
		f->is_torn |= !is_whole(&record, &number);
		f->went_back |= record.time_ns < last_ns;
		last_ns = record.time_ns;
		if (number == STEPPED)
			f->stepped++;
		else if (number == INTRUDER)
			f->intruders++;
		else if (number == HANDLER)
			f->handlers++;
		else if (number == f->lost + f->filled)
			f->filled++;
		else if (number == LATER + f->later)
			f->later++;
		else
			f->other++;
		ring_cursor_advance(&cursor, &record);
	}
	f->is_torn |= cursor.is_corrupt;
	ring_cursor_done(&cursor);
}

struct point {
	enum action action;
	uint32_t step;
	int intruder_result;
	bool is_killed;
};

/* Returns 1 if the stepped record is there. */
static int check(struct stage *st, const struct point *p)
{
	const struct scenario *sc = st->scenario;
	uint32_t nr_later = 0;
	struct ring_head head;
	struct found f;

	/* others go on */
	for (uint32_t i = 0; i < 3; i++)
		nr_later += !write_record(st, LATER + nr_later, 40, st->now_ns);
	find_records(st, &f);
	if (ring_head(&st->view, &head))
		fail(st, p->action, p->step, "no head", 0);
	if (f.is_torn || f.other)
		fail(st, p->action, p->step, "torn or strange", f.other);
	if (f.went_back)
		fail(st, p->action, p->step, "time ran back", 0);
	if (f.lost + f.filled != sc->fill)
		fail(st, p->action, p->step, "records before it", f.filled);
	if (f.later != nr_later || (!sc->is_refused && nr_later != 3))
		fail(st, p->action, p->step, "records after it", f.later);
	if (!p->is_killed && f.stepped != !st->shared->result)
		fail(st, p->action, p->step, "times written", f.stepped);
	if (f.stepped > 1 || (sc->is_refused && !p->is_killed &&
			      st->shared->result != -ENOBUFS))
		fail(st, p->action, p->step, "result", st->shared->result);
	if (f.intruders != (p->action == INTRUDE && !p->intruder_result))
		fail(st, p->action, p->step, "the intruder's", f.intruders);
	if (f.handlers != (p->action == SIGNAL && !st->shared->handler_result))
		fail(st, p->action, p->step, "the handler's", f.handlers);
	if (p->action == SIGNAL && st->shared->handled != 1)
		fail(st, p->action, p->step, "handled", st->shared->handled);
	if (head.entries != sc->fill + f.stepped + f.intruders + f.handlers +
	    f.later)
		fail(st, p->action, p->step, "count", (long)head.entries);
	return (int)f.stepped;
}

/* ---- one point ---- */

static void set_stage(struct stage *st)
{
	const struct scenario *sc = st->scenario;
	struct ring_config config = {
		.page_bytes = 4096,
		.nr_pages = 3 - sc->is_refused,
		.flags = (sc->is_slow ? ABI_RING_LOCKED : 0) |
			 (sc->is_given ? ABI_RING_CLOCK_GIVEN : 0),
		.overwrite = sc->overwrite,
		.clock_mult = 1ull << 32,
	};
	uint32_t cpu = st->set->nr_cpus - 1;
	uint64_t bytes = ring_bytes(4096, 3);

	memset(st->ring, 0, bytes);
	memset(st->shared, 0, sizeof(*st->shared));
	if (ring_init(st->ring, &config) ||
	    ring_view_init(&st->view, st->ring, bytes))
		exit(1);
	st->set->has_rseq = !sc->is_slow;
	st->set->clock_given = sc->is_given;
	st->set->fast[cpu] = sc->is_slow ? NULL : st->ring;
	st->set->slow[cpu] = sc->is_slow ? st->ring : NULL;
	st->now_ns = 1000;
	for (uint32_t i = 0; i < sc->fill; i++) {
		if (write_record(st, i, 96, st->now_ns++))
			exit(1);
	}
}

/* A writer that is about to write. */
static int start(struct stage *st, pid_t *ret_pid)
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

/* Where does it go? */
static int learn_path(struct stage *st)
{
	struct user_regs_struct regs;
	long section;
	pid_t pid;
	int r;

	/* once before, so that no symbol is left to be looked up */
	set_stage(st);
	write_record(st, STEPPED, st->scenario->bytes, st->now_ns);
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

static int interrupt_at(struct stage *st, struct point *p)
{
	pid_t pid;
	int r;

	set_stage(st);
	r = start(st, &pid);
	r = r ? r : go_to(st, pid, p->step);
	p->is_killed = r == 0 && p->action == KILL;
	if (r == 0 && p->action == INTRUDE)
		p->intruder_result = write_record(st, INTRUDER, 24, st->now_ns);
	if (r == 0 && p->action != KILL)
		r = run_to_end(st, pid, p->action == SIGNAL ? SIGUSR1 : 0);
	end(pid);
	return r;
}

/* Every instruction of a scenario (in the short form: of every few). */
static uint32_t sweep(struct stage *st, enum action action)
{
	const char *form = getenv("ULF_TORTURE");
	uint32_t stride = form && !strcmp(form, "long") ? 1 : SHORT_STRIDE;
	uint32_t points = 0;
	bool was_there = false;

	for (uint32_t i = action % stride; i < st->nr_path &&
	     nr_failures <= 20; i += stride, points++) {
		struct point p = { .action = action, .step = i };
		int r = interrupt_at(st, &p);

		if (r) {
			fail(st, action, i, "stepping", r);
			continue;
		}
		r = check(st, &p);
		/* the commit is one instruction */
		if (action == KILL && was_there && !r)
			fail(st, action, i, "came and went", r);
		was_there = r > 0;
	}
	if (action == KILL && was_there == st->scenario->is_refused)
		fail(st, action, st->nr_path, "the outcome", was_there);
	return points;
}

/*
 * A debugger that steps through the writer, and takes nothing away: no section
 * ever gets through.  The record must go to the slow ring, in bounded time.
 */
static uint32_t be_debugged(struct stage *st)
{
	struct ring_config config = {
		.page_bytes = 4096, .nr_pages = 2, .flags = ABI_RING_LOCKED,
		.overwrite = true, .clock_mult = 1ull << 32,
	};
	uint32_t cpu = st->set->nr_cpus - 1, steps = 0;
	struct abi_ring *fast = st->ring;
	pid_t pid;
	int r;

	st->scenario = &scenarios[1];
	set_stage(st);
	st->ring = (struct abi_ring *)((char *)fast + STAGE_BYTES / 2);
	if (ring_init(st->ring, &config))
		exit(1);
	st->set->slow[cpu] = st->ring;
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
	if (r != 1 || st->shared->result ||
	    ring_view_init(&st->view, st->ring, ring_bytes(4096, 2)) ||
	    st->ring->tail[st->ring->position & ABI_POS_TAIL].entries != 1)
		fail(st, KILL, steps, "under a debugger", r);
	st->ring = fast;
	return steps;
}

static int make_stage(struct stage *st)
{
	cpu_set_t cpus;
	uint32_t cpu;

	if (!arch_rseq_init())
		return -ENOSYS;
	cpu = arch_rseq_cpu();
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	st->set = calloc(1, sizeof(*st->set) +
			 2 * (cpu + 1) * sizeof(struct abi_ring *));
	st->ring = mmap(NULL, STAGE_BYTES + 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!st->set || st->ring == MAP_FAILED)
		return -ENOMEM;
	st->shared = (struct shared *)((char *)st->ring + STAGE_BYTES);
	st->set->nr_cpus = cpu + 1;
	st->set->slow = st->set->fast + cpu + 1;
	return 0;
}

int main(void)
{
	static struct stage st;
	uint64_t points = 0;

	if (make_stage(&st)) {
		printf("no rseq here\n");
		return 77;
	}
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		int r;

		st.scenario = &scenarios[i];
		r = learn_path(&st);
		if (r == -EPERM) {
			printf("ptrace() is not allowed here\n");
			return 77;
		}
		if (r || st.nr_path < 50)
			fail(&st, KILL, st.nr_path, "no path", r);
		for (int action = 0; action < ACTIONS; action++)
			points += sweep(&st, action);
		printf("%-13s %4u instructions\n", st.scenario->name,
		       st.nr_path);
	}
	printf("%-13s %4u steps\n", "debugger", be_debugged(&st));
	printf("interrupted at %llu points: %s\n", (unsigned long long)points,
	       nr_failures ? "FAIL" : "PASS");
	return nr_failures ? 1 : 0;
}
