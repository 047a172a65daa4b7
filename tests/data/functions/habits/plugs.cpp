// SPDX-License-Identifier: MIT
// A library that is unloaded by its own last call, whose handle is closed while a thread
// sleeps in it, and that is loaded and unloaded again and again.
#include <dlfcn.h>
#include <pthread.h>

#include "habits.h"

struct plug {
	void *handle;
	int (*adds)(int);
	int (*leaves)(int (*)(void *), void *);
	void (*waits)(pthread_barrier_t *);
};

static struct plug loads(const char *path)
{
	struct plug plug;

	plug.handle = dlopen(path, RTLD_NOW);
	CHECK(plug.handle);
	plug.adds = (int (*)(int))dlsym(plug.handle, "plugged_adds");
	plug.leaves = (int (*)(int (*)(void *), void *))
		dlsym(plug.handle, "plugged_leaves");
	plug.waits = (void (*)(pthread_barrier_t *))
		dlsym(plug.handle, "plugged_waits");
	CHECK(plug.adds && plug.leaves && plug.waits);
	return plug;
}

static pthread_barrier_t barrier;

static void *waits_inside(void *arg)
{
	((struct plug *)arg)->waits(&barrier);
	return NULL;
}

static struct plug plug;

// Load the library before the test switches tracing on, so that it can be traced.
void plugs_in(const char *library)
{
	plug = loads(library);
}

void plugs_out(const char *library)
{
	struct plug again;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 50; i++) {
		CHECK(plug.adds(i) == i + 1);
		// The library's function jumps to dlclose(), which returns to this function,
		// so no frame of the library is on the stack.
		CHECK(plug.leaves(dlclose, plug.handle) == 0);
		plug = loads(library);
	}
	again = loads(library);
	CHECK(!pthread_create(&thread, NULL, waits_inside, &plug));
	pthread_barrier_wait(&barrier);
	CHECK(!dlclose(again.handle));
	pthread_barrier_wait(&barrier);
	CHECK(!pthread_join(thread, NULL));
	CHECK(plug.adds(1) == 2);
	CHECK(!dlclose(plug.handle));
}
