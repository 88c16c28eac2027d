/* Phantoms at a size of the study, their data, and differences of volumes. */
#include "apps/study/iterative/iterative.h"
#include "geometry/grid.h"
#include "recon/weights/photon_weights.h"

enum { RAYS = 4, FINER_RAYS = 2 };

/* The study's own size is 1/base of the scanner's. */
static void resize(const study *s, int by, gt_orbit *orbit, gt_grid *grid)
{
	const size_t base = s->quick ? STUDY_QUICK : 1, all = by > 0 ? base * (size_t)by : base / (size_t)-by;
	*orbit = s->full;
	gt_orbit_reduce(orbit, all ? all : 1);
	if (by < 0)
		orbit->views = s->orbit.views;
	*grid = s->grid;
	for (int a = 0; a < 3; a++) {
		grid->n[a] = by < 0                          ? s->grid.n[a] * (a < 2 ? (size_t)-by : 1)
		             : s->grid.n[a] / (size_t)by > 1 ? s->grid.n[a] / (size_t)by
		                                             : 1;
		grid->pitch[a] = s->grid.pitch[a] * (double)s->grid.n[a] / (double)grid->n[a];
	}
}

gt_status study_scene_new(study *s, const char *name, int by, study_scene *c)
{
	gt_orbit orbit;
	gt_status st = GT_OK;
	*c = (study_scene){ 0 };
	study_step(s, "%s: exact line integrals", name);
	resize(s, by, &orbit, &c->shown);
	GT_TRY(gt_scan_orbit(&orbit, &c->scan));
	c->grid = c->shown;
	study_add_margin(&c->grid, c->scan, &c->below);
	GT_TRY(study_simulate(s, &(study_object){ .name = name }, c->scan, by < 0 ? FINER_RAYS : RAYS, &c->lines, &c->shown, &c->truth));
done:
	if (st != GT_OK)
		study_scene_free(c);
	return st;
}

void study_scene_free(study_scene *c)
{
	gt_scan_free(c->scan);
	free(c->thin ? NULL : c->truth);
	free(c->lines);
	*c = (study_scene){ 0 };
}

gt_status study_scene_thin(const study_scene *from, size_t every, study_scene *thin)
{
	gt_status st = GT_OK;
	*thin = *from;
	thin->thin = 1;
	thin->scan = NULL;
	thin->lines = NULL;
	GT_TRY(gt_scan_subset(from->scan, 0, every, &thin->scan));
	const size_t view = from->scan->rows * from->scan->columns, n = gt_scan_size(thin->scan);
	GT_TRY(study_host_floats(n, "line integrals", &thin->lines));
	for (size_t i = 0; i < n; i++)
		thin->lines[i] = from->lines[i / view * every * view + i % view];
done:
	if (st != GT_OK)
		study_scene_free(thin);
	return st;
}

gt_status study_case_data(study *s, const study_case *c, const study_scene *scene, float **data, float **weights)
{
	const size_t n = gt_scan_size(scene->scan);
	const gt_counting counts = { NULL, c->photons, 0 };
	gt_pool *pool = NULL;
	double factor;
	gt_status st = GT_OK;
	*weights = NULL;
	GT_TRY(study_host_floats(n, "projections", data));
	for (size_t i = 0; i < n; i++)
		(*data)[i] = scene->lines[i];
	GT_TRY(gt_pool_new(s->threads, &pool));
	if (c->photons > 0)
		gt_add_photon_noise(c->photons, 0, c->seed, 0, pool, *data, n);
	if (c->weighted) {
		GT_TRY(study_host_floats(n, "weights of the data", weights));
		GT_TRY(gt_data_weights(pool, &counts, *data, n, *weights, &factor));
	}
done:
	gt_pool_free(pool);
	if (st != GT_OK) {
		free(*data);
		free(*weights);
		*data = *weights = NULL;
	}
	return st;
}

gt_status study_distance_of(const study *s, const gt_grid *grid, const float *a, const float *b, double central, study_distance *d)
{
	const double hu = 1000 / GT_WATER_DEFAULT;
	gt_image_pair pair;
	gt_image_region region;
	gt_image_distance apart;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	gt_image_pair_of_volumes(grid, a, b, &pair);
	gt_image_region_central(grid->n[2], central, &region);
	gt_image_error(&pair, &region, &apart);
	*d = (study_distance){ hu * apart.rmse, hu * apart.mean, hu * apart.max, NAN };
	GT_TRY(gt_pool_new(s->threads, &pool));
	GT_TRY(gt_ssim(&pair, &region, apart.range > 0 ? apart.range : 1, pool, &d->ssim));
done:
	gt_pool_free(pool);
	return st;
}

/* Through the middle: across `axis`, [later axis][earlier axis]. */
static size_t plane(const gt_grid *g, int axis, const float *a, const float *b, double *out)
{
	const size_t *n = g->n, stride[3] = { 1, n[0], n[0] * n[1] };
	const int u = axis == 0, v = axis == 2 ? 1 : 2;
	const size_t start = n[axis] / 2 * stride[axis];
	for (size_t j = 0; j < n[v]; j++)
		for (size_t i = 0; i < n[u]; i++) {
			const size_t at = start + j * stride[v] + i * stride[u];
			out[j * n[u] + i] = b ? 1000 * ((double)a[at] - b[at]) / GT_WATER_DEFAULT : a[at] / GT_WATER_DEFAULT;
		}
	return n[u] * n[v];
}

gt_status study_planes(study *s, const char *name, const gt_grid *g, const float *a, const float *b, double *rms)
{
	static const char *const names[] = { "sagittal", "coronal", "transverse" };
	const size_t max = g->n[0] > g->n[1] ? g->n[0] : g->n[1], deep = max > g->n[2] ? max : g->n[2];
	double *out = NULL, squares = 0;
	size_t count = 0;
	gt_status st = study_new(max * deep, sizeof *out, &out);
	for (int axis = 0; axis < 3 && st == GT_OK; axis++) {
		const size_t n = plane(g, axis, a, b, out);
		for (size_t i = 0; i < n; i++)
			squares += out[i] * out[i];
		count += n;
		st = study_floats(&s->folder, FORMAT("%s-%s", name, names[axis]), out, n);
	}
	if (rms && count)
		*rms = sqrt(squares / (double)count);
	free(out);
	return st;
}
