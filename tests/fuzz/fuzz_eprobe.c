/* SPDX-License-Identifier: MIT */
/*
 * The parsers of dynamic events and of inject: random commands, made of parts that the
 * languages have, and of bytes.  What is accepted must have a format that tools can parse, a
 * program that processes accept, and records that print; and its definition must be accepted by
 * the next server and mean the same.
 *
 *	fuzz-fuzz_eprobe [COUNT [SEED]]
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "hist/run.h"
#include "server/dynamic/dynamic_print.h"
#include "server/dynamic/eprobe_compile.h"
#include "server/dynamic/eprobe_parse.h"
#include "server/dynamic/inject_parse.h"
#include "server/dynamic/synth_parse.h"
#include "server/dynamic/words.h"
#include "server/rules/events.h"

#define COMMAND_MAX	4095
#define RECORD_BYTES	128u		/* size of the fixed part of the target's records */

static uint64_t random_state, nr_accepted[3];
static char command[COMMAND_MAX + 1];
static struct event_format *target;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void __attribute__((format(printf, 1, 2), noreturn)) fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\ncommand: %s\n", command);
	exit(1);
}

/* ---- random texts ---- */

static const char *const eprobe_parts[] = {
	"$", "number", "array", "name", "thing", "loc", "rel", "long", "comm", "COMM", "nosuch",
	"+", "-", "+u", "-u", "0", "1", "4", "8", "16", "0x10", "4095", "4096", "-1",
	"99999999999999999999", "(", ")", ")", "@", "\\", "\"", "text", "%ax", ":", ":string",
	":ustring", ":u8", ":s16", ":x32", ":u64", ":char", ":symbol", ":b3@2/8", ":b1@63/64",
	":b0@0/8", "[", "]", "[2]", "[64]", "[65]", " ", " ", "=", "a=", "b=", "c=", " if ",
	"number == 1", "sys.event", "sys/event", "e:", "e:p ", "e:g/p ",
};

static const char *const arguments[] = {
	" a=$number:s32", " b=$array:string", " c=+0($name):string", " d=$name:string",
	" e=+4($thing):u32", " f=+8($thing):u16[3]", " g=$loc:string", " h=$rel:string",
	" i=+2($array):u8[4]", " j=$long:symbol", " k=$number:b3@4/32", " l=\\\"text\":string",
	" m=\\7", " n=$comm:string", " o=+1($thing):b2@3/8[5]", " p=$array", " q=+0($long):u8",
};

static const char *const synth_parts[] = {
	"u64", "s8", "int", "unsigned", "unsigned long", "char", "bool", "pid_t", "gfp_t", "long",
	"nosuch", " ", " ", " ", ";", "; ", "a", "b", "[", "]", "[]", "[16]", "[0]", "[256]",
	"[0x10]", "[+1]", "\t", "1", "-", "u8 x", "char s[]", "char t[8]", "unsigned long u[]",
};

static const char *const inject_parts[] = {
	"a", "b", "c", "d", "number", "array", "name", "loc", "rel", "common_pid", "=", "= ", " ",
	"1", "-1", "0x7f", "'", "\"", "text", "\\", "\\\"", "99999999999999999999", "CPU", "\n",
};

static void put_part(const char *part)
{
	size_t len = strlen(command);

	snprintf(command + len, sizeof(command) - len, "%s", part);
}

static void put_parts(const char *const *parts, size_t nr, uint64_t max)
{
	for (uint64_t i = random_below(max); i; i--)
		put_part(parts[random_below(nr)]);
}

#define PUT_PARTS(parts, max) \
	put_parts(parts, sizeof(parts) / sizeof(parts[0]), max)

/* Change some bytes of the command. */
static void spoil(void)
{
	size_t len = strlen(command);

	if (!len || random_below(4))
		return;
	for (uint64_t i = random_below(3); i; i--) {
		size_t at = random_below(len);

		if (random_below(2))
			command[at] = (char)(1 + random_below(255));
		else
			memmove(command + at, command + at + 1, strlen(command + at));
		len = strlen(command);
		if (!len)
			break;
	}
}

/* ---- records ---- */

/* A record of @format as an attacker may have written it. */
static void print_random(const struct event *event)
{
	char record[600];
	struct text out;

	text_init(&out, 1 << 20);
	for (int i = 0; i < 3; i++) {
		size_t bytes = random_below(sizeof(record));
		char *copy = malloc(bytes + 1);	/* so that a sanitizer sees its end */

		for (size_t at = 0; at < bytes; at++)
			copy[at] = random_below(3) ? (char)random_below(256) : 0;
		text_reset(&out);
		event->print(event, copy, bytes, NULL, i, &out);
		free(copy);
	}
	text_done(&out);
}

/* Tools must understand the format. */
static void check_format(const struct event_format *format)
{
	struct event_format *parsed;
	struct text text;

	text_init(&text, 1 << 20);
	event_format_text(format, &text);
	if (event_format_parse(format->system, text_str(&text), &parsed) ||
	    parsed->nr_fields != format->nr_fields)
		fail("this format cannot be parsed:\n%s", text_str(&text));
	event_format_free(parsed);
	text_done(&text);
}

/* ---- event probes ---- */

static const struct event_format *find_target(void *ctx, const char *system, const char *event)
{
	(void)ctx;
	return strcmp(system, target->system) || strcmp(event, target->name) ? NULL : target;
}

static int check_filter(void *ctx, const char *filter)
{
	(void)ctx;
	return strstr(filter, "number") ? 0 : -EINVAL;
}

static bool has_event(void *ctx, const char *system, const char *name)
{
	(void)ctx;
	return !strcmp(system, "g") && !strcmp(name, "taken");
}

static int parse(const char *text, const struct eprobe_env *env, struct eprobe **ret_eprobe)
{
	struct eprobe_errors errors;
	struct words words;
	int r = words_split(text, strlen(text), &words);

	if (r)
		fail("words_split: %d", r);
	r = eprobe_parse(&words, env, ret_eprobe, &errors);
	words_free(&words);
	for (uint32_t i = 0; i < errors.nr; i++)
		if (!errors.errors[i].code || errors.errors[i].pos > strlen(text) + 64 ||
		    !eprobe_error_text(errors.errors[i].code))
			fail("error %d at %u", errors.errors[i].code, errors.errors[i].pos);
	if (!r && errors.nr)
		fail("accepted, and a mistake");
	return r;
}

static size_t peek(void *ctx, uint64_t address, void *to, size_t bytes)
{
	(void)ctx;
	if (address % 3 == 0)
		return 0;
	memset(to, 'x', bytes);
	return bytes;
}

/* The argument of emit(). */
struct emitted {
	const struct event *event;
	bool is_too_short;
};

static void emit(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	struct emitted *emitted = ctx;
	struct text out;

	if (row != emitted->event->row || !entry)
		return;
	text_init(&out, 1 << 20);
	emitted->is_too_short = emitted->event->print(emitted->event, entry, bytes, NULL, false,
						      &out);
	text_done(&out);
}

/* Run a program on a random record of the target. */
static void run_program(const struct hist_program *program, const struct event *event)
{
	uint64_t record[RECORD_BYTES / 8 + 8];
	struct emitted emitted = { .event = event };
	const struct hist_context context = { .ctx = &emitted, .peek = peek, .emit = emit };
	struct hist_unit unit;

	if (hist_verify(program, program->bytes, RECORD_BYTES, 0))
		fail("processes refuse this program");
	hist_unit_init(&unit, program, NULL);
	for (size_t i = 0; i < sizeof(record) / sizeof(record[0]); i++)
		record[i] = random_below(UINT64_MAX);
	hist_run(&unit, record, sizeof(record), &context);
	if (emitted.is_too_short)
		fail("a record of the event is too short for it");
}

static void use_eprobe(const struct eprobe *eprobe)
{
	struct eprobe_refusal refusal = { .code = EPROBE_ERR_NONE };
	struct event event = {
		.row = 7, .print = eprobe_print, .def = eprobe,
		.format = eprobe_format(eprobe, 32775),
	};
	struct hist_program *program;
	int r = eprobe_compile(eprobe, target, 7, random_below(2), &program, &refusal);

	if (!event.format || (r && (!refusal.code || refusal.arg >= eprobe->nr_args)))
		fail("compile: %d, error %d", r, refusal.code);
	check_format(event.format);
	print_random(&event);
	if (!r) {
		run_program(program, &event);
		free(program);
		nr_accepted[0]++;
	}
	event_format_free(event.format);
}

/* The next server must read the definition as the same. */
static void check_definition(const struct eprobe *eprobe)
{
	struct text first, second;
	struct eprobe *again;

	text_init(&first, 1 << 16);
	text_init(&second, 1 << 16);
	eprobe_show(eprobe, &first);
	if (eprobe->filter)
		text_printf(&first, " if %s", eprobe->filter);
	if (parse(text_str(&first), NULL, &again))
		fail("the definition is refused: %s", text_str(&first));
	eprobe_show(again, &second);
	if (again->filter)
		text_printf(&second, " if %s", again->filter);
	if (strcmp(text_str(&first), text_str(&second)) ||
	    again->record_bytes != eprobe->record_bytes)
		fail("the definition changes:\n%s\n%s", text_str(&first), text_str(&second));
	eprobe_free(again);
	text_done(&first);
	text_done(&second);
}

static void try_eprobe(void)
{
	const struct eprobe_env env = {
		.find_target = find_target, .check_filter = check_filter, .has_event = has_event,
	};
	struct eprobe *eprobe;

	strcpy(command, random_below(8) ? "e:g/p sys.event" : "");
	if (random_below(2))
		PUT_PARTS(arguments, 8);
	if (random_below(2))
		PUT_PARTS(eprobe_parts, 12);
	spoil();
	if (parse(command, &env, &eprobe))
		return;
	use_eprobe(eprobe);
	check_definition(eprobe);
	eprobe_free(eprobe);
}

/* ---- synthetic events ---- */

/* Return false if the kernel accepts a type from which it makes a wrong format, as `[char'. */
static bool are_types_sane(const struct synth *synth)
{
	for (uint32_t i = 0; i < synth->nr_fields; i++) {
		const char *bracket = strchr(synth->fields[i].type, '[');

		if (bracket && (bracket == synth->fields[i].type || !strchr(bracket, ']') ||
				strchr(bracket + 1, '[') || strpbrk(synth->fields[i].type, ";:\"")))
			return false;
	}
	return true;
}

static void use_synth(const struct synth *synth)
{
	struct event event = {
		.print = synth_print, .def = synth, .format = synth_format(synth, 32768),
	};
	struct synth_error error;
	struct synth *again;
	struct text text, second;

	if (!event.format)
		fail("no format");
	if (are_types_sane(synth))
		check_format(event.format);
	print_random(&event);
	event_format_free(event.format);
	text_init(&text, 1 << 16);
	text_init(&second, 1 << 16);
	synth_show(synth, &text);
	if (synth_parse(text_str(&text), synth->name, strchr(text_str(&text), '\t') + 1, &again,
			&error))
		fail("the definition is refused: %s", text_str(&text));
	synth_show(again, &second);
	if (strcmp(text_str(&text), text_str(&second)))
		fail("the definition changes:\n%s\n%s", text_str(&text), text_str(&second));
	synth_free(again);
	text_done(&text);
	text_done(&second);
}

static void try_synth(void)
{
	struct synth_error error;
	struct synth *synth;

	*command = '\0';
	PUT_PARTS(synth_parts, 16);
	spoil();
	if (synth_parse(command, "name", command, &synth, &error)) {
		if (!error.code || error.pos > strlen(command))
			fail("error %d at %u", error.code, error.pos);
		return;
	}
	use_synth(synth);
	synth_free(synth);
	nr_accepted[1]++;
}

/* ---- inject ---- */

static void try_inject(void)
{
	static const uint64_t head = 5;
	struct text record;

	*command = '\0';
	if (random_below(2))
		put_part("number=5 array='text' loc=\"dynamic\" rel='x' ");
	PUT_PARTS(inject_parts, 16);
	spoil();
	text_init(&record, 1 << 16);
	if (!inject_parse(target, command, &head, &record)) {
		if (record.error || record.len < RECORD_BYTES)
			fail("a record of %zu bytes", record.len);
		nr_accepted[2]++;
	}
	text_done(&record);
}

/* ---- */

static void make_target(void)
{
	static const struct {
		const char *type, *name;
		uint32_t offset, size;
		bool is_signed;
	} fields[] = {
		{ "int", "number", 8, 4, true }, { "char[16]", "array", 12, 16, true },
		{ "const char *", "name", 32, 8, false },
		{ "const struct thing *", "thing", 40, 8, false },
		{ "__data_loc char[]", "loc", 48, 4, true },
		{ "__rel_loc char[]", "rel", 52, 4, true },
		{ "unsigned long", "long", 56, 8, false }, { "u8[24]", "bytes", 64, 24, false },
		{ "struct thing", "whole", 88, 40, false },
	};

	target = event_format_alloc("sys", "event", 1, "\"\"");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (event_format_add_field(target, fields[i].type, fields[i].name,
					   fields[i].offset, fields[i].size, fields[i].is_signed))
			fail("no memory");
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 3000000 : 60000;
	uint64_t seed = 1;

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	random_state = seed * 0x9e3779b97f4a7c15 | 1;
	make_target();
	for (uint64_t i = 0; i < count; i++) {
		try_eprobe();
		try_synth();
		try_inject();
	}
	for (int i = 0; i < 3; i++)
		if (nr_accepted[i] < count / 100)
			fail("only %d commands of kind %d were accepted", (int)nr_accepted[i], i);
	event_format_free(target);
	printf("%d commands, %d + %d + %d accepted\n", (int)(3 * count), (int)nr_accepted[0],
	       (int)nr_accepted[1], (int)nr_accepted[2]);
	return 0;
}
