/* SPDX-License-Identifier: MIT */
/* The files printk_formats, saved_cmdlines, saved_cmdlines_size, saved_tgids and
 * timestamp_mode. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "server/names/comm.h"
#include "server/names/printk.h"
#include "tracefs/files.h"

#define SAVED_CMDLINES_MAX	32768	/* largest number that may be written to
					 * saved_cmdlines_size, as in the kernel */

static void put_comm(void *arg, uint32_t tid, uint32_t tgid, const char *name)
{
	struct text *out = arg;
	size_t start = out->len;

	(void)tgid;
	if (!*name)
		return;
	text_printf(out, "%" PRIu32 " %s", tid, name);
	text_one_line(out, start);
	text_putc(out, '\n');
}

static void put_tgid(void *arg, uint32_t tid, uint32_t tgid, const char *name)
{
	(void)name;
	text_printf(arg, "%" PRIu32 " %" PRIu32 "\n", tid, tgid);
}

int saved_cmdlines_show(struct tracefs_node *node, struct text *out)
{
	return comms_list(node->root, put_comm, out);
}

/*
 * Show how many names saved_cmdlines can hold.  In ulf this number is fixed.  In the
 * kernel, a write of a number asks for space for at least this many names.  So in ulf
 * a write of any number up to the fixed one succeeds.
 */
int saved_cmdlines_size_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	text_printf(out, "%u\n", ABI_COMMS);
	return 0;
}

ssize_t saved_cmdlines_size_store(struct tracefs_file *file, const char *buf,
				  size_t size, pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)file;
	(void)tid;
	if (r)
		return r;
	if (!value || value > SAVED_CMDLINES_MAX)
		return -EINVAL;
	return value > ABI_COMMS ? -ENOMEM : (ssize_t)size;
}

int saved_tgids_show(struct tracefs_node *node, struct text *out)
{
	return comms_list(node->root, put_tgid, out);
}

/* Append a line of printk_formats with the format @text, in which newlines, tabs and
 * quotes are escaped as in the kernel. */
static void put_format(void *arg, uint64_t addr, const char *text)
{
	text_printf(arg, "0x%" PRIx64 " : \"", addr);
	for (; *text; text++) {
		switch (*text) {
		case '\n':
			text_puts(arg, "\\n");
			break;
		case '\t':
			text_puts(arg, "\\t");
			break;
		case '"':
			text_puts(arg, "\\\"");
			break;
		default:
			text_putc(arg, *text);
		}
	}
	text_puts(arg, "\"\n");
}

int printk_formats_show(struct tracefs_node *node, struct text *out)
{
	int r = printk_list(node->root, put_format, out);

	return r ? r : printk_list_strings(node->root, put_format, out);
}

/* Show the only mode of ulf, "delta": each record contains the time since the record
 * before it. */
int timestamp_mode_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	text_puts(out, "[delta] absolute\n");
	return 0;
}
