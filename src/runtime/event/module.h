/* SPDX-License-Identifier: MIT */
/* Modules: the program and the shared objects that bring tracepoints. */
#ifndef ULF_RUNTIME_EVENT_MODULE_H
#define ULF_RUNTIME_EVENT_MODULE_H

#include <stdint.h>

struct ulf_module;

/* Returns the first module of the list (ulf_module.next), or NULL.  Lock held. */
struct ulf_module *module_first(void);
/* Register @module: add its rows to the root's tables, switch its events on and patch its
 * sites.  Calls functions of the program (TRACE_EVENT_FN).  No lock held. */
void module_register(struct ulf_module *module);
/*
 * module_add_made - register a module that libulf itself has made
 * @object: the object to which the module's events belong; @object->made_id identifies the module
 *
 * Such a module has events, and no sites, no tracepoints and no functions of the program.
 * Its memory is never freed, because other threads may walk the list of modules.  Lock
 * held; the agent may call it.
 *
 * module_remove_made - switch the events of such a module off and unregister it.  Lock
 * held.
 */
struct table_object;
void module_add_made(struct ulf_module *module, const struct table_object *object);
void module_remove_made(struct ulf_module *module);
/* Called in a child of fork(): repair the locks of modules and tracepoints.  @old_tid: the
 * id that this thread had in the parent. */
void module_after_fork(uint32_t old_tid);

#endif
