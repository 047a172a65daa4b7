/* SPDX-License-Identifier: MIT */
/*
 * Soft mode: while triggers need an event, the probe of the event stays registered.  A
 * rule word in shared memory says whether the event is recorded, and triggers can
 * change this word.
 *
 * Rule words are the elements of abi_buffer.slots.  So in the code, `slot` is the
 * number of a rule word.  Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_SOFT_H
#define ULF_SERVER_SOFT_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct instance;
struct trigger;

/* An event in soft mode.  The elements of instance_rules.softs for all rows of the
 * event point to this struct. */
struct soft_event {
	uint32_t nr_rows;		/* number of rows that the event had when this
					 * struct was made */
	uint32_t row;			/* lowest row of the event */
	uint32_t slot;			/* number of the event's rule word; the event is
					 * soft disabled while this word is not 0 */
	uint32_t refs;			/* number of references: 1 if the event has
					 * triggers, plus 1 for each trigger whose
					 * target is this event (enable_event,
					 * disable_event) */
	struct trigger *triggers;	/* list of the event's triggers, newest first */
};

/*
 * Allocate a rule word and set it to @value.  Returns 0; -ENOSPC if all rule words are in
 * use; or an error of root_reserve().
 */
int slot_alloc(struct instance *instance, uint64_t value, uint32_t *ret_slot);
/* Free a rule word. */
void slot_free(struct instance *instance, uint32_t slot);
/* Mark rule word @slot as used, because the rules of the previous server refer to it. */
void slot_use(struct instance *instance, uint32_t slot);
/* Return the value of rule word @slot. */
uint64_t slot_value(const struct instance *instance, uint32_t slot);
/* Return 1 + the number of the highest rule word in use; 0 if none is in use. */
uint32_t slots_used(const struct instance *instance);

/* Return the struct soft_event of @event; NULL if the event is not in soft mode. */
struct soft_event *soft_find(const struct instance *instance,
			     const struct event *event);
/* Return true if the event of @soft is soft disabled now: its records are dropped. */
bool soft_is_disabled(const struct instance *instance,
		      const struct soft_event *soft);
/* Return true if @event is enabled and not soft disabled. */
bool event_is_recorded(const struct instance *instance,
		       const struct event *event);
/* Start or stop recording the event of @soft by changing its rule word.  A write to
 * `enable` calls this function for an event in soft mode. */
void soft_set(struct instance *instance, const struct soft_event *soft,
	      bool is_on);

/*
 * The caller changes soft mode in three steps, in this order:
 *
 *	soft_get() or soft_put()	count the references
 *	rules_publish()			the processes can learn which rule word to test
 *	soft_settle()			enable events; free unused soft modes
 *
 * So an event is enabled only when processes can know that it is soft disabled.  And an
 * event is disabled before processes stop testing its rule word.  To undo soft_put(),
 * call soft_get().
 */

/*
 * Put @event into soft mode if it is not in soft mode yet, and take a reference. Returns 0,
 * -ENOMEM or an error of slot_alloc().
 */
int soft_get(struct instance *instance, const struct event *event,
	     struct soft_event **ret_soft);
/* Release a reference of @soft.  If no reference is left and the event is soft disabled,
 * disable the event. */
void soft_put(struct instance *instance, struct soft_event *soft);
/* Complete changes of soft mode: enable the events that are in soft mode, and free each
 * soft_event without references. */
void soft_settle(struct instance *instance);

/*
 * Make a soft_event that uses the rule word @slot and has no references yet, for rules
 * that are loaded from the previous server.  Returns NULL if there is no memory.
 */
struct soft_event *soft_new(struct instance *instance, const struct event *event,
			    uint32_t slot);
/* Free all soft_events of @instance and their triggers. */
void soft_done(struct instance *instance);

#endif
