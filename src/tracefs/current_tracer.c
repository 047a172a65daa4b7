/* SPDX-License-Identifier: MIT */
/* The files current_tracer and available_tracers. */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/print/tracer.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"

int available_tracers_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	/* List the tracers in the order of the kernel: the last one in the table comes
	 * first. */
	for (uint32_t i = NR_TRACERS; i--; )
		text_printf(out, "%s%s", tracer_table[i].name, i ? " " : "\n");
	return 0;
}

void tracers_help(struct text *out)
{
	for (uint32_t i = NR_TRACERS; i--; )
		text_printf(out, "\t\t\t  %s: %s\n", tracer_table[i].name,
			    tracer_table[i].help);
}

int current_tracer_show(struct tracefs_node *node, struct text *out)
{
	text_printf(out, "%s\n", instance_tracer_name(tracefs_instance(node)));
	return 0;
}

/* Check whether the instance can use @tracer, which has the name @name.  If so, make the
 * instance's rings.  Returns 0, -ERESTART or another -errno. */
static int prepare_tracer(struct tracefs_file *file, const struct tracer *tracer, const char *name)
{
	struct instance *instance = tracefs_instance(file->node);
	int r = 0;

	if (!tracer->start)
		return 0;
	if (instance->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	if (tracer->check)
		r = tracer->check(instance, file->def->name, name);
	if (!r)
		r = apply_check(instance, file->def->name);
	return r ? r : instance_need_rings(instance);
}

/* Start @tracer, whose number is already in abi_buffer.tracer, and stop @old, the previous
 * tracer. */
static int change_tracer(struct instance *instance, const struct tracer *old,
			 const struct tracer *tracer)
{
	int r = tracer->start ? tracer->start(instance) : 0;

	if (!r && old->stop && old->stop != tracer->stop)
		r = old->stop(instance);
	return r;
}

static int set_tracer(struct tracefs_file *file, uint32_t number)
{
	struct instance *instance = tracefs_instance(file->node);
	const struct tracer *tracer = instance->root->parts->tracers[number];
	const struct tracer *old = instance_tracer(instance);
	uint32_t old_number = shm_load(&instance->abi->tracer);
	int r;

	if (number == old_number)
		return 0;
	r = prepare_tracer(file, tracer, tracer_table[number].name);
	if (r)
		return r;
	shm_store(&instance->abi->tracer, number);
	r = change_tracer(instance, old, tracer);
	if (r) {
		shm_store(&instance->abi->tracer, old_number);
		return r;
	}
	/* Clear the buffer now.  If it were cleared after the processes have started the
	 * new tracer, records of the new tracer would be lost, too. */
	if (!old->start)
		instance_clear(instance, RINGS_MAIN, CPU_ALL);
	tracefs_file_apply(file);
	file->old_tracer = old;
	return 0;
}

/* Method tracefs_def.applied: remove the records of the old tracer, which has stopped in
 * all processes. */
void current_tracer_applied(struct tracefs_file *file)
{
	if (file->old_tracer && file->old_tracer->start)
		instance_clear(tracefs_instance(file->node), RINGS_MAIN, CPU_ALL);
	file->old_tracer = NULL;
}

/* Method tracefs_def.refused: a process could not apply the change of current_tracer, so
 * set the tracer to nop, as the kernel does. */
void current_tracer_refused(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	const struct tracer *tracer = instance_tracer(instance);
	struct apply apply;

	if (!file->old_tracer)
		return;
	file->old_tracer = NULL;
	shm_store(&instance->abi->tracer, TRACER_NOP);
	if (!tracer->stop || !tracer->stop(instance))
		apply_start(instance->root, &apply);
}

static void log_tracer(struct tracefs_file *file, const char *name)
{
	struct nearest near;

	nearest_init(&near, name, strlen(name));
	for (uint32_t i = 0; i < NR_TRACERS; i++)
		nearest_offer(&near, tracer_table[i].name);
	error_log_add_near(tracefs_instance(file->node), file->def->name,
			   "Tracer not found", name, 0, nearest_name(&near));
}

ssize_t current_tracer_store(struct tracefs_file *file, const char *buf, size_t size,
			     pid_t tid)
{
	char text[101];
	const char *name = tracefs_trim(buf, size, text, sizeof(text));
	int r = tracer_find(name);

	(void)tid;
	if (r < 0)
		log_tracer(file, name);
	else
		r = set_tracer(file, (uint32_t)r);
	return r ? r : (ssize_t)size;
}
