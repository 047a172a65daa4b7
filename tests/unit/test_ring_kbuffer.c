/* SPDX-License-Identifier: MIT */
/* libtraceevent, which reads the kernel's pages, must find in ulf's pages the records and
 * times that ulf's reader finds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <kbuffer.h>
#include <cmocka.h>

#include "lib/record.h"
#include "unit/ring_memory.h"

static uint32_t compare_page(struct kbuffer *kbuf, struct ring_page *page)
{
	uint64_t time_ns = page->time_ns;
	unsigned long long their_ns;
	struct ring_record record;
	uint32_t offset = 0, nr = 0;
	void *theirs;

	assert_int_equal(kbuffer_load_subbuffer(kbuf, page->data), 0);
	assert_int_equal(kbuffer_subbuffer_size(kbuf), page->bytes);
	theirs = kbuffer_read_event(kbuf, &their_ns);
	while (ring_record_next(page, &offset, &time_ns, &record) > 0) {
		assert_ptr_equal(theirs, record.data);
		assert_int_equal(kbuffer_event_size(kbuf), record.bytes);
		assert_true(their_ns == record.time_ns);
		theirs = kbuffer_next_event(kbuf, &their_ns);
		nr++;
	}
	assert_null(theirs);
	assert_int_equal(kbuffer_missed_events(kbuf), 0);
	return nr;
}

static void compare_ring(struct ring_config config, bool is_fast)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8,
					     KBUFFER_ENDIAN_LITTLE);
	struct ring_page page = { .data = malloc(config.page_bytes) };
	uint64_t random = 5, seq = 0;
	struct ring_memory m;
	uint32_t nr = 0;

	assert_true(kbuf && page.data);
	ring_memory_init(&m, &config);
	if (is_fast && !ring_memory_use_rseq(&m)) {
		print_message("no rseq here\n");
		skip();
	}
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t max = random_below(&random, 20) ? 200 :
			       RING_PAYLOAD_MAX;

		m.now_ns += random_below(&random, 30) ?
			    random_below(&random, 1000) :
			    (uint64_t)random_next(&random) << 5;
		assert_int_equal(ring_memory_write(&m, i, 1 +
				 random_below(&random, max)), 0);
		while (ring_page_read(&m.view, seq, &page) == 0 &&
		       !page.is_open) {
			nr += compare_page(kbuf, &page);
			seq++;
		}
	}
	assert_int_equal(ring_page_read(&m.view, seq, &page), 0);
	nr += compare_page(kbuf, &page);
	assert_int_equal(nr, 20000);
	ring_memory_done(&m);
	free(page.data);
	kbuffer_free(kbuf);
}

static void slow_pages(void **state)
{
	struct ring_config config = ring_memory_config(true);

	(void)state;
	config.flags |= ABI_RING_LOCKED;
	compare_ring(config, false);
	config.page_bytes = 65536;
	compare_ring(config, false);
}

static void fast_pages(void **state)
{
	struct ring_config config = ring_memory_config(true);

	(void)state;
	compare_ring(config, true);
	config.page_bytes = 65536;
	compare_ring(config, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_pages),
		cmocka_unit_test(fast_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
