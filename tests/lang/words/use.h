/* SPDX-License-Identifier: MIT */
/* Functions of the files that hit the tracepoints of this program. */
#ifndef WORDS_USE_H
#define WORDS_USE_H

#ifdef __cplusplus
extern "C" {
#endif

void use_in_c(int value);		/* use.c, events of words and sub */
void use_in_cpp(int value);		/* use_cpp.cpp, events of words and cpp */
void use_inline_again(int value);	/* create.cpp */
/* lib_words.c, events of library */
__attribute__((visibility("default"))) void use_in_library(int value);
/* Returns an address in this library. */
__attribute__((visibility("default"))) const void *library_address(void);

#ifdef __cplusplus
}

#include "cpp_trace.h"

/* Each file that calls these functions contains them, and the linker merges them. */
inline void use_inline(const char *name, int value)
{
	trace_cpp_first(name, value, nullptr);
}

template <typename T> struct user {
	T value;

	void hit(const char *name)
	{
		trace_cpp_second(name, static_cast<int>(value), this);
	}
};
#endif

#endif
