/* SPDX-License-Identifier: MIT */
/* Record events that users write to `inject` files.  The server itself writes these
 * records, as it writes markers. */
#ifndef ULF_SERVER_INJECT_H
#define ULF_SERVER_INJECT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event;
struct instance;
struct root;
struct trigger_mark;

/*
 * Record @event once for thread @tid, with the values of fields in the text @data.
 * The event need not be enabled, but its filter applies.  As in the kernel, the
 * event's triggers run if one of them has a filter or must see the record.  Only the
 * server's thread calls this function.  Returns @size, also if nothing was recorded
 * because recording is off, or the filter is false; -ENODEV if the root is dead;
 * -EINVAL if the text is too long; or another error of inject_parse() or
 * instance_need_rings().
 */
ssize_t inject_write(struct instance *instance, const struct event *event, const char *data,
		     size_t size, pid_t tid);
/*
 * Record the dynamic event in row @row, because a trigger that ran for the record @cause asks
 * for it.
 * @only: the instance in which to record the event; NULL for all instances.  An instance
 * records the event only if the event is enabled there.  @entry: the record, of @bytes
 * bytes.  The function sets its first 8 bytes, the common fields.  If @entry is NULL, the
 * record was too large, and nothing is recorded.
 */
void inject_emit(struct root *root, struct instance *only, uint32_t row, void *entry,
		 size_t bytes, const struct trigger_mark *cause);

#endif
