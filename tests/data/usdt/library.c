/* SPDX-License-Identifier: MIT */
/* A library with probes. */
#include "probe.h"

SEMAPHORE(library_counted);

void library_hit(int value);
void library_hit(int value)
{
	PROBE1("library", "hit", "-4", value);
	PROBE_IF("library", "counted", library_counted, "-4", value);
}
