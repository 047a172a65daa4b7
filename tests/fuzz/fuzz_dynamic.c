/* SPDX-License-Identifier: MIT */
/*
 * Dynamic events against a model: random events are made, enabled in two instances, filtered,
 * injected and removed, with a new server now and then.  After each step the lists must read as
 * the model says, targets of event probes must be in soft mode just as long as a probe is on, and
 * events in use must be busy.  Then the rows and blocks are spoiled, as a hostile program can,
 * and servers must live with what they find.
 *
 *	fuzz-fuzz_dynamic [COUNT [SEED]]
 */
#include <stdarg.h>
#include <stdbool.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define NR_NAMES	6
#define NR_INSTANCES	2
#define NR_TARGETS	2
#define TEXT_MAX	8192

/* A dynamic event; names 0 to 2 are synthetic, the others are event probes. */
struct model {
	bool is_there;
	uint64_t order;
	char listed[256];		/* line of the event in dynamic_events */
	int target;			/* event probe: number of a program's event, or
					 * NR_TARGETS + name of a synthetic one; -1: none */
	bool is_on[NR_INSTANCES];
};

static struct model models[NR_NAMES];
static uint64_t next_order;
static struct server *server;
static struct fake_root root;
static uint64_t random_state;
static char last[TEXT_MAX];

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

static bool is_probe(int name)
{
	return name >= NR_NAMES / 2;
}

/* ---- paths ---- */

static const char *path(int instance, const char *file)
{
	static char text[2][256];
	static int which;

	which = !which;
	snprintf(text[which], sizeof(text[which]), "fake.1/%s%s",
		 instance ? "instances/one/" : "", file);
	return text[which];
}

static const char *event_path(int instance, int name, const char *file)
{
	char text[128];

	snprintf(text, sizeof(text), "events/%s/name%d/%s",
		 is_probe(name) ? "eprobes" : "synthetic", name, file);
	return path(instance, text);
}

static const char *target_path(int instance, int target, const char *file)
{
	char text[128];

	if (target >= NR_TARGETS)
		return event_path(instance, target - NR_TARGETS, file);
	snprintf(text, sizeof(text), "events/sys/target%d/%s", target, file);
	return path(instance, text);
}

/* All processes apply everything at once. */
static void follow(void)
{
	__atomic_store_n(&root.processes[0].applied, root.control->generation + (1u << 20),
			 __ATOMIC_RELEASE);
}

static long tell(const char *to, int flags, const char *text)
{
	long r;

	snprintf(last, sizeof(last), "'%s' to %s", text, to);
	follow();
	r = tree_write(server, to, flags, text, strlen(text));
	follow();
	return r == (long)strlen(text) ? 0 : r;
}

static void expect(long answer, long wanted)
{
	if (answer != wanted)
		fail("it answered %ld, not %ld", answer, wanted);
}

/* ---- the model ---- */

/* How many probes have the synthetic event @name as their target. */
static int nr_probes(int name)
{
	int nr = 0;

	for (int i = 0; i < NR_NAMES; i++)
		nr += models[i].is_there && models[i].target == NR_TARGETS + name;
	return nr;
}

/* A probe that is on attaches to its target, which is then in soft mode. */
static bool has_probe_on(int instance, int target)
{
	for (int i = 0; i < NR_NAMES; i++)
		if (models[i].is_there && is_probe(i) && models[i].target == target &&
		    models[i].is_on[instance])
			return true;
	return false;
}

static bool is_busy(int name)
{
	for (int i = 0; i < NR_INSTANCES; i++)
		if (models[name].is_on[i] || has_probe_on(i, NR_TARGETS + name))
			return true;
	return nr_probes(name);
}

/* ---- steps ---- */

static void make_synth(int name)
{
	static const char *const fields[] = {
		"u64 a", "u64 a; char[16] b", "char[] c; s32 a", "unsigned long[] s; u8 a",
	};
	const char *field = fields[random_below(4)];
	char text[256];
	bool is_dynamic = random_below(2);

	snprintf(text, sizeof(text), "%sname%d %s", is_dynamic ? "s:synthetic/" : "", name, field);
	expect(tell(path(0, is_dynamic ? "dynamic_events" : "synthetic_events"), O_APPEND, text),
	       models[name].is_there ? -EEXIST : 0);
	if (models[name].is_there)
		return;
	models[name] = (struct model){ .is_there = true, .order = next_order++, .target = -1 };
	snprintf(models[name].listed, sizeof(models[name].listed), "s:synthetic/name%d\t%s\n", name,
		 field);
}

static void make_probe(int name)
{
	static const char *const arguments[] = {
		"", " n=$n:s32", " n=$n p=+0($p):string", " n=$n:b3@2/8",
	};
	static const char *const on_synth[] = { "", " n=$a:u16" };
	int target = (int)random_below(NR_TARGETS + NR_NAMES / 2);
	const char *argument = target < NR_TARGETS ? arguments[random_below(4)] :
			       on_synth[random_below(2)];
	const char *filter = random_below(2) || target >= NR_TARGETS ? "" : " if n > 3";
	char where[64], text[256];
	long wanted = 0;

	if (target < NR_TARGETS)
		snprintf(where, sizeof(where), "sys.target%d", target);
	else
		snprintf(where, sizeof(where), "synthetic.name%d", target - NR_TARGETS);
	snprintf(text, sizeof(text), "e:name%d %s%s%s", name, where, argument, filter);
	if (target >= NR_TARGETS && !models[target - NR_TARGETS].is_there)
		wanted = -ENODEV;
	else if (models[name].is_there)
		wanted = -EEXIST;
	expect(tell(path(0, "dynamic_events"), O_APPEND, text), wanted);
	if (wanted)
		return;
	models[name] = (struct model){ .is_there = true, .order = next_order++,
				       .target = target };
	snprintf(models[name].listed, sizeof(models[name].listed), "e:eprobes/name%d %s%s\n", name,
		 where, argument);
}

static void remove_one(int name)
{
	bool is_synth_file = !is_probe(name) && random_below(2);
	char text[64];

	snprintf(text, sizeof(text), is_synth_file ? "!name%d" : "-:name%d", name);
	expect(tell(path(0, is_synth_file ? "synthetic_events" : "dynamic_events"), O_APPEND,
		    text),
	       !models[name].is_there ? -ENOENT : is_busy(name) ? -EBUSY : 0);
	if (models[name].is_there && !is_busy(name))
		models[name].is_there = false;
}

/* Remove all, in the order of their making, up to the first that is busy. */
static void remove_all(void)
{
	long wanted = 0;

	for (;;) {
		int first = -1;

		for (int i = 0; i < NR_NAMES; i++)
			if (models[i].is_there &&
			    (first < 0 || models[i].order < models[first].order))
				first = i;
		if (first < 0)
			break;
		if (is_busy(first)) {
			wanted = -EBUSY;
			break;
		}
		models[first].is_there = false;
	}
	expect(tell(path(0, "dynamic_events"), O_TRUNC, ""), wanted);
}

static void set_enable(int instance, int name)
{
	bool is_on = random_below(2);
	const char *file = event_path(instance, name, "enable");

	if (!models[name].is_there) {
		expect(tell(file, O_APPEND, "1"), -ENOENT);
		return;
	}
	expect(tell(file, O_APPEND, is_on ? "1" : "0"), 0);
	models[name].is_on[instance] = is_on;
}

static void set_filter(int instance, int name)
{
	if (models[name].is_there)
		tell(event_path(instance, name, "filter"), O_APPEND,
		     random_below(3) ? "common_pid > 1" : "0");
}

static void inject(int instance, int name)
{
	long r;

	if (!models[name].is_there)
		return;
	r = tell(event_path(instance, name, "inject"), O_APPEND, random_below(2) ? "a=5" : "n=3");
	if (r && r != -ENOENT)
		fail("it answered %ld", r);
}

static void new_server(void)
{
	snprintf(last, sizeof(last), "a new server");
	follow();
	server_free(server);
	if (server_new(root.dir, &server))
		fail("no new server");
	follow();
}

/* ---- what is read ---- */

static void check_list(void)
{
	char wanted[TEXT_MAX] = "", *at = wanted;
	const char *text = tree_cat(server, path(0, "dynamic_events"));
	uint64_t before = 0;

	for (bool is_more = true; is_more; ) {
		int next = -1;

		for (int i = 0; i < NR_NAMES; i++)
			if (models[i].is_there && models[i].order >= before &&
			    (next < 0 || models[i].order < models[next].order))
				next = i;
		is_more = next >= 0;
		if (is_more) {
			at = stpcpy(at, models[next].listed);
			before = models[next].order + 1;
		}
	}
	if (strcmp(text, wanted))
		fail("dynamic_events reads\n%swanted:\n%s", text, wanted);
}

static void check_enable(int instance, const char *file, bool is_on, bool is_soft)
{
	const char *text = tree_cat(server, file);
	char wanted[8];

	snprintf(wanted, sizeof(wanted), "%d%s\n", is_on, is_soft ? "*" : "");
	if (strcmp(text, wanted))
		fail("instance %d: %s reads %swanted %s", instance, file, text, wanted);
}

static void check_all(void)
{
	check_list();
	for (int instance = 0; instance < NR_INSTANCES; instance++) {
		for (int i = 0; i < NR_TARGETS; i++)
			check_enable(instance, target_path(instance, i, "enable"), false,
				     has_probe_on(instance, i));
		for (int i = 0; i < NR_NAMES; i++)
			if (models[i].is_there)
				check_enable(instance, event_path(instance, i, "enable"),
					     models[i].is_on[instance],
					     has_probe_on(instance, NR_TARGETS + i));
	}
}

static void step(void)
{
	int name = (int)random_below(NR_NAMES), instance = (int)random_below(NR_INSTANCES);

	switch (random_below(16)) {
	case 0 ... 4:
		if (is_probe(name))
			make_probe(name);
		else
			make_synth(name);
		break;
	case 5 ... 7:
		remove_one(name);
		break;
	case 8 ... 11:
		set_enable(instance, name);
		break;
	case 12:
		set_filter(instance, name);
		break;
	case 13:
		inject(instance, name);
		break;
	case 14:
		if (!random_below(4))
			remove_all();
		break;
	default:
		if (!random_below(4))
			new_server();
	}
}

/* ---- hostile rows ---- */

/* The size of the root's memory file: there is no memory after it. */
static uint64_t file_bytes(void)
{
	char name[256];
	struct stat st;

	snprintf(name, sizeof(name), "%s/memory", root.path);
	return stat(name, &st) ? 0 : (uint64_t)st.st_size;
}

/* Spoil the rows of dynamic events, or a block to which one refers. */
static void spoil(void)
{
	uint32_t row = (uint32_t)random_below(8);
	struct abi_event *event = &root.events[row];
	char *at = (char *)event;
	uint64_t bytes = sizeof(*event);

	if (random_below(2) && event->blob >= ABI_ARENA_OFF && event->blob < FAKE_MAP_BYTES &&
	    event->blob + bytes <= file_bytes()) {
		bytes = file_bytes() - event->blob < 2048 ? file_bytes() - event->blob : 2048;
		at = root.mem + event->blob;
	}
	if (!random_below(8))
		root.events[random_below(8)] = *event;
	for (uint64_t i = 1 + random_below(4); i; i--) {
		uint64_t values[] = { 0, 1, UINT32_MAX, UINT64_MAX, random_below(UINT64_MAX),
				      ABI_ARENA_OFF, event->blob, ABI_MODULE_DYNAMIC };
		uint64_t value = values[random_below(8)], off = random_below(bytes / 4) * 4;

		memcpy(at + off, &value, 4);
	}
}

/* Use all files of the event.  Any answer is right, as long as there is one. */
static void use_all(void)
{
	static const char *const files[] = { "enable", "format", "id", "filter", "trigger" };

	tree_cat(server, path(0, "dynamic_events"));
	tree_cat(server, path(0, "synthetic_events"));
	tree_cat(server, path(0, "available_events"));
	tree_cat(server, path(0, "trace"));
	for (int i = 0; i < NR_NAMES; i++)
		for (size_t file = 0; file < 5; file++)
			tree_cat(server, event_path(0, i, files[file]));
}

static void be_hostile(void)
{
	static const char *const lines[] = {
		"s:name0 u64 a", "e:name3 sys.target0 n=$n", "-:name0", "-:name3", "-:name4",
		"e:name4 synthetic.name0",
	};

	for (int round = 0; round < 20; round++) {
		for (uint64_t i = random_below(4); i; i--)
			spoil();
		snprintf(last, sizeof(last), "hostile rows");
		new_server();
		use_all();
		for (int i = 0; i < 4; i++) {
			tell(path(0, "dynamic_events"), O_APPEND, lines[random_below(6)]);
			tell(event_path((int)random_below(2), (int)random_below(NR_NAMES),
					"enable"), O_APPEND, random_below(2) ? "1" : "0");
		}
		use_all();
	}
	tell(path(0, "dynamic_events"), O_TRUNC, "");
}

/* ---- */

static void make_root(const char *dir)
{
	static const struct fake_field fields[] = {
		{ "int", "n", 8, 4, 1 }, { "const char *", "p", 16, 8, 0 },
	};
	struct tracefs_node *node;
	char name[16];

	fake_root_make(&root, dir, "fake.1");
	for (int i = 0; i < NR_TARGETS; i++) {
		snprintf(name, sizeof(name), "target%d", i);
		fake_event(&root, 0, "sys", name, "\"%d\", REC->n", fields, 2);
	}
	follow();
	fake_root_show(&root, "fake.1");
	if (server_new(dir, &server) || tree_echo(server, path(0, "buffer_size_kb"), "16") ||
	    tracefs_walk(server, "fake.1/instances", &node))
		fail("no server");
	if (tracefs_mkdir(node, "one") || tree_echo(server, path(1, "buffer_size_kb"), "16"))
		fail("no instance");
	tracefs_node_put(node);
	memset(models, 0, sizeof(models));
}

static void run(uint64_t count)
{
	char dir[128];

	fake_dir_make(dir);
	make_root(dir);
	for (uint64_t i = 0; i < count; i++) {
		step();
		check_all();
	}
	be_hostile();
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 200000 : 4000;
	uint64_t seed = 1;

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	random_state = seed * 0x9e3779b97f4a7c15 | 1;
	for (uint64_t left = count, n; left; left -= n) {
		n = left < 1000 ? left : 1000;
		run(n);
	}
	printf("%d steps\n", (int)count);
	return 0;
}
