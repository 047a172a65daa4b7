/* SPDX-License-Identifier: MIT */
/* The files of the stack tracer: stack_tracer_enabled, stack_max_size, stack_trace and
 * stack_trace_threads. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "server/core/apply.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/functions/functions.h"
#include "server/functions/stack_tracer.h"
#include "server/names/comm.h"
#include "server/names/symbols.h"
#include "tracefs/files.h"

/* ---- methods of stack_tracer_enabled and stack_max_size ---- */

int stack_enabled_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRId32 "\n", stack_tracer_is_on(node->root));
	return 0;
}

/* Parse the value of stack_tracer_enabled.  In the kernel this file is a sysctl, which
 * accepts any int; 0 means off. */
static int parse_int(const char *buf, size_t size, int32_t *ret_value)
{
	char text[32], *end;
	long value;

	if (size >= sizeof(text))
		return -EINVAL;
	tracefs_trim(buf, size, text, sizeof(text));
	errno = 0;
	value = strtol(text, &end, 0);
	while (isspace((unsigned char)*end))
		end++;
	if (end == text || *end || errno || value < INT32_MIN || value > INT32_MAX)
		return -EINVAL;
	*ret_value = (int32_t)value;
	return 0;
}

ssize_t stack_enabled_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	struct root *root = file->node->root;
	int32_t old = stack_tracer_is_on(root), value;
	int r = parse_int(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	if (value && root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	if (!old != !value)
		r = functions_refresh(root);
	if (r)
		return r;
	if (value && !old)
		r = functions_check(&root->top, file->def->name, "1");
	if (value && !old && !r)
		r = apply_check(&root->top, file->def->name);
	if (!r)
		r = stack_tracer_set(root, value);
	if (!r && !old != !value) {
		r = value ? functions_publish(root) : functions_publish_off(root);
		if (r)
			stack_tracer_set(root, old);
		else
			tracefs_file_apply(file);
	}
	return r ? r : (ssize_t)size;
}

/*
 * Method tracefs_def.refused: turn the stack tracer off, because a process could not
 * apply a write to stack_tracer_enabled.  This is correct for both values: before a write
 * of 1 the stack tracer was off, and a write of 0 turns it off.
 */
void stack_enabled_refused(struct tracefs_file *file)
{
	struct root *root = file->node->root;
	struct apply apply;

	if (!stack_tracer_is_on(root))
		return;
	stack_tracer_set(root, 0);
	if (!functions_publish_off(root))
		apply_start(root, &apply);
}

int stack_max_size_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%" PRIu64 "\n", stack_tracer_max(node->root));
	return 0;
}

/* Handle a write to stack_max_size.  Processes need not be notified, because they read
 * this value in shared memory at each call of a function. */
ssize_t stack_max_size_store(struct tracefs_file *file, const char *buf, size_t size,
			     pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (!r)
		r = stack_tracer_reset(file->node->root, value);
	return r ? r : (ssize_t)size;
}

/* ---- method of stack_trace, which shows the deepest stack ---- */

static void print_frames(struct root *root, const struct abi_stack_copy *copy,
			 struct text *out)
{
	for (uint32_t i = 0; i < copy->nr; i++) {
		const struct abi_stack_frame *frame = &copy->frames[i];
		uint64_t above = i + 1 < copy->nr ? frame[1].depth : 0;

		text_printf(out, "%3" PRIu32 ") %8" PRIu64 "   %5" PRId64 "   ", i,
			    frame->depth, (int64_t)(frame->depth - above));
		if (symbols_print(root, &symbols_now, frame->ip,
				  PRINT_SYMBOL_RETURN, out))
			text_printf(out, "0x%" PRIx64, frame->ip);
		text_putc(out, '\n');
	}
}

int stack_trace_show(struct tracefs_node *node, struct text *out)
{
	struct abi_stack_copy copy;
	int r = stack_tracer_copy(node->root, &copy);

	if (r)
		return r;
	text_printf(out, "        Depth    Size   Location    (%" PRIu32 " entries)\n"
		    "        -----    ----   --------\n", copy.nr);
	if (!stack_tracer_is_on(node->root) && !stack_tracer_max(node->root))
		text_puts(out, "#\n#  Stack tracer disabled\n#\n"
			  "# To enable the stack tracer, either add 'stacktrace' to\n"
			  "# ULF_TRACE\n"
			  "# or 'echo 1 > stack_tracer_enabled'\n#\n");
	print_frames(node->root, &copy, out);
	return 0;
}

/* ---- method of stack_trace_threads: how deep the stack of each thread was ---- */

static int compare_deepest(const void *pa, const void *pb)
{
	const struct abi_stack_thread *a = pa, *b = pb;

	return (a->deepest < b->deepest) - (a->deepest > b->deepest);
}

static void print_thread(struct root *root, const struct abi_stack_thread *thread,
			 struct text *out)
{
	size_t start = out->len;

	text_printf(out, "%16s-%-7" PRIu32 " %10" PRIu64,
		    comms_find(root, thread->tid), thread->tid, thread->deepest);
	text_one_line(out, start);
	if (thread->low)
		text_printf(out, " %10" PRIu64 " %10" PRId64 "\n",
			    thread->top - thread->low,
			    (int64_t)(thread->top - thread->low - thread->deepest));
	else
		text_puts(out, "          -          -\n");
}

int stack_threads_show(struct tracefs_node *node, struct text *out)
{
	struct abi_stack_thread *threads =
		calloc(ABI_STACK_THREADS, sizeof(*threads));
	uint32_t nr;

	if (!threads)
		return -ENOMEM;
	stack_tracer_tick(node->root);
	nr = stack_tracer_threads(node->root, threads, ABI_STACK_THREADS);
	qsort(threads, nr, sizeof(*threads), compare_deepest);
	text_puts(out, "#           TASK-PID          Depth       Size       Left\n"
		       "#              | |              |          |          |\n");
	for (uint32_t i = 0; i < nr; i++)
		print_thread(node->root, &threads[i], out);
	free(threads);
	return 0;
}
