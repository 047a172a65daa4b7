/* SPDX-License-Identifier: MIT */
/*
 * How the server asks the processes of a root to apply changed settings, and waits for them.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_APPLY_H
#define ULF_SERVER_APPLY_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct root;
struct server;

/* A change of settings that some processes have possibly not applied yet. */
struct apply {
	struct root *root;		/* root whose settings have changed; NULL if there
					 * is nothing to wait for */
	uint32_t generation;
	uint64_t deadline_ns;		/* latest time up to which apply_wait() waits,
					 * CLOCK_MONOTONIC, ns */
};

/*
 * Check that at least one process of the root has an agent.  Must be called before
 * settings are switched on.  Returns 0 if one has an agent.  Otherwise returns the
 * -errno with which a process failed to start its agent.  A failed start is reported
 * in error_log in both cases.
 * @file: name of the file that is written, for error_log.
 */
int apply_check(struct instance *instance, const char *file);
/* Raise the generation and notify the processes of @root that their settings have
 * changed. */
void apply_start(struct root *root, struct apply *ret_apply);
/*
 * Wait up to @wait_ns until all live processes have applied the settings of @apply.
 * Returns 0 if all have applied the settings or the deadline has passed.  (The
 * deadline is later while a process waits until its threads are stopped.)  Returns
 * -EINPROGRESS if the caller must call again, or the -errno of a process that has
 * failed to apply the settings.  Does not wait for processes that are stopped.
 */
int apply_wait(struct apply *apply, uint64_t wait_ns);
#define APPLY_WAIT_NS		2000000u
/*
 * If apply_wait() has returned -EINPROGRESS not long ago, sleep until the process has applied more
 * settings, or wants its threads stopped, but at most @wait_ns.  Returns false if there is nothing
 * to wait for.  *@ret_has_news: the caller must call apply_wait() again.
 */
bool apply_pause(struct server *server, uint64_t wait_ns, bool *ret_has_news);
/*
 * Regular work for @root, once a second.  Sends the orders of processes that want their
 * threads stopped.  Logs how many functions the processes could not switch.  Also logs
 * the error of a process that has failed to apply settings after apply_wait() has given
 * up on it.
 */
void apply_tick(struct root *root);
/* Return true if every live process has applied @generation.  Then no process uses rings
 * and blocks any more that were replaced before this generation. */
bool apply_is_settled(const struct root *root, uint32_t generation);

#endif
