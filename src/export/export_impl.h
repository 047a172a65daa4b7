/* SPDX-License-Identifier: MIT */
/* Declarations that the files of src/export share with each other. */
#ifndef ULF_EXPORT_IMPL_H
#define ULF_EXPORT_IMPL_H

#include "base/digits.h"
#include "base/text.h"
#include "event/format.h"
#include "event/type.h"
#include "export/export.h"

#define EXPORT_ARGS_MAX		16	/* maximum number of arguments of a call that are kept */

/* A call of a function that runs. */
struct export_call {
	uint64_t func;			/* address of the function */
	const char *name;		/* name of the function; NULL: the file has no name for
					 * the address */
	uint64_t start;
	uint32_t depth;			/* number of traced calls around this call */
	uint32_t cpu;			/* CPU on which the call began */
	bool is_running;
	uint32_t nr_args;
	uint64_t args[EXPORT_ARGS_MAX];	/* argument registers, if they were recorded */
};

/* How a call has ended. */
struct export_end {
	uint64_t time;
	uint32_t cpu;
	bool is_return;			/* true: a record says that the function returned; false:
					 * the thread has left the call in another way, or the
					 * call runs when the records end */
	bool has_value;			/* true: @value is the return value */
	uint64_t value;
};

/* A thread with records. */
struct export_thread {
	struct export_thread *next;	/* next thread in the same bucket of the hash */
	struct datfile *file;
	const struct datfile_buffer *buffer;
	uint32_t file_number;
	int32_t pid, tgid;		/* @tgid: the process of thread @pid; equal to @pid if it
					 * is unknown */
	uint32_t number;		/* number of the thread, in the order of their first
					 * records, from 0 */
	struct export_call *calls;	/* array of nr_calls calls, by depth */
	uint32_t nr_calls;
	uint32_t nr_running;		/* only calls at depths below this number may run */
};

/* A field of an event that becomes a counter. */
struct export_counter {
	const char *name;		/* name of the counter, as in the settings */
	uint32_t number;		/* number of the name in the settings */
	const struct event_field *field;
	struct export_counter *next;	/* next counter of the event */
};

/* The value of a field. */
enum export_kind { EXPORT_INT, EXPORT_UINT, EXPORT_DOUBLE, EXPORT_TEXT };
struct export_value {
	enum export_kind kind;
	int64_t number;			/* value of EXPORT_INT; of EXPORT_UINT, as uint64_t */
	double real;
	const char *text;		/* value of EXPORT_TEXT: @len bytes, valid until the next
					 * value */
	size_t len;
};

/* How the values of a field are stored. */
struct export_type {
	enum {
		EXPORT_SINGLE,		/* the field is one @element */
		EXPORT_STRING,		/* export_value() reads a text that is no array */
		EXPORT_ARRAY,		/* datfile_field_bytes() finds an array of @element */
	} shape;
	struct value_type element;	/* size is 1, 2, 4 or 8 */
	bool has_names;			/* true: the elements of the array are addresses of code */
};

struct export;

/*
 * A format.  All methods may be NULL, except for start(), finish() and done().  They append to
 * ex->out, which is written to the file between two calls.  An error is stored in ex->error.
 */
struct export_format {
	const char *name, *suffix;
	size_t state_bytes;		/* size of ex->state, which is zeroed before start() */
	bool needs_calls;		/* true: files without calls are an error */
	bool is_directory;		/* true: the output is an empty directory; start() opens
					 * the file in it to which ex->out is written, and
					 * done() closes it */
	bool has_call_events;		/* true: event() gets the graph tracer's records, too */
	/* Method start: begin the file. */
	void (*start)(struct export *ex);
	/* Method thread: called before the first call or event of a thread. */
	void (*thread)(struct export *ex, const struct export_thread *thread);
	/* Method call_begin: a call begins.  The times of these calls and of the ends and events
	 * between them only grow, except for a call whose start was lost: it begins directly
	 * before its end, with the time at which it began. */
	void (*call_begin)(struct export *ex, const struct export_thread *thread,
			   const struct export_call *call);
	/* Method call_end: @call, the innermost one of the thread, ends. */
	void (*call_end)(struct export *ex, const struct export_thread *thread,
			 const struct export_call *call, const struct export_end *end);
	/* Method event: a record of an event that is not one of the graph tracer's, or any record
	 * if has_call_events is true. */
	void (*event)(struct export *ex, const struct export_thread *thread,
		      const struct datfile_record *record);
	/* Method counter: a record has a new value of a counter.  Called after event(). */
	void (*counter)(struct export *ex, const struct export_counter *counter,
			const struct datfile_record *record, const struct export_value *value);
	/* Method lost: records were lost before @record. */
	void (*lost)(struct export *ex, const struct datfile_record *record);
	/* Method finish: end the file. */
	void (*finish)(struct export *ex);
	/* Method done: free what ex->state refers to. */
	void (*done)(struct export *ex);
};

struct export {
	const struct export_format *format;
	const struct export_settings *settings;
	struct datfile *const *files;
	uint32_t nr_files;
	int fd;
	struct text out;		/* output that is not written yet */
	struct text scratch;		/* memory for texts of values */
	void *state;			/* state of the format */
	struct text *why;		/* a format may append why it has failed */
	int error;			/* 0; or -errno: the format has failed */
	struct export_totals totals;
};

extern const struct export_format export_perfetto, export_json, export_csv, export_folded,
	export_svg, export_ctf;

/* ---- functions of export.c ---- */

/* Write ex->out if it is large.  Methods that append much call this function from time to time. */
void export_flush_if_full(struct export *ex);
/* Write all of the bytes.  Returns 0 or -errno. */
int export_write_all(int fd, const char *data, size_t bytes);

/* ---- functions of export_value.c ---- */

/*
 * Read a field of a record.  Arrays become a text, as {1,2,3}; so do addresses of code in the
 * events of ftrace: names of functions.  Returns false if the record is too short.
 */
bool export_value(struct export *ex, const struct datfile_record *record,
		  const struct event_field *field, struct export_value *ret_value);
/* Return how the values of a field are stored. */
struct export_type export_type_of(const struct datfile_event *event,
				  const struct event_field *field);
/* Append the name of the function at @addr, or the address. */
void export_put_symbol(struct datfile *file, uint64_t addr, struct text *out);
/* Return true if the event is a message: of trace_printk(), or of a write to trace_marker. */
bool export_is_message(const struct datfile_event *event);
/* Read the text of a message, without the newline at its end. */
void export_message(struct export *ex, const struct datfile_record *record,
		    struct export_value *ret_value);
/* Return true if the graph tracer writes the event. */
bool export_is_call(const struct datfile_event *event);
/* Append the name of the function that is called, or its address. */
void export_call_name(const struct export_call *call, struct text *out);

/* ---- numbers ---- */

/* Return true if there are numbers of @bytes bytes. */
static inline bool export_is_number_size(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static inline void export_put_uint(struct text *out, uint64_t number)
{
	char digits[DIGITS_MAX], *at = digits_put(digits + DIGITS_MAX, number);

	text_write(out, at, (size_t)(digits + DIGITS_MAX - at));
}

static inline void export_put_int(struct text *out, int64_t number)
{
	if (number < 0)
		text_putc(out, '-');
	export_put_uint(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

#endif
