/* An object, its scan and its draws of noise; the tissue class of every voxel. */
#include <gantry/author/constants.h>
#include <gantry/array.h>
#include "apps/study/quality/quality.h"

enum { AROUND = 2 };

/* Pixels of the small study over the pixels of this size. */
static double finer(quality_size size)
{
	static const double by[] = {
		[QUALITY_TINY] = 1 / 4., [QUALITY_QUICK] = 1 / 3., [QUALITY_COARSE] = 1 / 2., [QUALITY_SMALL] = 1, [QUALITY_FULL] = 4
	};
	return by[size];
}

static gt_status make_scan(const quality_case *c, quality_size size, gt_scan **scan)
{
	gt_orbit orbit = gt_scanner_find(c->scanner)->orbit;
	gt_orbit_reduce(&orbit, (size_t)fmax(1, (double)c->reduce / finer(size)));
	if (size == QUALITY_FULL)
		orbit.rows = c->rows < orbit.rows ? c->rows : orbit.rows;
	else if (!c->all_rows)
		orbit.rows = 1;
	orbit.views /= c->every;
	if (c->columns)
		orbit.columns = (size_t)((double)c->columns * finer(size));
	return gt_scan_orbit(&orbit, scan);
}

static gt_grid grid_of(const quality_case *c, quality_size size)
{
	gt_grid g = { .n = { 1, 1, size == QUALITY_FULL ? c->slices : 1 }, .center = { c->center[0], c->center[1], 0 } };
	for (int a = 0; a < 2; a++) {
		g.n[a] = (size_t)((double)c->n[a] * finer(size));
		g.pitch[a] = c->pitch / finer(size);
	}
	g.pitch[2] = size == QUALITY_FULL ? g.pitch[0] : c->height / finer(size);
	return g;
}

/* Slices of the truth. For one row they are at most as high as the row at the axis. Slices of the volume are higher,
 * to contain all rays; their mean would include parts of the object that no ray crosses. */
static gt_grid object_grid(const quality_scene *c)
{
	const gt_scan *s = c->scan;
	const double smaller = s->source_to_axis > 0 ? s->source_to_axis / s->source_to_detector : 1;
	gt_grid g = c->grid;
	if (s->rows == 1)
		g.pitch[2] = fmin(g.pitch[2], s->row_pitch * smaller);
	return g;
}

static int kind_of(double hu)
{
	return fabs(hu - 40) <= 60 ? QUALITY_SOFT
	       : hu > 500          ? QUALITY_BONE
	       : hu < -900         ? QUALITY_AIR
	       : hu < -500         ? QUALITY_LUNG
	                           : QUALITY_EDGE;
}

static double hu_at(const quality_scene *c, size_t at) { return 1000 * (c->truth[at] / c->of->water - 1); }

/* Returns the common kind of all voxels within `around` along each axis of more than 2 around; QUALITY_EDGE if they
 * differ. */
static int kind_around(const quality_scene *c, const size_t at[3], size_t around)
{
	size_t from[3], to[3];
	int kind = -1;
	for (int a = 0; a < 3; a++) {
		const size_t n = c->grid.n[a], by = n > 2 * around ? around : 0;
		from[a] = at[a] > by ? at[a] - by : 0;
		to[a] = at[a] + by < n ? at[a] + by : n - 1;
	}
	for (size_t z = from[2]; z <= to[2]; z++)
		for (size_t y = from[1]; y <= to[1]; y++)
			for (size_t x = from[0]; x <= to[0]; x++) {
				const int here = kind_of(hu_at(c, x + c->grid.n[0] * (y + c->grid.n[1] * z)));
				if (kind >= 0 && here != kind)
					return QUALITY_EDGE;
				kind = here;
			}
	return kind;
}

static gt_status make_kinds(quality_scene *c)
{
	const size_t n = gt_grid_voxels(&c->grid), wide = c->grid.n[0], high = c->grid.n[1];
	GT_OR_RETURN(study_new(n, sizeof *c->kind, &c->kind));
	for (size_t i = 0; i < n; i++) {
		const size_t at[3] = { i % wide, i / wide % high, i / wide / high };
		c->kind[i] = (unsigned char)kind_around(c, at, c->size < QUALITY_SMALL ? 1 : AROUND + (c->size == QUALITY_FULL));
		c->count[c->kind[i]]++;
	}
	c->count[QUALITY_ALL] = n;
	return GT_OK;
}

gt_status quality_draw(study *s, const quality_scene *c, int seed, gt_projections **p)
{
	const size_t n = gt_scan_size(c->scan);
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(s->threads, &pool));
	GT_TRY(gt_projections_new(c->scan, p));
	GT_TRY(gt_projections_set_water(*p, c->of->water));
	float *data = gt_projections_data(*p);
	for (size_t i = 0; i < n; i++)
		data[i] = c->lines[i];
	gt_add_photon_noise(c->of->photons, 0, (uint64_t)seed, 0, pool, data, n);
done:
	gt_pool_free(pool);
	return st;
}

gt_status quality_scene_new(study *s, const quality_case *c, quality_size size, quality_scene *scene)
{
	gt_phantom_options o = gt_phantom_defaults;
	const study_object object = { c->own ? c->key : c->object, c->own ? c->object : NULL, &o };
	gt_status st = GT_OK;
	o.water = c->water;
	o.scale = c->scale;
	*scene = (quality_scene){ .of = c, .size = size, .grid = grid_of(c, size) };
	GT_TRY(make_scan(c, size, &scene->scan));
	const gt_grid of_object = object_grid(scene);
	GT_TRY(study_simulate(s, &object, scene->scan, quality_rays(c), &scene->lines, &of_object, &scene->truth));
	GT_TRY(make_kinds(scene));
	for (int d = 0; d < QUALITY_DRAWS; d++)
		GT_TRY(quality_draw(s, scene, d + 1, &scene->p[d])); /* each by its own seed */
done:
	if (st != GT_OK)
		quality_scene_free(scene);
	return st;
}

void quality_scene_free(quality_scene *c)
{
	for (int d = 0; d < QUALITY_DRAWS; d++)
		gt_projections_free(c->p[d]);
	gt_scan_free(c->scan);
	free(c->truth);
	free(c->lines);
	free(c->kind);
	*c = (quality_scene){ .of = NULL };
}
