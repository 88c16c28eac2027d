/* 64-bit words are multiplied and folded into the state. Each step is bijective in its word, so no change of a single
 * word is lost. */
#include <string.h>
#include "core/hash.h"

static uint64_t add(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	return hash ^ hash >> 29;
}

uint64_t gt_hash(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	uint64_t word;
	for (; n >= sizeof word; n -= sizeof word, b += sizeof word) {
		memcpy(&word, b, sizeof word);
		hash = add(hash, word);
	}
	word = n;
	for (size_t i = 0; i < n; i++)
		word = word << 8 | b[i];
	return n ? add(hash, word) : hash;
}

uint64_t gt_hash_text(uint64_t hash, const char *text)
{
	char block[8];
	for (size_t n = strlen(text) + 1, i = 0; i < n; i += sizeof block) {
		memset(block, 0, sizeof block);
		memcpy(block, text + i, n - i < sizeof block ? n - i : sizeof block);
		hash = gt_hash(hash, block, sizeof block);
	}
	return hash;
}
