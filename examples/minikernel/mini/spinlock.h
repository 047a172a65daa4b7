/* SPDX-License-Identifier: MIT */
/*
 * Interrupt flag and spin locks.
 *
 * An interrupt is a signal, so "interrupts off" is a blocked signal.  Every
 * lock here may be wanted by an interrupt handler and is therefore only ever
 * taken with interrupts off: the handler cannot meet a lock that the very task
 * it interrupted holds.
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

/* Returns whether interrupts were off before: give it to local_irq_restore(). */
bool local_irq_save(void);
void local_irq_restore(bool flags);
void local_irq_disable(void);
void local_irq_enable(void);

/* Interrupts are off already. */
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
