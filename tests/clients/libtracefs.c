/* SPDX-License-Identifier: MIT */
/*
 * A client of libtracefs and libtraceevent, run by libtracefs.sh under `ulf exec':
 *
 *     libtracefs COMMAND
 *
 * COMMAND lets the program record its events.  The client prints what the libraries find.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <traceevent/event-parse.h>
#include <traceevent/kbuffer.h>
#include <tracefs/tracefs.h>

#define SYSTEM	"emit"
#define EVENT	"emit_number"
#define NUMBERS	100000		/* more than the program records */

struct found {
	struct tep_handle *tep;
	unsigned long nr, nr_wrong;	/* events of the program */
	unsigned long nr_markers;
	bool is_seen[NUMBERS];
};

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void list_events(void)
{
	char **systems = tracefs_event_systems(NULL), **events;

	for (int i = 0; systems && systems[i]; i++) {
		events = tracefs_system_events(NULL, systems[i]);
		for (int j = 0; events && events[j]; j++)
			printf("event %s:%s\n", systems[i], events[j]);
		tracefs_list_free(events);
	}
	tracefs_list_free(systems);
}

/* Count the event.  It is wrong if its thread does not record this number, or if the number
 * was found before. */
static void check_number(struct found *found, struct tep_event *event,
			 struct tep_record *record)
{
	unsigned long long thread, number;

	if (tep_get_field_val(NULL, event, "thread", record, &thread, 0) < 0 ||
	    tep_get_field_val(NULL, event, "number", record, &number, 0) < 0 ||
	    number >= NUMBERS || found->is_seen[number] || thread != number % 2)
		found->nr_wrong++;
	else
		found->is_seen[number] = true;
	found->nr++;
}

static int found_record(struct tep_event *event, struct tep_record *record, int cpu,
			void *arg)
{
	struct found *found = arg;

	(void)cpu;
	if (!strcmp(event->name, EVENT))
		check_number(found, event, record);
	else if (!strcmp(event->name, "print"))
		found->nr_markers++;
	else
		found->nr_wrong++;
	return 0;
}

/* Let the program record its events, and write a marker. */
static void record(const char *command)
{
	if (tracefs_event_enable(NULL, SYSTEM, EVENT) < 0)
		die("enable");
	if (tracefs_event_is_enabled(NULL, SYSTEM, EVENT) != TRACEFS_ALL_ENABLED)
		die("is_enabled");
	if (system(command))
		die(command);
	if (tracefs_printf(NULL, "a marker of %s\n", "libtracefs") < 0)
		die("marker");
	if (tracefs_event_disable(NULL, SYSTEM, EVENT) < 0)
		die("disable");
}

static void read_page(struct found *found, struct kbuffer *kbuf, char *page)
{
	struct tep_record record = { 0 };
	struct tep_event *event;

	if (kbuffer_load_subbuffer(kbuf, page) < 0)
		die("kbuffer_load_subbuffer");
	if (kbuffer_missed_events(kbuf))
		found->nr_wrong++;
	for (record.data = kbuffer_read_event(kbuf, &record.ts); record.data;
	     record.data = kbuffer_next_event(kbuf, &record.ts)) {
		record.size = kbuffer_event_size(kbuf);
		event = tep_find_event_by_record(found->tep, &record);
		if (!event)
			found->nr_wrong++;
		else
			found_record(event, &record, 0, found);
	}
}

/* Read the pages of each CPU. */
static void read_pages(struct found *found)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	int page_bytes = tep_get_sub_buffer_size(found->tep);
	char *page = malloc((size_t)page_bytes), path[128];
	ssize_t len;
	int fd;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%ld/trace_pipe_raw", cpu);
		fd = tracefs_instance_file_open(NULL, path, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			die(path);
		while ((len = read(fd, page, (size_t)page_bytes)) == page_bytes)
			read_page(found, kbuf, page);
		if (len >= 0 || errno != EAGAIN)
			die("the end of the pages");
		close(fd);
	}
	free(page);
	kbuffer_free(kbuf);
}

static void report(const char *how, struct found *found)
{
	printf("%s: %lu events, %lu markers, %lu wrong\n", how, found->nr,
	       found->nr_markers, found->nr_wrong);
	*found = (struct found){ .tep = found->tep };
}

int main(int argc, char **argv)
{
	static struct found found;

	if (argc != 2)
		return 2;
	printf("directory %s\n", tracefs_tracing_dir());
	list_events();
	found.tep = tracefs_local_events(NULL);
	if (!found.tep)
		die("tracefs_local_events");
	record(argv[1]);
	if (tracefs_iterate_raw_events(found.tep, NULL, NULL, 0, found_record, &found) < 0)
		die("tracefs_iterate_raw_events");
	report("iterated", &found);
	record(argv[1]);
	read_pages(&found);
	report("paged", &found);
	tep_free(found.tep);
	return 0;
}
