/* SPDX-License-Identifier: MIT */
/* The tracer "function_graph".  print/graph_line.c prints its records. */
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/functions/functions.h"
#include "server/functions/tracer_function.h"
#include "server/print/graph.h"
#include "server/print/tracer.h"

/* Begin a new session of the graph tracer (abi_functions.graph_sessions).  If a call
 * of an earlier session returns now, its return is not recorded. */
static int start_graph(struct instance *instance)
{
	root_functions(instance->root)->graph_sessions[instance->number]++;
	return tracer_function_start(instance);
}

const struct tracer tracer_graph = {
	.has_functions = true,
	.has_returns = true,
	.check = tracer_function_check,
	.start = start_graph,
	.stop = tracer_function_stop,
	.print_header = graph_print_header,
	.print_line = graph_print_line,
	.state_bytes = sizeof(struct graph_cpu),
	.hides = graph_leaves_out,
	.note = graph_note,
};
