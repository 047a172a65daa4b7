/* SPDX-License-Identifier: MIT */
/*
 * Lists of threads, which a process reads from shared memory.  A list is in force when the
 * process says so; single bits are in force at once.  An invalid offset is refused.  With
 * event-fork a thread that is started by a listed thread is listed before its first event.
 *
 * no-sanitize: address with it new threads do not inherit the list
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/pids.h"
#include "event/option.h"
#include "lib/check.h"
#include "lib/driver.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static struct driver driver;

static struct abi_buffer *top(void)
{
	return (void *)(driver.mem + driver.control->buffers_off);
}

static uint32_t my_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static uint64_t place_of(enum abi_pids_list list)
{
	return driver.control->arena_off + (1u << 30) +
	       (uint64_t)list * sizeof(struct abi_pids);
}

static struct abi_pids *list_at(enum abi_pids_list list)
{
	return (void *)(driver.mem + place_of(list));
}

static int place(enum abi_pids_list list, uint64_t off)
{
	__atomic_store_n(&top()->pids[list], off, __ATOMIC_RELEASE);
	return driver_apply(&driver);
}

static bool is_recorded(void)
{
	uint64_t before = driver_nr_records(&driver);

	trace_rt_hit(1, 2);
	return driver_nr_records(&driver) != before;
}

static bool is_ignored_in_handler;

static void in_handler(int sig)
{
	(void)sig;
	is_ignored_in_handler = !is_recorded();
}

static void in_force(void)
{
	CHECK(is_recorded());
	CHECK_EQ(place(ABI_PIDS_TRACE, place_of(ABI_PIDS_TRACE)), 0);
	CHECK(!is_recorded());
	signal(SIGUSR1, in_handler);
	raise(SIGUSR1);
	CHECK(is_ignored_in_handler);
	abi_pids_add(list_at(ABI_PIDS_TRACE), my_tid());
	CHECK(is_recorded());
	CHECK_EQ(place(ABI_PIDS_NOTRACE, place_of(ABI_PIDS_NOTRACE)), 0);
	CHECK(is_recorded());
	abi_pids_add(list_at(ABI_PIDS_NOTRACE), my_tid());
	CHECK(!is_recorded());
	abi_pids_remove(list_at(ABI_PIDS_NOTRACE), my_tid());
	CHECK(is_recorded());
	abi_pids_remove(list_at(ABI_PIDS_TRACE), my_tid());
	CHECK(!is_recorded());
}

static void wrong_places(void)
{
	const uint64_t wrong[] = { 1, 4096, place_of(ABI_PIDS_TRACE) + 8,
				   driver.control->map_bytes - 4096, ~4095ull };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(place(ABI_PIDS_TRACE, wrong[i]) < 0);
		CHECK(!is_recorded());
	}
	CHECK_EQ(place(ABI_PIDS_TRACE, 0), 0);
	CHECK_EQ(place(ABI_PIDS_NOTRACE, 0), 0);
	CHECK(is_recorded());
}

/* ---- event-fork ---- */

static bool in_child(bool (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool is_child_recorded(void)
{
	return in_child(is_recorded);
}

static bool is_grandchild_recorded(void)
{
	return in_child(is_child_recorded);
}

static void *in_thread(void *arg)
{
	*(bool *)arg = is_recorded();
	return arg;
}

static bool is_thread_recorded(void)
{
	bool is_it;
	pthread_t thread;
	void *result;

	CHECK_EQ(pthread_create(&thread, NULL, in_thread, &is_it), 0);
	CHECK_EQ(pthread_join(thread, &result), 0);
	CHECK(result == &is_it);
	return is_it;
}

static bool is_childs_thread_recorded(void)
{
	return in_child(is_thread_recorded);
}

/* Check children and threads, and those that they start in turn. */
static void check_heirs(bool are_recorded)
{
	CHECK_EQ(is_child_recorded(), are_recorded);
	CHECK_EQ(is_grandchild_recorded(), are_recorded);
	CHECK_EQ(is_thread_recorded(), are_recorded);
	CHECK_EQ(is_childs_thread_recorded(), are_recorded);
}

static void event_fork(void)
{
	CHECK_EQ(place(ABI_PIDS_TRACE, place_of(ABI_PIDS_TRACE)), 0);
	abi_pids_add(list_at(ABI_PIDS_TRACE), my_tid());
	check_heirs(false);
	__atomic_store_n(&top()->options, OPTION_EVENT_FORK, __ATOMIC_RELEASE);
	check_heirs(true);
	CHECK_EQ(place(ABI_PIDS_NOTRACE, place_of(ABI_PIDS_NOTRACE)), 0);
	check_heirs(true);
	abi_pids_remove(list_at(ABI_PIDS_TRACE), my_tid());
	check_heirs(false);
	CHECK_EQ(place(ABI_PIDS_TRACE, 0), 0);
	check_heirs(true);
	abi_pids_add(list_at(ABI_PIDS_NOTRACE), my_tid());
	check_heirs(false);
	__atomic_store_n(&top()->options, 0, __ATOMIC_RELEASE);
	check_heirs(true);
}

int main(void)
{
	const struct driver_config config = { 4096, 64, 16, true };

	CHECK_EQ(driver_open(&driver, getpid()), 0);
	CHECK_EQ(ftruncate(driver.fd, (off_t)place_of(ABI_PIDS_LISTS)), 0);
	CHECK_EQ(driver_rings(&driver, &config), 0);
	CHECK_EQ(driver_enable(&driver, "rt", "rt_hit", true), 0);
	in_force();
	wrong_places();
	event_fork();
	return 0;
}
