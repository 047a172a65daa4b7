/* SPDX-License-Identifier: MIT */
#include "cli/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/slice.h"
#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/record_file.h"
#include "cli/record_net.h"
#include "cli/record_pack.h"
#include "cli/record_results.h"
#include "cli/record_rings.h"
#include "server/core/mapping.h"

#define PATH_BYTES	4096
#define CHUNKS_MAX	(8ull << 30)	/* maximum total size of all chunks in memory, on
					 * machines with much memory, bytes */
#define BUSY_BYTES	(4 << 20)	/* if a pass has read more bytes than this, the next
					 * pass follows at once */
#define NAP_MS		2		/* time between two passes over the rings while
					 * records come, ms */
#define NAP_MAX_MS	16		/* time between two passes over the rings while no
					 * records come, ms */
#define DEAD_MS		50		/* time between two checks for roots that have died,
					 * ms */

/* Temporary files from which the main thread makes one trace.dat: those of a whole recording
 * of a root, or of a part of it. */
struct part {
	STAILQ_ENTRY(part) link;
	struct recorded *recorded;
	struct record_temp **temps;	/* array of @nr temporary files, by CPU; NULL: the CPU
					 * has no records */
	uint32_t nr, page_bytes;
	bool is_last;			/* true: this is the last part, because the recording
					 * of the root has ended */
	struct record_count count;	/* numbers of the root's records at the time when the
					 * part was taken */
};

/* A root that is being recorded, or was recorded. */
struct recorded {
	STAILQ_ENTRY(recorded) link;
	char *name, *path;
	struct record_rings *rings;	/* reader of the root's rings; NULL: the recording of
					 * the root has ended */
	struct record_net *net;		/* connection to the listener to which the records are
					 * sent; NULL: none */
	struct record_session *session;
	struct record_count count;	/* numbers at the last pass */
	struct part *silent;		/* the last part of a root that has ended without
					 * records, while it is open whether it gets a file */
	pthread_mutex_t lock;		/* protects @writer and @is_prepared */
	struct datfile_writer *writer;	/* writer of the root's trace.dat.  A packer opens it
					 * before the first temporary file, so that disk space
					 * is reserved; the main thread takes it over together
					 * with a part */
	bool is_prepared;		/* true: prepare_result() was called */
	/* The members below are used only by the main thread. */
	uint64_t saved, lost;		/* numbers of saved and of lost records in the parts
					 * that are finished */
	uint64_t bytes;			/* size of the records in the last part, bytes */
	bool is_finished;		/* true: the file of the last part is complete */
};

struct record_session {
	struct record_settings settings;
	struct record_packs *packs;
	pthread_t thread;
	bool has_thread;
	int roots, inotify;		/* @roots: descriptor of DIR/roots; @inotify:
					 * descriptor that reports new roots in it; -1: not
					 * opened */
	STAILQ_HEAD(, recorded) all;	/* list of the roots of the session; until the reader
					 * thread has ended, only this thread uses the list */
	uint64_t limit;			/* size at which a part or the recording ends, bytes */
	uint64_t dead_ms;		/* time of the next check for roots that have died, ms */

	pthread_mutex_t lock;		/* lock that protects the members below, up to @error */
	STAILQ_HEAD(, part) parts;	/* list of the parts from which the main thread must
					 * still make a trace.dat */
	struct record_state state;
	bool is_stopping;
	int error;			/* -errno of the first error of the reader thread; 0:
					 * none */
	/* The members below are used only by the main thread. */
	uint32_t nr_files;
	int file_error;
};

/* ---- the reader thread: begin to record roots ---- */

/* Return true if the trace.dat of the root @root gets the path of the settings unchanged.
 * This is so for the first root that the settings name, or for the first root of a run that
 * has records; record_results_name() possibly changes the latter. */
static bool is_first_result(const struct record_session *session, const char *root)
{
	const struct recorded *recorded;

	if (session->settings.nr_roots)
		return !strcmp(session->settings.roots[0], root);
	STAILQ_FOREACH(recorded, &session->all, link)
		if (recorded->path && !strcmp(recorded->path, session->settings.path))
			return false;
	return true;
}

/* Return the path of a root's trace.dat: the path of the settings, to which the name of the
 * root is added, except for the first trace.dat. */
static char *result_path(const struct record_session *session, const char *root)
{
	char *path;

	if (is_first_result(session, root))
		return strdup(session->settings.path);
	return asprintf(&path, "%s.%s", session->settings.path, root) < 0 ? NULL : path;
}

/* Choose the path of the trace.dat of a root, as soon as the root has a record. */
static int begin_result(void *arg)
{
	struct recorded *recorded = arg;

	if (!recorded->path)
		recorded->path = result_path(recorded->session, recorded->name);
	return recorded->path ? 0 : -ENOMEM;
}

/* Create the trace.dat of a root.  A packer calls this: the file system may let the caller wait,
 * and the rings would overflow while the reader waits. */
static int prepare_result(void *arg)
{
	struct recorded *recorded = arg;
	int r = 0;

	pthread_mutex_lock(&recorded->lock);
	if (!recorded->is_prepared)
		r = datfile_writer_new(recorded->path, &recorded->writer);
	recorded->is_prepared = true;
	pthread_mutex_unlock(&recorded->lock);
	return r;
}

static void part_free(struct part *part)
{
	if (!part)
		return;
	for (uint32_t i = 0; i < part->nr; i++) {
		if (part->temps[i])
			record_temp_close(part->temps[i]);
		free(part->temps[i]);
	}
	free(part->temps);
	free(part);
}

static void recorded_free(struct recorded *recorded)
{
	record_rings_close(recorded->rings);
	record_net_free(recorded->net);
	pthread_mutex_destroy(&recorded->lock);
	part_free(recorded->silent);
	free(recorded->name);
	free(recorded->path);
	free(recorded);
}

/* Begin to record the root @name.  Returns 0 or -errno.  Returns 0, too, if the root is not
 * recorded because it belongs to another run. */
static int add_root(struct record_session *session, const char *name)
{
	const struct record_settings *settings = &session->settings;
	struct recorded *recorded = calloc(1, sizeof(*recorded));
	struct record_output output = {
		.path = settings->path, .packs = session->packs, .begin = begin_result,
		.prepare = prepare_result, .arg = recorded,
	};
	int r = -ENOMEM;

	if (!recorded)
		return r;
	pthread_mutex_init(&recorded->lock, NULL);
	recorded->session = session;
	recorded->name = strdup(name);
	if (recorded->name)
		r = settings->is_network ? record_net_new(settings->path, &recorded->net) : 0;
	output.net = recorded->net;
	if (!r)
		r = record_rings_open(session->roots, name, settings->instance,
				      settings->is_archive, &output, &recorded->rings);
	if (!r && (!settings->run_id ||
		   record_rings_run_id(recorded->rings) == settings->run_id)) {
		STAILQ_INSERT_TAIL(&session->all, recorded, link);
		return 0;
	}
	recorded_free(recorded);
	return settings->run_id && r != -ENOMEM ? 0 : r;
}

/* Begin to record the roots that have appeared in DIR/roots.  A root is complete when it
 * appears, because libulf makes it under another name and then renames it. */
static int add_new_roots(struct record_session *session)
{
	char data[4096] __attribute__((aligned(8)));
	ssize_t n;
	int r = 0;

	while (!r && (n = read(session->inotify, data, sizeof(data))) > 0) {
		const struct inotify_event *event;

		for (char *at = data; !r && at < data + n; at += sizeof(*event) + event->len) {
			event = (const void *)at;
			if (event->len)
				r = add_root(session, event->name);
		}
	}
	return r;
}

/* ---- the reader thread: end parts and recordings ---- */

/* Take the temporary files of a root.  Returns NULL if memory cannot be allocated. */
static struct part *part_new(struct recorded *recorded, bool is_last)
{
	struct part *part = calloc(1, sizeof(*part));

	if (!part || record_rings_take(recorded->rings, &part->temps, &part->nr,
				       &part->page_bytes)) {
		free(part);
		return NULL;
	}
	part->recorded = recorded;
	part->is_last = is_last;
	part->count = record_rings_count(recorded->rings);
	return part;
}

/* Pass a part to the main thread. */
static int put_part(struct record_session *session, struct part *part)
{
	if (!part)
		return -ENOMEM;
	pthread_mutex_lock(&session->lock);
	STAILQ_INSERT_TAIL(&session->parts, part, link);
	pthread_mutex_unlock(&session->lock);
	return 0;
}

/* Return true if the root gets a file even if the file of another root has records. */
static bool wants_file(const struct record_session *session, const struct recorded *recorded)
{
	return session->settings.nr_roots ? record_rings_has_any(recorded->rings) :
					    recorded->count.written;
}

/* Read the last records of a root and end its recording. */
static int end_root(struct record_session *session, struct recorded *recorded)
{
	int64_t bytes = record_rings_read(recorded->rings, true);
	int r = 0;

	recorded->count = record_rings_count(recorded->rings);
	if (wants_file(session, recorded))
		r = begin_result(recorded);
	if (!r && recorded->path)
		r = put_part(session, part_new(recorded, true));
	else if (!r && record_rings_has_any(recorded->rings))
		recorded->silent = part_new(recorded, true);
	record_rings_close(recorded->rings);
	recorded->rings = NULL;
	return bytes < 0 ? (int)bytes : r;
}

/* If no root has records, make an empty file for the first one that could have recorded. */
static int end_silent_roots(struct record_session *session)
{
	struct recorded *recorded, *first = NULL;
	int r;

	STAILQ_FOREACH(recorded, &session->all, link) {
		if (recorded->path)
			return 0;
		if (recorded->silent && !first)
			first = recorded;
	}
	if (!first)
		return 0;
	r = begin_result(first);
	if (!r)
		r = put_part(session, first->silent);
	if (!r)
		first->silent = NULL;
	return r;
}

/* If the limit of the size is reached, begin a new part, or end the recording. */
static int check_limit(struct record_session *session, bool *ret_is_end)
{
	struct recorded *recorded;
	int r, error;
	uint64_t bytes = record_packs_bytes(session->packs, &error);

	*ret_is_end = error;
	if (!session->limit || bytes < session->limit)
		return 0;
	*ret_is_end |= !session->settings.keep;
	session->limit += session->settings.max_bytes;
	STAILQ_FOREACH(recorded, &session->all, link) {
		r = recorded->rings && recorded->path && !*ret_is_end ?
		    put_part(session, part_new(recorded, false)) : 0;
		if (r)
			return r;
	}
	return 0;
}

/* ---- the reader thread: the loop ---- */

static int64_t read_root(struct record_session *session, struct recorded *recorded, bool is_look)
{
	bool is_dead = is_look && record_rings_is_dead(recorded->rings);
	int64_t bytes = record_rings_read(recorded->rings, false);

	if (bytes < 0)
		return bytes;
	recorded->count = record_rings_count(recorded->rings);
	if (is_dead) {
		int r = end_root(session, recorded);

		return r ? r : bytes;
	}
	return bytes;
}

/* Store the numbers of records after a pass, for the main thread.  Returns true if the main
 * thread wants the recording to end. */
static bool publish_state(struct record_session *session, bool has_ended, int error)
{
	struct record_state state = { .has_ended = has_ended };
	struct recorded *recorded;
	int ignored;
	bool is_stopping;

	STAILQ_FOREACH(recorded, &session->all, link) {
		state.records += recorded->count.read;
		state.lost += recorded->count.lost;
		state.nr_roots += recorded->path != NULL;
	}
	state.bytes = record_packs_bytes(session->packs, &ignored);
	pthread_mutex_lock(&session->lock);
	session->state = state;
	if (error && !session->error)
		session->error = error;
	is_stopping = session->is_stopping;
	pthread_mutex_unlock(&session->lock);
	return is_stopping;
}

/* Do a pass over the rings of all roots.  Returns the number of bytes that were read, or
 * -errno. */
static int64_t read_all(struct record_session *session, bool *ret_is_end)
{
	bool is_look = clock_monotonic_ms() >= session->dead_ms, is_full;
	struct recorded *recorded;
	uint32_t nr_live = 0;
	int64_t sum = 0;
	int r;

	if (is_look)
		session->dead_ms = clock_monotonic_ms() + DEAD_MS;
	STAILQ_FOREACH(recorded, &session->all, link) {
		int64_t bytes = recorded->rings ? read_root(session, recorded, is_look) : 0;

		if (bytes < 0)
			return bytes;
		sum += bytes;
		nr_live += recorded->rings != NULL;
	}
	r = check_limit(session, &is_full);
	*ret_is_end = is_full || (!session->settings.run_id && !nr_live);
	return r ? r : sum;
}

static void *run_reader(void *arg)
{
	struct record_session *session = arg;
	struct recorded *recorded;
	bool is_end = false;
	int nap_ms = 0, r = 0;

	slice_shorten_own(false);	/* the packers that this thread starts get normal slices */
	do {
		struct pollfd dir = { .fd = session->inotify, .events = POLLIN };
		int64_t bytes;

		poll(&dir, 1, nap_ms);
		if (session->inotify >= 0)
			r = add_new_roots(session);
		bytes = r ? r : read_all(session, &is_end);
		r = bytes < 0 ? (int)bytes : 0;
		if (bytes > 0)
			nap_ms = bytes > BUSY_BYTES ? 0 : NAP_MS;
		else
			nap_ms = nap_ms < NAP_MAX_MS ? nap_ms + 1 : NAP_MAX_MS;
	} while (!publish_state(session, is_end || r, r) && !is_end && !r);
	record_packs_hurry(session->packs);
	STAILQ_FOREACH(recorded, &session->all, link) {
		int error = recorded->rings ? end_root(session, recorded) : 0;

		r = r ? r : error;
	}
	publish_state(session, true, r ? r : end_silent_roots(session));
	return NULL;
}

/* ---- start ---- */

static uint64_t chunks_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 ? min_u64(CHUNKS_MAX, (uint64_t)pages * (uint64_t)bytes / 4) : 1 << 28;
}

static int watch_roots(struct record_session *session, const char *path)
{
	session->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (session->inotify < 0 || inotify_add_watch(session->inotify, path, IN_MOVED_TO) < 0)
		return -errno;
	return 0;
}

static int add_roots(struct record_session *session)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < session->settings.nr_roots; i++)
		r = add_root(session, session->settings.roots[i]);
	return r;
}

static int open_session(struct record_session *session)
{
	char path[DIR_PATH_BYTES + sizeof(DIR_ROOTS)];
	int r;

	snprintf(path, sizeof(path), "%s/%s", session->settings.dir, DIR_ROOTS);
	session->roots = open(path, O_DIRECTORY | O_CLOEXEC);
	if (session->roots < 0)
		return -errno;
	r = mapping_init();
	if (!r)
		r = record_packs_start(chunks_limit(), &session->packs);
	if (!r)
		r = session->settings.run_id ? watch_roots(session, path) : add_roots(session);
	if (!r)
		r = -pthread_create(&session->thread, NULL, run_reader, session);
	session->has_thread = !r;
	return r;
}

/* Check that the result can be written, because a packer only creates it when there are records.
 * Prints an error. */
static int check_path(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd >= 0)
		unlink(path);
	else if (errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (fd < 0) {
		int r = -errno;

		cli_error("cannot write %s: %s", path, strerror(-r));
		return r;
	}
	close(fd);
	return 0;
}

int record_start(const struct record_settings *settings, struct record_session **ret_session)
{
	struct record_session *session;
	int r = settings->is_network ? 0 : check_path(settings->path);

	if (r)
		return r;
	session = calloc(1, sizeof(*session));
	if (!session)
		return -ENOMEM;
	session->settings = *settings;
	session->limit = settings->max_bytes;
	session->roots = session->inotify = -1;
	STAILQ_INIT(&session->all);
	STAILQ_INIT(&session->parts);
	pthread_mutex_init(&session->lock, NULL);
	r = open_session(session);
	if (r) {
		cli_error("cannot record: %s", strerror(-r));
		record_free(session);
		return r;
	}
	*ret_session = session;
	return 0;
}

void record_free(struct record_session *session)
{
	struct recorded *recorded;

	if (!session)
		return;
	record_packs_stop(session->packs);
	while ((recorded = STAILQ_FIRST(&session->all))) {
		STAILQ_REMOVE_HEAD(&session->all, link);
		recorded_free(recorded);
	}
	if (session->roots >= 0)
		close(session->roots);
	if (session->inotify >= 0)
		close(session->inotify);
	pthread_mutex_destroy(&session->lock);
	free(session);
}

void record_get_state(struct record_session *session, struct record_state *ret_state)
{
	pthread_mutex_lock(&session->lock);
	*ret_state = session->state;
	pthread_mutex_unlock(&session->lock);
}

/* ---- the main thread: make trace.dat files ---- */

/* Rename the older parts, FILE.1 to FILE.2 and so on, and return the path for a new part.
 * The oldest part is overwritten. */
static char *part_path(const struct record_session *session, const char *path)
{
	char *from = NULL, *to = NULL;

	for (uint32_t i = session->settings.keep - 1; i; i--) {
		free(to);
		to = from;
		if (asprintf(&from, "%s.%u", path, i) < 0)
			return NULL;
		if (to)
			rename(from, to);
	}
	free(to);
	return from;
}

/* Make an array of the datfile_pages of @part's temporary files, and count their records. */
static struct datfile_pages *collect_pages(struct record_session *session, struct part *part,
					   uint64_t *ret_saved)
{
	struct datfile_pages *pages = calloc(part->nr, sizeof(*pages));

	*ret_saved = 0;
	for (uint32_t i = 0; i < part->nr; i++) {
		struct record_temp *temp = part->temps[i];

		if (temp)
			record_packs_flush(session->packs, temp);
		if (temp)
			*ret_saved += temp->saved;
		if (!pages)
			continue;
		pages[i] = (struct datfile_pages){ .fd = -1, .cpu = i };
		if (temp)
			pages[i] = temp->pages;
	}
	return pages;
}

/* Return true if the files get their final names when all roots of a run have ended
 * (name_results()).  Files of parts are named at once, because a long recording has many. */
static bool is_named_at_end(const struct record_session *session)
{
	const struct record_settings *settings = &session->settings;

	return settings->run_id && !settings->keep && !settings->is_network;
}

/* Return the result of @recorded, with a copy of its path, which is NULL without memory. */
static struct record_result result_of(const struct recorded *recorded)
{
	return (struct record_result){
		.root = recorded->name, .path = strdup(recorded->path), .saved = recorded->saved,
		.lost = recorded->lost, .bytes = recorded->bytes,
	};
}

static int finish_file(struct recorded *recorded, struct conn *conn,
		       struct datfile_writer *writer, const struct record_part *part)
{
	struct record_part rest = *part;
	int r;

	if (!recorded->net)
		return record_file_finish(conn, writer, part);
	rest.pages = NULL;
	r = record_net_writer(recorded->net, &writer);
	if (!r)
		r = record_file_finish(conn, writer, &rest);
	return r ? r : record_net_finish(recorded->net);
}

/* Write the file of @part. */
static int write_part(struct record_session *session, struct conn *conn, struct part *part,
		      const char *path, struct datfile_writer *writer)
{
	struct recorded *recorded = part->recorded;
	struct record_part content = {
		.root = recorded->name, .instance = session->settings.instance,
		.page_bytes = part->page_bytes, .nr = part->nr,
	};
	uint64_t written = part->count.read + part->count.lost, bytes = 0;
	int r;

	content.pages = collect_pages(session, part, &content.saved);
	if (part->is_last && part->count.written > written)
		written = part->count.written;
	/* Subtract the lost records that earlier files report, and the records that earlier
	 * files and this file contain. */
	content.lost = written - recorded->saved - recorded->lost - content.saved;
	content.written = content.saved + content.lost;
	recorded->saved += content.saved;
	recorded->lost += content.lost;
	for (uint32_t i = 0; content.pages && i < part->nr; i++)
		bytes += content.pages[i].bytes;
	r = content.pages ? finish_file(recorded, conn, writer, &content) : -ENOMEM;
	free(content.pages);
	recorded->bytes = bytes;
	recorded->is_finished = !r && part->is_last;
	if (!r && !session->settings.is_quiet && !is_named_at_end(session))
		record_result_print(&(struct record_result){
			.root = content.root, .path = (char *)path, .saved = content.saved,
			.lost = content.lost, .bytes = bytes,
		});
	return r;
}

/* Take the writer of the result after the packers have written the part, so that none opens it
 * later.  Returns NULL if no packer has opened it. */
static struct datfile_writer *take_writer(struct record_session *session, struct part *part)
{
	struct recorded *recorded = part->recorded;
	struct datfile_writer *writer;

	for (uint32_t i = 0; i < part->nr; i++)
		if (part->temps[i])
			record_packs_flush(session->packs, part->temps[i]);
	pthread_mutex_lock(&recorded->lock);
	writer = recorded->writer;
	recorded->writer = NULL;
	recorded->is_prepared = true;
	pthread_mutex_unlock(&recorded->lock);
	return writer;
}

static void finish_part(struct record_session *session, struct conn *conn, struct part *part)
{
	struct recorded *recorded = part->recorded;
	bool is_first = part->is_last || session->settings.keep < 2;
	char *path = is_first ? strdup(recorded->path) : part_path(session, recorded->path);
	struct datfile_writer *writer = is_first ? take_writer(session, part) : NULL;
	int r = path ? 0 : -ENOMEM;

	if (!r && !writer && !recorded->net)
		r = datfile_writer_new(path, &writer);
	if (!r)
		r = write_part(session, conn, part, path, writer);
	if (r)
		cli_error("%s: %s", path ? path : recorded->path, strerror(-r));
	if (r && !session->file_error)
		session->file_error = r;
	session->nr_files++;
	free(path);
	part_free(part);
}

/* Name the files of a run, and print the results. */
static void name_results(struct record_session *session)
{
	struct record_result *results;
	struct recorded *recorded;
	size_t nr = 0;

	STAILQ_FOREACH(recorded, &session->all, link)
		nr += recorded->is_finished;
	results = calloc(nr + 1, sizeof(*results));
	nr = 0;
	STAILQ_FOREACH(recorded, &session->all, link)
		if (results && recorded->is_finished)
			results[nr++] = result_of(recorded);
	record_results_name(session->settings.path, results, nr);
	for (size_t i = 0; i < nr; i++) {
		if (!session->settings.is_quiet)
			record_result_print(&results[i]);
		free(results[i].path);
	}
	free(results);
}

/* If the server was killed during the recording, connect to the next server. */
static void need_server(struct conn *conn)
{
	struct root_list list;
	int r = root_list_fetch(conn, ABI_LIST_NAMES, 0, &list);

	if (!r) {
		root_list_done(&list);
		return;
	}
	conn_close(conn);
	conn_open(conn, CONN_START);
}

void record_finish_some(struct record_session *session, struct conn *conn)
{
	struct part *part;
	bool has_server = false;

	for (;;) {
		pthread_mutex_lock(&session->lock);
		part = STAILQ_FIRST(&session->parts);
		if (part)
			STAILQ_REMOVE_HEAD(&session->parts, link);
		pthread_mutex_unlock(&session->lock);
		if (!part)
			return;
		if (!has_server)
			need_server(conn);
		has_server = true;
		finish_part(session, conn, part);
	}
}

int record_stop(struct record_session *session, struct conn *conn, uint32_t *ret_nr)
{
	int error;

	pthread_mutex_lock(&session->lock);
	session->is_stopping = true;
	pthread_mutex_unlock(&session->lock);
	pthread_join(session->thread, NULL);
	record_finish_some(session, conn);
	if (is_named_at_end(session))
		name_results(session);
	*ret_nr = session->nr_files;
	record_packs_bytes(session->packs, &error);
	if (session->error)
		cli_error("the recording ended early: %s", strerror(-session->error));
	if (error)
		cli_error("%s: the recording ended early: %s", session->settings.path,
			  strerror(-error));
	return session->error ? session->error : error ? error : session->file_error;
}
