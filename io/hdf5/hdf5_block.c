/* libhdf5 caches 1 MiB of a data set: reading single images would decompress a chunk once for each of its images. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/host_memory.h>
#include "core/device/host_memory.h"
#include "io/hdf5/hdf5_block.h"

/* Bytes of a block: at least LEAST, else this fraction of the available memory. */
#define LEAST ((size_t)128 << 20)
#define PART 0.25

static void choose_type(const gt_hdf5_data *d, gt_hdf5_block *b)
{
	const hid_t type = H5Dget_type(d->id);
	const int narrow = H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= 2;
	b->type = !narrow ? H5T_NATIVE_FLOAT : H5Tget_sign(type) == H5T_SGN_2 ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
	b->bytes = narrow ? sizeof(uint16_t) : sizeof(float);
	H5Tclose(type);
}

gt_hdf5_block gt_hdf5_block_of(const gt_hdf5_data *d)
{
	const hid_t made = H5Dget_create_plist(d->id);
	const size_t images = (size_t)d->size[0], pixels = (size_t)(d->size[1] * d->size[2]);
	const double available = gt_host_available(), part = PART * available;
	hsize_t chunk[H5S_MAX_RANK] = { 1 };
	gt_hdf5_block b = { .chunk = 1 };
	choose_type(d, &b);
	if (d->rank == 3 && H5Pget_layout(made) == H5D_CHUNKED && H5Pget_chunk(made, H5S_MAX_RANK, chunk) == 3)
		b.chunk = chunk[0] < images ? (size_t)chunk[0] : images;
	H5Pclose(made);
	const size_t fit = (part > (double)LEAST ? (size_t)part : LEAST) / (pixels * b.bytes);
	if (b.chunk > 1 && fit > 1)
		b.max = b.chunk < fit ? b.chunk : fit;
	return b;
}

void gt_hdf5_block_free(gt_hdf5_block *b)
{
	free(b->data);
	b->data = NULL;
	b->n = 0;
}

/* Reads the chunk that contains the image, or the part of it that fits. */
static gt_status load(gt_hdf5_block *b, const gt_hdf5_data *d, size_t image)
{
	const size_t within = image % b->chunk, begin = image - within % b->max, of_chunk = b->chunk - (begin - (image - within)),
		     left = (size_t)d->size[0] - begin, min = of_chunk < left ? of_chunk : left, n = min < b->max ? min : b->max;
	const size_t bytes = b->max * (size_t)(d->size[1] * d->size[2]) * b->bytes;
	if (b->n && image >= b->first && image < b->first + b->n)
		return GT_OK;
	if (!b->data && !(b->data = gt_host_alloc(bytes)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", d->path);
	b->n = 0;
	const gt_status st = gt_hdf5_images(d, b->type, begin, n, b->data);
	b->first = begin;
	b->n = st == GT_OK ? n : 0;
	return st;
}

gt_status gt_hdf5_block_read(gt_hdf5_block *b, const gt_hdf5_data *d, size_t image, size_t row, size_t rows, float *out)
{
	const gt_status checked = gt_hdf5_check_holes(&d->holes, d->path, d->name, image, 1),
			st = checked == GT_OK ? load(b, d, image) : checked;
	if (st != GT_OK)
		return st;
	const size_t columns = (size_t)d->size[2], n = rows * columns, at = ((image - b->first) * (size_t)d->size[1] + row) * columns;
	if (b->bytes == sizeof(float)) {
		memcpy(out, (const float *)b->data + at, n * sizeof *out);
	} else if (b->type == H5T_NATIVE_UINT16) {
		const uint16_t *from = (const uint16_t *)b->data + at;
		for (size_t i = 0; i < n; i++)
			out[i] = from[i];
	} else {
		const int16_t *from = (const int16_t *)b->data + at;
		for (size_t i = 0; i < n; i++)
			out[i] = from[i];
	}
	return GT_OK;
}
