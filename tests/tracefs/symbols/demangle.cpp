/* SPDX-License-Identifier: MIT */
/* A program with C++ functions. */
#include <unistd.h>

namespace shop {
class till {
public:
	__attribute__((noipa)) int add(int cents, const char *what) const
	{
		__asm__ volatile("" : : "r"(cents), "r"(what) : "memory");
		return cents + 1;
	}
};
}

int main()
{
	shop::till till;

	for (volatile int x = 0; ; usleep(1000))
		x = till.add(x, "tea") & 1;
}
