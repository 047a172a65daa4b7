// SPDX-License-Identifier: MIT
// trace_printk() in C++: members, templates, lambdas, inline functions, exceptions.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "abi/control.h"
#include "inline.h"
#include "lib/said.h"
#include "parts.h"

namespace {

struct guard {
	~guard()
	{
		trace_puts("a destructor\n");
	}
};

void throw_up()
{
	guard g;

	throw std::runtime_error("no");
}

}

void test_cxx(void)
{
	const std::string name = "a string";
	const char *volatile variable = "%s, variable\n";
	struct said said;

	trace_printk("%s, %d, %g\n", name.c_str(), 1, 2.5);
	said_is(ABI_EVENT_ID_BPRINT, "a string, 1, 2.5\n");
	trace_printk(variable, name.c_str());
	said_is(ABI_EVENT_ID_PRINT, "a string, variable\n");
	[](int value) { trace_printk("a lambda says %d\n", value); }(5);
	said_is(ABI_EVENT_ID_BPRINT, "a lambda says 5\n");
	say_inline(1);
	said_is(ABI_EVENT_ID_BPRINT, "inline 1\n");
	speaker<long>::say(7);
	said_is(ABI_EVENT_ID_BPRINT, "a template says 7\n");
	say_elsewhere();
	CHECK_EQ(said_take(&said), 2);
	CHECK_STR(said.text, "a template says 3\n");
	try {
		throw_up();
	} catch (const std::exception &) {
		said_is(ABI_EVENT_ID_BPUTS, "a destructor\n");
	}
}
