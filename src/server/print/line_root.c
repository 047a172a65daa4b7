/* SPDX-License-Identifier: MIT */
/* The names in the lines of an instance, as a struct line_source: they come from the
 * instance's root. */
#include "base/text.h"
#include "event/clock.h"
#include "event/format.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/comm.h"
#include "server/names/objects.h"
#include "server/names/printk.h"
#include "server/names/symbols.h"
#include "server/print/line_impl.h"
#include "server/print/ptrhash.h"
#include "server/rings/merge.h"
#include "server/rules/events.h"

/* Data for the callbacks with which the printer looks up symbols and strings of one
 * record. */
struct origin {
	struct root *root;
	struct symbols_from from;
};

static int print_symbol(void *ctx, uint64_t addr, enum print_symbol style,
			struct text *out)
{
	const struct origin *origin = ctx;

	return symbols_print(origin->root, &origin->from, addr, style, out);
}

static int print_string(void *ctx, uint64_t addr, struct text *out)
{
	const struct origin *origin = ctx;

	return symbols_string(origin->root, &origin->from, addr, out);
}

static struct root *root_of(const struct line *line)
{
	const struct instance *instance = line->source->ctx;

	return instance->root;
}

/*
 * Return the record's instance, time and module.  With these data symbols_print() and
 * other functions find the object at an address.  @module: the module of the event, or
 * SYMBOLS_NO_MODULE.
 */
static struct symbols_from origin_of(const struct line *line, uint32_t module)
{
	return (struct symbols_from){
		.module = module, .instance = line->source->ctx, .time = line->record->time,
	};
}

static const char *root_comm(void *ctx, int32_t pid)
{
	struct instance *instance = ctx;

	return comms_find(instance->root, (uint32_t)pid);
}

static uint32_t root_tgid(void *ctx, int32_t pid)
{
	struct instance *instance = ctx;

	return comms_find_tgid(instance->root, (uint32_t)pid);
}

static int root_symbol(const struct line *line, uint64_t addr, enum print_symbol style,
		       struct text *out)
{
	struct symbols_from from = origin_of(line, SYMBOLS_NO_MODULE);

	return symbols_print(root_of(line), &from, addr, style, out);
}

static int root_file(const struct line *line, uint64_t addr, struct text *out)
{
	struct symbols_from from = origin_of(line, SYMBOLS_NO_MODULE);

	return symbols_file(root_of(line), &from, addr, out);
}

static const char *root_printk(void *ctx, uint64_t addr)
{
	struct instance *instance = ctx;

	return printk_find(instance->root, addr);
}

static const struct elf_params *root_params(const struct line *line, uint64_t addr)
{
	struct symbols_from from = origin_of(line, SYMBOLS_NO_MODULE);

	return objects_params(root_of(line), &from, addr);
}

static bool root_has_event(const struct line *line)
{
	return events_by_id(root_of(line), line->entry.type);
}

static uint64_t hash_ptr(void *ctx, uint64_t ptr)
{
	(void)ctx;
	return ptrhash(ptr);
}

/* Print a record of a dynamic event. */
static void print_dynamic(const struct line *line, const struct event *event,
			  struct print_env *env, struct text *out)
{
	const struct merge_record *record = line->record;

	env->hash_ptr = line->options & OPTION_HASH_PTR ? hash_ptr : NULL;
	text_puts(out, event->format->name);
	text_write(out, ": ", 2);
	if (event->print(event, record->data, record->bytes, env,
			 line->options & OPTION_VERBOSE, out) < 0)
		text_printf(out, "[%u bytes are too short for this event]", record->bytes);
	text_putc(out, '\n');
}

static bool root_event(const struct line *line, struct text *out)
{
	struct event *event = events_by_id(root_of(line), line->entry.type);
	struct origin origin;
	struct print_env env = { .ctx = &origin, .symbol = print_symbol, .string = print_string };

	if (!event)
		return false;
	origin = (struct origin){ root_of(line), origin_of(line, event->module) };
	if (event->print && !(line->options & OPTION_FIELDS))
		print_dynamic(line, event, &env, out);
	else
		line_print_event(line, event->format, line->options & OPTION_FIELDS ? NULL :
				 event_program(event), &env, out);
	return true;
}

static const struct line_names root_names = {
	.comm = root_comm, .tgid = root_tgid, .symbol = root_symbol, .file = root_file,
	.printk = root_printk, .params = root_params, .has_event = root_has_event,
	.event = root_event,
};

void line_source_of(struct instance *instance, struct line_source *ret_source)
{
	*ret_source = (struct line_source){
		.names = &root_names,
		.ctx = instance,
		.options = instance_options(instance),
		.time_start = shm_load(&instance->abi->time_start),
		.nr_cpus = instance->root->nr_cpus,
		.is_in_ns = clock_is_in_ns(clock_get(shm_load(&instance->abi->clock))),
		.is_dumped = instance_lines(instance)->is_dumped,
	};
}
