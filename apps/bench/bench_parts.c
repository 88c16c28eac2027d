/* Times of a projector's preparation, and of solvers' operations on their bases, next to a copy of equal bytes. */
#include <gantry/linop.h>
#include <gantry/projector.h>
#include "apps/bench/bench.h"
#include "core/basis/basis_parts.h"
#include "core/linop.h"
#include "projectors/table.h"

typedef struct {
	gt_linop *A;
	gt_array *in, *none;
} preparation;

static void prepare_once(void *self)
{
	const preparation *p = self;
	gt_forward(p->A, p->in, p->none);
}

gt_status app_time_part(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, size_t part, int repeat, app_timing *t)
{
	gt_backend *be = NULL;
	preparation p = { 0 };
	const char *bound;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_projector_part_new(t->projector, part, be, type, grid, scan, &p.A));
	const double bytes = gt_linop_min_seconds(p.A, 0, &bound) * gt_backend_rate(be, GT_BYTES);
	if (!(bytes > 0))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "no view of this scan needs it"));
	GT_TRY(app_random_array(be, type, gt_linop_nx(p.A), &p.in));
	GT_TRY(gt_array_new(be, type, gt_linop_ny(p.A), &p.none));
	GT_TRY(app_time_beside_copy(be, type, bytes, prepare_once, &p, repeat, t));
done:
	t->refused = st;
	if (st != GT_OK)
		snprintf(t->why, sizeof t->why, "%s", gt_error());
	gt_array_free(p.in);
	gt_array_free(p.none);
	gt_linop_free(p.A);
	gt_backend_close(be);
	return app_left_out(st) ? GT_OK : st;
}

gt_status app_time_basis(const char *backend, gt_type type, size_t n, size_t vectors, size_t part, int repeat, app_timing *t)
{
	gt_backend *be = NULL;
	preparation p = { 0 };
	double bytes;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_basis_part_new(be, type, n, vectors, part, &p.A, &bytes));
	GT_TRY(app_random_array(be, type, n, &p.in));
	GT_TRY(gt_array_new(be, type, 1, &p.none));
	GT_TRY(app_time_beside_copy(be, type, bytes, prepare_once, &p, repeat, t));
done:
	gt_array_free(p.in);
	gt_array_free(p.none);
	gt_linop_free(p.A);
	gt_backend_close(be);
	return st;
}
