// SPDX-License-Identifier: MIT
// Hits tracepoints of C and of C++ from C++.
#include <string>

#include <trace/events/words.h>
#include "use.h"

void use_in_cpp(int value)
{
	std::string name = "from use_cpp";
	user<long> u = { value };

	trace_word_second(value, 2);
	use_inline(name.c_str(), value);
	u.hit(name.c_str());
}
