/* SPDX-License-Identifier: MIT */
/*
 * Patching in difficult places: bytes that another tool has changed, no access to
 * /proc/self/mem, and sites whose stubs would need the same bytes.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/check.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

static int nr_calls;

static void probe(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	nr_calls++;
}

/* ---- foreign bytes ---- */

static __attribute__((noinline)) void hit_here(void)
{
	trace_rt_hit(1, 1);
}

/* Returns the site of rt_hit in the code of @function. */
static unsigned char *site_in(void (*function)(void), struct tracepoint *key)
{
	unsigned char *start = (unsigned char *)(unsigned long)function;

	for (struct ulf_site *s = __start___ulf_sites; s < __stop___ulf_sites;
	     s++) {
		unsigned char *code = (unsigned char *)s + s->code;

		if (s->key == key && code >= start && code < start + 64)
			return code;
	}
	fail("no site there");
}

static void write_text(unsigned char *to, const unsigned char *bytes, size_t nr)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		skip("/proc/self/mem cannot be opened: %s", strerror(errno));
	CHECK_EQ(pwrite(fd, bytes, nr, (off_t)(unsigned long)to), nr);
	close(fd);
}

/* Change each byte in turn, so that the site is another instruction. */
static void test_foreign_bytes(void)
{
	static const unsigned char foreign[][5] = {
		{ 0x90, 0x90, 0x90, 0x90, 0x90 },	/* nop x 5 */
		{ 0xcc, 0x1f, 0x44, 0x00, 0x00 },	/* a debugger */
		{ 0x0f, 0x1f, 0x80, 0x00, 0x00 },
		{ 0x0f, 0x18, 0x44, 0x00, 0x00 },
	};
	unsigned char *site = site_in(hit_here, &__tracepoint_rt_hit), own[5];

	memcpy(own, site, 5);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		write_text(site, foreign[i], 5);
		CHECK_EQ(register_trace_rt_hit(probe, NULL), -EILSEQ);
		CHECK(!memcmp(site, foreign[i], 5));
		CHECK(!trace_rt_hit_enabled());
		CHECK_EQ(unregister_trace_rt_hit(probe, NULL), -ENOENT);
		/* Other tracepoints are not affected. */
		CHECK_EQ(register_trace_rt_other(probe, NULL), 0);
		nr_calls = 0;
		trace_rt_other(0, 0);
		CHECK_EQ(nr_calls, 1);
		CHECK_EQ(unregister_trace_rt_other(probe, NULL), 0);
		CHECK(!memcmp(site, foreign[i], 5));
	}
	write_text(site, own, 5);
	CHECK_EQ(register_trace_rt_hit(probe, NULL), 0);
	nr_calls = 0;
	hit_here();
	CHECK_EQ(nr_calls, 1);
	/* Bytes that were changed while the tracepoint was on are kept when it is switched
	 * off. */
	memcpy(own, site, 5);
	write_text(site, foreign[0], 5);
	CHECK_EQ(unregister_trace_rt_hit(probe, NULL), 0);
	CHECK(!memcmp(site, foreign[0], 5));
	write_text(site, own, 5);
	hit_here();
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(register_trace_rt_hit(probe, NULL), 0);
	CHECK_EQ(unregister_trace_rt_hit(probe, NULL), 0);
	CHECK_EQ(site[0], 0x0f);
}

/* ---- no access to /proc/self/mem ---- */

static void look_at_maps(void)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	CHECK(f);
	while (getline(&line, &size, f) > 0) {
		if (strstr(line, " rwx") || strstr(line, " -wx"))
			fail("left writable and executable: %s", line);
	}
	free(line);
	fclose(f);
}

static void test_no_descriptor(void)
{
	struct rlimit old, none;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_EQ(open("/proc/self/mem", O_RDWR), -1);
	nr_calls = 0;
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(register_trace_rt_long((void (*)(void *, const char *))
						(void *)probe, NULL), 0);
		trace_rt_long("x");
		CHECK_EQ(nr_calls, i + 1);
		CHECK_EQ(unregister_trace_rt_long(
			(void (*)(void *, const char *))(void *)probe, NULL), 0);
		trace_rt_long("x");
		CHECK_EQ(nr_calls, i + 1);
	}
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	look_at_maps();
}

/* ---- stubs that compete for the same bytes ---- */

/*
 * The site determines the address of its stub, modulo 64 KiB.  These functions are 64 KiB
 * apart, so their stubs compete for the same bytes, or, with a few bytes before the site, for
 * overlapping bytes.
 */
#define FAR(n, bytes)							\
	static __attribute__((noinline, aligned(65536))) void		\
	far_##n(void)							\
	{								\
		__asm__ volatile(".nops " #bytes);			\
		trace_rt_other(n, bytes);				\
	}
FAR(0, 1) FAR(1, 1) FAR(2, 1) FAR(3, 3) FAR(4, 4) FAR(5, 5) FAR(6, 6) FAR(7, 9)

static int last_far = -1;

static void far_probe(void *data, int who, long value)
{
	(void)data;
	(void)value;
	last_far = who;
}

static void test_far_sites(void)
{
	static void (*const far[])(void) = {
		far_0, far_1, far_2, far_3, far_4, far_5, far_6, far_7,
	};

	for (int round = 0; round < 3; round++) {
		CHECK_EQ(register_trace_rt_other(far_probe, NULL), 0);
		for (int i = 0; i < 8; i++) {
			far[i]();
			CHECK_EQ(last_far, i);
		}
		CHECK_EQ(unregister_trace_rt_other(far_probe, NULL), 0);
		last_far = -1;
		for (int i = 0; i < 8; i++)
			far[i]();
		CHECK_EQ(last_far, -1);
	}
}

int main(void)
{
	test_far_sites();
	test_no_descriptor();
	test_foreign_bytes();
	return 0;
}
