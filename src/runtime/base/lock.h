/* SPDX-License-Identifier: MIT */
/*
 * The locks of libulf, their order, and the words "lock held" and "any context" in the
 * contracts of src/runtime.  All code of src/runtime runs inside of a traced program: it
 * must not print, must not exit and must not change errno.
 *
 * runtime_lock() protects the list of modules, the probe lists, the patched text and the
 * ring sets of the buffers.  The agent holds it while it applies settings; threads hold
 * it in (un)register calls and in constructors, and across fork().  No function of the
 * program is called with it held.  "Lock held" in a contract means that the caller must
 * hold it.
 *
 * Locks are taken in this order: libc's lock of dlopen(), libc's lock of
 * dl_iterate_phdr(), the modules' lock (module.c), a tracepoint's lock
 * (tracepoint_enter()), runtime_lock().
 *
 * fork() takes runtime_lock().  The program may call fork(), or any function of libulf,
 * while it holds one of libc's locks: in a constructor, or in a callback of
 * dl_iterate_phdr().  So libulf must not call dlopen(), dlsym(), dladdr() or
 * dl_iterate_phdr() while it holds one of its own locks (see object_walk(),
 * table_find_object()).  Functions of the program may call them, also those that libulf
 * calls with the modules' lock or a tracepoint's lock held.  In a child of fork()
 * libc's locks may be held for ever, by threads that do not exist in the child.  So
 * code that libulf runs in a child at its start or in exit() must not take them.
 *
 * "Any context" in a contract: any thread and any signal handler may call the function,
 * also while a thread holds one of these locks; the function takes none of them.
 */
#ifndef ULF_RUNTIME_BASE_LOCK_H
#define ULF_RUNTIME_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Take and release the runtime's lock.  The lock is recursive.  Taking it may sleep. */
void runtime_lock(void);
void runtime_unlock(void);
/* Release the runtime's lock completely in a child of fork(), even if it was taken
 * several times.  Returns the thread id that the holder, which is this thread, had
 * in the parent. */
uint32_t runtime_lock_reset(void);

/*
 * Every lock other than runtime_lock() is a word, *@owner, that is 0 while the lock is
 * free.
 *
 * lock_try - take the lock if it is free.  Returns false if it is not.
 * lock_take - take the lock; may sleep.  Returns 0, or -EDEADLK: this thread holds it.
 * lock_drop - release the lock, and wake all threads that sleep on it.
 */
bool lock_try(uint32_t *owner);
int lock_take(uint32_t *owner);
void lock_drop(uint32_t *owner);
/*
 * Wait for a lock whose word may be unmapped during the wait.
 *
 * lock_mark - set WAITERS in the lock, so that its holder wakes this thread.
 * *@owner must still be mapped.  Returns the value of *@owner; 0 means that the lock
 * is free.
 *
 * lock_sleep - sleep until the lock is released.  @seen: result of lock_mark().  May
 * return early.
 */
uint32_t lock_mark(uint32_t *owner);
void lock_sleep(const uint32_t *owner, uint32_t seen);
/* Repair the lock *@owner in a child of fork().  @old_tid: the thread id that this
 * thread had in the parent.  If this thread held the lock in the parent, it holds the
 * lock in the child, too.  Otherwise the lock becomes free. */
void lock_after_fork(uint32_t *owner, uint32_t old_tid);

/* A recursive lock. */
struct lock {
	uint32_t owner;
	uint32_t depth;			/* number of lock_enter() calls that the
					 * holder must still undo */
};
/* Take and release a recursive lock.  Taking the lock may sleep. */
void lock_enter(struct lock *lock);
void lock_leave(struct lock *lock);

#endif
