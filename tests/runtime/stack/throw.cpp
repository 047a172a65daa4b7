// SPDX-License-Identifier: MIT
// Hits in a destructor while the stack is unwound, and in a catch block.
#include "stack.h"

struct guard {
	~guard()
	{
		hit_and_check();
	}
};

static __attribute__((noinline)) int dive(int depth)
{
	guard g;

	if (!depth)
		throw depth;
	return dive(depth - 1) + 1;
}

void hit_when_thrown(void)
{
	try {
		dive(5);
	} catch (int) {
		hit_and_check();
	}
}
