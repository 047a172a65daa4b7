// SPDX-License-Identifier: MIT
// Defines the C++ events, and hits them in inline code that use_cpp.cpp has, too.
#include "use.h"

#define CREATE_TRACE_POINTS
#include "cpp_trace.h"

void use_inline_again(int value)
{
	user<long> u = { value };

	use_inline("from create", value);
	u.hit("from create");
}
