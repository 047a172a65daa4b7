/* SPDX-License-Identifier: MIT */
/* Declarations that the files of src/export share. */
#ifndef ULF_EXPORT_IMPL_H
#define ULF_EXPORT_IMPL_H

#include "base/digits.h"
#include "base/text.h"
#include "event/format.h"
#include "event/type.h"
#include "export/export.h"

#define EXPORT_ARGS_MAX		16	/* maximum number of arguments of a call that are
					 * stored */

/* A call of a function that has not ended yet. */
struct export_call {
	uint64_t func;			/* address of the function */
	const char *name;		/* name of the function; NULL: the file has no name for
					 * the address */
	uint64_t start;
	uint32_t depth;			/* depth of the call: number of traced calls of the
					 * thread around it */
	uint32_t cpu;			/* CPU on which the call began */
	bool is_running;
	uint32_t nr_args;
	uint64_t args[EXPORT_ARGS_MAX];	/* argument registers at the start of the call, if
					 * they were recorded */
};

/* How a call has ended. */
struct export_end {
	uint64_t time;
	uint32_t cpu;
	bool is_return;			/* true: a record says that the function returned;
					 * false: the thread has left the call in another way,
					 * or has not left it before the last record */
	bool has_value;			/* true: the return value of the call was recorded; it
					 * is in @value */
	uint64_t value;
};

/* A thread with records. */
struct export_thread {
	struct export_thread *next;	/* next thread in the same hash bucket */
	struct datfile *file;
	const struct datfile_buffer *buffer;
	uint32_t file_number;
	int32_t pid, tgid;		/* @tgid: process id of the thread @pid; equal to @pid
					 * if it is not known */
	uint32_t number;		/* number of the thread; threads are numbered from 0
					 * in the order of their first records */
	struct export_call *calls;	/* array of nr_calls calls; the index is the depth of
					 * the call */
	uint32_t nr_calls;
	uint32_t nr_running;		/* calls of the thread that have not ended have depths
					 * below this number */
};

/* A field of an event that the output shows as a counter. */
struct export_counter {
	const char *name;		/* name of the counter, as the user wrote it in the
					 * settings */
	uint32_t number;		/* index of the counter in the settings */
	const struct event_field *field;
	struct export_counter *next;	/* next counter of the same event */
};

/* The value of a field. */
enum export_kind { EXPORT_INT, EXPORT_UINT, EXPORT_DOUBLE, EXPORT_TEXT };
struct export_value {
	enum export_kind kind;
	int64_t number;			/* the value if its kind is EXPORT_INT; if its kind is
					 * EXPORT_UINT, the value as uint64_t */
	double real;
	const char *text;		/* value of the kind EXPORT_TEXT: @len bytes, valid
					 * until the next call of export_value() */
	size_t len;
};

/* How a field's values are stored in records. */
struct export_type {
	enum {
		EXPORT_SINGLE,		/* the field is a single value of the type @element */
		EXPORT_STRING,		/* the field is a string or address of code;
					 * export_value() makes a text of it */
		EXPORT_ARRAY,		/* the field is an array of @element;
					 * datfile_field_bytes() finds it */
	} shape;
	struct value_type element;	/* size is 1, 2, 4 or 8 */
	bool has_names;			/* true: the elements of the array are addresses of
					 * code, to be shown as names of functions */
};

struct export;

/*
 * A format.  All methods may be NULL, except for start(), finish() and done().  The methods
 * append to ex->out, which export.c writes to the file between two calls.  An error is stored
 * in ex->error.
 */
struct export_format {
	const char *name, *suffix;
	size_t state_bytes;		/* size of ex->state, which is zeroed before start(),
					 * bytes */
	bool needs_calls;		/* true: exporting files without calls of functions is
					 * an error */
	bool is_directory;		/* true: the output is an empty directory; start()
					 * opens the file in this directory to which ex->out
					 * is written, and done() closes the file */
	bool has_call_events;		/* true: event() is also called for records of the
					 * graph tracer */
	/* Method start: begin the output. */
	void (*start)(struct export *ex);
	/* Method thread: called before the first call or event of a thread. */
	void (*thread)(struct export *ex, const struct export_thread *thread);
	/* Method call_begin: a call of a function begins.  Times never decrease from one
	 * method call to the next, with one exception.  A call whose start was lost is
	 * reported directly before its end, with the time of its start. */
	void (*call_begin)(struct export *ex, const struct export_thread *thread,
			   const struct export_call *call);
	/* Method call_end: @call, the innermost call of the thread, ends. */
	void (*call_end)(struct export *ex, const struct export_thread *thread,
			 const struct export_call *call, const struct export_end *end);
	/* Method event: called for a record of an event.  Records of the graph tracer are
	 * passed only if has_call_events is true. */
	void (*event)(struct export *ex, const struct export_thread *thread,
		      const struct datfile_record *record);
	/* Method counter: a record has a new value of a counter.  Called after event(). */
	void (*counter)(struct export *ex, const struct export_counter *counter,
			const struct datfile_record *record, const struct export_value *value);
	/* Method lost: records were lost before @record. */
	void (*lost)(struct export *ex, const struct datfile_record *record);
	/* Method finish: end the output. */
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
	struct text out;		/* output that was not written to the file yet */
	struct text scratch;		/* memory for texts of values, which export_value()
					 * returns */
	void *state;			/* state of the format */
	struct text *why;		/* a format that fails may append the reason to this
					 * text */
	int error;			/* -errno of the error with which the format has
					 * failed; 0: none */
	struct export_totals totals;
};

extern const struct export_format export_perfetto, export_json, export_csv, export_folded,
	export_svg, export_ctf;

/* ---- export.c: write the output ---- */

/* Write ex->out to the file if it is large.  A method that appends much must call this
 * function from time to time. */
void export_flush_if_full(struct export *ex);
/* Write all @bytes bytes at @data to @fd.  Returns 0 or -errno. */
int export_write_all(int fd, const char *data, size_t bytes);

/* ---- export_value.c: read values of fields ---- */

/*
 * Read a field of a record.  An array becomes a text such as {1,2,3}.  In the events of the
 * system ftrace an address of code becomes the name of its function.  Returns false if the
 * record is too short.
 */
bool export_value(struct export *ex, const struct datfile_record *record,
		  const struct event_field *field, struct export_value *ret_value);
/* Return how the values of a field are stored. */
struct export_type export_type_of(const struct datfile_event *event,
				  const struct event_field *field);
/* Append the name of the function at @addr, or the address if the name is not known. */
void export_put_symbol(struct datfile *file, uint64_t addr, struct text *out);
/* Return true if records of the event are messages: of trace_printk(), or of a write to
 * trace_marker. */
bool export_is_message(const struct datfile_event *event);
/* Read the text of a message, without the newline at its end, as a value. */
void export_message(struct export *ex, const struct datfile_record *record,
		    struct export_value *ret_value);
/* Return true if the event is one that the graph tracer records. */
bool export_is_call(const struct datfile_event *event);
/* Append the name of the function that is called, or its address if the name is not known. */
void export_call_name(const struct export_call *call, struct text *out);

/* ---- functions of export_svg.c and export_folded.c: trees of calls ---- */

struct call_node;

/* The words of a flame graph. */
struct svg_words {
	const char *time;		/* meaning of the time: "in calls" */
	const char *counted;		/* meaning of call_node.count: "calls" */
	bool has_max;			/* true: boxes show max_ns; false: self_ns */
};

/* Append a flame graph of the tree, which must be sorted. */
void export_put_svg(struct export *ex, const struct svg_words *words, const struct call_node *top);
/* Append a line for each node with a self_ns. */
void export_put_folded(struct export *ex, const struct call_node *top);

/* ---- numbers ---- */

/* Return true if a number can have the size @bytes: 1, 2, 4 or 8. */
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
