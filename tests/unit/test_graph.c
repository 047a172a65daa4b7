/* SPDX-License-Identifier: MIT */
/* Records of the function_graph tracer as text; the lines are a kernel's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/fake_calls.h"

#define US		1000ull
#define FAST		ABI_RING_FAST
#define SLOW		ABI_RING_SLOW
#define ADDR(func)	((uint64_t)(func))

FUNCTION(vfs_read)
FUNCTION(pipe_read)
FUNCTION(mutex_lock)
FUNCTION(mutex_unlock)
FUNCTION(ovl_read_iter)
FUNCTION(ovl_real_fdget)
FUNCTION(backing_file_read_iter)

/* The size of this function is always one byte, because lines of `sym-offset` contain it. */
void kill_fasync(void);
__asm__(".pushsection .text\n"
	".type kill_fasync, @function\n"
	"kill_fasync: ret\n"
	".size kill_fasync, 1\n"
	".popsection");

CALLED_WITH void vfs_write(int fd, const char *buf)
{
	__asm__ volatile("" : : "m"(fd), "m"(buf));
}

static int setup(void **state)
{
	struct calls *c;
	int r = calls_setup(state);

	if (r)
		return r;
	c = *state;
	c->root.buffer->tracer = TRACER_GRAPH;
	fake_comm(&c->root, 74, "python3");
	fake_comm(&c->root, 232, "sh");
	fake_comm(&c->root, 233, "a-longer-name");
	return 0;
}

static const char *trace(struct calls *c)
{
	return tree_cat(c->server, "fake.1/trace");
}

/* Returns the text of `trace` without its header. */
static const char *lines(struct calls *c)
{
	const char *text = trace(c);

	while (*text == '#')
		text = strchr(text, '\n') + 1;
	return text;
}

/* ---- a trace of the kernel ---- */

static const struct row {
	uint32_t cpu;
	int32_t pid;
	void (*func)(void);
	int32_t depth;
	uint64_t at_us;
	uint64_t ns;			/* duration, in an exit; 0: an entry */
	uint64_t retval;
} rows[] = {
	{ 1, 74, vfs_read, 0, 50095186, 0, 0 },
	{ 1, 74, pipe_read, 1, 50095333, 0, 0 },
	{ 1, 74, mutex_lock, 2, 50095354, 0, 0 },
	{ 1, 74, mutex_lock, 2, 50095600, 68720, 0 },
	{ 1, 74, mutex_unlock, 2, 50095620, 0, 0 },
	{ 1, 74, mutex_unlock, 2, 50095623, 2728, 0xffff888003158f40 },
	{ 1, 74, kill_fasync, 2, 50095625, 0, 0 },
	{ 1, 74, kill_fasync, 2, 50095627, 1987, (uint64_t)-11 },
	{ 1, 74, pipe_read, 1, 50095629, 297095, 0xfffffff5 },
	{ 1, 74, vfs_read, 0, 50095637, 558359, 0x340 },
	{ 0, 232, vfs_read, 0, 50123421, 0, 0 },
	{ 0, 232, ovl_read_iter, 1, 50123438, 0, 0 },
	{ 0, 232, ovl_real_fdget, 2, 50123492, 0, 0 },
	{ 0, 232, ovl_real_fdget, 2, 50123505, 11636, 0 },
	{ 1, 233, vfs_read, 0, 50123510, 0, 0 },
	{ 0, 232, ovl_read_iter, 1, 50123582, 144286, 0 },
	{ 1, 233, backing_file_read_iter, 1, 50123583, 0, 0 },
	{ 0, 232, vfs_read, 0, 50123584, 170842, 0 },
	{ 1, 233, backing_file_read_iter, 1, 50123790, 65037, 0 },
};

/* Record all rows, later than before: a reader skips records that are older than those it has
 * read. */
static void record_rows(struct calls *c, uint64_t later_us)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		uint64_t time = (row->at_us + later_us) * US;

		if (!row->ns)
			calls_entry(c, row->cpu, FAST, row->pid, time, ADDR(row->func),
				    row->depth);
		else
			calls_exit(c, row->cpu, FAST, row->pid, time, ADDR(row->func),
				   row->depth, row->ns, row->retval);
	}
}

static const char usual[] =
	"# tracer: function_graph\n"
	"#\n"
	"# CPU  DURATION                  FUNCTION CALLS\n"
	"# |     |   |                     |   |   |   |\n"
	" 1)               |  vfs_read() {\n"
	" 1)               |    pipe_read() {\n"
	" 1) + 68.720 us   |      mutex_lock();\n"
	" 1)   2.728 us    |      mutex_unlock();\n"
	" 1)   1.987 us    |      kill_fasync();\n"
	" 1) ! 297.095 us  |    }\n"
	" 1) ! 558.359 us  |  }\n"
	" 0)               |  vfs_read() {\n"
	" 0)               |    ovl_read_iter() {\n"
	" 0) + 11.636 us   |      ovl_real_fdget();\n"
	" ------------------------------------------\n"
	" 1)   python3-74   =>  a-longe-233  \n"
	" ------------------------------------------\n"
	"\n"
	" 1)               |  vfs_read() {\n"
	" 0) ! 144.286 us  |    }\n"
	" 1) + 65.037 us   |    backing_file_read_iter();\n"
	" 0) ! 170.842 us  |  }\n";

/* For each option, the header and the first lines. */
static const struct {
	const char *option, *back, *text;
} options[] = {
	{ "funcgraph-abstime", "nofuncgraph-abstime",
	  "# tracer: function_graph\n"
	  "#\n"
	  "#     TIME        CPU  DURATION                  FUNCTION CALLS\n"
	  "#      |          |     |   |                     |   |   |   |\n"
	  "   50.095186 |   1)               |  vfs_read() {\n"
	  "   50.095333 |   1)               |    pipe_read() {\n"
	  "   50.095354 |   1) + 68.720 us   |      mutex_lock();\n" },
	{ "funcgraph-proc", "nofuncgraph-proc",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
	  "# |     |    |           |   |                     |   |   |   |\n"
	  " 1)   python3-74   |               |  vfs_read() {\n"
	  " 1)   python3-74   |               |    pipe_read() {\n"
	  " 1)   python3-74   | + 68.720 us   |      mutex_lock();\n"
	  " 1)   python3-74   |   2.728 us    |      mutex_unlock();\n"
	  " 1)   python3-74   |   1.987 us    |      kill_fasync();\n"
	  " 1)   python3-74   | ! 297.095 us  |    }\n"
	  " 1)   python3-74   | ! 558.359 us  |  }\n"
	  " 0)     sh-232     |               |  vfs_read() {\n" },
	{ "funcgraph-tail", "nofuncgraph-tail",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU  DURATION                  FUNCTION CALLS\n"
	  "# |     |   |                     |   |   |   |\n"
	  " 1)               |  vfs_read() {\n"
	  " 1)               |    pipe_read() {\n"
	  " 1) + 68.720 us   |      mutex_lock();\n"
	  " 1)   2.728 us    |      mutex_unlock();\n"
	  " 1)   1.987 us    |      kill_fasync();\n"
	  " 1) ! 297.095 us  |    } /* pipe_read */\n"
	  " 1) ! 558.359 us  |  } /* vfs_read */\n" },
	{ "nofuncgraph-cpu", "funcgraph-cpu",
	  "# tracer: function_graph\n"
	  "#\n"
	  "#  DURATION                  FUNCTION CALLS\n"
	  "#   |   |                     |   |   |   |\n"
	  "              |  vfs_read() {\n"
	  "              |    pipe_read() {\n"
	  "+ 68.720 us   |      mutex_lock();\n" },
	{ "nofuncgraph-duration", "funcgraph-duration",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU               FUNCTION CALLS\n"
	  "# |                 |   |   |   |\n"
	  " 1) vfs_read() {\n"
	  " 1)   pipe_read() {\n"
	  " 1)     mutex_lock();\n" },
	{ "nofuncgraph-overhead", "funcgraph-overhead",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU  DURATION                  FUNCTION CALLS\n"
	  "# |     |   |                     |   |   |   |\n"
	  " 1)               |  vfs_read() {\n"
	  " 1)               |    pipe_read() {\n"
	  " 1)   68.720 us   |      mutex_lock();\n" },
	{ "funcgraph-retval", "nofuncgraph-retval",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU  DURATION                  FUNCTION CALLS\n"
	  "# |     |   |                     |   |   |   |\n"
	  " 1)               |  vfs_read() {\n"
	  " 1)               |    pipe_read() {\n"
	  " 1) + 68.720 us   |      mutex_lock(); /* = 0x0 */\n"
	  " 1)   2.728 us    |      mutex_unlock(); /* = 0xffff888003158f40 */\n"
	  " 1)   1.987 us    |      kill_fasync(); /* = -11 */\n"
	  " 1) ! 297.095 us  |    } /* pipe_read = -11 */\n"
	  " 1) ! 558.359 us  |  } /* vfs_read = 0x340 */\n" },
	{ "funcgraph-overrun", "nofuncgraph-overrun",
	  "# tracer: function_graph\n"
	  "#\n"
	  "# CPU  DURATION                  FUNCTION CALLS\n"
	  "# |     |   |                     |   |   |   |\n"
	  " 1)               |  vfs_read() {\n"
	  " 1)               |    pipe_read() {\n"
	  " 1) + 68.720 us   |      mutex_lock();\n"
	  " 1)   2.728 us    |      mutex_unlock();\n"
	  " 1)   1.987 us    |      kill_fasync();\n"
	  " 1) ! 297.095 us  |    }\n"
	  " (Overruns: 0)\n"
	  " 1) ! 558.359 us  |  }\n"
	  " (Overruns: 0)\n" },
	{ "nocontext-info", "context-info",
	  "# tracer: function_graph\n"
	  "#\n"
	  "vfs_read() {\n"
	  "  pipe_read() {\n"
	  "    mutex_lock();\n" },
	/* The next options do not change the lines of the graph. */
	{ "raw", "noraw", usual },
	{ "hex", "nohex", usual },
	{ "fields", "nofields", usual },
	{ "verbose", "noverbose", usual },
};

static void as_the_kernel_does(void **state)
{
	struct calls *c = *state;

	record_rows(c, 0);
	assert_string_equal(trace(c), usual);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *text;

		calls_option(c, options[i].option);
		text = trace(c);
		if (strncmp(text, options[i].text, strlen(options[i].text)))
			fail_msg("%s:\n%s", options[i].option, text);
		calls_option(c, options[i].back);
	}
	calls_option(c, "funcgraph-retval");
	calls_option(c, "funcgraph-retval-hex");
	assert_non_null(strstr(trace(c), "} /* pipe_read = 0xfffffff5 */\n"));
	assert_non_null(strstr(trace(c), "kill_fasync(); /* = 0xfffffffffffffff5 */\n"));
}

static void latency_format(void **state)
{
	static const char wanted[] =
		"#      _-----=> irqs-off        \n"
		"#     / _----=> need-resched    \n"
		"#    | / _---=> hardirq/softirq \n"
		"#    || / _--=> preempt-depth   \n"
		"#    ||| /                      \n"
		"# CPU||||     DURATION                  FUNCTION CALLS\n"
		"# |  ||||      |   |                     |   |   |   |\n"
		" 1)  ..... |               |  vfs_read() {\n"
		" 1)  ..... |               |    pipe_read() {\n"
		" 1)  ..... | + 68.720 us   |      mutex_lock();\n";
	struct calls *c = *state;

	calls_option(c, "latency-format");
	assert_string_equal(trace(c), "# tracer: function_graph\n#\n");
	record_rows(c, 0);
	assert_non_null(strstr(trace(c),
		"# tracer: function_graph\n#\n# function_graph latency trace v1.1.5"));
	assert_non_null(strstr(trace(c), wanted));
	calls_option(c, "funcgraph-proc");
	calls_option(c, "funcgraph-abstime");
	assert_non_null(strstr(trace(c), "#                                       _-----=> irqs"));
}

/* The lines do not depend on the sizes of reads. */
static void a_pipe_has_the_same_lines(void **state)
{
	static const size_t steps[] = { 1, 10, 40, 100, 4096 };
	struct calls *c = *state;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		static char wanted[4096];

		record_rows(c, i * 1000000);
		strcpy(wanted, lines(c));
		assert_string_equal(wanted, strstr(usual, " 1)"));
		assert_string_equal(tree_cat_by(c->server, "fake.1/trace_pipe",
						steps[i]), wanted);
		assert_string_equal(lines(c), "");
	}
}

static void durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, " 0)   0.000 us    |  vfs_read();\n" },
		{ 7, " 0)   0.007 us    |  vfs_read();\n" },
		{ 10000, " 0)   10.000 us   |  vfs_read();\n" },
		{ 10001, " 0) + 10.001 us   |  vfs_read();\n" },
		{ 100000, " 0) + 100.000 us  |  vfs_read();\n" },
		{ 100001, " 0) ! 100.001 us  |  vfs_read();\n" },
		{ 1000001, " 0) # 1000.001 us |  vfs_read();\n" },
		{ 10000001, " 0) * 10000.00 us |  vfs_read();\n" },
		{ 100000001, " 0) @ 100000.0 us |  vfs_read();\n" },
		{ 1000000001, " 0) $ 1000000 us  |  vfs_read();\n" },
		{ 10000000001, " 0) $ 10000000 us |  vfs_read();\n" },
		{ 100000000001, " 0) $ 100000000 us |  vfs_read();\n" },
		{ UINT64_MAX, " 0) $ 18446744073709551 us |  vfs_read();\n" },
	};
	struct calls *c = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		calls_entry(c, 0, FAST, 74, 2 * i + 1, ADDR(vfs_read), 0);
		calls_exit(c, 0, FAST, 74, 2 * i + 2, ADDR(vfs_read), 0,
			   cases[i].ns, 0);
		assert_string_equal(tree_cat(c->server, "fake.1/trace_pipe"),
				    cases[i].text);
	}
}

/* ---- records that are not calls ---- */

static void marker(struct calls *c, uint32_t cpu, int32_t pid, uint64_t time,
		   const char *text)
{
	struct {
		struct calls_head head;
		uint64_t ip;
		char text[32];
	} record = { { ABI_EVENT_ID_PRINT, 0, 0, pid }, 0, "" };

	strcpy(record.text, text);
	calls_write(c, cpu, SLOW, time, &record, sizeof(record));
}

static void others_are_comments(void **state)
{
	struct calls *c = *state;
	struct calls_head unknown = { 999, 0, 0, 74 };

	fake_record(&c->root, 0, FAST, c->tick, 74, 1, 1);
	calls_entry(c, 0, FAST, 74, 2, ADDR(vfs_read), 0);
	fake_record(&c->root, 0, FAST, c->tick, 74, 2, 3);
	calls_entry(c, 0, FAST, 74, 4, ADDR(pipe_read), 1);
	fake_record(&c->root, 0, FAST, c->tick, 74, 3, 5);
	calls_entry(c, 0, FAST, 74, 6, ADDR(mutex_lock), 2);
	calls_exit(c, 0, FAST, 74, 7, ADDR(mutex_lock), 2, 1, 0);
	marker(c, 0, 74, 8, "a marker\n");
	marker(c, 0, 74, 9, "without an end");
	calls_write(c, 0, FAST, 10, &unknown, sizeof(unknown));
	calls_function(c, 0, 74, 11 * US, ADDR(kill_fasync), ADDR(pipe_read) + 1);
	calls_exit(c, 0, FAST, 74, 12 * US, ADDR(pipe_read), 1, 1, 0);
	fake_record(&c->root, 0, FAST, c->tick, 232, 4, 13 * US);
	assert_string_equal(lines(c),
		" 0)               |  /* tick: n=1 */\n"
		" 0)               |  vfs_read() {\n"
		" 0)               |  /* tick: n=2 */\n"
		" 0)               |    pipe_read() {\n"
		" 0)               |      /* tick: n=3 */\n"
		" 0)   0.001 us    |      mutex_lock();\n"
		" 0)               |      /* a marker */\n"
		" 0)               |      /* without an end */\n"
		" 0)               |      /* Unknown type 999 */\n"
		"         python3-74      [000] .....     0.000011: kill_fasync <-pipe_read\n"
		" 0)   0.001 us    |    }\n"
		" ------------------------------------------\n"
		" 0)   python3-74   =>     sh-232    \n"
		" ------------------------------------------\n"
		"\n"
		" 0)               |  /* tick: n=4 */\n");
}

/* ---- records that do not fit together ---- */

/* Recording began in the middle of a call, and threads take turns on a CPU. */
static void an_end_without_a_start_has_a_name(void **state)
{
	struct calls *c = *state;

	calls_exit(c, 0, FAST, 74, 1, ADDR(pipe_read), 1, 1, 0);
	calls_entry(c, 0, FAST, 74, 2, ADDR(ovl_read_iter), 1);
	calls_entry(c, 0, FAST, 74, 3, ADDR(mutex_lock), 2);
	calls_exit(c, 0, FAST, 74, 4, ADDR(kill_fasync), 1, 1, 0);
	calls_exit(c, 0, FAST, 74, 5, ADDR(vfs_read), 0, 1, 0);
	assert_string_equal(lines(c),
		" 0)   0.001 us    |    } /* pipe_read */\n"
		" 0)               |    ovl_read_iter() {\n"
		" 0)               |      mutex_lock() {\n"
		" 0)   0.001 us    |    } /* kill_fasync */\n"
		" 0)   0.001 us    |  } /* vfs_read */\n");
}

/* longjmp() leaves the inner call; another thread calls this function, too. */
static void a_leaf_is_one_call(void **state)
{
	struct calls *c = *state;

	calls_entry(c, 0, FAST, 74, 1, ADDR(vfs_read), 0);
	calls_entry(c, 0, FAST, 74, 2, ADDR(vfs_read), 1);
	calls_exit(c, 0, FAST, 74, 3, ADDR(vfs_read), 0, 1, 0);
	calls_entry(c, 0, FAST, 74, 4, ADDR(vfs_read), 0);
	calls_exit(c, 0, FAST, 232, 5, ADDR(vfs_read), 0, 1, 0);
	calls_entry(c, 1, FAST, 74, 6, ADDR(vfs_read), 0);
	calls_exit(c, 0, FAST, 74, 7, ADDR(vfs_read), 0, 1, 0);
	assert_string_equal(lines(c),
		" 0)               |  vfs_read() {\n"
		" 0)               |    vfs_read() {\n"
		" 0)   0.001 us    |  }\n"
		" 0)               |  vfs_read() {\n"
		" ------------------------------------------\n"
		" 0)   python3-74   =>     sh-232    \n"
		" ------------------------------------------\n"
		"\n"
		" 0)   0.001 us    |  }\n"
		" 1)               |  vfs_read() {\n"
		" ------------------------------------------\n"
		" 0)     sh-232     =>   python3-74  \n"
		" ------------------------------------------\n"
		"\n"
		" 0)   0.001 us    |  } /* vfs_read */\n");
}

/* A CPU has several rings, and a page may end anywhere. */
static void a_leaf_may_be_in_two_rings(void **state)
{
	struct calls *c = *state;

	calls_entry(c, 0, FAST, 74, 1, ADDR(vfs_read), 0);
	calls_exit(c, 0, SLOW, 74, 2, ADDR(vfs_read), 0, 1, 0);
	calls_entry(c, 0, SLOW, 74, 3, ADDR(pipe_read), 0);
	calls_exit(c, 0, FAST, 74, 4, ADDR(pipe_read), 0, 1, 0);
	calls_entry(c, 0, FAST, 74, 5, ADDR(mutex_lock), 0);
	marker(c, 0, 74, 6, "between");
	calls_exit(c, 0, FAST, 74, 7, ADDR(mutex_lock), 0, 1, 0);
	calls_entry(c, 0, FAST, 74, 8, ADDR(kill_fasync), 0);
	marker(c, 1, 74, 9, "elsewhere");
	calls_exit(c, 0, FAST, 74, 10, ADDR(kill_fasync), 0, 1, 0);
	assert_string_equal(lines(c),
		" 0)   0.001 us    |  vfs_read();\n"
		" 0)   0.001 us    |  pipe_read();\n"
		" 0)               |  mutex_lock() {\n"
		" 0)               |  /* between */\n"
		" 0)   0.001 us    |  }\n"
		" 0)   0.001 us    |  kill_fasync();\n"
		" 1)               |  /* elsewhere */\n");
}

#define LEAVES		2000

static size_t count(const char *text, const char *part)
{
	size_t nr = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		nr++;
	}
	return nr;
}

static void a_leaf_may_be_on_two_pages(void **state)
{
	struct calls *c = *state;

	for (uint64_t i = 0; i < LEAVES; i++) {
		if (i % 7 == 3)		/* so that leaves are at different places of a page */
			fake_record(&c->root, 0, FAST, c->tick, 74, 1, 2 * i);
		calls_entry(c, 0, FAST, 74, 2 * i, ADDR(vfs_read), 0);
		calls_exit(c, 0, FAST, 74, 2 * i + 1, ADDR(vfs_read), 0, 1, 0);
	}
	assert_int_equal(count(lines(c), "vfs_read();\n"), LEAVES);
	assert_int_equal(count(lines(c), "{"), 0);
	assert_int_equal(count(tree_cat_by(c->server, "fake.1/trace_pipe", 1000),
			       "vfs_read();\n"), LEAVES);
	assert_string_equal(lines(c), "");
}

/* The exit is recorded after the entry was read. */
static void a_pipe_does_not_wait_for_the_end(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *pipe;
	char text[256] = "";

	assert_int_equal(tree_open(c->server, "fake.1/trace_pipe",
				   O_RDONLY | O_NONBLOCK, &pipe), 0);
	calls_entry(c, 0, FAST, 74, 1, ADDR(vfs_read), 0);
	assert_true(tracefs_read(pipe, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, " 0)               |  vfs_read() {\n");
	calls_exit(c, 0, FAST, 74, 2, ADDR(vfs_read), 0, 1, 0);
	memset(text, 0, sizeof(text));
	assert_true(tracefs_read(pipe, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, " 0)   0.001 us    |  }\n");
	tracefs_close(pipe);
}

static void lost_records_are_reported(void **state)
{
	struct calls *c = *state;
	struct tracefs_file *pipe;
	char text[256] = "";

	assert_int_equal(tree_echo(c->server, "fake.1/buffer_size_kb", "8"), 0);
	assert_int_equal(tree_open(c->server, "fake.1/trace_pipe",
				   O_RDONLY | O_NONBLOCK, &pipe), 0);
	for (uint64_t i = 0; i < LEAVES; i++)
		calls_exit(c, 0, FAST, 74, i, ADDR(vfs_read), 0, 1, 0);
	assert_true(tracefs_read(pipe, text, sizeof(text) - 1, 0) > 0);
	assert_memory_equal(text, "CPU:0 [LOST ", 12);
	assert_non_null(strstr(text, " EVENTS]\n 0)   0.001 us    |  } /* vfs_read */\n"));
	tracefs_close(pipe);
}

static void deep_functions(void **state)
{
	struct calls *c = *state;
	const char *text;

	for (int32_t i = 0; i < 400; i++)
		calls_entry(c, 0, FAST, 74, (uint64_t)i, ADDR(vfs_read), i);
	for (int32_t i = 399; i >= 0; i--)
		calls_exit(c, 0, FAST, 74, 800 - (uint64_t)i, ADDR(vfs_read), i, 1, 0);
	text = lines(c);
	assert_int_equal(count(text, "vfs_read() {\n"), 399);
	assert_int_equal(count(text, "vfs_read();\n"), 1);
	assert_int_equal(count(text, "}\n"), 399);
	assert_int_equal(count(text, "/*"), 0);
}

/* ---- records that are wrong ---- */

static uint64_t odd_value(unsigned int *seed)
{
	static const uint64_t values[] = {
		0, 1, 2, 255, 256, 257, INT32_MAX, 1ull << 31, UINT32_MAX, 1ull << 63,
		UINT64_MAX, UINT64_MAX - 4095, ADDR(1),
	};

	return values[(unsigned int)rand_r(seed) % (sizeof(values) / sizeof(values[0]))];
}

/* Records with any size and content: reading must end. */
static void nonsense(void **state)
{
	static const uint16_t types[] = {
		ABI_EVENT_ID_GRAPH_ENTRY, ABI_EVENT_ID_GRAPH_EXIT,
		ABI_EVENT_ID_FUNCTION, ABI_EVENT_ID_STACK, 12,
	};
	struct calls *c = *state;
	unsigned int seed = 1;

	calls_option(c, "funcgraph-retval");
	calls_option(c, "funcgraph-abstime");
	calls_option(c, "funcgraph-proc");
	for (uint64_t i = 0; i < 5000; i++) {
		struct calls_exit record = {
			.head = {
				types[(unsigned int)rand_r(&seed) % 5], 0xff, 0xff,
				(int32_t)odd_value(&seed),
			},
			.func = odd_value(&seed), .retval = odd_value(&seed),
			.depth = (int32_t)odd_value(&seed),
			.calltime = odd_value(&seed), .rettime = odd_value(&seed),
		};

		calls_write(c, (uint32_t)rand_r(&seed) % FAKE_CPUS,
			    (enum abi_ring_kind)(rand_r(&seed) % 2), i, &record,
			    4 + 4 * ((uint32_t)rand_r(&seed) % 12));
		if (i % 100)
			continue;
		c->root.buffer->tracer = (uint32_t)rand_r(&seed) % 4;
		assert_true(strlen(trace(c)) > 0);
		assert_true(strlen(tree_cat_by(c->server, "fake.1/trace_pipe",
					       (size_t)rand_r(&seed) % 4096 + 1)) > 0);
	}
}

/* ---- options ---- */

/* Options add data to entries. */
static void more_of_calls(void **state)
{
	static const uint64_t args[6] = { 3, 0x5555 };
	const uint64_t from = ADDR(kill_fasync) + 1;
	struct calls *c = *state;

	calls_entry_more(c, 0, 74, 1000 * US, ADDR(vfs_write), 0, from, args);
	calls_entry_more(c, 0, 74, 1010 * US, ADDR(pipe_read), 1, from, NULL);
	calls_entry_more(c, 0, 74, 1020 * US, ADDR(vfs_write), 2, 0, args);
	calls_exit(c, 0, FAST, 74, 1030 * US, ADDR(vfs_write), 2, 1000, 1);
	calls_entry_more(c, 0, 74, 1040 * US, ADDR(vfs_write), 2, from, args);
	calls_exit(c, 0, FAST, 74, 1050 * US, ADDR(vfs_write), 2, 1000, 1);
	calls_exit(c, 0, FAST, 74, 1060 * US, ADDR(pipe_read), 1, 2000, 1);
	assert_string_equal(lines(c),
		" 0)               |  vfs_write(fd=3, buf=0x5555) {\n"
		" 0)               |    pipe_read() {\n"
		" 0)   1.000 us    |      vfs_write(fd=3, buf=0x5555);\n"
		" 0)   1.000 us    |      vfs_write(fd=3, buf=0x5555);\n"
		" 0)   2.000 us    |    }\n");
	calls_option(c, "funcgraph-retaddr");
	calls_option(c, "nofuncgraph-duration");
	assert_string_equal(lines(c),
		" 0) vfs_write(fd=3, buf=0x5555) { /* <-kill_fasync+0x1/0x1 */\n"
		" 0)   pipe_read() { /* <-kill_fasync+0x1/0x1 */\n"
		" 0)     vfs_write(fd=3, buf=0x5555);\n"
		" 0)     vfs_write(fd=3, buf=0x5555); /* <-kill_fasync+0x1/0x1 */\n"
		" 0)   }\n");
	calls_option(c, "funcgraph-retval");
	assert_string_equal(lines(c),
		" 0) vfs_write(fd=3, buf=0x5555) { /* <-kill_fasync+0x1/0x1 */\n"
		" 0)   pipe_read() { /* <-kill_fasync+0x1/0x1 */\n"
		" 0)     vfs_write(fd=3, buf=0x5555); /* = 0x1 */\n"
		" 0)     vfs_write(fd=3, buf=0x5555); /* <-kill_fasync+0x1/0x1 = 0x1 */\n"
		" 0)   } /* pipe_read = 0x1 */\n");
}

/* ---- signal handlers ---- */

#define HANDLER	ABI_GRAPH_HANDLER

/* Record a handler on CPU 0 while vfs_read() runs, then a handler of another thread. */
static void record_handlers(struct calls *c)
{
	calls_entry(c, 0, FAST, 74, 1000 * US, ADDR(vfs_read), 0);
	calls_handler_entry(c, 0, 74, 1010 * US, ADDR(pipe_read), 1, HANDLER);
	calls_handler_entry(c, 0, 74, 1020 * US, ADDR(mutex_lock), 2, 0);
	calls_handler_exit(c, 0, 74, 1030 * US, ADDR(mutex_lock), 2, 1000, 0);
	fake_record(&c->root, 0, FAST, c->tick, 74, 5, 1035 * US);
	calls_handler_exit(c, 0, 74, 1040 * US, ADDR(pipe_read), 1, 2000, HANDLER);
	calls_handler_entry(c, 0, 232, 1050 * US, ADDR(kill_fasync), 0, HANDLER);
	calls_handler_exit(c, 0, 232, 1060 * US, ADDR(kill_fasync), 0, 3000, HANDLER);
	calls_exit(c, 0, FAST, 74, 1070 * US, ADDR(vfs_read), 0, 70000, 0);
}

static void handlers_are_between_arrows(void **state)
{
	struct calls *c = *state;

	record_handlers(c);
	assert_string_equal(lines(c),
		" 0)               |  vfs_read() {\n"
		" 0)   ==========> |\n"
		" 0)               |    pipe_read() {\n"
		" 0)   1.000 us    |      mutex_lock();\n"
		" 0)               |      /* tick: n=5 */\n"
		" 0)   2.000 us    |    }\n"
		" 0)   <========== |\n"
		" ------------------------------------------\n"
		" 0)   python3-74   =>     sh-232    \n"
		" ------------------------------------------\n"
		"\n"
		" 0)   ==========> |\n"
		" 0)   3.000 us    |  kill_fasync();\n"
		" 0)   <========== |\n"
		" ------------------------------------------\n"
		" 0)     sh-232     =>   python3-74  \n"
		" ------------------------------------------\n"
		"\n"
		" 0) + 70.000 us   |  } /* vfs_read */\n");
	/* The arrow is in the columns that are shown. */
	calls_option(c, "latency-format");
	calls_option(c, "funcgraph-proc");
	calls_option(c, "nofuncgraph-cpu");
	assert_non_null(strstr(lines(c),
		"  python3-74   |  ..... |               |  vfs_read() {\n"
		"  python3-74   |  ..h.. |   ==========> |\n"
		"  python3-74   |  ..h.. |               |    pipe_read() {\n"
		"  python3-74   |  ..h.. |   1.000 us    |      mutex_lock();\n"));
	calls_option(c, "funcgraph-abstime");
	calls_option(c, "nofuncgraph-duration");
	assert_non_null(strstr(lines(c),
		"    0.001010 |    python3-74   |  ..h.. | ==========>\n"));
	calls_option(c, "nocontext-info");
	assert_non_null(strstr(lines(c), "\n==========>\n  pipe_read() {\n"));
}

static void handlers_may_be_left_out(void **state)
{
	struct calls *c = *state;

	record_handlers(c);
	calls_option(c, "nofuncgraph-irqs");
	assert_string_equal(lines(c),
		" 0)               |  vfs_read() {\n"
		" 0)               |  /* tick: n=5 */\n"
		" 0) + 70.000 us   |  }\n");
	/* Without the tracer, the records are shown like events. */
	c->root.buffer->tracer = TRACER_NOP;
	assert_non_null(strstr(lines(c), "pipe_read() {\n"));
}

static void options_come_with_the_tracer(void **state)
{
	struct calls *c = *state;

	assert_non_null(strstr(tree_cat(c->server, "fake.1/trace_options"),
		"\nnofuncgraph-overrun\nfuncgraph-cpu\nfuncgraph-overhead\n"
		"nofuncgraph-proc\nfuncgraph-duration\nnofuncgraph-abstime\n"
		"funcgraph-irqs\n"
		"nofuncgraph-tail\nnofuncgraph-retval\nnofuncgraph-retval-hex\n"
		"nofuncgraph-retaddr\nnofuncgraph-args\n"
		"sleep-time\ngraph-time\n"));
	c->root.buffer->tracer = TRACER_FUNCTION;
	assert_null(strstr(tree_cat(c->server, "fake.1/trace_options"), "graph"));
	assert_int_equal(tree_echo(c->server, "fake.1/trace_options",
				   "funcgraph-tail"), -EINVAL);
	assert_int_equal(tree_echo(c->server, "fake.1/options/funcgraph-tail", "1"), 0);
	c->root.buffer->tracer = TRACER_GRAPH;
	assert_non_null(strstr(tree_cat(c->server, "fake.1/trace_options"),
			       "\nfuncgraph-tail\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, calls_teardown)
		TEST(as_the_kernel_does),
		TEST(latency_format),
		TEST(a_pipe_has_the_same_lines),
		TEST(durations),
		TEST(others_are_comments),
		TEST(an_end_without_a_start_has_a_name),
		TEST(a_leaf_is_one_call),
		TEST(a_leaf_may_be_in_two_rings),
		TEST(a_leaf_may_be_on_two_pages),
		TEST(a_pipe_does_not_wait_for_the_end),
		TEST(lost_records_are_reported),
		TEST(deep_functions),
		TEST(nonsense),
		TEST(more_of_calls),
		TEST(handlers_are_between_arrows),
		TEST(handlers_may_be_left_out),
		TEST(options_come_with_the_tracer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
