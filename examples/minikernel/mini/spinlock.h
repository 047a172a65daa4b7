/* SPDX-License-Identifier: MIT */
/*
 * Interrupt flag and spin locks.
 *
 * An interrupt is a signal, so "interrupts off" is a blocked signal.  An interrupt
 * handler may take any lock of this kind, so tasks take these locks only with interrupts
 * off: then a handler never waits for a lock that the interrupted task holds.
 */
#ifndef MINI_SPINLOCK_H
#define MINI_SPINLOCK_H

#include <mini/types.h>

typedef struct {
	atomic_int locked;
} spinlock_t;

#define SPIN_LOCK_INIT	{ 0 }

static inline void spin_lock_init(spinlock_t *lock)
{
	atomic_init(&lock->locked, 0);
}

/* Switch interrupts off.  Returns whether they were off before; pass this to
 * local_irq_restore(). */
bool local_irq_save(void);
void local_irq_restore(bool flags);
void local_irq_disable(void);
void local_irq_enable(void);

/* Take the lock.  Interrupts must be off. */
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);

#define spin_lock_irqsave(lock, flags)		\
	do {					\
		(flags) = local_irq_save();	\
		spin_lock(lock);		\
	} while (0)

#define spin_unlock_irqrestore(lock, flags)	\
	do {					\
		spin_unlock(lock);		\
		local_irq_restore(flags);	\
	} while (0)

#endif
