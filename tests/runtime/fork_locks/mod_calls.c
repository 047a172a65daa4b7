/* SPDX-License-Identifier: MIT */
/* A module with an event, which calls the program while dlopen() loads it: in a resolver,
 * before libulf's constructor in the module, and after it. */
#include "hook.h"

/* The priority is that of libulf's constructor, which comes later in this file. */
__attribute__((constructor(101))) static void before_register(void)
{
	if (HOOKS->before_register)
		HOOKS->before_register();
}

#define CREATE_TRACE_POINTS
#include "mod_trace.h"

__attribute__((constructor)) static void coming(void)
{
	trace_mod_hit(1);
	if (HOOKS->in_constructor)
		HOOKS->in_constructor();
}

static int resolved(void)
{
	return 1;
}

/* `used', because clang does not see that the name is used */
static __attribute__((used)) int (*resolve(void))(void)
{
	if (HOOKS->in_resolver)
		HOOKS->in_resolver();
	return resolved;
}

int mod_resolved(void) __attribute__((ifunc("resolve")));
int (*mod_pointer)(void) = mod_resolved;
