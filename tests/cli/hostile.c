/* SPDX-License-Identifier: MIT */
/*
 * The program of terminal.sh: its name, its strings and its messages have newlines and
 * control characters.  It records each event once and waits for a signal.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <ulf/tracing.h>

#define CREATE_TRACE_POINTS
#include "hostile_trace.h"

int main(int argc, char **argv)
{
	(void)argv;
	prctl(PR_SET_NAME, "a\nb\033[31mc");
	trace_hostile_text("\none\ntwo\033]0;owned\a\n<fake>-1 [000] 1.0: fake: \302\233x\303\251");
	trace_hostile_dump(0x41);
	trace_printk("%s first\n<fake>-2 second\033[2J\n", "message");
	trace_puts("constant\n<fake>-3\n");
	if (argc > 1)
		return 0;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
