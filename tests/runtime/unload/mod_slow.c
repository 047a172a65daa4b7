/* SPDX-License-Identifier: MIT */
/* The destructor of this library, and so its dlclose(), takes as long as the program wants. */
void (*slow_going)(void);

__attribute__((destructor)) static void go(void)
{
	if (slow_going)
		slow_going();
}
