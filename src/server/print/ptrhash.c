/* SPDX-License-Identifier: MIT */
/*
 * Hash pointers.  A trace that users give to others must not show addresses of the
 * program, but equal pointers must look equal.  The hash is SipHash-2-4 with a secret
 * random key.
 */
#include <stdbool.h>
#include <sys/random.h>

#include "server/print/ptrhash.h"

static uint64_t rotate_left(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static void mix_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] = rotate_left(v[0], 32) + v[3];
	v[2] += v[1];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

static void absorb_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix_round(v);
	mix_round(v);
	v[0] ^= word;
}

static uint64_t hash_word(uint64_t word, const uint64_t key[2])
{
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
		key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u,
	};

	absorb_word(v, word);
	absorb_word(v, 8ull << 56);		/* the last word that SipHash absorbs
						 * contains the length of the input, which
						 * is 8 bytes */
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		mix_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t ptrhash(uint64_t pointer)
{
	static uint64_t key[2];		/* the secret key; the first call of ptrhash()
					 * sets it */
	static bool has_key;

	if (!has_key)
		has_key = getrandom(key, sizeof(key), 0) == sizeof(key);
	return hash_word(pointer, key) & 0xffffffff;
}
