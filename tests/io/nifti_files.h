#ifndef GT_TESTS_IO_NIFTI_FILES_H
#define GT_TESTS_IO_NIFTI_FILES_H
/* NIfTI files as other programs write them, byte by byte, in a temporary folder. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "tests/io/volumes.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static inline void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nii", folder);
}

static inline void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

/* A file of another program: 4 x 3 x 2 voxels, little or big endian. */
typedef struct {
	int version, msb, datatype, dims, pair, extension;
	long long dim[8];
	double pixdim[8], slope, offset, at, quatern[3], qoffset[3], rows[12];
	int qform, sform, units, header_size;
} foreign;

static inline foreign plain(void)
{
	return (foreign){ .version = 1,
		          .datatype = 16,
		          .dim = { 3, 4, 3, 2, 1, 1, 1, 1 },
		          .pixdim = { 1, 0.5, 0.25, 2, 1, 1, 1, 1 },
		          .sform = 1,
		          .rows = { 0.5, 0, 0, 1, 0, 0.25, 0, 2, 0, 0, 2, 3 },
		          .units = 2 };
}

static inline void put(unsigned char *to, const foreign *x, const void *value, size_t size)
{
	const uint16_t probe = 1;
	const int host_msb = *(const unsigned char *)&probe == 0;
	for (size_t k = 0; k < size; k++)
		to[k] = ((const unsigned char *)value)[host_msb == x->msb ? k : size - 1 - k];
}

static inline void put_short(unsigned char *to, const foreign *x, long long value) { put(to, x, &(int16_t){ (int16_t)value }, 2); }
static inline void put_int(unsigned char *to, const foreign *x, int value) { put(to, x, &(int32_t){ value }, 4); }
static inline void put_long(unsigned char *to, const foreign *x, long long value) { put(to, x, &(int64_t){ value }, 8); }
static inline void put_float(unsigned char *to, const foreign *x, double value) { put(to, x, &(float){ (float)value }, 4); }
static inline void put_double(unsigned char *to, const foreign *x, double value) { put(to, x, &value, 8); }

static inline size_t size_of(int datatype)
{
	return datatype == 2 || datatype == 256                         ? 1
	       : datatype == 4 || datatype == 512                       ? 2
	       : datatype == 64 || datatype == 1024 || datatype == 1280 ? 8
	                                                                : 4;
}

/* Offsets as in the tables of the standard. */
static inline size_t put_head_1(unsigned char *h, const foreign *x)
{
	put_int(h, x, x->header_size ? x->header_size : 348);
	for (int i = 0; i < 8; i++) {
		put_short(h + 40 + 2 * i, x, x->dim[i]);
		put_float(h + 76 + 4 * i, x, x->pixdim[i]);
	}
	put_short(h + 70, x, x->datatype);
	put_short(h + 72, x, 8 * (int)size_of(x->datatype));
	put_float(h + 108, x, x->at ? x->at : 352);
	put_float(h + 112, x, x->slope);
	put_float(h + 116, x, x->offset);
	h[123] = (unsigned char)x->units;
	put_short(h + 252, x, x->qform);
	put_short(h + 254, x, x->sform);
	for (int i = 0; i < 3; i++) {
		put_float(h + 256 + 4 * i, x, x->quatern[i]);
		put_float(h + 268 + 4 * i, x, x->qoffset[i]);
	}
	for (int i = 0; i < 12; i++)
		put_float(h + 280 + 4 * i, x, x->rows[i]);
	memcpy(h + 344, x->pair ? "ni1" : "n+1", 4);
	return 352;
}

static inline size_t put_head_2(unsigned char *h, const foreign *x)
{
	put_int(h, x, 540);
	memcpy(h + 4, "n+2\0\r\n\032\n", 8);
	put_short(h + 12, x, x->datatype);
	put_short(h + 14, x, 8 * (int)size_of(x->datatype));
	for (int i = 0; i < 8; i++) {
		put_long(h + 16 + 8 * i, x, x->dim[i]);
		put_double(h + 104 + 8 * i, x, x->pixdim[i]);
	}
	put_long(h + 168, x, 544);
	put_double(h + 176, x, x->slope);
	put_double(h + 184, x, x->offset);
	put_int(h + 344, x, x->qform);
	put_int(h + 348, x, x->sform);
	for (int i = 0; i < 3; i++) {
		put_double(h + 352 + 8 * i, x, x->quatern[i]);
		put_double(h + 376 + 8 * i, x, x->qoffset[i]);
	}
	for (int i = 0; i < 12; i++)
		put_double(h + 400 + 8 * i, x, x->rows[i]);
	put_int(h + 500, x, x->units);
	return 544;
}

static inline void put_value(unsigned char *to, const foreign *x, double value)
{
	switch (x->datatype) {
	case 2:
		*to = (unsigned char)value;
		break;
	case 256:
		*(signed char *)to = (signed char)value;
		break;
	case 4:
		put_short(to, x, (long long)value);
		break;
	case 512:
		put(to, x, &(uint16_t){ (uint16_t)value }, 2);
		break;
	case 8:
		put_int(to, x, (int)value);
		break;
	case 768:
		put(to, x, &(uint32_t){ (uint32_t)value }, 4);
		break;
	case 1024:
	case 1280:
		put_long(to, x, (long long)value);
		break;
	case 64:
		put_double(to, x, value);
		break;
	default:
		put_float(to, x, value);
	}
}

static inline double counted(size_t i) { return 3 + 2 * (double)i; }

/* Writes the first n voxels. */
static inline void write_foreign(const foreign *x, size_t n, double (*value)(size_t i))
{
	unsigned char bytes[1024] = { 0 };
	size_t at = x->version == 1 ? put_head_1(bytes, x) : put_head_2(bytes, x);
	for (size_t i = 0; i < n; i++, at += size_of(x->datatype))
		put_value(bytes + at, x, value(i));
	FILE *f = fopen(path, "wb");
	ck_assert(f && fwrite(bytes, 1, at, f) == at && fclose(f) == 0);
}

/* Without the library every call is refused. */
static inline int is_built_without(void)
{
	float one = 1;
	gt_volume v = { .tag = GT_IS_VOLUME, .grid = { { 1, 1, 1 }, { 1, 1, 1 }, { 0 } }, .data = &one };
	char name[] = "/tmp/gantry-nifti-XXXXXX.nii";
	const int file = mkstemps(name, 4);
	const gt_status st = gt_write_volume(name, NULL, &v);
	if (file >= 0)
		close(file);
	unlink(name);
	if (st != GT_OK)
		printf("skipped: %s\n", gt_error());
	return st == GT_ERR_UNSUPPORTED && strstr(gt_error(), "libnifti2-dev");
}
#endif
