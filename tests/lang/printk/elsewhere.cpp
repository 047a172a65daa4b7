// SPDX-License-Identifier: MIT
// A second file that uses the inline functions of inline.h.
#include "inline.h"

void say_elsewhere()
{
	say_inline(2);
	speaker<int>::say(3);
}
