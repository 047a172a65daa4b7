// SPDX-License-Identifier: MIT
// Inline functions that several files use and the linker merges.
#ifndef INLINE_H
#define INLINE_H

#include <ulf/tracing.h>

inline void say_inline(int value)
{
	trace_printk("inline %d\n", value);
}

template <class T> struct speaker {
	static void say(T value)
	{
		trace_printk("a template says %ld\n", static_cast<long>(value));
	}
};

void say_elsewhere();

#endif
