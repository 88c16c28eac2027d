/* Self-calibration by Gauss-Newton steps. Each step reconstructs a volume of the current geometry by conjugate
 * gradients. J: derivatives of the projections by the parameters, less the part that another volume explains. The step
 * solves J'J step = J' residual, and the standard errors follow from this system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/consistency.h>
#include <gantry/author/constants.h>
#include <gantry/projector.h>
#include <gantry/solver.h>
#include "calibration/calibrate_once.h"
#include "calibration/coarse_scan.h"
#include "calibration/correct.h"
#include "calibration/derivative.h"
#include "calibration/errors.h"
#include "calibration/note.h"
#include "core/device/backend.h"
#include "core/module.h"
#include "core/try.h"
#include "geometry/grid.h"
#include "geometry/projections.h"

enum { N = GT_CALIBRATE_PARAMETERS, TEXT = 512, NEAR = 100 };
#define MARGIN 0.1
/* A step below this fraction of its standard error ends the search: rounding of the solver moves weakly determined
 * parameters by more than their tolerance. */
#define NEGLIGIBLE 0.01
/* If the solver ends too soon, the remaining residual biases the parameters. */
static const char few_iterations[] = "cgls:iterations=16", more_iterations[] = "cgls:iterations=40";
/* Convergence: largest step; identifiable: largest standard error. Pixels, rad, fraction of the distance. */
static const double tolerance[N] = { 0.003, 2e-5, 3e-4, 3e-4, 1e-4, 1e-4 }, max_error[N] = { 0.5, 0.01, 0.03, 0.03, 0.02, 0.03 };
static const unsigned only_center = 1u << GT_CALIBRATE_CENTER;
/* Corrections that need diverging rays. */
static const unsigned of_cones = 1u << GT_CALIBRATE_SLANT | 1u << GT_CALIBRATE_TILT | 1u << GT_CALIBRATE_DISTANCE;

typedef struct {
	const gt_calibrate_options *o;
	gt_projections *coarse;
	size_t by[2];
	gt_backend *be;
	gt_calibrate_model model;
	const char *solver;
	gt_array *y, *x, *left, *work, *J[N], *part;
	int free[N];                            /* parameters that are estimated */
	double value[N], scale[N], error[2][N]; /* pixels of the whole scan; error: robust, and plain */
	int blind;                              /* conjugate rays do not determine the centre */
	int near;                               /* the derivatives of the last step are accurate enough */
	gt_calibration *out;
} search;

/* Subtracts from y the projection of the volume x that fits it best. */
static gt_status project_out(const search *s, gt_linop *A, gt_array *y, const char *solver, gt_array *x)
{
	const gt_module *m;
	void *options = NULL;
	gt_status st = GT_OK;
	gt_linop *const ops[] = { A };
	gt_array *const data[] = { y };
	const gt_problem problem = { .subsets = 1, .A = ops, .b = data, .lo = -INFINITY, .hi = INFINITY };
	GT_TRY(gt_module_parse_kind(&gt_solver_kind, solver, &m, &options));
	gt_fill(0, x);
	GT_TRY(gt_solve((const gt_solver *)m, &problem, options, x, NULL));
	gt_forward(A, x, s->work);
	gt_axpy(-1, s->work, y);
	st = gt_backend_status(s->be);
done:
	gt_free(options);
	return st;
}

/* J[j]: derivative of the projections by parameter j, less the part that another volume explains. */
static gt_status derivative(const search *s, gt_linop *A, int j)
{
	gt_status st = GT_OK;
	GT_TRY(gt_calibrate_derivative(&s->model, s->value, j, 30 * tolerance[j] * s->scale[j], s->x, s->work, s->J[j]));
	st = project_out(s, A, s->J[j], s->solver, s->part);
done:
	return st;
}

/* Solves for the step, and computes standard errors of the free parameters. */
static gt_status solve(search *s, double step[N])
{
	int index[N], n = 0;
	double m[N][N], b[N], inverse[N][N];
	gt_status st = GT_OK;
	for (int j = 0; j < N; j++)
		if (s->free[j])
			index[n++] = j;
	for (int i = 0; i < n; i++) {
		b[i] = gt_dot(s->J[index[i]], s->left);
		for (int j = 0; j < n; j++)
			m[i][j] = gt_dot(s->J[index[i]], s->J[index[j]]);
	}
	if (!gt_calibrate_invert(n, m, inverse))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "the geometry is not unique: the projections depend equally, or not at all, on the requested parameters; "
		               "request fewer of them");
	memset(step, 0, N * sizeof *step);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			step[index[i]] += inverse[i][j] * b[j];
	GT_TRY(gt_calibrate_errors(s->coarse->scan, s->left, s->J, n, index, inverse, s->error));
	for (int i = 0; i < n; i++)
		s->out->parameter[index[i]].error = s->error[0][index[i]];
done:
	return st == GT_OK ? gt_backend_status(s->be) : st;
}

/* Fixes the least identifiable parameter. Returns 1 if there was one. */
static int fix_unidentifiable(search *s)
{
	int worst = -1;
	double max = 1;
	for (int j = 0; j < N; j++) {
		const double ratio = s->free[j] ? s->error[1][j] / (max_error[j] * s->scale[j]) : 0;
		if (ratio > max) {
			max = ratio;
			worst = j;
		}
	}
	if (worst < 0)
		return 0;
	s->free[worst] = 0;
	s->value[worst] = 0;
	gt_calibration_note(&s->o->notes, GT_WARNING,
	                    "%s is not identifiable from these projections: its standard error would be %.2g; left unchanged",
	                    gt_calibrate_names[worst], s->error[1][worst]);
	return 1;
}

static gt_status iterate(search *s, int *again, double *rms)
{
	gt_linop *A = NULL;
	double step[N];
	gt_status st = GT_OK;
	GT_TRY(gt_calibrate_operator(&s->model, s->value, &A));
	gt_copy(s->y, s->left);
	GT_TRY(project_out(s, A, s->left, s->solver, s->x));
	*rms = sqrt(gt_dot(s->left, s->left) / (double)gt_array_size(s->left));
	for (int j = 0; j < N && !s->near; j++)
		if (s->free[j])
			GT_TRY(derivative(s, A, j));
	GT_TRY(solve(s, step));
	s->out->step = 0;
	s->near = 1;
	for (int j = 0; j < N; j++) {
		/* Far from the minimum only the direction of a step is reliable: at most 3 pixels, 2 degrees. */
		const double max = s->scale[j] * (j == GT_CALIBRATE_CENTER     ? 3. * (double)s->by[0]
		                                  : j == GT_CALIBRATE_DISTANCE ? 0.05
		                                                               : 2 / GT_DEGREES);
		step[j] = s->free[j] ? fmax(-max, fmin(max, step[j])) : 0;
		s->value[j] += step[j];
		s->near &= fabs(step[j]) < NEAR * tolerance[j] * s->scale[j];
		s->out->step = fmax(s->out->step, fabs(step[j]) / fmax(tolerance[j] * s->scale[j], NEGLIGIBLE * s->error[0][j]));
	}
	*again = s->out->step > 1;
done:
	gt_linop_free(A);
	return st;
}

static gt_status allocate(search *s, int by_motion)
{
	size_t below, above;
	gt_status st = GT_OK;
	const gt_scan *scan = s->coarse->scan;
	const size_t n = gt_scan_size(scan);
	gt_calibrate_model *m = &s->model;
	/* Rounding of single precision disturbs differences of projections, but moves the centre by under 1e-3 of its
	 * error. */
	*m = (gt_calibrate_model){ .be = s->be,
		                   .type = by_motion || s->o->what == only_center || s->be->kind != GT_CPU ? GT_F32 : GT_F64,
		                   .scan = scan,
		                   .columns_by = s->by[0],
		                   .by_motion = by_motion };
	GT_TRY(gt_grid_default(scan, &m->grid));
	gt_grid_margin(&m->grid, scan, &below, &above);
	m->grid.center[2] += ((double)above - (double)below) / 2 * m->grid.pitch[2];
	m->grid.n[2] += below + above;
	/* A larger distance of the detector enlarges the field of view. */
	for (int a = 0; a < 2; a++)
		m->grid.n[a] += 2 * (size_t)(MARGIN * (double)m->grid.n[a]);
	GT_TRY(gt_array_new(s->be, m->type, n, &s->y));
	GT_TRY(gt_array_new(s->be, m->type, gt_grid_voxels(&m->grid), &s->x));
	GT_TRY(gt_array_like(s->x, &s->part));
	GT_TRY(gt_array_like(s->y, &s->left));
	GT_TRY(gt_array_like(s->y, &s->work));
	for (int j = 0; j < N; j++)
		if (s->free[j])
			GT_TRY(gt_array_like(s->y, &s->J[j]));
	gt_array_put_float(s->coarse->data, s->y);
done:
	return st;
}

static void release(search *s)
{
	gt_array **const all[] = { &s->y, &s->x, &s->left, &s->work, &s->part };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		gt_array_free(*all[i]);
		*all[i] = NULL;
	}
	for (int j = 0; j < N; j++) {
		gt_array_free(s->J[j]);
		s->J[j] = NULL;
	}
}

/* Starts with the centre at which conjugate rays agree. */
static gt_status begin_center(const gt_projections *p, search *s)
{
	gt_conjugate_report r;
	char text[TEXT];
	const unsigned turned = GT_CONJUGATE_COLUMNS | GT_CONJUGATE_DIRECTION | GT_CONJUGATE_ROWS;
	if (!s->free[GT_CALIBRATE_CENTER])
		return GT_OK;
	if (gt_conjugate_check(p->scan, p->data, gt_backend_pool(s->be), &r) != GT_OK) {
		gt_calibration_note(&s->o->notes, GT_INFO, "the initial centre minimises the residual of a few iterations: %s", gt_error());
		s->blind = 1;
		return GT_OK;
	}
	if (r.faults & turned && r.explained && !r.instead && !(r.faults & r.hidden)) {
		gt_conjugate_verdict(p->scan, &r, text, sizeof text);
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "conjugate rays show errors that calibration cannot correct: %s (gantry info --check prints the "
		               "command that corrects them)",
		               text);
	}
	for (size_t i = 0; i < r.cases; i++)
		if (r.item[i].faults == GT_CONJUGATE_CENTER)
			s->value[GT_CALIBRATE_CENTER] = r.item[i].center - p->scan->column_center;
	gt_calibration_note(&s->o->notes, GT_INFO, "conjugate rays agree best for center column %.2f, %+.2f from the given one",
	                    p->scan->column_center + s->value[GT_CALIBRATE_CENTER], s->value[GT_CALIBRATE_CENTER]);
	return GT_OK;
}

/* Computes the residual of the projections with the given geometry. */
static gt_status residual_before(search *s)
{
	static const double none[N];
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_calibrate_operator(&s->model, none, &A));
	gt_copy(s->y, s->left);
	GT_TRY(project_out(s, A, s->left, s->solver, s->x));
	s->out->before = sqrt(gt_dot(s->left, s->left) / (double)gt_array_size(s->left));
done:
	gt_linop_free(A);
	return st;
}

/* Searches the centre over a sixth of the detector to each side, in steps of two pixels. */
static gt_status search_center(search *s)
{
	const long max = (long)s->coarse->scan->columns / 12;
	double min = INFINITY, best = 0;
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	for (long k = -max; k <= max; k++) {
		s->value[GT_CALIBRATE_CENTER] = 2. * (double)k * (double)s->by[0];
		GT_TRY(gt_calibrate_operator(&s->model, s->value, &A));
		gt_copy(s->y, s->left);
		GT_TRY(project_out(s, A, s->left, "cgls:iterations=4", s->x));
		gt_linop_free(A);
		A = NULL;
		const double left = gt_dot(s->left, s->left);
		if (left < min) {
			min = left;
			best = s->value[GT_CALIBRATE_CENTER];
		}
	}
	gt_calibration_note(&s->o->notes, GT_INFO, "initial centre: %+.3g from the given one", best);
done:
	gt_linop_free(A);
	s->value[GT_CALIBRATE_CENTER] = best;
	return st;
}

static gt_status descend(search *s, int by_motion)
{
	int again = 1, k = 0;
	double rms = 0;
	gt_status st = GT_OK;
	GT_TRY(allocate(s, by_motion));
	GT_TRY(residual_before(s));
	if (s->blind)
		GT_TRY(search_center(s));
	for (; again && k < s->o->iterations; k++) {
		GT_TRY(iterate(s, &again, &rms));
		if (fix_unidentifiable(s))
			again = 1;
		gt_calibration_note(&s->o->notes, GT_INFO,
		                    "iteration %d: RMS residual of the line integrals %.4g; "
		                    "center %+.3f, roll %+.4f deg, slant %+.3f deg, tilt %+.3f deg, axis tilt %+.3f deg",
		                    k + 1, rms, s->value[GT_CALIBRATE_CENTER], s->value[GT_CALIBRATE_ROLL] * GT_DEGREES,
		                    s->value[GT_CALIBRATE_SLANT] * GT_DEGREES, s->value[GT_CALIBRATE_TILT] * GT_DEGREES,
		                    s->value[GT_CALIBRATE_AXIS_TILT] * GT_DEGREES);
	}
	s->out->after = rms;
	s->out->iterations = k;
	s->out->converged = !again;
done:
	return st;
}

/* Searches by motions, for the centre alone by differences, which are as fast there. Without a result by motions the
 * search starts again by differences. They take up to nine times longer on the CPU, but depend less on rounding. */
static gt_status find(search *s)
{
	const search start = *s;
	const int by_motion = s->o->what != only_center;
	gt_status st = descend(s, by_motion);
	if (by_motion && (st == GT_ERR_UNSUPPORTED || (st == GT_OK && !s->out->converged))) {
		release(s);
		*s = start;
		gt_calibration_note(&s->o->notes, GT_INFO, "no convergence by derivatives: starts again with differences of projections");
		st = descend(s, 0);
	}
	return st;
}

gt_status gt_calibrate_once(gt_projections *p, const gt_calibrate_options *o, gt_calibration *out)
{
	search s = { .o = o, .out = out, .solver = few_iterations };
	char name[32];
	gt_status st = GT_OK;
	*out = (gt_calibration){ .before = NAN };
	for (int j = 0; j < N; j++) {
		s.free[j] = out->parameter[j].asked = o->what >> j & 1;
		s.scale[j] = j == GT_CALIBRATE_DISTANCE ? p->scan->source_to_detector : 1;
		if (s.free[j] && of_cones >> j & 1 && p->scan->shape == GT_PARALLEL) {
			gt_calibration_note(&o->notes, GT_WARNING, "%s is not identifiable with parallel rays: left unchanged",
			                    gt_calibrate_names[j]);
			s.free[j] = 0;
		}
	}
	/* Fewer iterations bias the tilt in diverging beams by up to 0.3 degrees; with parallel rays, more iterations
	 * fit a volume to a wrong tilt. */
	if (s.free[GT_CALIBRATE_AXIS_TILT] && p->scan->shape != GT_PARALLEL)
		s.solver = more_iterations;
	snprintf(name, sizeof name, "cpu:%d", o->threads);
	if (o->threads <= 0)
		snprintf(name, sizeof name, "cpu");
	GT_TRY(gt_backend_open(o->backend ? o->backend : name, &s.be));
	GT_TRY(begin_center(p, &s));
	/* Reprojected edges are softer than measured ones, which biases the roll by 0.03 degrees; smoothing removes the
	 * bias. In a diverging beam this is not a smoothing of the object, so it is skipped for slant and distances. */
	GT_TRY(gt_coarse_scan(p, o->columns, o->views, o->what & of_cones ? 0 : 1, &s.coarse, s.by));
	GT_TRY(find(&s));
	for (int j = 0; j < N; j++) {
		out->parameter[j].identifiable = s.free[j];
		out->parameter[j].value = s.value[j];
	}
	gt_calibrate_apply(s.value, p->scan);
done:
	release(&s);
	gt_projections_free(s.coarse);
	gt_backend_close(s.be);
	return st;
}
