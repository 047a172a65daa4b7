/* SPDX-License-Identifier: MIT */
/* The program of check.sh, which hits each event once. */
#define CREATE_TRACE_POINTS
#include "check_trace.h"

int main(void)
{
	trace_check_good(1, "constant");
	trace_check_enum(CHECK_GREEN);
	trace_check_table(CHECK_GREEN);
	trace_check_function(3);
	trace_check_member(&(struct check_point){ 1, 2, 3 });
	return 0;
}
