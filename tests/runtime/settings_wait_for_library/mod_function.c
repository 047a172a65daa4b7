/* SPDX-License-Identifier: MIT */
/* A library with a function that can be traced, and no events. */
int later_function(void);
__attribute__((patchable_function_entry(5))) int later_function(void)
{
	return 2;
}
