/* SPDX-License-Identifier: MIT */
/*
 * && || ! and parentheses: random expressions are compared with a direct evaluation, and with
 * libtraceevent's filters where these mean the same.
 */
#include "filter_run.h"

#include <event-parse.h>
#include <trace-seq.h>

enum { NR_FIELDS = 6, EXPRESSIONS = 4000, RECORDS = 16 };

static uint64_t random_state = 88172645463325252;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

struct logic_rec {
	u16 common_type;
	u8 common_flags, common_preempt_count;
	int common_pid;
	int f[NR_FIELDS];
};

static struct event_format *logic_format(void)
{
	struct event_format *fmt = event_format_alloc("test", "logic", 9, "\"\"");
	char name[] = "a";

	assert_non_null(fmt);
	for (uint32_t i = 0; i < NR_FIELDS; i++, name[0]++)
		assert_int_equal(event_format_add_field(fmt, "int", name,
							8 + 4 * i, 4, true), 0);
	return fmt;
}

/* ---- expressions as trees ---- */

enum node_kind { NODE_TERM, NODE_NOT, NODE_AND, NODE_OR };

struct node {
	enum node_kind kind;
	int field, value;
	const struct node *left, *right;
};

struct tree {
	struct node nodes[256];
	size_t nr;
};

static const struct node *grow(struct tree *tree, unsigned int depth)
{
	struct node *node = &tree->nodes[tree->nr++];

	node->kind = depth ? random_below(4) : NODE_TERM;
	if (node->kind == NODE_TERM) {
		node->field = (int)random_below(NR_FIELDS);
		node->value = (int)random_below(2);
		return node;
	}
	node->left = grow(tree, depth - 1);
	if (node->kind != NODE_NOT)
		node->right = grow(tree, depth - 1);
	return node;
}

static bool eval(const struct node *node, const struct logic_rec *r)
{
	switch (node->kind) {
	case NODE_TERM:
		return r->f[node->field] == node->value;
	case NODE_NOT:
		return !eval(node->left, r);
	case NODE_AND:
		return eval(node->left, r) && eval(node->right, r);
	default:
		return eval(node->left, r) || eval(node->right, r);
	}
}

static void put_space(struct text *out)
{
	if (!random_below(3))
		text_putc(out, " \t\n"[random_below(3)]);
}

/* Write an expression with parentheses where they are needed, everywhere, or at random
 * places. */
static void write_node(const struct node *node, enum node_kind above,
		       bool everywhere, struct text *out)
{
	bool is_open = everywhere || !random_below(8) ||
		       (node->kind == NODE_OR && above != NODE_OR) ||
		       (node->kind == NODE_AND && above == NODE_NOT);

	put_space(out);
	if (is_open)
		text_putc(out, '(');
	put_space(out);
	switch (node->kind) {
	case NODE_TERM:
		text_printf(out, "%c %s %d", 'a' + node->field,
			    everywhere || node->value ? "==" : "!=",
			    everywhere ? node->value : 1);
		break;
	case NODE_NOT:
		text_putc(out, '!');
		write_node(node->left, NODE_NOT, everywhere, out);
		break;
	case NODE_AND:
	case NODE_OR:
		write_node(node->left, node->kind, everywhere, out);
		text_puts(out, node->kind == NODE_AND ? "&&" : "||");
		write_node(node->right, node->kind, everywhere, out);
		break;
	}
	if (is_open)
		text_putc(out, ')');
	put_space(out);
}

static void fill_record(struct logic_rec *r)
{
	*r = (struct logic_rec){ .common_type = 9 };
	for (int i = 0; i < NR_FIELDS; i++)
		r->f[i] = (int)random_below(2);
}

/* Make a text of at most a page.  Returns false if it is longer. */
static bool make_text(const struct node *top, bool everywhere, struct text *out)
{
	text_reset(out);
	write_node(top, NODE_OR, everywhere, out);
	return !out->error;
}

static void against_evaluation(void **state)
{
	const struct filter_context ctx = { .cpu = 0 };
	struct event_format *fmt = logic_format();
	struct logic_rec r;
	struct text out;

	(void)state;
	text_init(&out, FILTER_TEXT_MAX - 1);
	for (int i = 0; i < EXPRESSIONS; i++) {
		struct tree tree = { 0 };
		const struct node *top = grow(&tree, (unsigned int)i % 7);
		struct filter_program *program;

		if (!make_text(top, false, &out))
			continue;
		program = must_compile(fmt, text_str(&out));
		for (int n = 0; n < RECORDS; n++) {
			fill_record(&r);
			if (filter_match(program, &r, sizeof(r), &ctx) !=
			    eval(top, &r))
				fail_msg("%s", text_str(&out));
		}
		free(program);
	}
	text_done(&out);
	event_format_free(fmt);
}

/* ---- libtraceevent ---- */

/* libtraceevent's filters leak memory.  Other tests check ulf's filters for leaks. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct tep_handle *make_tep(const struct event_format *fmt)
{
	struct tep_handle *tep = tep_alloc();
	struct text out;

	assert_non_null(tep);
	text_init(&out, 1 << 16);
	event_format_text(fmt, &out);
	assert_int_equal(tep_parse_event(tep, text_str(&out), out.len, "test"), 0);
	text_done(&out);
	return tep;
}

static bool tep_match(struct tep_handle *tep, const char *text,
		      struct logic_rec *r)
{
	struct tep_event_filter *filter = tep_filter_alloc(tep);
	struct tep_record record = { .data = r, .size = sizeof(*r) };
	char line[FILTER_TEXT_MAX + 16];
	enum tep_errno ret;

	assert_non_null(filter);
	snprintf(line, sizeof(line), "logic:%s", text);
	ret = tep_filter_add_filter_str(filter, line);
	if (ret)
		fail_msg("libtraceevent: %d: %s", ret, line);
	ret = tep_filter_match(filter, &record);
	tep_filter_free(filter);
	assert_true(ret == TEP_ERRNO__FILTER_MATCH ||
		    ret == TEP_ERRNO__FILTER_MISS);
	return ret == TEP_ERRNO__FILTER_MATCH;
}

/* libtraceevent has no operator precedence, so every part gets parentheses. */
static void against_libtraceevent(void **state)
{
	const struct filter_context ctx = { .cpu = 0 };
	struct event_format *fmt = logic_format();
	struct tep_handle *tep = make_tep(fmt);
	struct logic_rec r;
	struct text out;

	(void)state;
	text_init(&out, FILTER_TEXT_MAX - 1);
	for (int i = 0; i < EXPRESSIONS / 4; i++) {
		struct tree tree = { 0 };
		const struct node *top = grow(&tree, (unsigned int)i % 5);
		struct filter_program *program;

		if (!make_text(top, true, &out))
			continue;
		fill_record(&r);
		program = must_compile(fmt, text_str(&out));
		if (filter_match(program, &r, sizeof(r), &ctx) !=
		    tep_match(tep, text_str(&out), &r))
			fail_msg("%s", text_str(&out));
		free(program);
	}
	text_done(&out);
	tep_free(tep);
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_evaluation),
		cmocka_unit_test(against_libtraceevent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
