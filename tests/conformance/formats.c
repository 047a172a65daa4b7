/* SPDX-License-Identifier: MIT */
/*
 * Writes the formats of all events that this program is linked with to files
 * DIR/SYSTEM/EVENT, without the line of the ID:
 *
 *     formats DIR
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"

static void write_format(struct driver *d, const char *dir, const char *system,
			 const char *name)
{
	char path[4096], *text = trace_format(d, system, name);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, system);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, system, name);
	f = fopen(path, "wxe");
	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("cannot write %s: %m", path);
	free(text);
}

int main(int argc, char **argv)
{
	struct abi_event *rows;
	struct driver d;

	CHECK_EQ(argc, 2);
	CHECK_EQ(driver_open(&d, getpid()), 0);
	rows = (void *)(d.mem + d.control->events_off);
	for (uint32_t i = ABI_DYNAMIC; i < d.control->nr_events; i++) {
		const char *blob = d.mem + rows[i].blob;
		const struct abi_format *format = (const void *)blob;

		write_format(&d, argv[1], blob + format->system,
			     blob + format->name);
	}
	driver_close(&d);
	return 0;
}
