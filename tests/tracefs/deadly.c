/* SPDX-License-Identifier: MIT */
/*
 * ulf with TESTPOINTs.  ULF_DEADLY=NAME:PASSES kills the process with SIGKILL when it passes
 * the testpoint NAME for the PASSES-th time.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/testpoint.h"

void (*testpoint_hook)(const char *name);

static const char *deadly_name;
static size_t deadly_len;
static long passes_left;

static void die_at(const char *name)
{
	if (strncmp(name, deadly_name, deadly_len) || name[deadly_len])
		return;
	if (--passes_left > 0)
		return;
	kill(getpid(), SIGKILL);
}

__attribute__((constructor)) static void arm(void)
{
	const char *text = getenv("ULF_DEADLY");
	const char *colon = text ? strchr(text, ':') : NULL;

	if (!colon)
		return;
	deadly_name = text;
	deadly_len = (size_t)(colon - text);
	passes_left = atol(colon + 1);
	testpoint_hook = die_at;
}
