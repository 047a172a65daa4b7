/* SPDX-License-Identifier: MIT */
/* Put the events of a module into order. */
#ifndef ULF_RUNTIME_EVENT_ORDER_H
#define ULF_RUNTIME_EVENT_ORDER_H

struct ulf_module;

/* Sort the events of @module into the order of its sources: by source file, and within a
 * file as in its trace headers.  Compilers and linkers may put them into any other
 * order.  The caller must not have published the module yet. */
void order_events(struct ulf_module *module);

#endif
