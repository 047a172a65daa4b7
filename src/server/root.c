/* SPDX-License-Identifier: MIT */
/* Attaching to a root: the checks that everything else relies on. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/comm.h"
#include "server/mapping.h"
#include "server/printk.h"
#include "server/profile.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/rules.h"
#include "server/shm.h"
#include "server/objects.h"
#include "server/stack_tracer.h"
#include "server/symbols.h"

/* Tables and heap of the default layout take 35 MB. */
#define CONTROL_BYTES_MAX	(1ull << 30)

/* Does a table of @rows lie between the header and the arena? */
static bool is_table(const struct abi_control *control, uint64_t off,
		     uint64_t rows, uint64_t row_bytes)
{
	return off % 8 == 0 && off >= sizeof(*control) &&
	       off <= control->arena_off &&
	       rows * row_bytes <= control->arena_off - off;
}

static int check_control(const struct abi_control *c)
{
	if (c->magic != ABI_MAGIC)
		return -EBADMSG;
	if (c->version != ABI_VERSION || c->control_bytes != sizeof(*c))
		return -EPROTONOSUPPORT;
	if (c->arena_off % 4096 || c->arena_off > CONTROL_BYTES_MAX ||
	    c->map_bytes < c->arena_off || c->map_bytes > 1ull << 46 ||
	    !c->nr_cpus || c->nr_cpus > ABI_CPUS)
		return -EBADMSG;
	if (!is_table(c, c->processes_off, ABI_PROCESSES,
		      sizeof(struct abi_process)) ||
	    !is_table(c, c->modules_off, ABI_MODULES,
		      sizeof(struct abi_module)) ||
	    !is_table(c, c->comms_off, ABI_COMMS, sizeof(struct abi_comm)) ||
	    !is_table(c, c->events_off, ABI_EVENTS, sizeof(struct abi_event)) ||
	    !is_table(c, c->buffers_off, ABI_BUFFERS,
		      sizeof(struct abi_buffer)) ||
	    (c->objects_off && !is_table(c, c->objects_off, ABI_OBJECTS,
					 sizeof(struct abi_object))) ||
	    !is_table(c, c->heap_off, 0, 1))
		return -EBADMSG;
	return 0;
}

/* Open `memory` below @dirfd/@name: a file of ours, reached through no link. */
static int open_memory(struct root *root, int dirfd)
{
	int dir = openat(dirfd, root->name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (dir < 0)
		return -errno;
	root->fd = openat(dir, "memory", O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	r = root->fd < 0 ? -errno : 0;
	close(dir);
	if (r < 0)
		return r;
	if (fstat(root->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return -EBADMSG;
	root->dev = st.st_dev;
	root->ino = st.st_ino;
	return 0;
}

/* Load the state that the last server left.  -ERESTART: call again. */
static int load(struct root *root)
{
	static int (*const steps[ROOT_LOADED])(struct root *root) = {
		[ROOT_LOAD_FUNCTIONS] = functions_load,
		[ROOT_LOAD_PROFILE] = profile_load,
		[ROOT_LOAD_NAMES] = rules_load_names,
		[ROOT_LOAD_INSTANCES] = instances_load,
	};
	int r = 0;

	while (!r && root->load_step < ROOT_LOADED) {
		r = steps[root->load_step](root);
		root->load_step += !r;
	}
	return r;
}

static int attach(struct root *root)
{
	struct abi_control control;
	char *base;
	int r;

	if (pread(root->fd, &control, sizeof(control), 0) != sizeof(control))
		return -EBADMSG;
	r = check_control(&control);
	if (r < 0)
		return r;
	r = mapping_new_sparse(root->fd, control.arena_off, &root->memory);
	if (r < 0)
		return r;
	base = root->memory->addr;
	root->control = root->memory->addr;
	root->processes = (void *)(base + control.processes_off);
	root->modules_table = (void *)(base + control.modules_off);
	if (control.objects_off)
		root->objects_table = (void *)(base + control.objects_off);
	root->comms_table = (void *)(base + control.comms_off);
	root->events_table = (void *)(base + control.events_off);
	root->heap_off = control.heap_off;
	root->arena_off = control.arena_off;
	root->map_bytes = control.map_bytes;
	root->nr_cpus = control.nr_cpus;
	root->top.abi = (void *)(base + control.buffers_off);
	root->comms = comms_new();
	root->objects = objects_new();
	root->symbols = symbols_new();
	if (!root->comms || !root->objects || !root->symbols)
		return -ENOMEM;
	process_init(root);
	if (process_all_gone(root))
		root->state = SERVER_ROOT_DEAD;
	r = events_refresh(root);
	boot_load(root);
	if (!r)
		r = stack_tracer_load(root);
	return r ? r : load(root);
}

/* Let go of all that it has; the name stays.  Once more does no harm. */
static void detach(struct root *root)
{
	process_done(root);
	events_done(root);
	comms_free(root->comms);
	root->comms = NULL;
	objects_free(root->objects);
	root->objects = NULL;
	symbols_free(root->symbols);
	root->symbols = NULL;
	printk_formats_free(root->printk);
	root->printk = NULL;
	stack_tracer_done(root);
	instances_done(root);
	functions_done(root);
	free(root->pending);
	root->pending = NULL;
	root->nr_pending = 0;
	mapping_put(root->memory);
	root->memory = NULL;
	root->control = NULL;
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
}

/* A root that cannot be trusted is shown as corrupt; other errors are returned. */
static int settle(struct root *root, int r)
{
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -ENOMEM ||
	    r == -ENOSPC || r == -EMFILE || r == -ENFILE)
		return r;
	if (r < 0 && r != -ERESTART) {
		detach(root);
		root->state = r == -EPROTONOSUPPORT ? SERVER_ROOT_FOREIGN :
						      SERVER_ROOT_CORRUPT;
		root->load_step = ROOT_LOADED;
	}
	return 0;
}

int root_load(struct root *root)
{
	int r = load(root);

	return r == -ERESTART ? r : settle(root, r);
}

int root_new(struct server *server, int dirfd, const char *name,
	     uint64_t serial, struct root **ret_root)
{
	struct root *root = calloc(1, sizeof(*root));
	int r;

	if (!root)
		return -ENOMEM;
	root->server = server;
	root->refs = 1;
	root->users = 1;
	root->serial = serial;
	root->top.root = root;
	root->top.serial = serial;
	root->fd = -1;
	root->found_ns = server_now_ns();
	clock_gettime(CLOCK_REALTIME, &root->found);
	root->name = strdup(name);
	r = root->name ? open_memory(root, dirfd) : -ENOMEM;
	if (!r)
		r = attach(root);
	r = settle(root, r);
	if (r) {
		root_put(root);
		return r;
	}
	*ret_root = root;
	return 0;
}

struct root *root_get(struct root *root)
{
	root->refs++;
	return root;
}

void root_put(struct root *root)
{
	if (!root || --root->refs)
		return;
	detach(root);
	free(root->name);
	free(root);
}

void root_use(struct root *root)
{
	root->users++;
}

void root_leave(struct root *root)
{
	if (!--root->users)
		detach(root);
}

int root_reserve(struct root *root, const void *start, uint64_t bytes)
{
	return mapping_reserve(root->memory, start, bytes);
}

bool root_is_usable(struct root *root)
{
	if (root->is_gone)
		return false;
	if (root->state < SERVER_ROOT_CORRUPT)
		mapping_mend(root->memory);
	if (root->state < SERVER_ROOT_CORRUPT && root->memory->is_lost) {
		process_done(root);
		root->state = SERVER_ROOT_CORRUPT;
	}
	return root->state < SERVER_ROOT_CORRUPT;
}
