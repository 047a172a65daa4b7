#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# A program spoils its root while ulf record reads it: references to rings, the rings' words and
# their pages, all at random, and at last the size of the file.  The recorder ends after
# ^C, and what it has written can be printed.
. tests/cli/common

stores=20000 rounds=3
[ "${ULF_TORTURE-}" != long ] || stores=1000000 rounds=20
cat >"$TMPDIR/spoil.c" <<'EOC'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/control.h"

static uint64_t some(uint64_t limit) { return ((uint64_t)random() << 20 ^ (uint64_t)random()) % limit; }

/* spoil MEMORY STORES SEED: store at random into the instances' buffers and into their rings. */
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR);
	struct stat st;
	char *memory;

	if (argc != 4 || fd < 0 || fstat(fd, &st)) {
		perror("spoil");
		return 1;
	}
	srandom((unsigned int)atoi(argv[3]));
	memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long i = atol(argv[2]); i > 0 && memory != MAP_FAILED; i--) {
		struct abi_buffer *buffer = (void *)(memory + ABI_BUFFERS_OFF);
		struct abi_ring_ref *ref = &buffer[some(4)].side[some(2)].ring[some(4)][some(2)];
		uint64_t off = ref->off;

		if (off && off + ref->bytes <= (uint64_t)st.st_size && ref->bytes > 8192) {
			uint64_t at = some(2) ? some(64) * 8 : some(ref->bytes / 8) * 8;

			*(uint64_t *)(void *)(memory + off + at) = some(4) ? some(1 << 20) : ~some(9);
		}
		if (!some(100))
			ref->off = some(2) ? off ^ some(1 << 24) : off + 4096 * some(4);
		if (!some(100))
			ref->bytes ^= some(1 << 22);
	}
	return 0;
}
EOC
cc -I"$ULF_SRC/src" -o "$TMPDIR/spoil" "$TMPDIR/spoil.c" || fail "cc"
cd "$TMPDIR" || fail "cd"
for seed in $(seq "$rounds"); do
	start_hello
	ulf record -o spoiled.dat -e hello "$root" 2>err & recorder=$!
	until_true has_records "$root/instances/record.$recorder" 5
	./spoil "$ULF_DIR/roots/$root/memory" "$stores" "$seed" || fail "spoil"
	# The program itself does not survive the loss of its memory.
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	truncate -s 1M "$ULF_DIR/roots/$root/memory" 2>/dev/null
	kill -INT $recorder 2>/dev/null
	wait $recorder
	status=$?
	[ $status -le 1 ] || fail "seed $seed: status $status: $(cat err)"
	if [ -s spoiled.dat ]; then
		ulf report spoiled.dat >out 2>err
		status=$?
		[ $status -le 1 ] || fail "seed $seed: report: status $status: $(cat err)"
	fi
	rm -f spoiled.dat
done
exit 0
