/* SPDX-License-Identifier: MIT */
/*
 * Instances: buffers with their own events, filters and settings.  An instance exists while
 * its abi_buffer has a name.  The top instance has no name, and always exists.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"
#include "server/core/shm.h"

#define INSTANCES_MAX	"15"		/* maximum number of instances, as text for an
					 * error message: one less than the number of
					 * buffers, because the top instance has a buffer,
					 * too */
static_assert(ABI_BUFFERS == 16, "INSTANCES_MAX");

struct instance *instance_get(struct instance *instance)
{
	instance->refs++;
	return instance;
}

void instance_put(struct instance *instance)
{
	/* The memory of the top instance is not freed here, because it is a member of
	 * struct root. */
	if (!instance || --instance->refs || !instance->number)
		return;
	instance_states_free(instance->root->parts, instance->part_state);
	free(instance->name);
	free(instance);
}

/* Release all data of @instance except the name, because a node of the file tree may
 * still refer to the instance and needs its name. */
static void instance_release(struct instance *instance)
{
	const struct server_parts *parts = instance->root->parts;

	for (size_t i = parts->nr_instances; i--; )
		if (parts->instances[i].done)
			parts->instances[i].done(instance);
	error_log_clear(instance);
	instance->is_gone = true;
	instance_put(instance);
}

/* Allocate memory in the file for the start of an abi_buffer, up to the end of its array
 * cpu_kb[].  Memory for rings and rule words is allocated later. */
static int reserve_buffer(struct root *root, const struct abi_buffer *abi)
{
	return root_reserve(root, abi, offsetof(struct abi_buffer, cpu_kb) +
				       root->nr_cpus * sizeof(abi->cpu_kb[0]));
}

static int instance_use(struct root *root, struct instance *instance)
{
	const struct instance_part *part;
	int r = reserve_buffer(root, instance->abi);

	root->instances[instance->number] = instance_get(instance);
	for_each_instance_part(part, root->parts, load) {
		if (r)
			break;
		r = part->load(instance);
	}
	return r;
}

static int instance_add(struct root *root, uint32_t number, const char *name)
{
	struct instance *instance = calloc(1, sizeof(*instance));

	if (!instance)
		return -ENOMEM;
	instance->root = root;
	instance->number = number;
	instance->serial = server_next_serial(root->server);
	instance->abi = root->top.abi + number;
	instance->name = strdup(name);
	instance->part_state = instance_states_alloc(root->parts);
	if (!instance->name || !instance->part_state) {
		instance_states_free(root->parts, instance->part_state);
		free(instance->name);
		free(instance);
		return -ENOMEM;
	}
	return instance_use(root, instance);
}

/* Check an instance's name that was read from shared memory, where the program may have
 * written anything. */
static bool is_name(const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       !strchr(name, '/');
}

int instances_load(struct root *root)
{
	int r = instance_use(root, &root->top);

	for (uint32_t i = 1; !r && i < ABI_BUFFERS; i++) {
		char name[sizeof(root->top.abi->name) + 1] = "";

		memcpy(name, root->top.abi[i].name, sizeof(name) - 1);
		if (is_name(name) && !instance_find(root, name))
			r = instance_add(root, i, name);
	}
	return r;
}

void instances_done(struct root *root)
{
	for (uint32_t i = ABI_BUFFERS; i--; ) {
		if (root->instances[i])
			instance_release(root->instances[i]);
		root->instances[i] = NULL;
	}
}

struct instance *instance_find(const struct root *root, const char *name)
{
	struct instance *instance;

	for_each_instance(instance, root)
		if (instance->name && !strcmp(instance->name, name))
			return instance;
	return NULL;
}

/*
 * Reset a buffer's settings, and copy the options of the top instance.  Do not reset
 * `used`: processes look only at buffers that are used, and they must see that the old
 * settings of this buffer are gone.
 */
static void reset_buffer(struct abi_buffer *abi, const struct abi_buffer *top)
{
	memset(&abi->stopped, 0, offsetof(struct abi_buffer, side) -
				   offsetof(struct abi_buffer, stopped));
	abi->options = shm_load(&top->options);
}

int instance_make(struct root *root, const char *name)
{
	const struct instance_part *part;
	uint32_t number = 1;
	struct abi_buffer *abi;
	int r;

	if (instance_find(root, name))
		return -EEXIST;
	if (strlen(name) >= sizeof(abi->name))
		return -ENAMETOOLONG;
	if (root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	while (number < ABI_BUFFERS && root->instances[number])
		number++;
	if (number == ABI_BUFFERS) {
		error_log_add(&root->top, "instances", "No more than " INSTANCES_MAX
			      " instances at a time; rmdir one that is not needed",
			      name, 0);
		return -ENOSPC;
	}
	abi = root->top.abi + number;
	r = reserve_buffer(root, abi);
	if (r)
		return r;
	reset_buffer(abi, root->top.abi);
	for_each_instance_part(part, root->parts, reset)
		part->reset(root, number);
	r = instance_add(root, number, name);
	if (r)
		return r;
	/* Store the first letter of the name last, because the instance exists as soon as
	 * this letter is not 0.  By then the rest of the name must be complete. */
	strcpy(abi->name + 1, name + 1);
	shm_store(&abi->name[0], name[0]);
	return 0;
}

int instance_remove(struct root *root, const char *name)
{
	const struct server_parts *parts = root->parts;
	struct instance *instance = instance_find(root, name);
	struct apply apply;

	if (!instance)
		return -ENOENT;
	if (instance->nr_open)
		return -EBUSY;
	for (size_t i = parts->nr_instances; i--; )
		if (parts->instances[i].drop)
			parts->instances[i].drop(instance);
	shm_store(&instance->abi->name[0], 0);
	apply_start(root, &apply);
	apply_wait(&apply, APPLY_WAIT_NS);
	root->instances[instance->number] = NULL;
	instance_release(instance);
	return 0;
}
