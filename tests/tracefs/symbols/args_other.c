/* SPDX-License-Identifier: MIT */
/* Another object of the program, with static functions that args.c has, too.  One of them has
 * other parameters there, the other has equal ones. */
#include "args.h"

FUNCTION static void twin(const char *text, long number)
{
	USE(text);
	USE(number);
}

FUNCTION static void alike(int x)
{
	USE(x);
}

FUNCTION void elsewhere(int number)
{
	USE(number);
	twin(0, 31);
	alike(32);
}
