/* Writes projections to NetCDF by views and rows in any order. libnetcdf creates the file with contiguous blocks; HDF5
 * reports their offsets; several threads then write there directly. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "io/file_access.h"
#include "io/netcdf/nc.h"
#include "io/netcdf/netcdf.h"
#include "io/view_writer.h"

const char *const gt_netcdf_blocks[2] = { "projections", "weight" };
/* MIN_TO_DISK: smaller writes are scattered, so flushing each early would cost a request of its own. */
enum { WRITERS = 4, MIN_TO_DISK = 1 << 20 };

struct views {
	struct gt_view_writer base;
	gt_nc nc;
	int file; /* -1: none */
	off_t begin[2];
};

static off_t place_of(const struct views *v, int weights, size_t view, size_t row)
{
	return v->begin[weights != 0] + (off_t)(((view * v->base.size[1] + row) * v->base.size[2]) * sizeof(float));
}

static gt_status write_(gt_view_writer *self, int weights, size_t view, size_t row, size_t rows, const float *data)
{
	const struct views *v = (const struct views *)self;
	const off_t at = place_of(v, weights, view, row);
	const size_t bytes = rows * self->size[2] * sizeof *data;
	const gt_status st = gt_write_at(self->path, v->file, at, bytes, data);
	/* A system with much memory would otherwise write only at the commit, after all computation. */
	if (st == GT_OK && self->settled && bytes >= MIN_TO_DISK)
		gt_begin_to_disk(v->file, at, bytes);
	return st;
}

static gt_status read_(gt_view_writer *self, int weights, size_t view, size_t row, size_t rows, float *data)
{
	const struct views *v = (const struct views *)self;
	return gt_read_at(self->path, v->file, place_of(v, weights, view, row), rows * self->size[2] * sizeof *data, data);
}

static void free_all(struct views *v)
{
	if (v->file >= 0)
		close(v->file);
	gt_nc_drop(&v->nc);
	gt_pool_free(v->base.pool);
	free(v);
}

static void drop_(gt_view_writer *self) { free_all((struct views *)self); }

static gt_status commit_(gt_view_writer *self)
{
	struct views *v = (struct views *)self;
	const gt_status st = gt_nc_commit(&v->nc);
	free_all(v);
	return st;
}

/* Finds the offsets of the blocks in the file through HDF5. */
static gt_status find_blocks(struct views *v)
{
	const gt_hdf5_quiet before = gt_hdf5_hush();
	const hid_t file = H5Fopen(v->nc.tmp, H5F_ACC_RDONLY, H5P_DEFAULT);
	int found = file >= 0;
	for (int k = 0; k <= (v->base.weighted != 0) && found; k++) {
		const hid_t block = H5Dopen2(file, gt_netcdf_blocks[k], H5P_DEFAULT);
		const haddr_t at = block >= 0 ? H5Dget_offset(block) : HADDR_UNDEF;
		found = at != HADDR_UNDEF;
		v->begin[k] = (off_t)at;
		if (block >= 0)
			H5Dclose(block);
	}
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&before);
	return found ? GT_OK : gt_fail(GT_ERR_IO, "%s: cannot be written in chunks: HDF5 reports no offset for a block", v->base.path);
}

gt_status gt_netcdf_create_views(const char *path, const gt_projections *head, int weighted, gt_view_writer **out)
{
	const gt_scan *s = head->scan;
	gt_status st = GT_OK;
	struct views *v = calloc(1, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	v->base = (struct gt_view_writer){ .path = path,
		                           .size = { s->views, s->rows, s->columns },
		                           .weighted = weighted,
		                           .write = write_,
		                           .read = read_,
		                           .commit = commit_,
		                           .drop = drop_ };
	v->nc = (gt_nc){ .path = path, .id = -1 };
	v->file = -1;
	GT_TRY(gt_pool_new(WRITERS, &v->base.pool));
	GT_TRY(gt_nc_create(path, (double)gt_scan_size(s) * sizeof(float) * (weighted ? 2 : 1), &v->nc));
	GT_TRY(gt_netcdf_put_head(head, weighted, &v->nc));
	GT_TRY(gt_nc_finish(&v->nc));
	GT_TRY(find_blocks(v));
	if ((v->file = open(v->nc.tmp, O_RDWR | O_CLOEXEC)) < 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written", path));
	*out = &v->base;
	v = NULL;
done:
	if (v)
		free_all(v);
	return st;
}
