/* Reads projections in NetCDF by views and rows. */
#include <pthread.h>
#include <stdlib.h>
#include "core/try.h"
#include "io/netcdf/nc.h"
#include "io/netcdf/netcdf.h"
#include "io/view_reader.h"

static const char name[] = "projections";

struct views {
	struct gt_view_reader base;
	gt_nc file;
	gt_nc_packing packing;
	double *wide; /* one view; NULL if the file holds floats */
};

/* First come, first served: otherwise a thread that writes many chunks would lock out a reader. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long next, served;

void gt_nc_lock(void)
{
	pthread_mutex_lock(&library);
	const unsigned long mine = next++;
	while (served != mine)
		pthread_cond_wait(&changed, &library);
	pthread_mutex_unlock(&library);
}

void gt_nc_unlock(void)
{
	pthread_mutex_lock(&library);
	served++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&library);
}

static void close_(gt_view_reader *self)
{
	struct views *v = (struct views *)self;
	gt_nc_close(&v->file);
	free(v->wide);
	free(v);
}

static gt_status read_(gt_view_reader *self, size_t view, size_t row, size_t rows, float *out)
{
	struct views *v = (struct views *)self;
	const size_t start[3] = { view, row, 0 }, count[3] = { 1, rows, v->base.size[2] };
	gt_nc_lock();
	const gt_hdf5_quiet before = gt_hdf5_hush(); /* HDF5's error output is a setting of each thread */
	const gt_status st = gt_nc_check(&v->file, name, gt_nc_get_block(&v->file, &v->packing, start, count, NULL, v->wide, out));
	gt_hdf5_unhush(&before);
	gt_nc_unlock();
	return st;
}

/* Caches compressed chunks of several views until all of them are read. Other chunks bypass the cache, because only a
 * part of each is read. */
static gt_status set_cache(struct views *v)
{
	const int id = v->packing.id;
	int storage, shuffle, deflated = 0, level;
	size_t chunk[3], type;
	gt_status st;
	GT_TRY(gt_nc_check(&v->file, name, nc_inq_var_chunking(v->file.id, id, &storage, chunk)));
	if (storage != NC_CHUNKED)
		goto done;
	GT_TRY(gt_nc_check(&v->file, name, nc_inq_var_deflate(v->file.id, id, &shuffle, &deflated, &level)));
	GT_TRY(gt_nc_check(&v->file, name, nc_inq_type(v->file.id, v->packing.type, NULL, &type)));
	size_t bytes = type * chunk[0], chunks = 1;
	for (int a = 1; a < 3; a++) {
		const size_t n = (v->base.size[a] + chunk[a] - 1) / chunk[a];
		bytes *= n * chunk[a];
		chunks *= n;
	}
	const int kept = deflated || chunk[0] > 1;
	v->base.bytes += kept ? bytes : 0;
	st = gt_nc_check(&v->file, name, nc_set_var_chunk_cache(v->file.id, id, kept ? bytes : 1, kept ? 10 * chunks + 1 : 1, 0.75f));
done:
	return st;
}

static gt_status check_size(const gt_nc *f, const size_t size[3])
{
	static const char *const dimensions[] = { "view", "row", "column" }, *const one[] = { "1", "", NULL };
	gt_status st;
	int id, has;
	GT_TRY(gt_nc_has(f, name, &has));
	if (!has)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: variable %s is missing: the file holds the geometry alone", f->path, name));
	GT_TRY(gt_nc_variable(f, name, 3, dimensions, &id));
	GT_TRY(gt_nc_units(f, name, one));
	for (int a = 0; a < 3; a++) {
		size_t n;
		GT_TRY(gt_nc_dimension(f, dimensions[a], &n));
		if (n != size[a])
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: dimension %s: is %zu, expected the scan's %zu", f->path, dimensions[a], n,
			               size[a]));
	}
done:
	return st;
}

gt_status gt_netcdf_open_views(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **out)
{
	(void)o;
	gt_status st = GT_OK;
	struct views *v = calloc(1, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	v->base = (struct gt_view_reader){ .path = path, .size = { size[0], size[1], size[2] }, .read = read_, .close = close_ };
	v->file.id = -1;
	GT_TRY(gt_nc_open(path, &v->file));
	int weights, photons;
	GT_TRY(check_size(&v->file, size));
	GT_TRY(gt_nc_has(&v->file, gt_netcdf_blocks[1], &weights));
	GT_TRY(gt_nc_has(&v->file, "photons", &photons));
	v->base.statistics = weights || photons;
	GT_TRY(gt_nc_packing_of(&v->file, name, &v->packing));
	GT_TRY(set_cache(v));
	if (v->packing.type != NC_FLOAT) {
		const size_t bytes = size[1] * size[2] * sizeof *v->wide;
		v->base.bytes += bytes;
		if (!(v->wide = malloc(bytes)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: variable %s: out of memory", path, name));
	}
	*out = &v->base;
done:
	if (st != GT_OK)
		close_(&v->base);
	return st;
}
