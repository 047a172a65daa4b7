/* SPDX-License-Identifier: MIT */
/*
 * Patch tracepoint sites, so that they agree with tracepoint.enabled.  The caller of
 * each function holds runtime_lock().
 */
#ifndef ULF_RUNTIME_EVENT_SITE_H
#define ULF_RUNTIME_EVENT_SITE_H

struct tracepoint;
struct ulf_module;

/* Functions that patch all sites, the sites of one tracepoint, or the sites of one
 * module.  They return 0 or -errno; after an error some sites are possibly not
 * patched. */
int site_update_all(void);
int site_update_key(const struct tracepoint *key);
int site_update_module(struct ulf_module *module);

#endif
