/* SPDX-License-Identifier: MIT */
/* Records of trace_printk(), see said.h. */
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "event/print_impl.h"
#include "event/printk.h"
#include "lib/said.h"
#include "lib/trace.h"

static struct driver d;

void said_start(void)
{
	trace_open(&d, getpid());
}

struct abi_buffer *said_buffer(void)
{
	return trace_buffer(&d);
}

static void put_pointer(void *ctx, char letter, uint64_t value,
			struct num_spec spec, struct text *out)
{
	(void)ctx;
	(void)letter;
	print_address(out, value, spec);
}

/* Read one record.  The address of the format is valid in this process, which has recorded
 * it. */
static void read_one(const struct trace_record *record, struct said *said)
{
	struct text out;

	memset(said, 0, sizeof(*said));
	memcpy(&said->type, record->data, sizeof(said->type));
	said->pid = record->pid;
	CHECK(record->bytes >= 16);
	memcpy(&said->ip, record->data + 8, 8);
	if (said->type == ABI_EVENT_ID_PRINT) {
		strncpy(said->text, (const char *)record->data + 16,
			record->bytes - 16);
		return;
	}
	CHECK(record->bytes >= 24);
	memcpy(&said->fmt, record->data + 16, 8);
	if (said->type == ABI_EVENT_ID_BPUTS) {
		strcpy(said->text, (const char *)said->fmt);
		return;
	}
	CHECK_EQ(said->type, ABI_EVENT_ID_BPRINT);
	text_init(&out, sizeof(said->text) - 1);
	printk_text((const char *)said->fmt, record->data + 24,
		    record->bytes - 24, put_pointer, NULL, &out);
	strcpy(said->text, text_str(&out));
	text_done(&out);
}

size_t said_take(struct said *ret_last)
{
	struct trace trace;
	size_t nr;

	trace_read(&d, &trace);
	nr = trace.nr;
	CHECK_EQ(trace.lost, 0);
	if (nr)
		read_one(&trace.records[nr - 1], ret_last);
	trace_free(&trace);
	return nr;
}

void said_is_(const char *file, int line, uint16_t type, const char *text)
{
	struct said said;
	size_t nr = said_take(&said);

	if (nr != 1)
		fail("%s:%d: %zu records, not one", file, line, nr);
	if (said.type != type || strcmp(said.text, text))
		fail("%s:%d: type %u is\n%s\nand not, type %u,\n%s", file, line,
		     said.type, said.text, type, text);
}

void said_nothing_(const char *file, int line)
{
	struct said said;
	size_t nr = said_take(&said);

	if (nr)
		fail("%s:%d: %zu records: %s", file, line, nr, said.text);
}
