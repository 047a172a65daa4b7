/* SPDX-License-Identifier: MIT */
/* Functions of a library that no compiler has prepared. */
int plain_one(int value)
{
	__asm__ volatile("");
	return value + 10;
}

int plain_two(int value)
{
	__asm__ volatile("");
	return value + 20;
}
