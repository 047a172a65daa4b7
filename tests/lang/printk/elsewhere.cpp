// SPDX-License-Identifier: MIT
// A second file with the same inline functions.
#include "inline.h"

void say_elsewhere()
{
	say_inline(2);
	speaker<int>::say(3);
}
