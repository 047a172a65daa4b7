/* SPDX-License-Identifier: MIT */
/*
 * Event probes of a root (`e:' in dynamic_events).
 *
 * While an event probe is on in an instance, its target has a trigger there that no file shows
 * (COMMAND_EVENT_PROBE).  The trigger has the probe's filter and its program.  A process that
 * hits the target runs the program, which records the probe's event.
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

/* The kind of event probes. */
extern const struct dynamic_kind dynamic_eprobe;
/* The language of the command of the hidden trigger (eprobe_attach.c). */
extern const struct trigger_lang eprobe_lang;

/* ---- functions of eprobe_attach.c ---- */

/* Method event_settle_fn: attach @event, an event probe, to its target if it is on in
 * @instance, else detach it.  Returns 0; or -errno: the probe is off. */
int eprobe_settle(struct instance *instance, const struct event *event);
/* Detach the event probe @event from its target in all instances.  Returns 0 or an error of
 * trigger_remove(). */
int eprobe_detach_all(struct root *root, const struct event *event);
/* Check the text of a filter for records of @target.  A mistake is reported in error_log.
 * Returns 0 or -errno. */
int eprobe_check_filter(struct root *root, const struct event *target, const char *filter);
/* Method instance_part.load: attach or detach all event probes, as their settings say, after
 * the rules were loaded. */
int eprobes_load(struct instance *instance);

#endif
