/* SPDX-License-Identifier: MIT */
/*
 * Triggers and soft mode against a model, which counts references as the kernel does.  The
 * fuzzer makes random writes to `trigger` and `enable` of a few events in two instances, and
 * starts a new server from time to time.  After each write all files must have the contents
 * that the model predicts.
 *
 *	fuzz-fuzz_trigger [COUNT [SEED]]
 */
#include <stdarg.h>
#include <stdbool.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define NR_EVENTS	3
#define NR_INSTANCES	2
#define NR_TRIGGERS	8
#define TEXT_MAX	512

enum kind { ONOFF, SNAPSHOT, STACKTRACE, ENABLE };

static const struct {
	const char *name;
	enum kind kind;
} commands[] = {
	{ "traceon", ONOFF }, { "traceoff", ONOFF }, { "snapshot", SNAPSHOT },
	{ "stacktrace", STACKTRACE }, { "enable_event", ENABLE },
	{ "disable_event", ENABLE },
};

struct trigger {
	int command, target;		/* -1: none */
	char text[128];			/* as the file lists it */
};

/* The state of an event, with the kernel's names. */
struct event {
	bool is_enabled, is_soft_disabled;
	int sm_ref, tm_ref;
	struct trigger triggers[NR_TRIGGERS];	/* the newest first */
	int nr;
};

static struct event events[NR_INSTANCES][NR_EVENTS];
static struct server *server;
static uint64_t random_state;
static char last[TEXT_MAX];		/* the last text that was written */

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
	printf("\nafter: %s\n", last);
	exit(1);
}

/* ---- the model ---- */

static void set_enabled(struct event *event, bool is_on)
{
	if (is_on) {
		event->is_soft_disabled = false;
		event->is_enabled = true;
	} else if (event->sm_ref) {
		event->is_soft_disabled = true;
	} else {
		event->is_enabled = event->is_soft_disabled = false;
	}
}

static void soft_enable(struct event *event)
{
	if (event->sm_ref++ || event->is_enabled)
		return;
	event->is_soft_disabled = event->is_enabled = true;
}

static void soft_disable(struct event *event)
{
	if (--event->sm_ref)
		return;
	if (event->is_soft_disabled)
		event->is_enabled = false;
	event->is_soft_disabled = false;
}

static int find(const struct event *event, int command, int target)
{
	for (int i = 0; i < event->nr; i++) {
		const struct trigger *trigger = &event->triggers[i];

		if (commands[trigger->command].kind == commands[command].kind &&
		    trigger->target == target)
			return i;
	}
	return -1;
}

static void model_add(struct event *in, int at, const struct trigger *trigger)
{
	struct event *event = &in[at];

	if (trigger->target >= 0)
		soft_enable(&in[trigger->target]);
	memmove(event->triggers + 1, event->triggers,
		(size_t)event->nr++ * sizeof(*trigger));
	event->triggers[0] = *trigger;
	if (!event->tm_ref++)
		soft_enable(event);
}

static void model_remove(struct event *in, int at, int found)
{
	struct event *event = &in[at];
	int target = event->triggers[found].target;

	event->nr--;
	memmove(event->triggers + found, event->triggers + found + 1,
		(size_t)(event->nr - found) * sizeof(event->triggers[0]));
	if (!--event->tm_ref)
		soft_disable(event);
	if (target >= 0)
		soft_disable(&in[target]);
}

/* ---- random writes ---- */

static const char *path(int instance, int event, const char *file)
{
	static char text[128];

	snprintf(text, sizeof(text), "fake.1/%sevents/sys/event%d/%s",
		 instance ? "instances/one/" : "", event, file);
	return text;
}

static void tell(const char *to, const char *text, long answer)
{
	long r = tree_write(server, to, O_APPEND, text, strlen(text));

	snprintf(last, sizeof(last), "'%s' to %s", text, to);
	if (r != (answer ? answer : (long)strlen(text)))
		fail("it answered %ld", r);
}

static void make_words(struct trigger *trigger, char *words, size_t room)
{
	static const char *const filters[] = {
		"", " if n == 1", " if common_pid > 7 && n != 3",
	};
	const char *filter = filters[random_below(3)];
	uint64_t count = random_below(3);
	char target[32] = "";

	trigger->command = (int)random_below(sizeof(commands) / sizeof(commands[0]));
	trigger->target = -1;
	if (commands[trigger->command].kind == ENABLE) {
		trigger->target = (int)random_below(NR_EVENTS);
		snprintf(target, sizeof(target), ":sys:event%d", trigger->target);
	}
	snprintf(words, room, "%s%s", commands[trigger->command].name, target);
	if (count)
		snprintf(words + strlen(words), room - strlen(words), ":%d", (int)count);
	snprintf(words + strlen(words), room - strlen(words), "%s", filter);
	snprintf(trigger->text, sizeof(trigger->text),
		 count ? "%s%s:count=%d%s\n" : "%s%s:unlimited%.0d%s\n",
		 commands[trigger->command].name, target, (int)count, filter);
}

static void write_trigger(int instance, int at)
{
	struct event *event = &events[instance][at];
	struct trigger trigger;
	char words[TEXT_MAX] = "!";
	int found;

	make_words(&trigger, words + 1, sizeof(words) - 1);
	found = find(event, trigger.command, trigger.target);
	if (random_below(2)) {
		tell(path(instance, at, "trigger"), words, 0);
		if (found >= 0)
			model_remove(events[instance], at, found);
	} else if (found >= 0) {
		tell(path(instance, at, "trigger"), words + 1, -EEXIST);
	} else {
		tell(path(instance, at, "trigger"), words + 1, 0);
		model_add(events[instance], at, &trigger);
	}
}

static void write_wrong(int instance, int at)
{
	struct trigger trigger;
	char words[TEXT_MAX];
	size_t len;

	make_words(&trigger, words, sizeof(words));
	len = strlen(words);
	switch (random_below(4)) {
	case 0:
		strcpy(words + len, strstr(words, " if ") ? " &&" : " if nosuch == 1");
		break;
	case 1:
		words[0] ^= 1;
		break;
	case 2:
		words[1 + random_below(3)] = (char)(1 + random_below(255) % 31);
		break;
	default:
		strcpy(words, "enable_event:sys:event9");
		break;
	}
	tell(path(instance, at, "trigger"), words, -EINVAL);
}

static void write_enable(int instance, int at)
{
	bool is_on = random_below(2);

	if (random_below(3)) {
		tell(path(instance, at, "enable"), is_on ? "1" : "0", 0);
		set_enabled(&events[instance][at], is_on);
		return;
	}
	tell(instance ? "fake.1/instances/one/events/enable" : "fake.1/events/enable",
	     is_on ? "1" : "0", 0);
	for (int i = 0; i < NR_EVENTS; i++)
		set_enabled(&events[instance][i], is_on);
}

/* ---- check the files ---- */

static void check_text(const char *file, const char *wanted)
{
	const char *text = tree_cat(server, file);

	if (strcmp(text, wanted))
		fail("%s reads\n%swanted:\n%s", file, text, wanted);
}

static void check_event(int instance, int at)
{
	const struct event *event = &events[instance][at];
	char wanted[NR_TRIGGERS * 128] = "";

	snprintf(wanted, sizeof(wanted), "%d%s\n",
		 event->is_enabled && !event->is_soft_disabled,
		 event->is_soft_disabled || event->sm_ref ? "*" : "");
	check_text(path(instance, at, "enable"), wanted);
	*wanted = '\0';
	for (int i = 0; i < event->nr; i++)
		strcat(wanted, event->triggers[i].text);
	if (event->nr)
		check_text(path(instance, at, "trigger"), wanted);
	else if (*tree_cat(server, path(instance, at, "trigger")) != '#')
		fail("%s has triggers", path(instance, at, "trigger"));
}

static void check_all(void)
{
	char wanted[TEXT_MAX];

	for (int instance = 0; instance < NR_INSTANCES; instance++) {
		*wanted = '\0';
		for (int i = 0; i < NR_EVENTS; i++) {
			check_event(instance, i);
			if (events[instance][i].is_enabled)
				sprintf(wanted + strlen(wanted), "sys:event%d\n", i);
		}
		check_text(instance ? "fake.1/instances/one/set_event" :
			   "fake.1/set_event", wanted);
	}
}

/* ---- */

static void new_server(const char *dir)
{
	server_free(server);
	if (server_new(dir, &server))
		fail("no new server");
}

static void make_root(struct fake_root *root, const char *dir)
{
	static const struct fake_field field = { "int", "n", 8, 4, 1 };
	struct tracefs_node *node;
	char name[16];

	fake_root_make(root, dir, "fake.1");
	for (int i = 0; i < NR_EVENTS; i++) {
		snprintf(name, sizeof(name), "event%d", i);
		fake_event(root, 0, "sys", name, "\"%d\", REC->n", &field, 1);
	}
	fake_root_show(root, "fake.1");
	if (server_new(dir, &server) ||
	    tree_echo(server, "fake.1/buffer_size_kb", "16") ||
	    tracefs_walk(server, "fake.1/instances", &node))
		fail("no server");
	if (tracefs_mkdir(node, "one") ||
	    tree_echo(server, "fake.1/instances/one/buffer_size_kb", "16"))
		fail("no instance");
	tracefs_node_put(node);
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 500000 : 5000;
	uint64_t seed = 1;
	struct fake_root root;
	char dir[128];

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	random_state = seed * 0x9e3779b97f4a7c15 | 1;
	fake_dir_make(dir);
	make_root(&root, dir);
	for (uint64_t i = 0; i < count; i++) {
		int instance = (int)random_below(NR_INSTANCES);
		int event = (int)random_below(NR_EVENTS);

		switch (random_below(20)) {
		case 0:
			new_server(dir);
			break;
		case 1: case 2: case 3: case 4: case 5:
			write_enable(instance, event);
			break;
		case 6: case 7:
			write_wrong(instance, event);
			break;
		default:
			write_trigger(instance, event);
			break;
		}
		check_all();
	}
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
	return 0;
}
