/* SPDX-License-Identifier: MIT */
/*
 * libulf inside: what its files offer each other.  Everything here runs in
 * somebody else's program: no printing, no exit, errno is left alone.
 *
 * runtime_lock() protects the list of modules, the probe lists, the text and
 * the buffers' ring sets.  Held by the agent while it applies, by threads in
 * (un)register calls and constructors, and across fork().
 */
#ifndef ULF_RUNTIME_RUNTIME_H
#define ULF_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "ring/ring.h"
#include <ulf/event.h>

/* ---- init.c ---- */
void runtime_init(void);		/* idempotent */
bool runtime_is_exiting(void);
void runtime_watch_exit(void);		/* may be called again and again */

/* ---- lock.c ---- */
void runtime_lock(void);
void runtime_unlock(void);
void runtime_lock_reset(void);

/* ---- memory.c ---- */
void *memory_alloc(size_t bytes);	/* zeroed */
void memory_free(void *ptr);
/* To be freed together later; *@list is NULL at first. */
void memory_defer(void **list, void *ptr);
void memory_defer_all(void **list, void *more);
void memory_free_deferred(void *list);

/* ---- root.c: the shared memory.  NULL: this process has no root. ---- */
extern struct abi_control *root_control;
int root_create(void);
void root_remove_if_unused(bool has_forked);
/* Has the server ever wished for anything? */
bool root_is_wished(void);
/* Make [off, off + bytes) of the memory usable, without a SIGBUS later. */
int root_populate(uint64_t off, uint64_t bytes);
void *root_at(uint64_t off);
struct abi_event *root_event(uint32_t row);
struct abi_buffer *root_buffer(uint32_t index);

/* ---- process.c: this process's slot in the root ---- */
extern struct abi_process *process_slot;
/* @parent: what the parent's slot was when it called fork(), or NULL. */
int process_claim(const struct abi_process *parent);
/* Is @fn true for one of the live processes? */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg);

/* ---- thread.c: threads that call probes; async-signal-safe ---- */
struct thread_slot {
	struct ulf_thread thread;	/* tid 0: free */
	uint64_t reserved[6];
} __attribute__((aligned(64)));

/* Calls @fn for every slot; stops when it is not 0. */
int thread_for_each(int (*fn)(struct thread_slot *slot, void *arg), void *arg);
void thread_after_fork(void);

/* ---- comm.c ---- */
void comm_record(uint32_t tid);

/* ---- grace.c ---- */
void grace_init(void);
/* Does a grace period also restart rseq sections? */
bool grace_has_rseq(void);
/* Waits until no probe runs that ran when it was called.  @timeout_ms < 0:
 * as long as it takes; else -ETIMEDOUT. */
int grace_wait(int timeout_ms);
/* memory_free(@ptr) after a grace period: at the next grace_wait().  Lock held. */
void grace_free(void *ptr);

/* ---- tracepoint.c; lock held ---- */
int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_remove(struct tracepoint *tp, void *probe, void *data);

/* ---- site.c: makes the text follow tracepoint.enabled; lock held ---- */
int site_update_all(void);
int site_update_key(const struct tracepoint *key);
int site_update_module(struct ulf_module *module);

/* ---- module.c ---- */
struct ulf_module *module_first(void);	/* lock held */

/* ---- event.c; lock held ---- */
struct buffer;
int event_register_module(struct ulf_module *module);
void event_unregister_module(struct ulf_module *module);
/* Make probes follow abi_event.wanted; sites are not touched. */
int event_follow(struct ulf_module *module);
/* The buffer's set of rings has been replaced. */
void event_use_set(const struct buffer *buffer);
/* The rest of ulf_event_commit(); any context. */
void event_commit_slowly(const struct ulf_event *event, void *entry,
			 size_t bytes) __attribute__((visibility("hidden")));

/* ---- buffer.c: the rings as this process sees them ---- */
struct buffer {
	struct ring_set *set;		/* published, RCU [buffer.set] */
	struct abi_buffer *shared;
};
/* NULL: no memory. */
struct buffer *buffer_get(uint32_t index);
/* Take over the server's rings.  Lock held. */
int buffer_follow(uint32_t index);
/* Record nothing more.  In a child that has no other thread yet. */
void buffer_detach_all(void);

/* ---- agent.c ---- */
int agent_start(void);

/* ---- format.c ---- */
/* The blob for an event; returns its size, writes it if @blob. */
uint32_t format_blob(const struct ulf_event *event, void *blob);

/* ---- match.c ---- */
/* Do the words of @words (set_event's, separated by , or blank) name it? */
bool match_event(const char *words, const char *system, const char *name);

#endif
