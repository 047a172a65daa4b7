/* SPDX-License-Identifier: MIT */
/*
 * Event probes of a root (`e:' in dynamic_events).
 *
 * While an event probe is on in an instance, its target has in this instance a hidden
 * trigger (COMMAND_EVENT_PROBE), which no file shows.  The trigger has the probe's
 * filter and its program.  A process that hits the target runs the program, which
 * records the probe's event.
 *
 *	enable = 1	events_set() stores the setting of the probe's row, and calls
 *			eprobe_settle(), which adds the trigger to the target
 *	enable = 0	eprobe_settle() removes the trigger
 *	restart		the next server loads the trigger with the rules
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_EPROBE_H
#define ULF_SERVER_EPROBE_H

#include "server/dynamic/dynamic.h"

struct instance;
struct trigger_lang;

/* The event probes, as a kind of dynamic events. */
extern const struct dynamic_kind dynamic_eprobe;
/* The language of COMMAND_EVENT_PROBE, the command of the hidden trigger
 * (eprobe_attach.c). */
extern const struct trigger_lang eprobe_lang;

/* ---- functions that are defined in eprobe_attach.c ---- */

/* Method event_settle_fn: if the event probe @event is on in @instance, attach it to its
 * target, else detach it.  Returns 0 or -errno; after an error the probe is off. */
int eprobe_settle(struct instance *instance, const struct event *event);
/* Detach the event probe @event from its target in all instances.  Returns 0 or an error of
 * trigger_remove(). */
int eprobe_detach_all(struct root *root, const struct event *event);
/* Check the text of an event probe's filter, which is applied to records of @target.  A
 * mistake is reported in error_log.  Returns 0 or -errno. */
int eprobe_check_filter(struct root *root, const struct event *target, const char *filter);
/* Method instance_part.load: attach or detach all event probes as their settings say.
 * Runs after the rules were loaded. */
int eprobes_load(struct instance *instance);

#endif
