/* SPDX-License-Identifier: MIT */
/* A library with C++ functions, which is loaded later. */
namespace shop {
__attribute__((__noipa__)) int sell(int x)
{
	return x + 1;
}
__attribute__((__noipa__)) int sell(int x, char)
{
	return x + 2;
}
__attribute__((__noipa__)) int refund(int x)
{
	return x - 1;
}
}

extern "C" int late(int x)
{
	return shop::sell(x) + shop::sell(x, 'c') + shop::refund(x);
}
