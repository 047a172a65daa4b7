/* SPDX-License-Identifier: MIT */
/*
 * `hist` triggers of a root: random writes to the `trigger` files of some events in two instances,
 * with new servers in between.  After each step
 *
 *  - a write that was refused has changed no file;
 *  - a write that was accepted has changed what it should change: a line more or less, or a state;
 *  - a new server shows what the last one showed;
 *  - `enable` of an event has a star if the event has triggers or is a target;
 *  - no two blocks of the arena that are in use overlap.
 *
 * At the end everything can be removed.
 *
 *	fuzz-fuzz_hist_trigger [COUNT [SEED]]
 */
#include <stdarg.h>
#include <stdbool.h>

#include "abi/hist.h"
#include "abi/rules.h"
#include "daemon/parts.h"
#include "event/command.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define NR_FILES	8
#define TEXT_MAX	1024
#define LISTING_MAX	(64u << 10)
#define BLOCKS_MAX	4096

static const char *const dirs[NR_FILES] = {
	"fake.1/events/sys/first/", "fake.1/events/sys/second/",
	"fake.1/events/synthetic/syn/", "fake.1/events/ftrace/print/",
	"fake.1/instances/one/events/sys/first/", "fake.1/instances/one/events/sys/second/",
	"fake.1/instances/one/events/synthetic/syn/", "fake.1/instances/one/events/ftrace/print/",
};

/* Texts; each is written to any of the files, so many are wrong there. */
static const char *const texts[] = {
	"hist:keys=state", "hist:keys=comm:vals=state:sort=state.descending",
	"hist:keys=state:x=state", "hist:keys=n:x=n", "hist:keys=state:ts=common_timestamp.usecs",
	"hist:name=nm:keys=common_pid", "hist:name=nm:keys=common_pid if common_pid > 3",
	"hist:name=nm:keys=common_pid:vals=common_pid", "hist:keys=n", "hist:keys=n if n > 5",
	"hist:keys=n:y=$x", "hist:keys=n:z=$x+1 if n > 1", "hist:keys=n:z=sys.first.$x",
	"hist:keys=n:lat=common_timestamp.usecs-$ts:onmax($lat).save(n)",
	"hist:keys=n:lat=common_timestamp.usecs-$ts:onmatch(sys.first).syn(state,$lat)",
	"hist:keys=n:lat=common_timestamp.usecs-$ts:onmatch(sys.first).trace(syn,state,$lat)",
	"hist:keys=n:w=n:onchange($w).snapshot()", "hist:keys=state,lat", "hist:keys=ip",
	"hist:keys=ip:x=ip", "hist:keys=common_stacktrace", "hist:keys=nosuch", "hist:keys=",
	"enable_hist:sys:first", "disable_hist:sys:first:3", "disable_hist:synthetic:syn",
	"traceon:5", "enable_event:sys:second",
};

static struct fake_root root;
static struct server *server;
static uint64_t random_state;
static char last[TEXT_MAX];		/* the last step */
static char before[NR_FILES][LISTING_MAX], after[NR_FILES][LISTING_MAX];

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

static const char *path(int file, const char *name)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s%s", dirs[file], name);
	return text;
}

static void read_listings(char to[NR_FILES][LISTING_MAX])
{
	for (int i = 0; i < NR_FILES; i++) {
		const char *text = tree_cat(server, path(i, "trigger"));

		if (strlen(text) >= LISTING_MAX)
			fail("%s is too long", path(i, "trigger"));
		strcpy(to[i], *text == '#' ? "" : text);
	}
}

static int nr_lines(const char *text)
{
	int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* Return the file that has changed; -1: none, -2: several. */
static int changed_file(void)
{
	int found = -1;

	for (int i = 0; i < NR_FILES; i++)
		if (strcmp(before[i], after[i]))
			found = found == -1 ? i : -2;
	return found;
}

/* ---- the steps ---- */

/* Write @text to the file, with @flags.  Returns 0 or -errno. */
static int tell(int file, int flags, const char *text)
{
	long r = tree_write(server, path(file, "trigger"), flags, text, strlen(text));

	snprintf(last, sizeof(last), "'%s' to %s: %s", text, path(file, "trigger"),
		 r < 0 ? strerrorname_np((int)-r) : "taken");
	read_listings(after);
	if (r < 0 && flags == O_APPEND && changed_file() != -1)
		fail("a refused write has changed a file");
	return r < 0 ? (int)r : 0;
}

/* Write @base with `:STATE' after its definition. */
static int print_state(int file, const char *base, const char *state)
{
	const char *filter = strstr(base, " if ");
	int len = filter ? (int)(filter - base) : (int)strlen(base);
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%.*s:%s%s", len, base, state, filter ? filter : "");
	return tell(file, O_APPEND, text);
}

static bool is_hist(const char *text)
{
	return !strncmp(text, "hist:", 5);
}

static void add(int file)
{
	const char *text = texts[random_below(ARRAY_SIZE(texts))];

	if (tell(file, O_APPEND, text))
		return;
	if (nr_lines(after[file]) != nr_lines(before[file]) + 1)
		fail("no line more");
	if (is_hist(text) && strncmp(after[file], before[file], strlen(before[file])))
		fail("the new one is not the last one");
}

static void take_away(int file)
{
	const char *text = texts[random_below(ARRAY_SIZE(texts))];
	char words[TEXT_MAX];
	int nr;

	snprintf(words, sizeof(words), "!%s", text);
	if (tell(file, O_APPEND, words))
		return;
	nr = nr_lines(before[file]) - nr_lines(after[file]);
	if (nr != 0 && nr != 1)
		fail("%d lines less", nr);
}

static void change_state(int file)
{
	static const char *const states[] = { "pause", "cont", "clear" };
	const char *text = texts[random_below(ARRAY_SIZE(texts))];
	const char *state = states[random_below(3)];
	int nr;

	if (!is_hist(text) || print_state(file, text, state))
		return;
	nr = nr_lines(after[file]) - nr_lines(before[file]);
	if (nr != 0 && (nr != 1 || strcmp(state, "pause")))
		fail("%d lines more", nr);
}

static void truncate_file(int file)
{
	tell(file, O_TRUNC, "!traceon");
	if (changed_file() == -1 && strstr(before[file], "enable_hist"))
		fail("enable_hist stays");
}

static void new_server(const char *dir)
{
	server_free(server);
	snprintf(last, sizeof(last), "a new server");
	if (server_new(dir, &server))
		fail("no new server");
	read_listings(after);
	if (changed_file() != -1)
		fail("%s was\n%sand is now\n%s", dirs[0], before[0], after[0]);
}

/* ---- what is always so ---- */

struct block { uint64_t off, bytes; bool is_table; };

static int compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;

	return (a->off > b->off) - (a->off < b->off);
}

/* Collect the tables of the programs in the rules of a buffer. */
static uint32_t list_tables(const struct abi_rules *rules, struct block *blocks, uint32_t nr)
{
	for (uint32_t i = 0; i < rules->nr_rules; i++) {
		const struct abi_triggers *list = (const void *)((const char *)rules +
								 rules->rules[i].triggers);

		for (uint32_t k = 0; rules->rules[i].triggers && k < list->nr; k++) {
			const struct hist_program *p = (const void *)((const char *)list +
								      list->triggers[k].data);

			if (list->triggers[k].command != COMMAND_HIST)
				continue;
			for (uint32_t n = 0; n < p->nr_tables && nr < BLOCKS_MAX; n++)
				blocks[nr++] = (struct block){
					hist_tables(p)[n].off, hist_tables(p)[n].bytes, true,
				};
		}
	}
	return nr;
}

static void check_blocks(void)
{
	static struct block blocks[BLOCKS_MAX + 2];
	uint32_t nr = 0;

	for (int i = 0; i < 2; i++) {
		uint64_t off = root.buffer[i].rules;
		const struct abi_rules *rules = (const void *)(root.mem + off);

		if (!off)
			continue;
		blocks[nr++] = (struct block){ off, rules->bytes, false };
		nr = list_tables(rules, blocks, nr);
	}
	qsort(blocks, nr, sizeof(blocks[0]), compare_blocks);
	for (uint32_t i = 1; i < nr; i++) {
		const struct block *a = &blocks[i - 1], *b = &blocks[i];

		if (a->is_table && b->is_table && a->off == b->off && a->bytes == b->bytes)
			continue;
		if (b->off < a->off + a->bytes)
			fail("blocks overlap: %#lx + %#lx and %#lx", (long)a->off,
			     (long)a->bytes, (long)b->off);
	}
}

static bool is_target(int file)
{
	static const char *const names[] = { ":sys:first:", ":sys:second:", ":synthetic:syn:" };

	for (int i = file / 4 * 4; i < file / 4 * 4 + 4; i++)
		if (strstr(after[i], names[file % 4]))
			return true;
	return false;
}

static void check_all(void)
{
	for (int i = 0; i < NR_FILES; i++) {
		const char *hist;
		int nr = 0;

		if (i % 4 != 3 && !strchr(tree_cat(server, path(i, "enable")), '*') !=
				  !(*after[i] || is_target(i)))
			fail("%s: %s", path(i, "enable"), tree_cat(server, path(i, "enable")));
		hist = tree_cat(server, path(i, "hist"));
		for (const char *at = hist; (at = strstr(at, "# event histogram\n")); at++)
			nr++;
		for (const char *at = after[i]; (at = strstr(at, "hist:")); at++)
			nr -= at == after[i] || at[-1] == '\n';
		if (nr)
			fail("%s has %d histograms too many", path(i, "hist"), nr);
	}
	check_blocks();
}

/* Remove each of @texts from all files. */
static void remove_texts(void)
{
	char words[TEXT_MAX];

	for (int i = 0; i < NR_FILES; i++)
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
			snprintf(words, sizeof(words), "!%s", texts[k]);
			read_listings(before);
			tell(i, O_APPEND, words);
		}
}

/* Remove all.  Histograms whose variables are in use are removed after those that use them. */
static void remove_all(void)
{
	for (int turn = 0; turn < 4; turn++) {
		for (int i = 0; i < NR_FILES; i++)
			tell(i, O_TRUNC, "!traceon");
		remove_texts();
	}
	for (int i = 0; i < NR_FILES; i++)
		if (*after[i])
			fail("%s still has\n%s", path(i, "trigger"), after[i]);
	if (tree_append(server, "fake.1/synthetic_events", "!syn"))
		fail("the synthetic event is still in use");
}

static void make_root(const char *dir)
{
	static const struct fake_field fields[] = {
		{ "char[16]", "comm", 8, 16, 0 },
		{ "unsigned long", "state", 24, 8, 0 },
	};
	struct tracefs_node *node;

	fake_root_make(&root, dir, "fake.1");
	fake_event(&root, 0, "sys", "first", "\"\"", fields, 2);
	fake_event(&root, 0, "sys", "second", "\"\"", &(struct fake_field){
		   "unsigned long", "n", 8, 8, 0 }, 1);
	fake_root_show(&root, "fake.1");
	if (server_new(dir, &server) || tracefs_walk(server, "fake.1/instances", &node) ||
	    tracefs_mkdir(node, "one"))
		fail("no server");
	tracefs_node_put(node);
	if (tree_echo(server, "fake.1/buffer_size_kb", "16") ||
	    tree_echo(server, "fake.1/instances/one/buffer_size_kb", "16") ||
	    tree_append(server, "fake.1/synthetic_events", "syn unsigned long state; u64 lat"))
		fail("no synthetic event");
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 200000 : 2500;
	uint64_t seed = 1;
	char dir[128];

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	random_state = seed * 0x9e3779b97f4a7c15 | 1;
	fake_dir_make(dir);
	make_root(dir);
	for (uint64_t i = 0; i < count; i++) {
		int file = (int)random_below(NR_FILES);

		/* Until the process applies the settings, no block is used again. */
		if (!random_below(8))
			fake_apply(&root);
		read_listings(before);
		switch (random_below(16)) {
		case 0:
			new_server(dir);
			break;
		case 1:
			truncate_file(file);
			break;
		case 2: case 3: case 4: case 5:
			take_away(file);
			break;
		case 6: case 7: case 8:
			change_state(file);
			break;
		default:
			add(file);
			break;
		}
		read_listings(after);
		check_all();
	}
	remove_all();
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
	return 0;
}
