/* SPDX-License-Identifier: MIT */
/* Boot settings: store them in a new root, and wait until they are applied. */
#ifndef ULF_RUNTIME_BOOT_H
#define ULF_RUNTIME_BOOT_H

#include <stdbool.h>

struct abi_control;
struct ulf_module;

struct runtime_source;

/* Take the boot settings from @source instead of from the environment and the configuration
 * file.  @source must stay valid until boot_fill() has returned. */
void boot_set_source(const struct runtime_source *source);
/* Store the boot settings in a new root.  @dir: the ulf directory. */
void boot_fill(struct abi_control *control, const char *dir);
/* Called when the root has its name.  Removes the boot settings from the environment,
 * because they are not meant for the programs that this program starts, unless those
 * programs are followed (runtime/follow.h).  If the root could not be created, this
 * function is not called, and the started programs get the settings. */
void boot_root_made(void);
/* Report to `ulf run` that there is no root, if `ulf run` has started this program.  @dir:
 * the ulf directory, which belongs to this user.  @error: the reason, as -errno. */
void boot_report_no_root(const char *dir, int error);
/* Wait until the server has applied the boot settings, if a server is known to exist.
 * Waits HOLD_SECONDS at most. */
void boot_wait(void);
/* Wait until the agent has applied the boot settings for functions, if there are any. Must
 * be called after agent_start(). */
void boot_wait_functions(void);
/* Wait until the server and the agent have applied the settings for the events of
 * @module.  If @module uses trace_printk(), also wait until there are rings.  No lock
 * held. */
void boot_wait_for(const struct ulf_module *module);
/* If the boot settings need the late rings, wait until the server has made these rings.  If
 * they have triggers or filters of events that exist now, wait until the server has set these.
 * Must be called after the method init() of all parts.  No lock held. */
void boot_wait_for_init(void);
/* Wait until the server and the agent have applied the settings for functions of objects
 * that were loaded.  The caller must hold no lock of libulf.  Returns false if there is no
 * server or no agent, or if a wait takes longer than HOLD_SECONDS. */
bool boot_wait_for_objects(void);
/*
 * boot_ask_for_tables - get the tables of moved functions of all objects that are loaded
 *
 * No lock held; the caller may be in a constructor.  Returns 0; -ENOTCONN if there is no server; or
 * -ETIMEDOUT if it does not answer, or if this thread must not wait.
 */
int boot_ask_for_tables(void);
/* Returns true if the boot settings wait until an object is loaded that can be
 * traced.  Any context. */
bool boot_is_later(void);
/* Called after dlopen().  Returns true if the boot settings wait for an object that can
 * be traced, and such an object has been loaded now.  In this case the server applies
 * the settings when a process asks it next.  No lock held. */
bool boot_objects_coming(void);

#endif
