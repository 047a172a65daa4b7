/* SPDX-License-Identifier: MIT */
/* A library without events, which calls a function that hits one. */
extern void through(void (*fn)(void));
extern int through_calls;

int through_calls;

void through(void (*fn)(void))
{
	fn();
	through_calls++;
}
