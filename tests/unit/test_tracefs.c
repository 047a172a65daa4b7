/* SPDX-License-Identifier: MIT */
/*
 * The control files of a root: their contents, and the writes that they accept.
 *
 * user: both root may open each file in both directions
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	fake_root_make(&f->root, f->dir, "fake.1");
	fake_event_n(&f->root, 0, "sched", "sched_switch");
	fake_event_n(&f->root, 0, "sched", "sched_waking");
	fake_event_n(&f->root, 0, "sched", "sched_wakeup");
	fake_event_n(&f->root, 0, "irq", "irq_entry");
	fake_event_n(&f->root, 0, "irq", "irq_exit");
	fake_event_n(&f->root, 1, "gone", "gone_event");
	fake_root_show(&f->root, "fake.1");
	if (server_new(f->dir, &f->server))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

/* ---- names and modes ---- */

struct listing {
	char text[4096];
};

static int list_one(void *arg, const char *name, const struct stat *st)
{
	struct listing *listing = arg;
	size_t len = strlen(listing->text);

	snprintf(listing->text + len, sizeof(listing->text) - len, "%s%s %o\n",
		 name, S_ISDIR(st->st_mode) ? "/" : "",
		 (unsigned int)st->st_mode & 07777);
	return 0;
}

static const char *ls(struct server *server, const char *path)
{
	static struct listing listing;
	struct tracefs_node *node;

	listing.text[0] = '\0';
	if (tracefs_walk(server, path, &node))
		return "ENOENT";
	tracefs_readdir(node, list_one, &listing);
	tracefs_node_put(node);
	return listing.text;
}

static void names_and_modes_are_the_kernels(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(ls(f->server, ""), "fake.1/ 700\n");
	assert_string_equal(ls(f->server, "fake.1"),
		"README 440\navailable_events 440\navailable_filter_functions 440\n"
		"available_filter_functions_addrs 440\navailable_tracers 440\n"
		"buffer_percent 640\nbuffer_size_kb 640\nbuffer_subbuf_size_kb 640\n"
		"buffer_total_size_kb 440\ncurrent_tracer 640\n"
		"dyn_ftrace_total_info 440\ndynamic_events 640\nenabled_functions 440\n"
		"error_log 640\n"
		"events/ 755\nfree_buffer 200\nfunction_profile_enabled 640\n"
		"instances/ 750\nmax_graph_depth 640\n"
		"options/ 750\nper_cpu/ 750\nprintk_formats 440\n"
		"saved_cmdlines 440\nsaved_cmdlines_size 640\nsaved_tgids 440\n"
		"set_event 640\nset_event_notrace_pid 640\nset_event_pid 640\n"
		"set_ftrace_filter 640\nset_ftrace_notrace 640\n"
		"set_ftrace_notrace_pid 640\nset_ftrace_pid 640\n"
		"set_graph_function 640\nset_graph_notrace 640\n"
		"snapshot 640\nstack_max_size 640\nstack_trace 440\n"
		"stack_trace_filter 640\nstack_trace_threads 440\n"
		"stack_tracer_enabled 640\nsynthetic_events 640\n"
		"timestamp_mode 440\ntouched_functions 440\n"
		"trace 640\ntrace_clock 640\n"
		"trace_marker 220\n"
		"trace_marker_raw 220\ntrace_options 640\ntrace_pipe 440\n"
		"trace_stat/ 750\n"
		"tracing_cpumask 640\ntracing_max_latency 640\ntracing_on 640\ntracing_thresh 640\n"
		"untraceable_events 440\nuntraceable_functions 440\n"
		"untraceable_syscalls 440\n");
	assert_string_equal(ls(f->server, "fake.1/events"),
		"enable 640\nheader_event 440\nheader_page 440\n"
		"ftrace/ 755\nirq/ 755\nsched/ 755\n");
	assert_string_equal(ls(f->server, "fake.1/events/sched"),
		"enable 640\nfilter 640\nsched_switch/ 755\n"
		"sched_wakeup/ 755\nsched_waking/ 755\n");
	assert_string_equal(ls(f->server, "fake.1/events/sched/sched_switch"),
		"enable 640\nfilter 640\nformat 440\nhist 440\nhist_debug 440\nid 440\n"
		"inject 200\ntrigger 640\n");
	assert_string_equal(ls(f->server, "fake.1/events/ftrace/print"),
		"format 440\nhist 440\nhist_debug 440\nid 440\ntrigger 640\n");
	assert_string_equal(ls(f->server, "fake.1/events/ftrace/function"),
		"format 440\nhist 440\nhist_debug 440\nid 440\n");
	assert_string_equal(ls(f->server, "fake.1/per_cpu"),
		"cpu0/ 750\ncpu1/ 750\n");
	assert_string_equal(ls(f->server, "fake.1/per_cpu/cpu1"),
		"buffer_size_kb 640\nsnapshot 640\nsnapshot_raw 440\n"
		"stats 440\ntrace 640\ntrace_pipe 440\n"
		"trace_pipe_raw 440\n");
	assert_string_equal(ls(f->server, "fake.1/trace_stat"),
		"function0 640\nfunction1 640\n");
}

static void no_two_places_have_one_inode(void **state)
{
	static const char *const paths[] = {
		"", "fake.1", "fake.1/trace", "fake.1/events",
		"fake.1/events/enable", "fake.1/events/sched",
		"fake.1/events/irq", "fake.1/events/sched/enable",
		"fake.1/events/irq/enable", "fake.1/events/sched/sched_switch",
		"fake.1/events/sched/sched_switch/id",
		"fake.1/events/sched/sched_waking/id", "fake.1/per_cpu",
		"fake.1/per_cpu/cpu0", "fake.1/per_cpu/cpu0/trace",
		"fake.1/per_cpu/cpu1/trace", "fake.1/events/ftrace",
		"fake.1/events/ftrace/print", "fake.1/events/ftrace/print/id",
		"fake.1/events/ftrace/function/id", "fake.1/trace_stat",
		"fake.1/trace_stat/function0", "fake.1/trace_stat/function1",
	};
	struct fixture *f = *state;
	ino_t inos[sizeof(paths) / sizeof(paths[0])];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct tracefs_node *node;
		struct stat st;

		assert_int_equal(tracefs_walk(f->server, paths[i], &node), 0);
		tracefs_stat(node, &st);
		inos[i] = st.st_ino;
		tracefs_node_put(node);
		for (size_t j = 0; j < i; j++)
			assert_true(inos[i] != inos[j]);
	}
}

static void paths_that_lead_nowhere(void **state)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{ "fake.2", -ENOENT },
		{ "fake.1/nosuch", -ENOENT },
		{ "fake.1/trace/x", -ENOTDIR },
		{ "fake.1/events/nosuch", -ENOENT },
		{ "fake.1/events/gone", -ENOENT },
		{ "fake.1/events/sched/irq_entry", -ENOENT },
		{ "fake.1/per_cpu/cpu2", -ENOENT },
		{ "fake.1/per_cpu/cpu00", -ENOENT },
		{ "fake.1/per_cpu/cpu", -ENOENT },
		{ "fake.1/per_cpu/cpu-1", -ENOENT },
		{ "fake.1/per_cpu/cpu4294967296", -ENOENT },
	};
	struct fixture *f = *state;
	struct tracefs_node *node;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tracefs_walk(f->server, cases[i].path, &node),
				 cases[i].error);
}

static void nothing_is_made_or_removed(void **state)
{
	struct fixture *f = *state;
	struct tracefs_node *node;

	assert_int_equal(tracefs_walk(f->server, "fake.1", &node), 0);
	assert_int_equal(tracefs_mkdir(node, "sub"), -EPERM);
	assert_int_equal(tracefs_mkdir(node, "events"), -EEXIST);
	assert_int_equal(tracefs_rmdir(node, "events"), -EPERM);
	assert_int_equal(tracefs_rmdir(node, "nosuch"), -ENOENT);
	tracefs_node_put(node);
}

static ino_t ino_of(struct server *server, const char *path)
{
	struct tracefs_node *node;
	struct stat st;

	assert_int_equal(tracefs_walk(server, path, &node), 0);
	tracefs_stat(node, &st);
	tracefs_node_put(node);
	return st.st_ino;
}

/* A node of an instance that was removed is not valid in the next instance of that name. */
static void an_instance_that_is_gone_stays_gone(void **state)
{
	struct fixture *f = *state;
	struct tracefs_node *dir, *stale;
	struct tracefs_file *file;
	ino_t ino;

	assert_int_equal(tracefs_walk(f->server, "fake.1/instances", &dir), 0);
	assert_int_equal(tracefs_mkdir(dir, "one"), 0);
	assert_int_equal(tracefs_mkdir(dir, "one"), -EEXIST);
	ino = ino_of(f->server, "fake.1/instances/one/tracing_on");
	assert_true(ino != ino_of(f->server, "fake.1/tracing_on"));
	assert_int_equal(tracefs_walk(f->server, "fake.1/instances/one/tracing_on",
				      &stale), 0);
	assert_int_equal(tracefs_open(stale, O_RDONLY, &file), 0);
	assert_int_equal(tracefs_rmdir(dir, "one"), -EBUSY);
	tracefs_close(file);
	assert_int_equal(tracefs_rmdir(dir, "one"), 0);
	assert_int_equal(tracefs_rmdir(dir, "one"), -ENOENT);
	assert_int_equal(tracefs_open(stale, O_RDONLY, &file), -ENODEV);
	assert_int_equal(tracefs_mkdir(dir, "one"), 0);
	assert_int_equal(tracefs_open(stale, O_RDONLY, &file), -ENODEV);
	assert_true(ino != ino_of(f->server, "fake.1/instances/one/tracing_on"));
	tracefs_node_put(stale);
	tracefs_node_put(dir);
}

/* ---- texts ---- */

static void texts_of_events(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(tree_cat(f->server, "fake.1/available_events"),
		"sched:sched_switch\nsched:sched_waking\nsched:sched_wakeup\n"
		"irq:irq_entry\nirq:irq_exit\n");
	assert_string_equal(
		tree_cat(f->server, "fake.1/events/sched/sched_waking/id"),
		"33281\n");
	assert_string_equal(
		tree_cat(f->server, "fake.1/events/sched/sched_waking/format"),
		"name: sched_waking\nID: 33281\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\n"
		"print fmt: \"n=%d\", REC->n\n");
	assert_string_equal(
		tree_cat(f->server, "fake.1/events/ftrace/print/format"),
		"name: print\nID: 5\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"
		"\n"
		"print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n");
	assert_string_equal(tree_cat(f->server, "fake.1/events/header_page"),
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	assert_string_equal(tree_cat(f->server, "fake.1/available_tracers"),
			    "run_delay function_graph function nop\n");
	assert_string_equal(tree_cat(f->server, "fake.1/current_tracer"), "nop\n");
}

/* A new file is a row; README must have a line for it automatically. */
static void readme_names_every_file(void **state)
{
	struct fixture *f = *state;
	const char *readme;
	char names[4096], *name, *save;

	snprintf(names, sizeof(names), "%s", ls(f->server, "fake.1"));
	readme = tree_cat(f->server, "fake.1/README");
	for (name = strtok_r(names, " /0123456789\n", &save); name;
	     name = strtok_r(NULL, " /0123456789\n", &save)) {
		char word[64];

		snprintf(word, sizeof(word), "  %s", name);
		assert_non_null(strstr(readme, word));
	}
}

static void small_reads_see_the_same_text(void **state)
{
	struct fixture *f = *state;
	static const char *const paths[] = { "fake.1/README", "fake.1/trace" };

	for (size_t i = 0; i < 2; i++) {
		char *whole = strdup(tree_cat(f->server, paths[i]));

		assert_true(strlen(whole) > 500);
		assert_string_equal(tree_cat_by(f->server, paths[i], 1), whole);
		assert_string_equal(tree_cat_by(f->server, paths[i], 7), whole);
		free(whole);
	}
}

/* ---- enable ---- */

static void enable_reads_0_1_X(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(tree_cat(f->server, "fake.1/events/enable"), "0\n");
	assert_int_equal(tree_echo(f->server,
		"fake.1/events/sched/sched_switch/enable", "1"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/enable"), "X\n");
	assert_string_equal(tree_cat(f->server, "fake.1/events/sched/enable"), "X\n");
	assert_string_equal(tree_cat(f->server, "fake.1/events/irq/enable"), "0\n");
	assert_string_equal(tree_cat(f->server,
		"fake.1/events/sched/sched_switch/enable"), "1\n");
	assert_int_equal(tree_echo(f->server, "fake.1/events/sched/enable", "1\n"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/sched/enable"), "1\n");
	assert_string_equal(tree_cat(f->server, "fake.1/set_event"),
		"sched:sched_switch\nsched:sched_waking\nsched:sched_wakeup\n");
	assert_int_equal(tree_echo(f->server, "fake.1/events/enable", "1"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/enable"), "1\n");
	assert_int_equal(f->root.events[ABI_DYNAMIC + 4].wanted, 1);
	assert_int_equal(tree_echo(f->server, "fake.1/events/enable", "0"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/enable"), "0\n");
	assert_int_equal(f->root.events[ABI_DYNAMIC + 4].wanted, 0);
}

/* The answers of the kernel (6.18) to these writes. */
static void wrong_values_change_nothing(void **state)
{
	static const struct {
		const char *path, *value;
		int answer;
	} cases[] = {
		{ "events/sched/sched_switch/enable", "2", -EINVAL },
		{ "events/sched/sched_switch/enable", "-1", -EINVAL },
		{ "events/sched/sched_switch/enable", "x", -EINVAL },
		{ "events/sched/sched_switch/enable", "", -EINVAL },
		{ "events/sched/sched_switch/enable", "1 ", -EINVAL },
		{ "events/sched/sched_switch/enable", " 1", -EINVAL },
		{ "events/sched/sched_switch/enable", "0x1", -EINVAL },
		{ "events/sched/sched_switch/enable", "1x", -EINVAL },
		{ "events/sched/sched_switch/enable", "1\n\n", -EINVAL },
		{ "events/sched/sched_switch/enable", "99999999999999999999", -ERANGE },
		{ "events/sched/enable", "2", -EINVAL },
		{ "events/enable", "x", -EINVAL },
		{ "tracing_on", "x", -EINVAL },
		{ "tracing_on", "", -EINVAL },
		{ "tracing_on", "-1", -EINVAL },
		{ "tracing_on", "99999999999999999999", -ERANGE },
		{ "current_tracer", "nosuch", -EINVAL },
		{ "current_tracer", "", -EINVAL },
		{ "current_tracer", "\n", -EINVAL },
		{ "buffer_size_kb", "x", -EINVAL },
		{ "buffer_size_kb", "0", -EINVAL },
		{ "buffer_size_kb", "", -EINVAL },
		{ "buffer_size_kb", "-1", -EINVAL },
		{ "buffer_size_kb", "99999999999999999999", -ERANGE },
		{ "buffer_size_kb", "10000000000000000", -ENOMEM },
		{ "per_cpu/cpu0/buffer_size_kb", "0", -EINVAL },
		{ "trace_clock", "x", -EINVAL },
		{ "trace_clock", "", -EINVAL },
		{ "trace_clock", "local                                          "
		  "                 ", -EINVAL },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[128], *before;

		snprintf(path, sizeof(path), "fake.1/%s", cases[i].path);
		before = strdup(tree_cat(f->server, path));
		assert_int_equal(tree_echo(f->server, path, cases[i].value),
				 cases[i].answer);
		assert_string_equal(tree_cat(f->server, path), before);
		free(before);
	}
	assert_int_equal(f->root.buffer->side[0].ring[0][0].off, 0);
}

static void right_values_in_odd_spellings(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tree_echo(f->server, "fake.1/events/irq/irq_exit/enable",
				   "01"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/irq/irq_exit/enable"),
			    "1\n");
	assert_int_equal(tree_echo(f->server, "fake.1/events/irq/irq_exit/enable",
				   "+0"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/events/irq/irq_exit/enable"),
			    "0\n");
	assert_int_equal(tree_echo(f->server, "fake.1/tracing_on", "0"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/tracing_on"), "0\n");
	assert_int_equal(tree_echo(f->server, "fake.1/tracing_on", "2"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/tracing_on"), "1\n");
	assert_int_equal(tree_echo(f->server, "fake.1/current_tracer", " nop\n"), 0);
	assert_int_equal(tree_echo(f->server, "fake.1/trace_clock", " mono "), 0);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace_clock"),
			       " [mono] mono_raw boot tai x86-tsc\n"));
}

static void files_for_one_direction(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	size_t taken;
	char buf[16];

	/* as on the kernel, root may open every file; then there is no method */
	if (geteuid()) {
		assert_int_equal(tree_echo(f->server, "fake.1/README", "x"), -EACCES);
		assert_int_equal(tree_open(f->server, "fake.1/trace_marker",
					   O_RDONLY, &file), -EACCES);
	} else {
		assert_int_equal(tree_echo(f->server, "fake.1/README", "x"), -EINVAL);
		assert_int_equal(tree_open(f->server, "fake.1/trace_marker",
					   O_RDONLY, &file), 0);
		assert_int_equal(tracefs_read(file, buf, 16, 0), -EINVAL);
		tracefs_close(file);
	}
	assert_int_equal(tree_open(f->server, "fake.1/events", O_RDONLY, &file),
			 -EISDIR);
	assert_int_equal(tree_open(f->server, "fake.1/tracing_on", O_RDONLY, &file), 0);
	assert_int_equal(tracefs_write(file, "1", 1, 1, &taken), -EBADF);
	tracefs_close(file);
}

/* ---- set_event ---- */

static void set_event_spellings(void **state)
{
	static const struct {
		bool is_append;
		const char *words;
		int answer;
		const char *reads;
	} steps[] = {
		{ 0, "sched:sched_switch", 0, "sched:sched_switch\n" },
		{ 1, "sched:sched_waking", 0, "sched:sched_switch\nsched:sched_waking\n" },
		{ 1, "!sched:sched_switch", 0, "sched:sched_waking\n" },
		{ 1, "irq:*", 0, "sched:sched_waking\nirq:irq_entry\nirq:irq_exit\n" },
		{ 1, "!irq:", 0, "sched:sched_waking\n" },
		{ 1, "irq_exit", 0, "sched:sched_waking\nirq:irq_exit\n" },
		{ 0, "irq", 0, "irq:irq_entry\nirq:irq_exit\n" },
		{ 0, "*:sched_wakeup", 0, "sched:sched_wakeup\n" },
		{ 0, ":sched_wakeup", 0, "sched:sched_wakeup\n" },
		{ 1, "*:sched_w*", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "sched:sched_w*", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "*", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "nosuch:event", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "sched:nosuch", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "nosuch", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "a:b:c", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "!", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "!!sched:sched_wakeup", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "gone:gone_event", -EINVAL, "sched:sched_wakeup\n" },
		{ 1, "", 0, "sched:sched_wakeup\n" },
		{ 1, "  \n", 0, "sched:sched_wakeup\n" },
		/* one token per write: the number of bytes that were taken */
		{ 0, "sched:sched_switch sched:sched_waking", 19, "sched:sched_switch\n" },
		{ 0, "irq:irq_exit\nirq:irq_entry\n", 13, "irq:irq_exit\n" },
		{ 0, "  irq:irq_exit", 0, "irq:irq_exit\n" },
		{ 0, "irq:irq_exit     ", 13, "irq:irq_exit\n" },
		{ 0, "\n", 0, "" },
		{ 0, ":", 0, "sched:sched_switch\nsched:sched_waking\n"
		  "sched:sched_wakeup\nirq:irq_entry\nirq:irq_exit\n" },
		{ 0, "nosuch", -EINVAL, "" },	/* > has cleared the list before */
	};
	struct fixture *f = *state;
	char longest[200];

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int answer = steps[i].is_append ?
			tree_append(f->server, "fake.1/set_event", steps[i].words) :
			tree_echo(f->server, "fake.1/set_event", steps[i].words);

		assert_int_equal(answer, steps[i].answer);
		assert_string_equal(tree_cat(f->server, "fake.1/set_event"),
				    steps[i].reads);
	}
	memset(longest, 'x', sizeof(longest));
	longest[199] = '\0';
	assert_int_equal(tree_append(f->server, "fake.1/set_event", longest), -EINVAL);
}

/* Rows of a module that is unloaded keep their state, and show it when the module is back. */
static void events_follow_their_module(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	char buf[64];

	f->root.processes[0].modules[0] |= 2;
	assert_string_equal(tree_cat(f->server, "fake.1/events/gone/enable"), "0\n");
	assert_int_equal(tree_echo(f->server, "fake.1/events/gone/enable", "1"), 0);
	assert_int_equal(tree_open(f->server, "fake.1/events/gone/gone_event/enable",
				   O_RDONLY, &file), 0);
	f->root.processes[0].modules[0] &= ~2ull;
	assert_int_equal(tracefs_read(file, buf, sizeof(buf), 0), -ENODEV);
	tracefs_close(file);
	assert_string_equal(tree_cat(f->server, "fake.1/events/gone/enable"), "ENOENT");
	assert_string_equal(tree_cat(f->server, "fake.1/set_event"), "");
	f->root.processes[0].modules[0] |= 2;
	assert_string_equal(tree_cat(f->server, "fake.1/set_event"),
			    "gone:gone_event\n");
	/* an equal event from another module: the newer row has the path */
	fake_event_n(&f->root, 2, "gone", "gone_event");
	f->root.processes[0].modules[0] |= 4;
	assert_string_equal(tree_cat(f->server, "fake.1/events/gone/gone_event/id"),
			    "33286\n");
	f->root.processes[0].modules[0] &= ~4ull;
	assert_string_equal(tree_cat(f->server, "fake.1/events/gone/gone_event/id"),
			    "33285\n");
}

/* ---- sizes ---- */

static void sizes_are_the_kernels(void **state)
{
	static const struct {
		const char *write, *reads, *total;
	} cases[] = {
		{ "1408", "1410\n", "2820\n" },
		{ "1", "7\n", "14\n" },
		{ "4", "7\n", "14\n" },
		{ "5", "7\n", "14\n" },
		{ "10", "11\n", "22\n" },
		{ "+20", "23\n", "46\n" },
		{ "100", "103\n", "206\n" },
		{ "1408\n", "1410\n", "2820\n" },
	};
	struct fixture *f = *state;

	assert_string_equal(tree_cat(f->server, "fake.1/buffer_size_kb"), "1410\n");
	/* first without rings, then with rings */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb",
						   cases[i].write), 0);
			assert_string_equal(tree_cat(f->server,
				"fake.1/buffer_size_kb"), cases[i].reads);
			assert_string_equal(tree_cat(f->server,
				"fake.1/buffer_total_size_kb"), cases[i].total);
		}
		assert_int_equal(tree_echo(f->server,
			"fake.1/per_cpu/cpu0/buffer_size_kb", "64"), 0);
		assert_string_equal(tree_cat(f->server, "fake.1/buffer_size_kb"), "X\n");
		assert_string_equal(tree_cat(f->server,
			"fake.1/per_cpu/cpu0/buffer_size_kb"), "67\n");
		assert_string_equal(tree_cat(f->server,
			"fake.1/buffer_total_size_kb"), "1477\n");
		assert_int_equal(tree_echo(f->server, "fake.1/events/enable", "1"), 0);
	}
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(names_and_modes_are_the_kernels),
		T(no_two_places_have_one_inode),
		T(paths_that_lead_nowhere),
		T(nothing_is_made_or_removed),
		T(an_instance_that_is_gone_stays_gone),
		T(texts_of_events),
		T(readme_names_every_file),
		T(small_reads_see_the_same_text),
		T(enable_reads_0_1_X),
		T(wrong_values_change_nothing),
		T(right_values_in_odd_spellings),
		T(files_for_one_direction),
		T(set_event_spellings),
		T(events_follow_their_module),
		T(sizes_are_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
