/* SPDX-License-Identifier: MIT */
/*
 * Join switches with system calls.  The records of one thread that sleeps in poll() are
 *
 *	sys_enter	poll			the call begins
 *	kernel_stack	wait_for_input, main	its stack
 *	sched_switch	out, S			the thread goes to sleep
 *	sched_switch	in			it runs again: it has slept from "out" to "in"
 *	sys_exit	poll			the call ends: it has slept once, for this time
 *
 * Switches are written by another thread than the calls, and a file may have them a little later
 * than their times say.  So all records are kept first, in short form, and sorted by time.
 */
#include "export/offcpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/json.h"
#include "export/export_impl.h"
#include "hist/syscall_name.h"

#define STEPS_MAX	(32u << 20)	/* maximum number of records that are kept */
#define FRAMES_MAX	256u		/* maximum number of functions of a stack */
#define CALLERS_OFFSET	16u		/* offset of the addresses in ftrace:kernel_stack */
#define BUCKETS		1024u
#define RUNTIME		"libulf"	/* module whose functions are no callers */

static const char began_before[] = "[a call from before the recording]";
static const char no_call[] = "[no system call was seen]";

enum step_kind {
	STEP_ENTER, STEP_STACK, STEP_EXIT, STEP_SLEEP, STEP_PREEMPTED, STEP_RUN, STEP_BORN,
	STEP_DEAD, STEP_LOST,
	STEP_OTHER,			/* a record that only shows that time has passed */
};

/* A record in short form. */
struct step {
	uint64_t time;
	union {
		const char *call;	/* STEP_ENTER: name of the system call */
		struct call_node *stack;	/* STEP_STACK: its innermost function */
	};
	int32_t pid;
	uint32_t number;		/* number of the step, in the order of the file */
	uint16_t file;
	uint8_t kind;			/* enum step_kind */
};

struct thread {
	struct thread *next;		/* next thread in the same bucket of the hash */
	int32_t pid;
	uint16_t file;
	bool is_known;			/* true: the thread has had a step before */
	bool is_dead;
	bool is_off;			/* true: the thread is off the CPU since @off_since */
	bool is_preempted;		/* true: it could have run */
	const char *call;		/* name of the system call in which the thread is; NULL:
					 * it is in none, or in one that was not seen */
	struct call_node *stack;	/* stack of @call; NULL: none was recorded */
	uint64_t off_since;
	uint64_t slept_ns;		/* time for which the thread has slept in @call */
};

/* The use of an event, and the fields that are used. */
struct event_use {
	const struct datfile_event *event;
	enum { USE_NONE, USE_ENTER, USE_ENTER_RAW, USE_STACK, USE_EXIT, USE_SWITCH, USE_FORK,
	       USE_DEAD } use;
	const struct event_field *field;	/* id, prev_pid, pid or child_pid */
	const struct event_field *state;	/* prev_state */
};

struct offcpu_state {
	struct offcpu *offcpu;
	struct step *steps;
	uint32_t nr_steps, nr_space;
	struct thread *threads[BUCKETS];
	struct event_use *uses;		/* one for each event that has had records */
	uint32_t nr_uses;
	uint64_t first, last;		/* times of the first and of the last step */
};

static const struct offcpu_settings *settings_of(const struct export *ex)
{
	return ex->settings->arg;
}

/* ---- keep records ---- */

static void add_step(struct export *ex, const struct datfile_record *record, enum step_kind kind,
		     const void *what)
{
	struct offcpu_state *state = ex->state;
	struct step *steps;

	if (state->nr_steps == state->nr_space) {
		uint32_t nr = state->nr_space ? 2 * state->nr_space : 4096;

		steps = nr > STEPS_MAX ? NULL : realloc(state->steps, nr * sizeof(*steps));
		if (!steps) {
			text_printf(ex->why, "there is no memory for more than %u records; use a "
				    "shorter recording", state->nr_steps);
			ex->error = -ENOMEM;
			return;
		}
		state->steps = steps;
		state->nr_space = nr;
	}
	state->steps[state->nr_steps] = (struct step){
		.time = record->time, .call = what, .pid = record->pid, .kind = (uint8_t)kind,
		.number = state->nr_steps, .file = (uint16_t)record->number,
	};
	state->nr_steps++;
}

/* Return the name of the call of sys_enter, without "sys_". */
static const char *call_name(const struct datfile_record *record, const struct event_use *use)
{
	const char *name;
	int64_t id;

	if (use->use == USE_ENTER)
		return record->event->name + strlen("sys_enter_");
	if (!datfile_field_number(record, use->field, &id))
		return NULL;
	name = hist_syscall_name((uint64_t)id);
	return name ? name + strlen("sys_") : "[unknown system call]";
}

/* Find the function at a return address: the call is before it. */
static struct call_node what_of(const struct datfile_record *record, uint64_t ip)
{
	const struct datfile_symbol *symbol = datfile_symbol(record->file, ip - 1);

	return (struct call_node){
		.addr = symbol ? symbol->start : ip, .name = symbol ? symbol->name : NULL,
		.file_number = record->number,
	};
}

static bool is_runtime(const struct datfile_record *record, uint64_t ip)
{
	const struct datfile_symbol *symbol = datfile_symbol(record->file, ip - 1);

	return symbol && symbol->module && !strcmp(symbol->module, RUNTIME);
}

/* Return the addresses of a stack, the innermost function first, without those of libulf. */
static uint32_t read_stack(const struct datfile_record *record, uint64_t ips[FRAMES_MAX])
{
	uint32_t nr = 0;
	uint64_t ip;

	for (uint32_t at = CALLERS_OFFSET; at + sizeof(ip) <= record->bytes && nr < FRAMES_MAX;
	     at += sizeof(ip)) {
		memcpy(&ip, record->data + at, sizeof(ip));
		if (ip == UINT64_MAX)
			break;
		if (nr || !is_runtime(record, ip))
			ips[nr++] = ip;
	}
	return nr;
}

static void use_stack(struct export *ex, const struct datfile_record *record)
{
	struct offcpu_state *state = ex->state;
	struct call_node *node = state->offcpu->top;
	uint64_t ips[FRAMES_MAX];
	uint32_t nr = read_stack(record, ips);

	while (node && nr--) {
		const struct call_node what = what_of(record, ips[nr]);

		node = call_tree_child(state->offcpu->tree, node, &what);
	}
	if (node)
		add_step(ex, record, STEP_STACK, node);
	else
		ex->error = -ENOMEM;
}

static void use_switch(struct export *ex, const struct datfile_record *record,
		       const struct event_use *use)
{
	int64_t prev, why;

	if (!datfile_field_number(record, use->field, &prev) ||
	    !datfile_field_number(record, use->state, &why))
		return;
	add_step(ex, record, prev != record->pid ? STEP_RUN : why ? STEP_SLEEP : STEP_PREEMPTED,
		 NULL);
}

/* A record that starts or ends the thread whose id is in a field. */
static void use_thread(struct export *ex, const struct datfile_record *record,
		       const struct event_use *use)
{
	struct datfile_record of_thread = *record;
	int64_t pid;

	if (!datfile_field_number(record, use->field, &pid))
		return;
	of_thread.pid = (int32_t)pid;
	add_step(ex, &of_thread, use->use == USE_FORK ? STEP_BORN : STEP_DEAD, NULL);
}

/* ---- events ---- */

static const struct event_field *find_field(const struct datfile_event *event, const char *name)
{
	return event_format_find(event->format, name, strlen(name));
}

static void init_use(struct event_use *use, const struct datfile_event *event)
{
	bool is_sched = !strcmp(event->system, "ulf_sched");
	bool is_raw = !strcmp(event->system, "raw_syscalls");
	bool is_named = !strcmp(event->system, "syscalls");

	*use = (struct event_use){ .event = event, .use = USE_NONE };
	if (event->id == ABI_EVENT_ID_STACK && !strcmp(event->system, "ftrace")) {
		use->use = USE_STACK;
	} else if (is_raw && !strcmp(event->name, "sys_enter")) {
		use->field = find_field(event, "id");
		use->use = use->field ? USE_ENTER_RAW : USE_NONE;
	} else if (is_named && !strncmp(event->name, "sys_enter_", strlen("sys_enter_"))) {
		use->use = USE_ENTER;
	} else if ((is_raw || is_named) && !strncmp(event->name, "sys_exit", 8)) {
		use->use = USE_EXIT;
	} else if (is_sched && !strcmp(event->name, "sched_switch")) {
		use->field = find_field(event, "prev_pid");
		use->state = find_field(event, "prev_state");
		use->use = use->field && use->state ? USE_SWITCH : USE_NONE;
	} else if (is_sched && !strcmp(event->name, "sched_process_fork")) {
		use->field = find_field(event, "child_pid");
		use->use = use->field ? USE_FORK : USE_NONE;
	} else if (is_sched && !strcmp(event->name, "sched_process_exit")) {
		use->field = find_field(event, "pid");
		use->use = use->field ? USE_DEAD : USE_NONE;
	}
}

/* Return what the event is used for; NULL if there is no memory. */
static const struct event_use *use_of(struct offcpu_state *state, const struct datfile_event *event)
{
	struct event_use *uses;

	for (uint32_t i = 0; i < state->nr_uses; i++)
		if (state->uses[i].event == event)
			return &state->uses[i];
	uses = realloc(state->uses, (state->nr_uses + 1) * sizeof(*uses));
	if (!uses)
		return NULL;
	state->uses = uses;
	init_use(&uses[state->nr_uses], event);
	return &uses[state->nr_uses++];
}

/* Method export_format.event. */
static void event(struct export *ex, const struct export_thread *thread,
		  const struct datfile_record *record)
{
	const struct event_use *use = use_of(ex->state, record->event);
	const char *name;

	(void)thread;
	if (!use) {
		ex->error = -ENOMEM;
		return;
	}
	switch (use->use) {
	case USE_ENTER:
	case USE_ENTER_RAW:
		name = call_name(record, use);
		if (name)
			add_step(ex, record, STEP_ENTER, name);
		break;
	case USE_STACK:
		use_stack(ex, record);
		break;
	case USE_EXIT:
		add_step(ex, record, STEP_EXIT, NULL);
		break;
	case USE_SWITCH:
		use_switch(ex, record, use);
		break;
	case USE_FORK:
	case USE_DEAD:
		use_thread(ex, record, use);
		break;
	case USE_NONE:
		add_step(ex, record, STEP_OTHER, NULL);
		break;
	}
}

/* Method export_format.lost. */
static void lost(struct export *ex, const struct datfile_record *record)
{
	add_step(ex, record, STEP_LOST, NULL);
}

/* ---- sleeps ---- */

/* Add a call that has slept for @ns to the node of the call and to its callers. */
static int add_sleep(struct export *ex, struct call_node *stack, const char *call, uint64_t ns)
{
	const struct offcpu_state *state = ex->state;
	struct offcpu_totals *totals = &state->offcpu->totals;
	struct call_node what = { .name = call, .addr = 14695981039346656037u,
				  .file_number = UINT32_MAX };
	struct call_node *node;

	if (ns < settings_of(ex)->min_ns) {
		totals->short_sleeps++;
		totals->short_ns += ns;
		return 0;
	}
	/* All nodes of calls have the same file number, so a hash of the name is their address. */
	for (const char *at = call; *at; at++)
		what.addr = (what.addr ^ (uint8_t)*at) * 1099511628211u;
	node = call_tree_child(state->offcpu->tree, stack ? stack : state->offcpu->top, &what);
	if (!node)
		return -ENOMEM;
	totals->sleeps++;
	totals->asleep_ns += ns;
	node->self_ns += ns;
	for (; node; node = node->parent) {
		node->count++;
		node->total_ns += ns;
		node->min_ns = ns < node->min_ns ? ns : node->min_ns;
		node->max_ns = ns > node->max_ns ? ns : node->max_ns;
	}
	return 0;
}

/* The call of the thread has ended, or is taken for ended. */
static int end_call(struct export *ex, struct thread *thread)
{
	int r = 0;

	if (thread->call && thread->slept_ns)
		r = add_sleep(ex, thread->stack, thread->call, thread->slept_ns);
	thread->call = NULL;
	thread->stack = NULL;
	thread->slept_ns = 0;
	return r;
}

/* The thread was off the CPU up to @time. */
static int end_off(struct export *ex, struct thread *thread, uint64_t time)
{
	const struct offcpu_state *state = ex->state;
	uint64_t ns = time > thread->off_since ? time - thread->off_since : 0;

	thread->is_off = false;
	if (thread->is_preempted) {
		state->offcpu->totals.preemptions++;
		state->offcpu->totals.preempted_ns += ns;
		return 0;
	}
	if (!thread->call)
		return add_sleep(ex, NULL, no_call, ns);
	thread->slept_ns += ns;
	return 0;
}

/* The thread runs.  If nothing is known of it, it has slept since the recording began. */
static int run_again(struct export *ex, struct thread *thread, uint64_t time)
{
	const struct offcpu_state *state = ex->state;

	if (thread->is_off)
		return end_off(ex, thread, time);
	if (thread->is_known || time <= state->first)
		return 0;
	return add_sleep(ex, NULL, began_before, time - state->first);
}

/* ---- steps ---- */

static struct thread *thread_of(struct offcpu_state *state, const struct step *step)
{
	struct thread **bucket = &state->threads[((uint32_t)step->pid + step->file) % BUCKETS];
	struct thread *thread = *bucket;

	while (thread && (thread->pid != step->pid || thread->file != step->file))
		thread = thread->next;
	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->pid = step->pid;
	thread->file = step->file;
	thread->next = *bucket;
	*bucket = thread;
	state->offcpu->totals.nr_threads++;
	return thread;
}

/* Records were lost: what threads did since is not known. */
static int forget_threads(struct export *ex)
{
	const struct offcpu_state *state = ex->state;
	int r = 0;

	for (uint32_t i = 0; i < BUCKETS; i++)
		for (struct thread *at = state->threads[i]; at && !r; at = at->next) {
			r = end_call(ex, at);
			at->is_off = false;
		}
	return r;
}

static int apply_step(struct export *ex, const struct step *step)
{
	struct offcpu_state *state = ex->state;
	struct thread *thread;
	int r = 0;

	if (step->kind == STEP_LOST)
		return forget_threads(ex);
	if (step->kind == STEP_OTHER)
		return 0;
	thread = thread_of(state, step);
	if (!thread)
		return -ENOMEM;
	switch ((enum step_kind)step->kind) {
	case STEP_ENTER:
		state->offcpu->totals.nr_calls++;
		r = end_call(ex, thread);
		thread->is_off = thread->is_dead = false;
		thread->call = step->call;
		break;
	case STEP_STACK:
		if (thread->call && !thread->stack)
			thread->stack = step->stack;
		break;
	case STEP_EXIT:
		r = end_call(ex, thread);
		break;
	case STEP_SLEEP:
	case STEP_PREEMPTED:
		state->offcpu->totals.nr_switches++;
		thread->is_off = !thread->is_dead;
		thread->off_since = step->time;
		thread->is_preempted = step->kind == STEP_PREEMPTED;
		break;
	case STEP_RUN:
		state->offcpu->totals.nr_switches++;
		r = run_again(ex, thread, step->time);
		break;
	case STEP_BORN:
		*thread = (struct thread){
			.next = thread->next, .pid = thread->pid, .file = thread->file,
		};
		break;
	case STEP_DEAD:
		r = end_call(ex, thread);
		thread->is_off = false;
		thread->is_dead = true;
		break;
	case STEP_LOST:
	case STEP_OTHER:
		break;
	}
	thread->is_known = true;
	return r;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The recording ends: threads that sleep have slept up to then. */
static int end_threads(struct export *ex)
{
	struct offcpu_state *state = ex->state;
	int r = 0;

	for (uint32_t i = 0; i < BUCKETS; i++)
		for (struct thread *at = state->threads[i]; at && !r; at = at->next) {
			if (at->is_off)
				r = end_off(ex, at, state->last);
			if (!r)
				r = end_call(ex, at);
		}
	return r;
}

static int compare_pids(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int list_threads(const struct offcpu_state *state)
{
	struct offcpu *offcpu = state->offcpu;
	uint32_t nr = 0;

	offcpu->pids = malloc((offcpu->totals.nr_threads + 1) * sizeof(*offcpu->pids));
	if (!offcpu->pids)
		return -ENOMEM;
	for (uint32_t i = 0; i < BUCKETS; i++)
		for (const struct thread *at = state->threads[i]; at; at = at->next)
			offcpu->pids[nr++] = at->pid;
	qsort(offcpu->pids, nr, sizeof(*offcpu->pids), compare_pids);
	return 0;
}

bool offcpu_has_thread(const struct offcpu *offcpu, int32_t pid)
{
	return bsearch(&pid, offcpu->pids, offcpu->totals.nr_threads, sizeof(pid), compare_pids);
}

/* Return an error if the files lack what is needed. */
static int check_totals(const struct offcpu_totals *totals, struct text *why)
{
	if (totals->nr_switches && totals->nr_calls)
		return 0;
	if (!totals->nr_switches)
		text_puts(why, "there is no record of ulf_sched:sched_switch: no thread has been "
			  "switched while this was recorded, or the event was not on");
	else
		text_puts(why, "there is no record of raw_syscalls:sys_enter: no thread has made a "
			  "system call that is seen, or the event was not on");
	return -ENODATA;
}

/* Make the result from the steps.  Returns it, or NULL: then ex->error is set. */
static const struct offcpu *make_result(struct export *ex)
{
	struct offcpu_state *state = ex->state;
	struct offcpu_totals *totals = &state->offcpu->totals;
	int r = ex->error;

	qsort(state->steps, state->nr_steps, sizeof(*state->steps), compare_steps);
	if (state->nr_steps) {
		state->first = state->steps[0].time;
		state->last = state->steps[state->nr_steps - 1].time;
	}
	for (uint32_t i = 0; !r && i < state->nr_steps; i++)
		r = apply_step(ex, &state->steps[i]);
	r = r ? r : end_threads(ex);
	r = r ? r : list_threads(state);
	r = r ? r : call_tree_sort(state->offcpu->tree);
	totals->span_ns = state->last - state->first;
	totals->lost = ex->totals.lost;
	r = r ? r : check_totals(totals, ex->why);
	ex->totals.calls = totals->sleeps;
	ex->error = r;
	return r ? NULL : state->offcpu;
}

/* ---- the result ---- */

void offcpu_free(struct offcpu *offcpu)
{
	if (!offcpu)
		return;
	call_tree_free(offcpu->tree);
	free(offcpu->pids);
	free(offcpu);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call_node *x = *(const struct call_node *const *)a;
	const struct call_node *y = *(const struct call_node *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->count != y->count ? (x->count > y->count ? -1 : 1) : 0;
}

const struct call_node **offcpu_calls(const struct offcpu *offcpu, uint32_t *ret_nr)
{
	const struct call_node **calls;
	uint32_t nr = 0;

	for (const struct call_node *at = offcpu->top; at; at = call_tree_next(at))
		nr += at->self_ns > 0;
	calls = malloc((nr + 1) * sizeof(*calls));
	if (!calls)
		return NULL;
	nr = 0;
	for (const struct call_node *at = offcpu->top; at; at = call_tree_next(at))
		if (at->self_ns)
			calls[nr++] = at;
	qsort(calls, nr, sizeof(*calls), compare_calls);
	*ret_nr = nr;
	return calls;
}

/* ---- formats ---- */

static void start(struct export *ex)
{
	struct offcpu_state *state = ex->state;

	state->offcpu = calloc(1, sizeof(*state->offcpu));
	if (state->offcpu)
		state->offcpu->top = call_tree_alloc(&state->offcpu->tree);
	ex->error = state->offcpu && state->offcpu->top ? 0 : -ENOMEM;
}

static void done(struct export *ex)
{
	struct offcpu_state *state = ex->state;

	for (uint32_t i = 0; i < BUCKETS; i++)
		while (state->threads[i]) {
			struct thread *thread = state->threads[i];

			state->threads[i] = thread->next;
			free(thread);
		}
	free(state->steps);
	free(state->uses);
	offcpu_free(state->offcpu);
}

static void finish_svg(struct export *ex)
{
	static const struct svg_words words = {
		.time = "asleep", .counted = "sleeps", .has_max = true,
	};
	const struct offcpu *offcpu = make_result(ex);

	if (offcpu)
		export_put_svg(ex, &words, offcpu->top);
}

static void finish_folded(struct export *ex)
{
	const struct offcpu *offcpu = make_result(ex);

	if (offcpu)
		export_put_folded(ex, offcpu->top);
}

static void put_json_name(const struct call_node *node, struct text *out)
{
	if (node->name)
		json_put_string(out, node->name, strlen(node->name));
	else
		text_printf(out, "\"0x%lx\"", (unsigned long)node->addr);
}

/* Append a call, with the functions of its stack from the innermost one on. */
static void put_json_call(const struct call_node *node, struct text *out)
{
	const char *separator = "";

	text_puts(out, "{ \"call\": ");
	put_json_name(node, out);
	text_puts(out, ", \"sleeps\": ");
	export_put_uint(out, node->count);
	text_puts(out, ", \"total_ns\": ");
	export_put_uint(out, node->total_ns);
	text_puts(out, ", \"max_ns\": ");
	export_put_uint(out, node->max_ns);
	text_puts(out, ", \"stack\": [");
	for (node = node->parent; node->parent; node = node->parent) {
		text_puts(out, separator);
		put_json_name(node, out);
		separator = ", ";
	}
	text_puts(out, "] }");
}

static void put_json_totals(const struct offcpu_totals *totals, struct text *out)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "span_ns", totals->span_ns }, { "threads", totals->nr_threads },
		{ "sleeps", totals->sleeps }, { "asleep_ns", totals->asleep_ns },
		{ "short_sleeps", totals->short_sleeps }, { "short_ns", totals->short_ns },
		{ "preemptions", totals->preemptions }, { "preempted_ns", totals->preempted_ns },
		{ "lost", totals->lost },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text_printf(out, "  \"%s\": ", rows[i].name);
		export_put_uint(out, rows[i].value);
		text_puts(out, ",\n");
	}
}

static void finish_json(struct export *ex)
{
	const struct offcpu *offcpu = make_result(ex);
	const struct call_node **calls;
	uint32_t nr;

	if (!offcpu)
		return;
	calls = offcpu_calls(offcpu, &nr);
	if (!calls) {
		ex->error = -ENOMEM;
		return;
	}
	text_puts(&ex->out, "{\n");
	put_json_totals(&offcpu->totals, &ex->out);
	text_puts(&ex->out, "  \"calls\": [");
	for (uint32_t i = 0; i < nr; i++) {
		text_puts(&ex->out, i ? ",\n    " : "\n    ");
		put_json_call(calls[i], &ex->out);
		export_flush_if_full(ex);
	}
	text_puts(&ex->out, nr ? "\n  ]\n}\n" : "]\n}\n");
	free(calls);
}

/* Give the result to the caller. */
static void finish_result(struct export *ex)
{
	struct offcpu_state *state = ex->state;

	if (!make_result(ex))
		return;
	*settings_of(ex)->ret_offcpu = state->offcpu;
	state->offcpu = NULL;
}

#define FORMAT(name_, finish_)							\
	{									\
		.name = name_, .suffix = name_,					\
		.state_bytes = sizeof(struct offcpu_state), .start = start,	\
		.event = event, .lost = lost, .finish = finish_, .done = done,	\
	}

const struct export_format export_offcpu_svg = FORMAT("svg", finish_svg);
const struct export_format export_offcpu_folded = FORMAT("folded", finish_folded);
const struct export_format export_offcpu_json = FORMAT("json", finish_json);
const struct export_format export_offcpu_result = FORMAT("result", finish_result);
