/* SPDX-License-Identifier: MIT */
/* Decompress data of a trace.dat. */
#include <errno.h>
#include <zstd.h>

#include "datfile/dat_impl.h"

int dat_unpack(const void *from, size_t bytes, void *to, size_t to_bytes)
{
	size_t done = ZSTD_decompress(to, to_bytes, from, bytes);

	return ZSTD_isError(done) || done != to_bytes ? -EBADMSG : 0;
}
