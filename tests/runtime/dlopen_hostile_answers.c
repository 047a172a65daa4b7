/* SPDX-License-Identifier: MIT */
/*
 * dlopen() returns even if another process writes hostile answers to the root where a server
 * would answer.  If the answer changes all the time and never reaches the expected number,
 * libulf waits only as long as for an answer that does not change.
 *
 * timeout: 60
 * no-sanitize: thread it takes the writer's stores for a race
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/driver.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define SECONDS		10		/* the wait is half of that */
#define LONG		30

static struct driver d;
static bool is_over;

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Act as a server that answers old requests. */
static void *answer(void *arg)
{
	struct abi_control *control = d.control;
	time_t end = now_s() + LONG;

	(void)arg;
	for (uint32_t i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED) && now_s() < end; i++)
		__atomic_store_n(&control->answered,
				 __atomic_load_n(&control->asked, __ATOMIC_RELAXED) - 1 - i % 8,
				 __ATOMIC_RELAXED);
	return NULL;
}

static void listen_as_server(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/server.sock", getenv("ULF_DIR"));
	CHECK_EQ(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	CHECK_EQ(listen(fd, 16), 0);
}

int main(void)
{
	char exe[PATH_MAX] = "", path[PATH_MAX];
	pthread_t writer;
	void *library;
	time_t start;

	CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(path, sizeof(path), "%.4000s/tracefs-mod_callee.so", dirname(exe));
	trace_rt_hit(1, 1);		/* links the program with libulf */
	CHECK_EQ(driver_open(&d, getpid()), 0);
	listen_as_server();
	d.control->wants_objects = 1;
	CHECK_EQ(pthread_create(&writer, NULL, answer, NULL), 0);
	start = now_s();
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	CHECK(d.control->asked);	/* otherwise the test shows nothing */
	CHECK(now_s() - start <= SECONDS);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	dlclose(library);
	driver_close(&d);
	return 0;
}
