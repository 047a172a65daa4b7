/* SPDX-License-Identifier: MIT */
/* <ulf/kernel.h> has the words of the kernel that a trace header needs, and they do what the
 * kernel's words do. */
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/kdev_t.h>
#include <ulf/kernel.h>

#include "formats.h"
#include "kernel_trace.h"

static struct driver d;
static struct trace trace;

static __attribute__((__noinline__)) unsigned long ip_of_caller(void)
{
	return _RET_IP_;
}

static __attribute__((__noinline__)) void test_record(void)
{
	static const atomic_t count = { 42 };
	const struct trace_record *r;
	uint32_t bytes;

	CHECK_EQ(driver_enable(&d, "kernel", "kernel_words", true), 0);
	trace_kernel_words(MKDEV(259, 70000), "a_long_command_name", &count,
			   ERR_PTR(-ENOMEM), ip_of_caller());
	trace_read(&d, &trace);
	r = trace_find(&d, &trace, "kernel", "kernel_words", 0);
	CHECK_EQ(trace_number(&d, r, "dev"), 259 << 20 | 70000);
	CHECK_STR((const char *)trace_bytes(&d, r, "comm", &bytes),
		  "a_long_command_");
	CHECK_STR((const char *)trace_bytes(&d, r, "cut", &bytes), "a_l");
	CHECK_EQ(trace_number(&d, r, "small"), -3);
	CHECK_EQ(trace_number(&d, r, "big"), 9000000);
	CHECK_EQ(trace_number(&d, r, "mode"), 0644);
	CHECK_EQ(trace_number(&d, r, "index"), 7 << 12);
	CHECK_EQ(trace_number(&d, r, "count"), 42);
	CHECK_EQ(trace_number(&d, r, "error"), -ENOMEM);
	CHECK(trace_number(&d, r, "ip") - (long)test_record < 4096);
	CHECK_EQ(trace_number(&d, r, "be"), 0x34120000);
	CHECK_EQ(trace_number(&d, r, "is_on"), 1);
	trace_free(&trace);
}

static void test_strscpy(void)
{
	char to[4] = "xyz";

	CHECK_EQ(strscpy(to, "ab"), 2);
	CHECK_STR(to, "ab");
	CHECK_EQ(strscpy(to, "abc", sizeof(to)), 3);
	CHECK_EQ(strscpy(to, "abcd", sizeof(to)), -E2BIG);
	CHECK_STR(to, "abc");
	CHECK_EQ(strscpy(to, "abcd", 0), -E2BIG);
	CHECK_EQ(strscpy_pad(to, "a"), 1);
	CHECK_EQ(memcmp(to, "a\0\0", 4), 0);
	CHECK_EQ(strlcpy(to, "abcdef", sizeof(to)), 6);
	CHECK_STR(to, "abc");
}

static __attribute__((__noinline__)) void test_addresses(void)
{
	unsigned long here = _THIS_IP_, caller = ip_of_caller();

	CHECK(here - (unsigned long)test_addresses < 4096);
	CHECK(caller - (unsigned long)test_addresses < 4096);
}

/* libc's dev_t and the kernel's dev_t have a different layout of bits. */
static void test_devices(void)
{
	__u32 dev = huge_decode_dev(makedev(4095, 1048575));

	CHECK_EQ(MAJOR(dev), 4095);
	CHECK_EQ(MINOR(dev), 1048575);
	CHECK_EQ(huge_decode_dev(makedev(8, 17)), MKDEV(8, 17));
}

static void test_time(void)
{
	ktime_t before = ktime_get();

	CHECK(ktime_us_delta(ktime_get(), before) >= 0);
	CHECK_EQ(ktime_to_us(ktime_sub(before + 5000, before)), 5);
}

int main(void)
{
	test_strscpy();
	test_addresses();
	test_devices();
	test_time();
	trace_open(&d, getpid());
	test_record();
	driver_close(&d);
	return 0;
}
