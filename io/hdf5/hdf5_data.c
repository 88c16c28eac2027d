/* Data sets of HDF5 files, of any integer or float type: the library converts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/try.h"
#include "io/file_access.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_numbers.h"

gt_status gt_hdf5_has(hid_t file, const char *path, const char *name, int *has)
{
	char part[256];
	*has = 0;
	for (size_t n = 1; n < sizeof part; n++) {
		if (name[n] && name[n] != '/')
			continue;
		memcpy(part, name, n);
		part[n] = 0;
		const htri_t link = H5Lexists(file, part, H5P_DEFAULT),
			     object = link > 0 ? H5Oexists_by_name(file, part, H5P_DEFAULT) : link;
		if (object < 0)
			return gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be looked up: damaged, or out of memory", path, part);
		*has = object > 0 && !name[n];
		if (object == 0 || *has)
			break;
	}
	return GT_OK;
}

static gt_status shape_of(gt_hdf5_data *d, int min_rank)
{
	const hid_t space = H5Dget_space(d->id);
	hsize_t size[H5S_MAX_RANK];
	d->rank = H5Sget_simple_extent_ndims(space);
	if (d->rank > 0)
		H5Sget_simple_extent_dims(space, size, NULL);
	H5Sclose(space);
	if (d->rank < min_rank || d->rank > 3)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: has %d dimensions, expected %d%s", d->path, d->name, d->rank, min_rank,
		               min_rank < 3 ? " to 3" : "");
	for (int i = 0; i < d->rank; i++) {
		d->size[3 - d->rank + i] = size[i];
		if (size[i] == 0)
			return gt_fail(GT_ERR_FORMAT, "%s: %s: dimension %d has size 0, expected at least 1", d->path, d->name, i);
	}
	return GT_OK;
}

/* Largest compression ratio of any method, for zeros. */
#define MAX_COMPRESSED 65536.0
/* libhdf5 reads whole chunks, also if the data set fills a small part of them. */
#define MAX_CHUNK (64.0 * 1048576)
#define MAX_CHUNK_PER_BYTE 4.0
/* Minimum bytes of a chunk's entry in the index. */
#define CHUNK_ENTRY 8.0
/* Numbers of images and of list entries that are always accepted. */
enum { MAX_COUNT = 1 << 20 };
#define MIN_BYTES_PER_IMAGE 64.0
/* An interrupted scan contains at least this fraction (1/N) of its chunks. */
#define MAX_UNWRITTEN 64.0
/* Images with noise never reach this compression ratio, but constant ones do. */
#define MAX_OF_IMAGES 200.0

/* Stored bytes and chunks according to the data set, and the possible compression. */
typedef struct {
	double bytes, chunks, chunk, ratio; /* chunk: bytes; ratio: 1 if not compressed */
	double stored;                      /* bytes of the written chunks, unpacked */
	int elsewhere;
} claim;

/* Number of written chunks; all if the library does not count them. */
static double written_chunks(const gt_hdf5_data *d, double all)
{
#if H5_VERSION_GE(1, 10, 5)
	hsize_t n = 0;
	const hid_t space = H5Dget_space(d->id);
	const int known = H5Dget_num_chunks(d->id, space, &n) >= 0;
	H5Sclose(space);
	return known && (double)n < all ? (double)n : all;
#else
	(void)d;
	return all;
#endif
}

/* Chunks that were never written occupy no space; reading them is refused (hdf5_holes.h). */
static void claim_chunks(const gt_hdf5_data *d, hid_t made, double value, claim *c)
{
	hsize_t chunk[H5S_MAX_RANK];
	double each = value;
	if (H5Pget_chunk(made, H5S_MAX_RANK, chunk) != d->rank)
		return;
	for (int i = 0; i < d->rank; i++) {
		c->chunks *= ceil((double)d->size[3 - d->rank + i] / (double)chunk[i]);
		each *= (double)chunk[i];
	}
	c->chunk = each;
	const double written = written_chunks(d, c->chunks);
	c->stored = each * written;
	if (written < c->chunks) {
		c->bytes = fmax(c->bytes / MAX_UNWRITTEN, fmin(c->bytes, c->stored));
		c->chunks = fmax(c->chunks / MAX_UNWRITTEN, written);
	}
}

static double ratio_of(hid_t made)
{
	const int filters = H5Pget_nfilters(made);
	double ratio = filters > 0 ? GT_MAX_DEFLATED : 1;
	for (int i = 0; i < filters; i++) {
		unsigned flags, config;
		size_t values = 0;
		const H5Z_filter_t filter = H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
		if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
			ratio = MAX_COMPRESSED;
	}
	return ratio;
}

static claim claim_of(const gt_hdf5_data *d)
{
	const hid_t type = H5Dget_type(d->id), made = H5Dget_create_plist(d->id);
	const H5D_layout_t layout = H5Pget_layout(made);
	const double value = (double)H5Tget_size(type);
	claim c = { .bytes = value * (double)d->size[0] * (double)d->size[1] * (double)d->size[2], .chunks = 1 };
	c.ratio = layout == H5D_CHUNKED ? ratio_of(made) : 1;
	c.elsewhere = layout == H5D_VIRTUAL || H5Pget_external_count(made) > 0;
	if (layout == H5D_CHUNKED)
		claim_chunks(d, made, value, &c);
	H5Pclose(made);
	H5Tclose(type);
	return c;
}

/* A damaged or malicious file of some kB may claim terabytes, which HDF5 would read as a constant. */
static gt_status check_claim(const gt_hdf5_data *d)
{
	const claim c = claim_of(d);
	const hid_t file = H5Iget_file_id(d->id);
	hsize_t size = 0;
	const int known = H5Fget_filesize(file, &size) >= 0;
	H5Fclose(file);
	if (c.elsewhere)
		return gt_fail_in(gt_host_has_memory(c.bytes, d->name), "%s", d->path);
	if (c.chunk > MAX_CHUNK && c.chunk > MAX_CHUNK_PER_BYTE * c.bytes)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: has chunks of %.3g bytes for %.3g bytes of data: expected smaller chunks (h5repack)",
		               d->path, d->name, c.chunk, c.bytes);
	if (known && c.bytes <= c.ratio * (double)size && (c.chunks - 1) * CHUNK_ENTRY <= (double)size)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: %s: claims %llu x %llu x %llu values, %.3g bytes%s in %.3g chunks, in a file of %llu bytes",
	               d->path, d->name, (unsigned long long)d->size[0], (unsigned long long)d->size[1], (unsigned long long)d->size[2],
	               c.bytes, c.ratio > 1 ? ", compressed," : "", c.chunks, (unsigned long long)size);
}

/* 1: all but a thousandth of the pixels of an image equal the first one, or the image exceeds the memory. Simulated
 * scans without noise have empty images too, but the first, the central and the last one are seldom all empty. */
static gt_status is_constant(const gt_hdf5_data *d, hsize_t image, int *constant)
{
	const gt_hdf5_numbers_type number = gt_hdf5_numbers_of(d->id);
	const size_t n = (size_t)(d->size[1] * d->size[2]);
	size_t others = 0;
	if ((*constant = gt_host_has_memory((double)n * (double)number.bytes, d->name) != GT_OK))
		return GT_OK;
	char *value = malloc(n * number.bytes);
	if (!value)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", d->path);
	const gt_status st = gt_hdf5_images(d, number.type, image, 1, value);
	for (size_t i = 1; i < n && st == GT_OK; i++)
		others += memcmp(value, value + i * number.bytes, number.bytes) != 0;
	free(value);
	*constant = 1000 * others < n;
	return st;
}

gt_status gt_hdf5_check_constant(const gt_hdf5_data *d)
{
	const claim c = claim_of(d);
	const double packed = (double)H5Dget_storage_size(d->id);
	int constant = c.ratio > 1 && c.stored > MAX_CHUNK && packed > 0 && c.stored > MAX_OF_IMAGES * packed;
	for (hsize_t i = 0; i < 3 && constant; i++) {
		const gt_status st = is_constant(d, i * (d->size[0] - 1) / 2, &constant);
		if (st != GT_OK)
			return st;
	}
	return constant ? gt_fail(GT_ERR_FORMAT,
	                          "%s: %s: its %.3g bytes of images are compressed to %.3g: they are constant, expected a scan", d->path,
	                          d->name, c.stored, packed)
	                : GT_OK;
}

/* If images are tiny, tables with one number for each image exceed the file's size. */
gt_status gt_hdf5_check_count(const gt_hdf5_data *d, double n, const char *what)
{
	const hid_t file = H5Iget_file_id(d->id);
	hsize_t size = 0;
	const int known = H5Fget_filesize(file, &size) >= 0;
	H5Fclose(file);
	if (n <= MAX_COUNT || (known && n * MIN_BYTES_PER_IMAGE <= (double)size))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: %s: claims %.0f %s in a file of %llu bytes: expected at most %d, or %g bytes for each", d->path,
	               d->name, n, what, (unsigned long long)size, (int)MAX_COUNT, MIN_BYTES_PER_IMAGE);
}

gt_status gt_hdf5_open(hid_t file, const char *path, const char *name, int min_rank, gt_hdf5_data *d)
{
	*d = (gt_hdf5_data){ .path = path, .name = name, .id = -1, .size = { 1, 1, 1 } };
	int has;
	gt_status st = gt_hdf5_has(file, path, name, &has);
	if (st != GT_OK)
		return st;
	if (!has)
		return gt_fail(GT_ERR_FORMAT, "%s: %s is missing", path, name);
	if ((d->id = H5Dopen2(file, name, H5P_DEFAULT)) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: expected a data set", path, name);
	const hid_t type = H5Dget_type(d->id);
	const H5T_class_t class = H5Tget_class(type);
	H5Tclose(type);
	if (class != H5T_INTEGER && class != H5T_FLOAT)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: expected numbers", path, name);
	st = shape_of(d, min_rank);
	if (st == GT_OK)
		st = check_claim(d);
	return st != GT_OK ? st : gt_hdf5_find_holes(d->id, path, name, (size_t)d->size[0], &d->holes);
}

void gt_hdf5_close(gt_hdf5_data *d)
{
	if (d->id >= 0)
		H5Dclose(d->id);
	d->id = -1;
	gt_hdf5_holes_free(&d->holes);
}

gt_status gt_hdf5_images(const gt_hdf5_data *d, hid_t type, hsize_t first, hsize_t count, void *values)
{
	const hsize_t start[3] = { first, 0, 0 }, block[3] = { count, d->size[1], d->size[2] };
	const size_t bytes = (size_t)(block[0] * block[1] * block[2]) * H5Tget_size(type);
	const int skip = 3 - d->rank, floats = H5Tget_class(type) == H5T_FLOAT;
	const hid_t space = H5Dget_space(d->id), memory = H5Screate_simple(3, block, NULL);
	/* without a dimension of planes, all data are one plane */
	int bad = skip ? H5Sselect_all(space) < 0 : H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) < 0;
	/* libhdf5 leaves memory unchanged if a damaged file lacks values */
	for (size_t i = 0; i < bytes / sizeof(float) && floats; i++)
		((float *)values)[i] = NAN; /* two of them are a double that is no number */
	if (!floats)
		memset(values, 0, bytes);
	bad = bad || H5Dread(d->id, type, memory, space, H5P_DEFAULT, values) < 0;
	H5Sclose(memory);
	H5Sclose(space);
	return bad ? gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be read: damaged, or compressed by a method that is not installed", d->path,
	                     d->name)
	           : GT_OK;
}

gt_status gt_hdf5_doubles(const gt_hdf5_data *d, double *values)
{
	const gt_status st = gt_hdf5_check_holes(&d->holes, d->path, d->name, 0, (size_t)d->size[0]);
	if (st != GT_OK)
		return st;
	for (hsize_t i = 0; i < d->size[0] * d->size[1] * d->size[2]; i++)
		values[i] = NAN;
	if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be read", d->path, d->name);
	return GT_OK;
}

/* Reads one text of variable or fixed length, truncated to size. */
static gt_status read_text(hid_t id, hid_t type, char *text, size_t size)
{
	char *string = NULL;
	int bad;
	if (H5Tis_variable_str(type) > 0) {
		const hid_t memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
		bad = memory < 0 || H5Aread(id, memory, &string) < 0;
		if (!bad)
			snprintf(text, size, "%s", string ? string : "");
		H5free_memory(string);
		if (memory >= 0)
			H5Tclose(memory);
		return bad ? GT_ERR_FORMAT : GT_OK;
	}
	if (!(string = calloc(H5Tget_size(type) + 1, 1)))
		return GT_ERR_MEMORY;
	bad = H5Aread(id, type, string) < 0;
	if (!bad)
		snprintf(text, size, "%s", string);
	free(string);
	return bad ? GT_ERR_FORMAT : GT_OK;
}

gt_status gt_hdf5_text(const gt_hdf5_data *d, const char *attribute, char *text, size_t size)
{
	const htri_t there = H5Aexists(d->id, attribute);
	gt_status st = there < 0 ? GT_ERR_FORMAT : GT_OK;
	text[0] = 0;
	if (there > 0) {
		const hid_t id = H5Aopen(d->id, attribute, H5P_DEFAULT), type = id < 0 ? -1 : H5Aget_type(id),
			    space = id < 0 ? -1 : H5Aget_space(id);
		if (type < 0 || space < 0)
			st = GT_ERR_FORMAT;
		else if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1)
			st = read_text(id, type, text, size);
		if (space >= 0)
			H5Sclose(space);
		if (type >= 0)
			H5Tclose(type);
		if (id >= 0)
			H5Aclose(id);
	}
	if (st == GT_OK)
		return GT_OK;
	return gt_fail(st, "%s: %s: attribute %s: cannot be read: %s", d->path, d->name, attribute,
	               st == GT_ERR_MEMORY ? "out of memory" : "damaged, or out of memory");
}

gt_status gt_hdf5_number(hid_t file, const char *path, const char *name, double *value, char *units, size_t size, int *found)
{
	gt_hdf5_data d = { .path = path, .name = name, .id = -1, .size = { 1, 1, 1 } };
	hid_t space = -1, type = -1;
	gt_status st = gt_hdf5_has(file, path, name, found);
	if (st != GT_OK || !*found)
		return st;
	d.id = H5Dopen2(file, name, H5P_DEFAULT);
	if (d.id < 0 || (space = H5Dget_space(d.id)) < 0 || (type = H5Dget_type(d.id)) < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be read: not a data set, damaged, or out of memory", path, name));
	const H5T_class_t class = H5Tget_class(type);
	*found = H5Sget_simple_extent_npoints(space) == 1 && (class == H5T_FLOAT || class == H5T_INTEGER);
	if (*found) {
		GT_TRY(gt_hdf5_find_holes(d.id, path, name, 1, &d.holes));
		GT_TRY(gt_hdf5_doubles(&d, value));
	}
	GT_TRY(gt_hdf5_text(&d, "units", units, size));
done:
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	gt_hdf5_close(&d);
	return st;
}
