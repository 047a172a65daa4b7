// SPDX-License-Identifier: MIT
// habits LIBRARY: waits for a line of input, so that a test can switch tracing on, and runs
// everything.  The status is 0 if all of it worked.
#include <unistd.h>

#include "habits.h"

// This function is called last.  If it is recorded, tracing worked until the end.
extern "C" NOINLINE void habits_done(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	char line[16];

	CHECK(argc == 2);
	plugs_in(argv[1]);
	std::puts("ready");
	std::fflush(stdout);
	CHECK(std::fgets(line, sizeof(line), stdin));
	leaves_frames();
#ifndef __SANITIZE_THREAD__
	// TSan crashes, with and without tracing, when handlers jump, when threads are
	// cancelled anywhere, and on stacks that it does not know.
	ends_threads();
	switches_stacks();
#endif
	starts_processes();
	looks_at_itself();
	plugs_out(argv[1]);
	habits_done();
	std::puts("done");
	return 0;
}
