/* The last 32 bytes of a file: a mark of 16 bytes, then length and gt_hash() of all bytes before, little endian. HDF5
 * ignores bytes past its end. The hash detects damage by a disk or a copy; io/probe.c handles malicious files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/files/opener.h"
#include "core/hash.h"
#include "core/try.h"
#include "io/checksum.h"

static const char mark[16] = "gantry-check-1\n";
enum { TAIL = 32, BLOCK = 1 << 20 }; /* a multiple of 8, as gt_hash() requires */

static void put_number(uint64_t value, unsigned char *to)
{
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t number(const unsigned char *from)
{
	uint64_t value = 0;
	for (int i = 7; i >= 0; i--)
		value = value << 8 | from[i];
	return value;
}

/* Hashes the first `bytes` of the file, padded with zeros to a multiple of 8. */
static gt_status hash_bytes(FILE *f, const char *path, uint64_t bytes, uint64_t *hash)
{
	unsigned char *block = malloc(BLOCK);
	gt_status st = block ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	*hash = 0;
	rewind(f);
	for (uint64_t done = 0; st == GT_OK && done < bytes;) {
		const size_t wanted = bytes - done < BLOCK ? (size_t)(bytes - done) : BLOCK, whole = (wanted + 7) / 8 * 8;
		memset(block + whole - 8, 0, 8);
		if (fread(block, 1, wanted, f) != wanted)
			st = gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, ferror(f) ? strerror(errno) : "unexpected end of file");
		else
			*hash = gt_hash(*hash, block, whole);
		done += wanted;
	}
	free(block);
	return st;
}

static int64_t size_of(FILE *f) { return fseeko(f, 0, SEEK_END) == 0 ? (int64_t)ftello(f) : -1; }

gt_status gt_checksum_append(const char *tmp, const char *path)
{
	unsigned char tail[TAIL];
	uint64_t hash;
	gt_status st = GT_OK;
	FILE *f = fopen(tmp, "rb+");
	const int64_t size = f ? size_of(f) : -1;
	if (size < 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)));
	GT_TRY(hash_bytes(f, path, (uint64_t)size, &hash));
	memcpy(tail, mark, sizeof mark);
	put_number((uint64_t)size, tail + 16);
	put_number(hash, tail + 24);
	if (fseeko(f, 0, SEEK_END) != 0 || fwrite(tail, 1, TAIL, f) != TAIL || fflush(f) != 0)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
done:
	if (f && fclose(f) != 0 && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	return st;
}

gt_status gt_checksum_check(const char *path, int *has)
{
	unsigned char tail[TAIL];
	uint64_t hash;
	FILE *f;
	gt_status st = gt_file_stream(path, &f, NULL);
	const int64_t size = f ? size_of(f) : -1;
	*has = size >= TAIL && fseeko(f, size - TAIL, SEEK_SET) == 0 && fread(tail, 1, TAIL, f) == TAIL && !memcmp(tail, mark, sizeof mark);
	if (!*has)
		goto done;
	const uint64_t bytes = (uint64_t)size - TAIL;
	if (number(tail + 16) != bytes)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged: has %" PRIu64 " bytes before its checksum, expected %" PRIu64, path, bytes,
		               number(tail + 16)));
	GT_TRY(hash_bytes(f, path, bytes, &hash));
	if (hash != number(tail + 24))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged: its checksum is %016" PRIx64 ", expected %016" PRIx64, path, hash,
		               number(tail + 24)));
done:
	if (f)
		fclose(f);
	return st;
}
