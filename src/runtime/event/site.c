/* SPDX-License-Identifier: MIT */
/* Patch tracepoint sites, so that each site is on if and only if its tracepoint is
 * enabled (tracepoint.enabled). */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/base/memory.h"
#include "runtime/event/module.h"
#include "runtime/event/site.h"
#include <ulf/event.h>

static struct poke_site site_of(const struct ulf_site *site)
{
	return (struct poke_site){
		.code = (uint8_t *)(uintptr_t)site + site->code,
		.target = (const uint8_t *)site + site->target,
		.is_on = __atomic_load_n(&site->key->enabled, __ATOMIC_RELAXED),
	};
}

/*
 * Collect in @list the sites of @module whose code does not agree with
 * tracepoint.enabled.
 * @key: the only tracepoint whose sites are collected; NULL: all tracepoints.  @list
 * NULL: only count.  Returns the number of these sites.  If a site that must be switched
 * on cannot be patched, stores an error in *@error.
 */
static uint32_t collect_sites(const struct ulf_module *module,
			const struct tracepoint *key, struct poke_site *list,
			int *error)
{
	uint32_t nr = 0;

	for (const struct ulf_site *s = module->sites; s < module->sites_end;
	     s++) {
		struct poke_site site = site_of(s);
		int state = poke_site_state(site.code);

		if (key && s->key != key)
			continue;
		if (state < 0) {
			/* The code at the site is neither libulf's NOP nor libulf's
			 * jump, so other software has patched it.  Report this if the
			 * site must be on. */
			if (site.is_on)
				*error = state;
			continue;
		}
		if (state == site.is_on)
			continue;
		if (list)
			list[nr] = site;
		nr++;
	}
	return nr;
}

/* Patch the sites of the modules from @from up to, but not including, @to.  @key: the
 * only tracepoint whose sites are patched; NULL: all tracepoints. */
static int update_sites(struct ulf_module *from, struct ulf_module *to,
			const struct tracepoint *key)
{
	uint32_t nr = 0, done = 0;
	struct poke_site *list;
	int error = 0, r;

	for (struct ulf_module *m = from; m != to; m = m->next)
		nr += collect_sites(m, key, NULL, &error);
	if (!nr)
		return error;
	list = memory_alloc(nr * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (struct ulf_module *m = from; m != to; m = m->next)
		done += collect_sites(m, key, list + done, &error);
	r = poke_sites(list, done);
	memory_free(list);
	return r ? r : error;
}

int site_update_all(void)
{
	return update_sites(module_first(), NULL, NULL);
}

int site_update_key(const struct tracepoint *key)
{
	return update_sites(module_first(), NULL, key);
}

int site_update_module(struct ulf_module *module)
{
	return update_sites(module, module->next, NULL);
}
