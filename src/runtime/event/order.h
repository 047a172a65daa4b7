/* SPDX-License-Identifier: MIT */
/* Sort the events of a module into the order of its sources. */
#ifndef ULF_RUNTIME_EVENT_ORDER_H
#define ULF_RUNTIME_EVENT_ORDER_H

struct ulf_module;

/* Sort the events of @module into the order of its sources: by source file, and within a
 * file as in its trace headers.  Compilers and linkers may emit the events in any other
 * order.  The caller must not have published the module yet. */
void order_events(struct ulf_module *module);

#endif
