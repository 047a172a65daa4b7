/* SPDX-License-Identifier: MIT */
/* A library with a function that a resolver chooses when it is first called. */
long plugin_first(long x);
long plugin_second(long x);
long plugin_chosen(long x);
long plugin_calls(long x);

__attribute__((noinline)) long plugin_first(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 10;
}

__attribute__((noinline)) long plugin_second(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 20;
}

static int count;

static long (*plugin_resolver(void))(long x)
{
	return count ? plugin_first : plugin_second;
}

long plugin_chosen(long x) __attribute__((ifunc("plugin_resolver")));

long plugin_calls(long x)
{
	return plugin_chosen(x) + 10;
}
