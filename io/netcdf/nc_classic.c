/* Minimum size of a file in the classic NetCDF formats: libnetcdf reads zeros past the end of a truncated file. "The
 * NetCDF Classic Format Specification" (CDF-1, CDF-2, CDF-5), grammar of the header. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "io/netcdf/nc.h"

/* Widths in bytes of counts and lengths, and of offsets. bad: end of file, or a violation of the grammar. */
typedef struct {
	FILE *file;
	int count, offset, bad;
} header;

static uint64_t number(header *h, int width)
{
	uint64_t value = 0;
	for (int i = 0; i < width; i++) {
		const int byte = getc(h->file);
		if (byte == EOF) {
			h->bad = 1;
			return 0;
		}
		value = value << 8 | (uint64_t)byte;
	}
	return value;
}

/* Skips the bytes and their padding to a multiple of four. */
static void skip(header *h, uint64_t bytes)
{
	if (bytes > INT64_MAX / 2 || fseeko(h->file, (off_t)((bytes + 3) / 4 * 4), SEEK_CUR) != 0)
		h->bad = 1;
}

static uint64_t type_size(uint64_t type)
{
	static const unsigned char size[] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };
	return type < sizeof size ? size[type] : 0;
}

/* Number of elements of a list. */
static uint64_t list(header *h)
{
	number(h, 4);
	return number(h, h->count);
}

static void attributes(header *h)
{
	for (uint64_t n = list(h); n > 0 && !h->bad; n--) {
		skip(h, number(h, h->count));
		const uint64_t size = type_size(number(h, 4));
		skip(h, number(h, h->count) * size);
	}
}

/* End of the fixed-size variables in bytes. libnetcdf checks record variables itself. */
static uint64_t end_of_data(header *h, uint64_t *dimension, size_t max)
{
	uint64_t end = 0;
	number(h, h->count);
	const uint64_t dimensions = list(h);
	for (uint64_t d = 0; d < dimensions && !h->bad; d++) {
		skip(h, number(h, h->count));
		const uint64_t length = number(h, h->count);
		if (d < max)
			dimension[d] = length;
	}
	attributes(h);
	for (uint64_t v = list(h); v > 0 && !h->bad; v--) {
		double bytes = 1;
		skip(h, number(h, h->count));
		for (uint64_t rank = number(h, h->count); rank > 0 && !h->bad; rank--) {
			const uint64_t d = number(h, h->count);
			bytes *= d < max && d < dimensions ? (double)dimension[d] : 0;
		}
		attributes(h);
		bytes *= (double)type_size(number(h, 4));
		number(h, h->count);
		const uint64_t begin = number(h, h->offset);
		if (!h->bad && bytes > 0 && bytes < 9e18 && begin + (uint64_t)bytes > end)
			end = begin + (uint64_t)bytes;
	}
	return end;
}

gt_status gt_nc_classic_whole(const char *path)
{
	unsigned char magic[4] = { 0 };
	uint64_t dimension[NC_MAX_DIMS];
	struct stat s;
	FILE *f;
	gt_status st = gt_file_stream(path, &f, NULL);
	if (st != GT_OK)
		return st;
	if (fread(magic, 1, 4, f) == 4 && !memcmp(magic, "CDF", 3) && fstat(fileno(f), &s) == 0) {
		header h = { f, magic[3] == 5 ? 8 : 4, magic[3] == 1 ? 4 : 8, 0 };
		const uint64_t end = end_of_data(&h, dimension, NC_MAX_DIMS);
		if (h.bad)
			st = gt_fail(GT_ERR_FORMAT, "%s: truncated: has %lld bytes, its header is longer", path, (long long)s.st_size);
		else if ((uint64_t)s.st_size < end)
			st = gt_fail(GT_ERR_FORMAT, "%s: truncated: has %lld bytes, expected %llu", path, (long long)s.st_size,
			             (unsigned long long)end);
	}
	fclose(f);
	return st;
}
