/* SPDX-License-Identifier: MIT */
/*
 * Patch tracepoint sites, so that they agree with tracepoint.enabled.  The caller of each
 * function of this file holds runtime_lock().
 */
#ifndef ULF_RUNTIME_EVENT_SITE_H
#define ULF_RUNTIME_EVENT_SITE_H

struct tracepoint;
struct ulf_module;

/* Patch all sites, the sites of one tracepoint, or the sites of one module.  Return 0 or
 * -errno; after an error some sites may not be patched. */
int site_update_all(void);
int site_update_key(const struct tracepoint *key);
int site_update_module(struct ulf_module *module);

#endif
