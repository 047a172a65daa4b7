/* SPDX-License-Identifier: MIT */
/* A library that is loaded later. */
int late_function(int value)
{
	__asm__ volatile("");
	return value + 50;
}
