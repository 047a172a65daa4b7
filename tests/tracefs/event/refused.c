/* SPDX-License-Identifier: MIT */
/* A program with a module that claims to be built with the headers of a later ulf. */
#include <unistd.h>

#include <ulf/event.h>

static struct ulf_module module = { .version = 99 };

int main(void)
{
	ulf_module_register(&module);
	for (;;)
		pause();
}
