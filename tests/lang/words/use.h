/* SPDX-License-Identifier: MIT */
/* The files of this program that hit the same tracepoints. */
#ifndef WORDS_USE_H
#define WORDS_USE_H

#ifdef __cplusplus
extern "C" {
#endif

void use_in_c(int value);		/* use.c: words, sub */
void use_in_cpp(int value);		/* use_cpp.cpp: words, cpp */
void use_inline_again(int value);	/* create.cpp */
/* lib_words.c: library */
__attribute__((visibility("default"))) void use_in_library(int value);
/* ... and some address in it */
__attribute__((visibility("default"))) const void *library_address(void);

#ifdef __cplusplus
}

#include "cpp_trace.h"

/* In every file that calls them, and merged by the linker. */
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
