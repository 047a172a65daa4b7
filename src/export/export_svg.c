/* SPDX-License-Identifier: MIT */
/*
 * A flame graph, as one SVG file without a reference to another file.  A box is a function,
 * which was called by the function in the box below.  The width of a box is the function's
 * share of the time.  The script page/flame.js in it zooms and searches; a viewer without
 * scripts shows the picture.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "export/call_tree.h"
#include "export/export_impl.h"
#include "export/flame_js.h"

#define WIDTH		1200.0		/* width of the picture, pixels */
#define ROW		17		/* height of a box with its margin, pixels */
#define HEAD		44		/* height of the space above the boxes, pixels */
#define LETTER		6.7		/* width of a letter, pixels */
#define WIDTH_MIN	0.1		/* minimum width of a box that is drawn, pixels */
#define DEPTH_LIMIT	1000		/* maximum depth at which boxes are drawn */

struct svg {
	struct text *out;
	const struct svg_words *words;
	double scale;			/* pixels per ns */
	uint64_t all_ns;
	int rows;
	double x[DEPTH_LIMIT + 1];	/* for each depth, the x position at which the next
					 * box begins, pixels */
};

/* Append @string as text of XML.  Bytes that XML does not allow become U+FFFD. */
static void put_xml(struct text *out, const char *string, size_t len)
{
	for (size_t at = 0; at < len; ) {
		size_t bytes = utf8_length(string + at, len - at);
		char c = string[at];

		if (bytes == 1 && (c == '<' || c == '&' || c == '"'))
			text_printf(out, "&#%d;", c);
		else if (!bytes || (bytes == 1 && c < ' '))
			text_puts(out, "\xef\xbf\xbd");
		else
			text_write(out, string + at, bytes);
		at += bytes ? bytes : 1;
	}
}

/* Return the colour of the box for a function's name.  Equal names have equal colours. */
static uint32_t hue_of(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 16777619u;
	return 10 + (hash >> 8) % 50;
}

static double width_of(const struct svg *svg, const struct call_node *node)
{
	return (double)node->total_ns * svg->scale;
}

static void put_box(struct svg *svg, const struct call_node *node, int depth, const char *name)
{
	double width = width_of(svg, node), x = svg->x[depth];
	int y = HEAD + (svg->rows - depth) * ROW;
	size_t len = strlen(name), fits = (size_t)((width > 6 ? width - 6 : 0) / LETTER);

	text_puts(svg->out, "<g><title>");
	put_xml(svg->out, name, len);
	text_printf(svg->out, ": %" PRIu64 " %s, %.3f us, %.2f %%, %s %.3f us"
		    "</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
		    "fill=\"hsl(%u,80%%,68%%)\"/>", node->count, svg->words->counted,
		    (double)node->total_ns / 1e3,
		    100.0 * (double)node->total_ns / ((double)svg->all_ns + 0.1),
		    svg->words->has_max ? "longest" : "without inner calls",
		    (double)(svg->words->has_max ? node->max_ns : node->self_ns) / 1e3, x, y, width,
		    ROW - 1, hue_of(name));
	text_printf(svg->out, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + 12);
	if (fits >= 3 || fits >= len) {
		put_xml(svg->out, name, len > fits ? fits - 2 : len);
		if (len > fits)
			text_puts(svg->out, "..");
	}
	text_puts(svg->out, "</text></g>\n");
}

static bool is_drawn(const struct svg *svg, const struct call_node *node, int depth)
{
	return depth <= DEPTH_LIMIT && width_of(svg, node) >= WIDTH_MIN;
}

/* Return the next node after @node that is drawn.  Children are sorted by width: after a
 * child that is too narrow, all further children are too narrow as well. */
static const struct call_node *next_drawn(const struct svg *svg, const struct call_node *node,
					  int *depth)
{
	if (node->children && is_drawn(svg, node->children, *depth + 1)) {
		++*depth;
		return node->children;
	}
	for (; node; node = node->parent, --*depth)
		if (node->next && is_drawn(svg, node->next, *depth))
			return node->next;
	return NULL;
}

static void put_head(const struct export *ex, const struct svg *svg)
{
	int height = HEAD + (svg->rows + 1) * ROW + 8;

	text_printf(svg->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" "
		    "width=\"%.0f\" height=\"%d\" font-family=\"monospace\" font-size=\"11\">\n"
		    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdfb\"/>\n"
		    "<text x=\"10\" y=\"18\" font-size=\"14\">", WIDTH + 20, height, WIDTH + 20,
		    height);
	for (uint32_t i = 0; i < ex->nr_files; i++) {
		const char *path = datfile_path(ex->files[i]), *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;

		text_puts(svg->out, i ? ", " : "");
		put_xml(svg->out, name, strlen(name));
	}
	text_printf(svg->out, ": %.3f ms %s</text>\n"
		    "<text id=\"about\" x=\"10\" y=\"36\" fill=\"#555\">click: zoom; ctrl-f: "
		    "search</text>\n<g id=\"boxes\">\n", (double)svg->all_ns / 1e6,
		    svg->words->time);
}

static void put_boxes(struct export *ex, struct svg *svg, const struct call_node *top)
{
	const struct call_node *node = top;
	char addr[32];
	int depth = 0;

	svg->x[0] = 10;
	for (; node; node = next_drawn(svg, node, &depth)) {
		snprintf(addr, sizeof(addr), "0x%" PRIx64, node->addr);
		put_box(svg, node, depth, node == top ? "all" : node->name ? node->name : addr);
		if (depth < DEPTH_LIMIT)
			svg->x[depth + 1] = svg->x[depth];
		svg->x[depth] += width_of(svg, node);
		export_flush_if_full(ex);
	}
}

void export_put_svg(struct export *ex, const struct svg_words *words, const struct call_node *top)
{
	struct svg svg = { .out = &ex->out, .words = words };
	int depth = 0;

	svg.all_ns = top->total_ns;
	svg.scale = WIDTH / ((double)top->total_ns + 0.1);
	for (const struct call_node *node = top; node; node = next_drawn(&svg, node, &depth))
		svg.rows = depth > svg.rows ? depth : svg.rows;
	put_head(ex, &svg);
	put_boxes(ex, &svg, top);
	text_puts(&ex->out, "</g>\n<script><![CDATA[\n");
	text_puts(&ex->out, asset_flame_js);
	text_puts(&ex->out, "]]></script>\n</svg>\n");
}

static void finish(struct export *ex)
{
	static const struct svg_words words = { .time = "in calls", .counted = "calls" };
	const struct call_node *top = call_tree_finish(ex);

	if (top)
		export_put_svg(ex, &words, top);
}

const struct export_format export_svg = {
	.name = "svg", .suffix = "svg",
	.needs_calls = true, .state_bytes = sizeof(struct call_tree_state),
	.start = call_tree_start, .call_begin = call_tree_call_begin,
	.call_end = call_tree_call_end, .finish = finish, .done = call_tree_done,
};
