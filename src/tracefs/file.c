/* SPDX-License-Identifier: MIT */
/* Open, read, write and close files of the tree, by calling the methods of struct
 * tracefs_def and struct tracefs_stream. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/core/apply.h"
#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/functions/functions.h"
#include "server/names/objects.h"
#include "server/rules/events.h"
#include "symbols/parse.h"
#include "tracefs/tracefs.h"
#include "tracefs/tree.h"

#define SHOW_BYTES_MAX	(64u << 20)	/* maximum size of the text that a file's method
					 * show() may print, bytes */
#define NUMBER_MAX	67		/* number of characters of a write that are parsed
					 * as a number; further characters are ignored, as
					 * in the kernel */
#define RESTART_NS	100000000u	/* maximum time after which a request is retried
					 * that has returned -ERESTART, ns */

static bool wants_read(int flags)
{
	return (flags & O_ACCMODE) != O_WRONLY;
}

static bool wants_write(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* Return true if the permission bits of the file allow opening it with @flags.  As in the
 * VFS, user id 0 may do everything.  Of the bits, only those of the owner matter. */
static bool is_allowed(const struct tracefs_def *def, int flags)
{
	return geteuid() == 0 ||
	       ((!wants_read(flags) || (def->mode & 0400)) &&
		(!wants_write(flags) || (def->mode & 0200)));
}

/* ---- functions that retry requests that wait for a parser ---- */

/*
 * Return true if it is too early to retry a request for @file: no parser has made progress
 * since the last -ERESTART, and the time file->restart_ns is not reached.  A retry must not
 * come too early, because it is expensive: it may have to examine many processes.
 */
static bool is_early(const struct tracefs_file *file)
{
	return file->restart_ns && file->restart_serial == parse_serial() &&
	       server_now_ns() < file->restart_ns;
}

/* If @r, the result of a request for @file, is -ERESTART, store in @file the time from which
 * the request may be tried again (is_early()).  Otherwise clear this time.  Returns @r. */
static ssize_t note_restart(struct tracefs_file *file, ssize_t r)
{
	file->restart_serial = parse_serial();
	file->restart_ns = r == -ERESTART ? server_now_ns() + RESTART_NS : 0;
	return r;
}

/* Return true if the instance of @file was removed, so that the file cannot be used any
 * more. */
static bool is_gone(const struct tracefs_file *file)
{
	return file->node->instance->is_gone && file->def->hold != TRACEFS_STAYS;
}

static bool is_usable(const struct tracefs_file *file)
{
	return root_is_usable(file->node->root) && !is_gone(file);
}

static int truncate_file(struct tracefs_file *file)
{
	int r = file->def->truncate(file);

	file->must_truncate = r == -ERESTART;
	return r;
}

int tracefs_settle(struct tracefs_file *file)
{
	if (!file->must_truncate || !is_usable(file))
		return 0;
	if (is_early(file))
		return -ERESTART;
	return (int)note_restart(file, truncate_file(file));
}

/* ---- functions that open and close files ---- */

int tracefs_open(struct tracefs_node *node, int flags, struct tracefs_file **ret_file)
{
	struct tracefs_file *file;
	int r = 0;

	if (node->dir)
		return -EISDIR;
	if (!is_allowed(node->def, flags))
		return -EACCES;
	if (!root_is_usable(node->root) || node->instance->is_gone)
		return -ENODEV;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->node = node;
	file->def = node->def;
	file->flags = flags;
	text_init(&file->text, SHOW_BYTES_MAX);
	file->text.is_for_terminal = flags & TRACEFS_TERMINAL;
	text_init(&file->word, TRACEFS_FUNCTION_MAX);
	tracefs_node_get(node);
	if (wants_write(flags) && (flags & O_TRUNC) && file->def->truncate)
		r = truncate_file(file);
	if (r == -ERESTART)
		r = 0;			/* not an error: tracefs_settle() truncates the
					 * file later */
	if (!r && file->def->stream && file->def->stream->open)
		r = file->def->stream->open(file);
	if (r) {
		tracefs_node_put(node);
		function_set_free(file->functions);
		free(file);
		return r;
	}
	if (file->def->hold == TRACEFS_HOLDS)
		node->instance->nr_open++;
	root_use(node->root);
	*ret_file = file;
	return 0;
}

static int flush_file(struct tracefs_file *file)
{
	int r = tracefs_settle(file);

	if (r)
		return r;
	if (is_early(file))
		return -ERESTART;
	if (file->def->flush && is_usable(file))
		r = (int)note_restart(file, file->def->flush(file));
	file->is_written &= r == -ERESTART;
	return r;
}

/*
 * Wait up to @wait_ns until all processes have applied the last write, and then call
 * the method applied or refused of the file.  Returns -EINPROGRESS if some process has
 * not applied the write yet.
 */
static int write_wait(struct tracefs_file *file, uint64_t wait_ns)
{
	int r = apply_wait(&file->apply, wait_ns);

	if (!r && file->def->is_done && server_now_ns() < file->done_ns &&
	    !file->def->is_done(file))
		return -EINPROGRESS;
	if (is_gone(file))
		return r;
	if (!r && file->def->applied)
		file->def->applied(file);
	if (r && r != -EINPROGRESS)
		events_log_failed(file->node->root, file->def->name);
	if (r && r != -EINPROGRESS && file->def->refused)
		file->def->refused(file);
	return r;
}

void tracefs_close(struct tracefs_file *file)
{
	if (!file)
		return;
	/* Wait until the processes have applied the last write.  The writer possibly has
	 * not waited, because it has exited. */
	if (!flush_file(file) && file->apply.root)
		write_wait(file, APPLY_WAIT_NS);
	if (file->def->stream && file->def->stream->close)
		file->def->stream->close(file);
	if (file->def->hold == TRACEFS_HOLDS)
		file->node->instance->nr_open--;
	function_set_free(file->functions);
	free(file->undo);
	text_done(&file->text);
	text_done(&file->word);
	root_leave(file->node->root);
	tracefs_node_put(file->node);
	free(file);
}

/* Read a file that has a method show.  A read at offset 0 calls show(), which prints the
 * whole text.  Later reads get their bytes from this text. */
static ssize_t read_text(struct tracefs_file *file, char *buf, size_t size,
			 off_t offset)
{
	size_t left;
	int r;

	if (offset == 0 || !file->is_shown) {
		text_reset(&file->text);
		objects_clear_missing(file->node->root);
		r = file->def->show(file->node, &file->text);
		if (!r)
			r = file->text.error;
		if (!r && objects_has_missing(file->node->root))
			r = -ERESTART;
		if (r)
			return r;
		file->is_shown = true;
	}
	if (offset < 0 || (size_t)offset >= file->text.len)
		return 0;
	left = file->text.len - (size_t)offset;
	if (size > left)
		size = left;
	memcpy(buf, file->text.data + offset, size);
	return (ssize_t)size;
}

static int check_read(const struct tracefs_file *file)
{
	if (!wants_read(file->flags))
		return -EBADF;
	if (!file->def->show && !file->def->stream)
		return -EINVAL;
	return is_usable(file) ? 0 : -ENODEV;
}

ssize_t tracefs_read_begin(struct tracefs_file *file, char *buf, size_t size,
			   off_t offset, bool is_whole)
{
	const struct tracefs_stream *stream = file->def->stream;
	int r = check_read(file);

	if (r)
		return r;
	if (is_whole)
		return stream && stream->read_whole ?
		       stream->read_whole(file, buf, size) : -EINVAL;
	if (!size)
		return 0;
	if (is_early(file))
		return -ERESTART;
	if (stream)
		return note_restart(file, stream->read(file, buf, size, offset));
	return note_restart(file, read_text(file, buf, size, offset));
}

void tracefs_deliver(struct tracefs_file *file, enum tracefs_delivery what)
{
	if (what == TRACEFS_TAKEN)
		file->is_reading = true;
	if (file->def->stream && file->def->stream->deliver)
		file->def->stream->deliver(file, what);
}

static ssize_t read_now(struct tracefs_file *file, char *buf, size_t size,
			off_t offset, bool is_whole)
{
	ssize_t len = tracefs_read_begin(file, buf, size, offset, is_whole);

	if (len > 0)
		tracefs_deliver(file, TRACEFS_TAKEN);
	return len;
}

ssize_t tracefs_read(struct tracefs_file *file, char *buf, size_t size, off_t offset)
{
	return read_now(file, buf, size, offset, false);
}

ssize_t tracefs_read_whole(struct tracefs_file *file, char *buf, size_t size)
{
	return read_now(file, buf, size, 0, true);
}

ssize_t tracefs_write(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid, size_t *ret_taken)
{
	ssize_t taken;
	int r;

	if (!wants_write(file->flags))
		return -EBADF;
	if (!file->def->store)
		return -EINVAL;
	if (!is_usable(file))
		return -ENODEV;
	r = tracefs_settle(file);
	if (!r && is_early(file))
		r = -ERESTART;
	if (r)
		return r;
	taken = note_restart(file, file->def->store(file, buf, size, tid));
	if (taken < 0)
		return taken;
	file->is_written = true;
	file->write_tid = tid;
	file->done_ns = server_now_ns() + TRACEFS_DONE_NS;
	r = write_wait(file, APPLY_WAIT_NS);
	if (r == -EINPROGRESS)
		*ret_taken = (size_t)taken;
	return r ? r : taken;
}

int tracefs_write_done(struct tracefs_file *file)
{
	return write_wait(file, 0);
}

bool tracefs_has_flush(const struct tracefs_file *file)
{
	return file->def->flush;
}

bool tracefs_is_written(const struct tracefs_file *file)
{
	return file->is_written;
}

int tracefs_flush(struct tracefs_file *file)
{
	int r = flush_file(file);

	return r ? r : write_wait(file, APPLY_WAIT_NS);
}

unsigned int tracefs_poll(struct tracefs_file *file)
{
	if (!root_is_usable(file->node->root))
		return POLLERR | POLLHUP;
	if (file->def->stream && file->def->stream->poll &&
	    wants_read(file->flags))
		return file->def->stream->poll(file);
	return POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
}

unsigned int tracefs_poll_start(struct tracefs_file *file, pid_t tid)
{
	file->poll_tid = tid;
	file->is_reading = false;
	return tracefs_poll(file);
}

bool tracefs_is_stream(const struct tracefs_file *file)
{
	if (!file->def->stream)
		return !file->def->show;	/* a file with neither show() nor a stream
						 * can only be written */
	return file->def->stream->is_pipe;
}

bool tracefs_is_line_stream(const struct tracefs_file *file)
{
	return file->def->stream && file->def->stream->is_pipe &&
	       !file->def->stream->size;
}

int tracefs_parse_number(const char *buf, size_t size, uint64_t *ret_value)
{
	char text[NUMBER_MAX + 1];
	const char *at = text;
	uint64_t value = 0;
	bool has_digit = false;

	if (size > NUMBER_MAX)
		size = NUMBER_MAX;
	memcpy(text, buf, size);
	text[size] = '\0';
	if (*at == '+')
		at++;
	for (; isdigit((unsigned char)*at); at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
		has_digit = true;
	}
	if (*at == '\n')
		at++;
	if (!has_digit || *at)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

ssize_t tracefs_next_word(const char *buf, size_t size,
			  char ret_word[TRACEFS_WORD_MAX + 1])
{
	size_t start = 0, end;

	while (start < size && isspace((unsigned char)buf[start]))
		start++;
	end = start;
	while (end < size && !isspace((unsigned char)buf[end]) && buf[end])
		end++;
	if (end - start > TRACEFS_WORD_MAX)
		return -EINVAL;
	memcpy(ret_word, buf + start, end - start);
	ret_word[end - start] = '\0';
	return (ssize_t)(end < size ? end + 1 : end);
}

char *tracefs_trim(const char *buf, size_t size, char *text, size_t text_bytes)
{
	size_t len;

	if (size > text_bytes - 1)
		size = text_bytes - 1;
	memcpy(text, buf, size);
	text[size] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}
