/* libhdf5 caches 1 MiB of a data set: reading single images would decompress a chunk once for each of its images. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/host_memory.h"
#include "io/hdf5/hdf5_block.h"

/* Bytes of a block: at least LEAST, else this fraction of the available memory. */
#define LEAST ((size_t)128 << 20)
#define PART 0.25
/* Bytes of images that are read together from a virtual data set, whose sources are all looked up in each call. */
#define VIRTUAL ((size_t)4 << 20)

gt_hdf5_block gt_hdf5_block_of(const gt_hdf5_data *d)
{
	const hid_t made = H5Dget_create_plist(d->id);
	const size_t images = (size_t)d->size[0], pixels = (size_t)(d->size[1] * d->size[2]);
	const double available = gt_host_available(), part = PART * available;
	hsize_t chunk[H5S_MAX_RANK] = { 1 };
	gt_hdf5_block b = { .chunk = 1, .number = gt_hdf5_numbers_of(d->id) };
	const H5D_layout_t layout = H5Pget_layout(made);
	if (d->rank == 3 && layout == H5D_CHUNKED && H5Pget_chunk(made, H5S_MAX_RANK, chunk) == 3)
		b.chunk = chunk[0] < images ? (size_t)chunk[0] : images;
	else if (layout == H5D_VIRTUAL && VIRTUAL / b.number.bytes / pixels > 1)
		b.chunk = VIRTUAL / b.number.bytes / pixels < images ? VIRTUAL / b.number.bytes / pixels : images;
	H5Pclose(made);
	const size_t fit = (part > (double)LEAST ? (size_t)part : LEAST) / (pixels * b.number.bytes);
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

/* Images next to this one, up to the first that the file lacks: libhdf5 fails on sources that do not fit. */
static void leave_out_holes(const gt_hdf5_holes *holes, size_t image, size_t *begin, size_t *n)
{
	size_t end = *begin + *n;
	if (!holes->cause)
		return;
	for (size_t i = *begin; i < image; i++)
		*begin = holes->cause[i] ? i + 1 : *begin;
	for (size_t i = end; i > image + 1; i--)
		end = holes->cause[i - 1] ? i - 1 : end;
	*n = end - *begin;
}

/* Reads the chunk that contains the image, or the part of it that fits. */
static gt_status load(gt_hdf5_block *b, const gt_hdf5_data *d, size_t image)
{
	const size_t within = image % b->chunk, of_chunk = b->chunk - (within - within % b->max);
	size_t begin = image - within % b->max, n = of_chunk < b->max ? of_chunk : b->max;
	const size_t bytes = b->max * (size_t)(d->size[1] * d->size[2]) * b->number.bytes;
	if (b->n && image >= b->first && image < b->first + b->n)
		return GT_OK;
	if (!b->data && !(b->data = gt_host_alloc(bytes)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", d->path);
	b->n = 0;
	n = n < (size_t)d->size[0] - begin ? n : (size_t)d->size[0] - begin;
	leave_out_holes(&d->holes, image, &begin, &n);
	const gt_status st = gt_hdf5_images(d, b->number.type, begin, n, b->data);
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
	b->number.to_float((const char *)b->data + at * b->number.bytes, n, out);
	return GT_OK;
}
