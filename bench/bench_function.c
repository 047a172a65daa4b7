/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures the cost of a call if the function has NOPs for a tracer, if it is
 * traced, and if it is next to a traced function; if it has no NOPs, so that its first
 * instructions are moved; and with empty hooks of -finstrument-functions.
 */
#include <ulf/tracing.h>

#include "calls.h"
#include "root.h"

static double tsc_ghz;

/* The hooks of -finstrument-functions. */
void __cyg_profile_func_enter(void *func, void *caller);
void __cyg_profile_func_exit(void *func, void *caller);

void __cyg_profile_func_enter(void *func, void *caller)
{
	(void)func;
	(void)caller;
}

void __cyg_profile_func_exit(void *func, void *caller)
{
	(void)func;
	(void)caller;
}

static void measure_round_off(void)
{
	measure_leaf("leaf_plain", leaf_plain, tsc_ghz);
	measure_leaf("leaf_off", leaf_nops, tsc_ghz);
	measure_leaf("leaf_untraced", leaf_moved, tsc_ghz);
	measure_leaf("leaf_hooks", leaf_hooks, tsc_ghz);
	measure_fib("fib_plain", fib_plain, tsc_ghz);
	measure_fib("fib_off", fib_nops, tsc_ghz);
	measure_fib("fib_hooks", fib_hooks, tsc_ghz);
}

static void measure_round_on(void)
{
	root_write("buffer_size_kb", "1024");
	root_write("set_ftrace_filter", "leaf_nops fib_nops*");
	root_write("current_tracer", "function");
	measure_leaf("leaf_function", leaf_nops, tsc_ghz);
	measure_leaf("leaf_neighbour", neighbour_nops, tsc_ghz);
	measure_fib("fib_function", fib_nops, tsc_ghz);
	root_write("current_tracer", "function_graph");
	measure_leaf("leaf_graph", leaf_nops, tsc_ghz);
	measure_fib("fib_graph", fib_nops, tsc_ghz);
	root_write("current_tracer", "nop");
}

/* Measure calls of functions that no compiler has prepared. */
static void measure_round_moved(void)
{
	root_write("set_ftrace_filter", "leaf_moved fib_moved*");
	root_write("current_tracer", "function");
	measure_leaf("moved_function", leaf_moved, tsc_ghz);
	root_write("current_tracer", "function_graph");
	measure_leaf("moved_graph", leaf_moved, tsc_ghz);
	measure_fib("moved_fib_graph", fib_moved, tsc_ghz);
	root_write("current_tracer", "nop");
	measure_leaf("moved_off", leaf_moved, tsc_ghz);
}

static void run_round(void)
{
	measure_round_off();
	measure_round_on();
	measure_round_moved();
}

int main(void)
{
	cpu_set_t allowed;

	tracing_on();	/* without this call the linker would drop libulf */
	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	return worker_main(run_round);
}
