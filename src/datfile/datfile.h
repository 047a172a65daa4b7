/* SPDX-License-Identifier: MIT */
/*
 * Read trace.dat files of version 7, which `ulf record` and trace-cmd write.
 *
 *	struct datfile *file;
 *	struct datfile_stream *stream;
 *	struct datfile_record record;
 *
 *	datfile_open("trace.dat", &file, &why);
 *	datfile_stream_open(&file, 1, &stream);
 *	while ((r = datfile_stream_next(stream, &record)) > 0)
 *		use record.time, record.cpu, record.pid, record.event->format, record.data
 *	datfile_stream_close(stream);
 *	datfile_close(file);
 *
 * A stream merges any number of files by time and has two chunks of each CPU in memory, so its
 * memory does not depend on the sizes of the files.  Several streams of a file may be open at
 * a time.  A file and its streams belong to one thread.
 *
 * The files are not trusted: each length in them is checked.  At a broken part the stream
 * ends with -EBADMSG.
 */
#ifndef ULF_DATFILE_H
#define ULF_DATFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/print.h"

struct datfile;
struct datfile_stream;
struct event_format;
struct filter_program;
struct text;

/* An event of a file. */
struct datfile_event {
	const char *system, *name;
	uint32_t id;			/* id of the event: the value of common_type in its
					 * records */
	const struct event_format *format;	/* fields and print format */
	struct print_program *program;	/* compiled print format of the event; NULL if
					 * datfile_event_program() was not called yet, or the
					 * print format cannot be compiled */
	bool is_compiled;		/* true: datfile_event_program() was called */
	struct filter_program *filter;	/* a filter of the event's records, which
					 * dat_select_events() sets; NULL at first; freed with
					 * free() when the file is closed */
	bool is_left_out;		/* true: dat_select_events() was called and has not
					 * selected the event */
	void *user;			/* data of the caller for the event, of any kind; NULL
					 * at first */
};

/* A buffer whose records are in the file: the buffer of the top instance, or of another
 * instance. */
struct datfile_buffer {
	const char *name;		/* "" for the top instance */
	const char *clock;		/* name of the clock of the buffer, from which the
					 * times of its records come */
	uint32_t page_bytes;
	uint32_t nr_cpus;
	uint64_t bytes;			/* size of the buffer's records in the file, after
					 * compression if they are compressed */
};

/* A record. */
struct datfile_record {
	uint64_t time;			/* time of the record, in ns or in the unit of the
					 * buffer's clock */
	const uint8_t *data;		/* the bytes of the record from its field common_type
					 * on */
	uint32_t bytes;			/* number of bytes at @data */
	uint32_t cpu;
	uint64_t lost;			/* number of records of this CPU that were lost
					 * between the previous record and this record;
					 * UINT64_MAX: some were lost, but their number is not
					 * known */
	uint16_t id;			/* value of the record's field common_type; 0 if the
					 * record is too short */
	int32_t pid;			/* common_pid: the thread */
	struct datfile *file;		/* the file of the record */
	uint32_t number;		/* index of @file among the files of the stream */
	const struct datfile_buffer *buffer;
	struct datfile_event *event;	/* the record's event; NULL: the file has no format
					 * for it */
	uint32_t source;		/* index of the record's CPU in the stream, less than
					 * datfile_stream_sources(); each CPU of each buffer
					 * and file has an index of its own */
};

/* ---- dat_open.c: open a file, and get its properties ---- */

/*
 * Open a file and read all its parts except for the records.  Returns 0 or -errno.  For
 * -EBADMSG and -EPROTONOSUPPORT, sets *@ret_why to a text that says why; for all other
 * results to NULL.
 */
int datfile_open(const char *path, struct datfile **ret_file, const char **ret_why);
/* Close a file.  All its streams must be closed.  NULL is allowed. */
void datfile_close(struct datfile *file);
/* Return the path with which datfile_open() has opened the file. */
const char *datfile_path(const struct datfile *file);
/* Return the number of buffers in the file; datfile_buffer() returns one of them by index. */
uint32_t datfile_nr_buffers(const struct datfile *file);
const struct datfile_buffer *datfile_buffer(const struct datfile *file, uint32_t number);
/* Return a fact that `ulf record` has added, such as "root", "tracer", "options", "written"
 * or "lost".  Returns NULL if the file does not have this fact.  docs/design/record.md lists
 * the facts. */
const char *datfile_fact(const struct datfile *file, const char *key);
/* Return the text of an option with the id @id (enum dat_id); NULL if the file has none.
 * @nth: 0 for the first option with this id, 1 for the second, and so on. */
const char *datfile_option(const struct datfile *file, uint32_t id, uint32_t nth);
/* Return the number of CPUs of the buffer that has the most CPUs. */
uint32_t datfile_nr_cpus(const struct datfile *file);

/* ---- dat_events.c: the events of a file ---- */

/* Return the event with the id @id; NULL if the file has no format for this id. */
struct datfile_event *datfile_event(const struct datfile *file, uint32_t id);
/* Find an event by its name.  @system: name of the event's system; NULL: any system. */
struct datfile_event *datfile_event_find(const struct datfile *file, const char *system,
					 const char *name);
/* Return the number of events that the file describes; datfile_event_nth() returns one of
 * them by index. */
uint32_t datfile_nr_events(const struct datfile *file);
struct datfile_event *datfile_event_nth(const struct datfile *file, uint32_t nth);
/* Return the compiled print format of the event, for print_record(); NULL if it cannot be
 * compiled.  Records of such an event can be printed by print_record_fields(). */
const struct print_program *datfile_event_program(struct datfile_event *event);
/* Read an integer field of a record; a signed field is sign extended.  @field: from
 * event_format_find().  Returns false if the record is too short, or the field is no integer. */
struct event_field;
bool datfile_field_number(const struct datfile_record *record, const struct event_field *field,
			  int64_t *ret_value);
/* Find the bytes of an array or string field.  Returns their address inside of the record,
 * and their number in *@ret_bytes; or NULL.  A string ends at its first NUL if it has one,
 * else after that number of bytes. */
const void *datfile_field_bytes(const struct datfile_record *record,
				const struct event_field *field, uint32_t *ret_bytes);

/* ---- dat_names.c: names of threads and functions ---- */

/* Return the name of the thread with the id @pid, "<idle>" for 0, or "<...>" if the name is
 * not known. */
const char *datfile_comm(const struct datfile *file, int32_t pid);
/* Return the process id of the thread with the id @pid; 0 if it is not known: files of
 * trace-cmd do not have it. */
int32_t datfile_tgid(const struct datfile *file, int32_t pid);

/* A range of addresses: a function, or the gap between two functions. */
struct datfile_symbol {
	uint64_t start, end;		/* the function's addresses: from @start to before @end */
	const char *name;
	const char *module;		/* name of the module that contains the function;
					 * NULL: the program itself */
};
/* Find the function that contains @addr.  Returns NULL if no function contains it.  The
 * result is the same pointer for all addresses of a function, and valid until the file is
 * closed. */
const struct datfile_symbol *datfile_symbol(const struct datfile *file, uint64_t addr);
/* Append the name of the function at @addr, as the method print_env.symbol must do.  @file: a
 * struct datfile.  Returns 0; or -ENOENT, with nothing appended. */
int datfile_print_symbol(void *file, uint64_t addr, enum print_symbol style, struct text *out);
/* Return the string that was at @addr in the program: a format of trace_printk(), or a
 * constant string.  Returns NULL if the file does not have this string. */
const char *datfile_printk(const struct datfile *file, uint64_t addr);
/* Append the string that was at @addr, as the method print_env.string must do.  Returns 0 or
 * -ENOENT. */
int datfile_print_string(void *file, uint64_t addr, struct text *out);

/* ---- dat_stream.c: read the records ---- */

/* Open a stream of all records of @nr files, which must stay open.  Returns 0 or -errno. */
int datfile_stream_open(struct datfile *const *files, size_t nr,
			struct datfile_stream **ret_stream);
/* Close a stream.  NULL is allowed. */
void datfile_stream_close(struct datfile_stream *stream);
/* Return the number of sources of the stream.  A source is a CPU of one buffer of one file
 * that has records. */
uint32_t datfile_stream_sources(const struct datfile_stream *stream);
/*
 * Get the next record, in order of time.  Returns 1; 0 at the end; -EBADMSG if a file is
 * broken; or another -errno.  The record is valid until the next call.
 */
int datfile_stream_next(struct datfile_stream *stream, struct datfile_record *ret_record);
/*
 * Get the record of the same CPU that follows the current record.  The stream stays at the
 * current record.  Returns false if the CPU has no further record.  The result is valid until
 * the next call of datfile_stream_next().
 */
bool datfile_stream_second(struct datfile_stream *stream, struct datfile_record *ret_record);
/* Return two sizes for a progress display: the bytes of records that the stream has read, and
 * those that its files have. */
void datfile_stream_progress(const struct datfile_stream *stream, uint64_t *ret_done,
			     uint64_t *ret_all);

#endif
