/* Reads float blocks of NetCDF files in slabs along their first dimension, and rejects invalid values. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "core/clones.h"
#include "core/poll.h"
#include "core/try.h"
#include "io/netcdf/nc.h"

typedef struct {
	size_t bad, low, first_bad, first_low;
} faults;

static void note_faults(double min, float value, size_t index, faults *seen)
{
	if (!isfinite(value)) {
		if (!seen->bad++)
			seen->first_bad = index;
	} else if (value < min) {
		if (!seen->low++)
			seen->first_low = index;
	}
}

/* Faults are rare: this loop has no branches, so it costs little compared with reading. */
GT_CLONES static int has_faults(double min, const float *values, size_t n)
{
	const float low = (float)min;
	int bad = (double)low != min; /* a fault: test every value */
	for (size_t i = 0; i < n; i++)
		bad |= !(fabsf(values[i]) <= FLT_MAX) | (values[i] < low);
	return bad;
}

struct looking {
	double min;
	const float *values;
	atomic_int bad;
};

static void look(void *self, size_t begin, size_t end, int worker)
{
	struct looking *l = self;
	(void)worker;
	if (has_faults(l->min, l->values + begin, end - begin))
		l->bad = 1;
}

enum { GRAIN = 1 << 18 };

/* Returns a thread pool for large arrays; NULL for small ones or without memory. */
static gt_pool *threads_for(size_t n)
{
	gt_pool *pool = NULL;
	return n > 16 * GRAIN && gt_pool_new(0, &pool) == GT_OK ? pool : NULL;
}

static int any_faults(gt_pool *pool, double min, const float *values, size_t n)
{
	struct looking l = { min, values, 0 };
	gt_parallel(pool, n, GRAIN, look, &l);
	return l.bad;
}

/* bytes, as double */
#define MAX_AT_ONCE 256e6

/* Slabs are whole chunks, unless these are very thick: no chunk is decompressed twice. */
static size_t slab_thickness(const gt_nc *f, int id, const size_t size[3])
{
	const double plane = (double)size[1] * (double)size[2] * sizeof(double), wanted = 16e6, max = MAX_AT_ONCE;
	size_t chunk[3], n = plane < wanted ? (size_t)(wanted / plane) : 1;
	int storage;
	if (nc_inq_var_chunking(f->id, id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED && (double)chunk[0] * plane < max)
		n = n < chunk[0] ? chunk[0] : n - n % chunk[0];
	return n < size[0] ? n : size[0];
}

static gt_status refuse_faults(const gt_nc *f, const char *name, const size_t size[3], const faults *seen, double min)
{
	const size_t at = seen->bad ? seen->first_bad : seen->first_low, plane = size[1] * size[2];
	if (seen->bad)
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: variable %s: %zu of %zu values are NaN, infinite or missing, the first at [%zu][%zu][%zu]; expected finite numbers",
			f->path, name, seen->bad, size[0] * plane, at / plane, at / size[2] % size[1], at % size[2]);
	if (seen->low)
		return gt_fail(GT_ERR_FORMAT, "%s: variable %s: %zu of %zu values are below %g, the first at [%zu][%zu][%zu]", f->path,
		               name, seen->low, size[0] * plane, min, at / plane, at / size[2] % size[1], at % size[2]);
	return GT_OK;
}

gt_status gt_nc_some_floats(const gt_nc *f, const char *name, const size_t size[3], size_t begin, size_t n, double min, float *values)
{
	gt_status st;
	gt_nc_packing p;
	faults seen = { 0, 0, 0, 0 };
	double *wide = NULL;
	const size_t plane = size[1] * size[2], some[3] = { n, size[1], size[2] };
	gt_pool *pool = threads_for(n * plane);
	GT_TRY(gt_nc_packing_of(f, name, &p));
	const size_t slab = slab_thickness(f, p.id, some);
	if (p.type != NC_FLOAT && !(wide = malloc(slab * plane * sizeof *wide)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: variable %s: out of memory", f->path, name));
	for (size_t first = 0; first < n; first += slab) {
		const size_t start[3] = { begin + first, 0, 0 }, count[3] = { n - first < slab ? n - first : slab, size[1], size[2] };
		float *out = values + first * plane;
		GT_TRY(gt_nc_check(f, name, gt_nc_get_block(f, &p, start, count, pool, wide, out)));
	}
	const int looks = any_faults(pool, min, values, n * plane);
	for (size_t i = 0; looks && i < n * plane; i++)
		note_faults(min, values[i], begin * plane + i, &seen);
	st = refuse_faults(f, name, some, &seen, min);
done:
	gt_pool_free(pool);
	free(wide);
	return st;
}

gt_status gt_nc_floats(const gt_nc *f, const char *name, const size_t size[3], double min, float *values)
{
	return gt_nc_some_floats(f, name, size, 0, size[0], min, values);
}

size_t gt_nc_together(const gt_nc *f, const char *name, const size_t size[3])
{
	int id, storage;
	size_t chunk[3];
	if (nc_inq_varid(f->id, name, &id) != NC_NOERR || nc_inq_var_chunking(f->id, id, &storage, chunk) != NC_NOERR ||
	    storage != NC_CHUNKED || (double)chunk[0] * (double)size[1] * (double)size[2] * sizeof(double) > MAX_AT_ONCE)
		return 1;
	return chunk[0] > 1 ? chunk[0] : 1;
}
