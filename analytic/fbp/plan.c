/* Plan of a filtered backprojection: weights of pixels, filter of rows, positions of voxels.
 * For a fan of rays at angles g from the central ray, D from source to axis, L from source to voxel,
 *     f = 1/2 sum dtheta 1/L^2 sum dg h(g - g') D cos g' p(g')
 * (Kak, Slaney, section 3.4.1). The formula holds for any detector, because it only uses rays. Pixels in equal steps of
 * u on a plane at distance F give weights F / (depth of the voxel)^2 and the equispaced kernel in u, for any foot of
 * the perpendicular. Feldkamp's rule adds the cosine of the cone angle. */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/preweights.h"
#include "core/try.h"
#include "geometry/laminography.h"
#include "geometry/scan_gap.h"

/* A displacement of the detector up to this many pixels only interleaves conjugate rays. */
#define SMALL_OFFSET 4.0
/* Lags of the equiangular kernel stay below pi. */
#define LARGEST_LAG 2.6

struct making {
	gt_fbp_plan *plan;
	gt_preweights preweights;
};

/* Range of angles -------------------------------------- */

static gt_status too_short(const char *who, const gt_angular_coverage *s, double needed)
{
	const double has = s->cover.range * GT_DEGREES;
	if (s->scan->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: the %zu views cover %.2f degrees: expected 180; use an iterative solver such as os-sart", who,
		               s->scan->views, has);
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"%s: the %zu views cover %.2f degrees: expected at least %.2f (180 and the fan of %.2f), or 360; use an iterative solver such as os-sart",
		who, s->scan->views, has, needed * GT_DEGREES, (needed - GT_PI) * GT_DEGREES);
}

/* A frequency (ku, kv) of a tilted view is measured again at pi + theta - 2 atan2(kv sin(tilt), ku). 180 degrees do not
 * measure all frequencies once, and Parker's weights assume theta + pi. */
static gt_status check_turn(const char *who, const gt_angular_coverage *s)
{
	if (s->cover.full)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED,
	               "%s: the %zu views cover %.2f degrees about a tilted axis: expected 360, because opposite views measure "
	               "different rays; use an iterative solver such as os-sart, or short-scan=off to weight the views equally",
	               who, s->scan->views, s->cover.range * GT_DEGREES);
}

static gt_status check_range(const char *who, const gt_angular_coverage *s)
{
	if (s->laminography)
		return check_turn(who, s);
	const int parallel = s->scan->shape == GT_PARALLEL;
	const double needed = parallel ? GT_PI : GT_PI + 2 * s->half_fan, slack = parallel ? 2 / GT_DEGREES : s->cover.step;
	if (s->cover.full)
		return GT_OK;
	if (s->cover.range < needed - slack)
		return too_short(who, s, needed);
	if (s->cover.hole > fmax(10 * s->cover.step, 10 / GT_DEGREES))
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: neighbouring views are up to %.2f degrees apart, most of them %.2f: expected no such gap; use an iterative solver such as os-sart",
			who, s->cover.hole * GT_DEGREES, s->cover.step * GT_DEGREES);
	return GT_OK;
}

static gt_status lacks_views(const char *who, const gt_angular_coverage *s)
{
	double ends[2];
	const double gap = gt_scan_widest_gap(s->scan, ends);
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"%s: the detector is displaced by %.1f of %zu columns, and no view lies between %.6g and %.6g degrees: "
		"found a gap of %.4g, expected a full rotation with gaps of at most %.4g degrees; use an iterative solver such as os-sart, "
		"or offset=off for an object within the nearer side",
		who, fabs(s->offset), s->scan->columns, ends[0] * GT_DEGREES, ends[1] * GT_DEGREES, gap * GT_DEGREES,
		GT_CLOSED_GAP * GT_DEGREES);
}

/* A displaced detector sees one side of the object at a time: only a full rotation shows both. If views are missing, an
 * object within the nearer side is reconstructed as in a short scan. */
static gt_status try_offset(const char *who, gt_angular_coverage *s, const gt_fbp_options *o, int *is_offset)
{
	const double period = gt_angular_coverage_period(s);
	gt_status st = GT_OK;
	*is_offset = 0;
	if (o->offset == GT_OFFSET_OFF || fabs(s->offset) <= SMALL_OFFSET)
		return st;
	GT_TRY(gt_angular_coverage_whole_turn(s));
	*is_offset = s->cover.full;
	if (!*is_offset && o->short_scan == GT_SHORT_AUTO && gt_scan_is_one_sided(s->shorter, s->longer))
		GT_TRY(lacks_views(who, s));
	if (!*is_offset)
		st = gt_directions_cover(s->direction, s->scan->views, period, 0, &s->cover, s->weight);
done:
	return st;
}

static gt_status choose_redundancy(const char *who, gt_angular_coverage *s, const gt_fbp_options *o, gt_preweights *c)
{
	const int parallel = s->scan->shape == GT_PARALLEL;
	int is_offset;
	gt_status st = GT_OK;
	GT_TRY(try_offset(who, s, o, &is_offset));
	if (o->short_scan == GT_SHORT_AUTO)
		GT_TRY(check_range(who, s));
	else if (!(s->cover.range > 0))
		return too_short(who, s, parallel ? GT_PI : GT_PI + 2 * s->half_fan);
	c->redundancy = GT_EACH_ONCE;
	/* Half of 2 pi for lines that are seen twice, for any sum of the views' weights. */
	c->norm = GT_PI / s->cover.range;
	if (is_offset) {
		c->redundancy = GT_OFFSET_DETECTOR;
	} else if (!parallel && !s->cover.full && o->short_scan == GT_SHORT_AUTO) {
		c->redundancy = GT_SHORT_SCAN;
		c->norm = 1;
	}
done:
	return st;
}

gt_status gt_fbp_supports(const char *who, const gt_scan *scan)
{
	gt_angular_coverage coverage;
	gt_preweights preweights = { .coverage = &coverage };
	gt_status st = gt_angular_coverage_new(who, scan, &coverage);
	if (st != GT_OK)
		return st;
	st = choose_redundancy(who, &coverage, &gt_fbp_defaults, &preweights);
	gt_angular_coverage_free(&coverage);
	return st;
}

/* Rows ------------------------------------------------------------------ */

static size_t extension(const gt_scan *scan, size_t others)
{
	const size_t wanted = scan->columns / 4;
	if (scan->shape != GT_ARC)
		return wanted;
	const double room = LARGEST_LAG * scan->source_to_detector / scan->column_pitch - (double)others;
	return room < 0 ? 0 : room < (double)wanted ? (size_t)room : wanted;
}

/* Size of a circular transform that holds every lag between a column, or its extension, and a filtered column. The
 * kernel is symmetric: half the circle may be the largest lag. */
static size_t transform_size(const gt_row_plan *r, size_t before, size_t after)
{
	const size_t up = r->wide - r->lead - 1 + before, down = r->columns - 1 + after + r->lead;
	return gt_fft_size(2 * (up > down ? up : down));
}

static void plan_row(const gt_angular_coverage *s, const gt_fbp_options *o, int is_offset, gt_row_plan *r)
{
	const size_t columns = s->scan->columns;
	const size_t missing = is_offset ? (size_t)ceil(2 * fabs(s->offset)) : 0;
	/* The axis is displaced to low columns: these are the short side. */
	const int low = s->offset < 0;
	r->columns = columns;
	r->lead = 1 + (low ? missing : 0);
	r->wide = columns + 2 + missing;
	const size_t extend = o->extend == GT_EXTEND_COSINE ? extension(s->scan, r->wide) : 0;
	r->before = is_offset && low ? 0 : extend;
	r->after = is_offset && !low ? 0 : extend;
	r->n = transform_size(r, 0, 0);
	/* Powers of two have a faster kernel on CUDA, and cost little more elsewhere. */
	size_t power = 512;
	while (power < r->n)
		power *= 2;
	if (r->n > 256 && power <= 4096)
		r->n = power;
}

static gt_ramp ramp_of(const gt_scan *scan, const gt_fbp_options *o)
{
	const int arc = scan->shape == GT_ARC;
	return (gt_ramp){ arc ? scan->column_pitch / scan->source_to_detector : scan->column_pitch, arc, (gt_window)o->filter, o->cutoff };
}

static gt_status plan_response(const gt_scan *scan, const gt_fbp_options *o, gt_fbp_plan *p)
{
	const gt_ramp ramp = ramp_of(scan, o);
	const gt_status st = gt_ramp_response(&ramp, p->row.n, p->response);
	for (size_t k = 0; st == GT_OK && k <= p->row.n / 2; k++)
		p->response[k] /= (double)p->row.n;
	return st;
}

/* Filters the extension on one side (0: before, 1: after) of a row with edge value 1. */
static gt_status make_tail(const gt_row_plan *r, size_t n, const double *response, int side, double *line, double *tail)
{
	const size_t length = side ? r->after : r->before;
	memset(line, 0, (n + 2) * sizeof *line);
	for (size_t j = 1; j <= length; j++)
		line[side ? r->columns + j - 1 : n - j] = gt_roll_off(j, length);
	const gt_status st = gt_filter_line(n, response, line);
	for (size_t i = 0; i < r->wide; i++)
		tail[i] = line[i < r->lead ? n + i - r->lead : i - r->lead] / (double)n;
	return st;
}

static gt_status plan_tails(const gt_scan *scan, const gt_fbp_options *o, gt_fbp_plan *p)
{
	const gt_row_plan *r = &p->row;
	const size_t n = transform_size(r, r->before, r->after);
	const gt_ramp ramp = ramp_of(scan, o);
	gt_status st = GT_OK;
	if (!r->before && !r->after)
		return st;
	double *response = malloc((n / 2 + 1) * sizeof *response), *line = fftw_malloc((n + 2) * sizeof *line);
	for (int side = 0; side < 2; side++)
		p->tail[side] = calloc(r->wide, sizeof *p->tail[side]);
	if (!response || !line || !p->tail[0] || !p->tail[1]) {
		st = gt_fail(GT_ERR_MEMORY, "no memory for rows of %zu samples", n);
		goto done;
	}
	GT_TRY(gt_ramp_response(&ramp, n, response));
	for (int side = 0; side < 2; side++)
		GT_TRY(make_tail(r, n, response, side, line, p->tail[side]));
done:
	fftw_free(line);
	free(response);
	return st;
}

static void make_views(void *self, size_t v, size_t end, int worker)
{
	const struct making *m = self;
	gt_fbp_plan *p = m->plan;
	(void)worker;
	for (; v < end; v++) {
		gt_fbp_set_view(m->preweights.coverage->scan, p->tilted, v, p->row.lead, &p->view[v]);
		p->view[v].table = (unsigned)(v < p->tables ? v : 0);
		if (v < p->tables)
			gt_preweights_set(&m->preweights, v, p->gain + v * p->columns, p->slope + v * p->columns);
	}
}

/* The plan -------------------------------------------------------------- */

static double mask_radius(const gt_angular_coverage *s, const gt_fbp_options *o, int is_offset)
{
	const double fan = is_offset ? s->longer : s->shorter;
	if (o->mask == GT_MASK_NONE)
		return INFINITY;
	if (s->laminography) {
		const gt_plate_reach reach = gt_scan_plate_reach(s->scan, 0);
		return fmax(0, fmin(is_offset ? reach.longer : reach.shorter, reach.rows));
	}
	return s->scan->shape == GT_PARALLEL ? fan : s->distance * sin(fmin(fan, GT_PI / 2));
}

#define MAX_SAMPLES ((size_t)1 << 30)

static gt_status check_length(const char *who, const gt_fbp_plan *p)
{
	if (p->row.n <= MAX_SAMPLES)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: rows of %zu columns exceed the maximum length of a transform", who, p->columns);
}

static gt_status allocate(const char *who, gt_fbp_plan *p)
{
	const size_t pixels = p->tables * p->columns;
	p->gain = malloc(pixels * sizeof *p->gain);
	p->slope = malloc(pixels * sizeof *p->slope);
	p->view = malloc(p->views * sizeof *p->view);
	p->response = malloc((p->row.n / 2 + 1) * sizeof *p->response);
	if (p->gain && p->slope && p->view && p->response)
		return GT_OK;
	return gt_fail(GT_ERR_MEMORY, "%s: no memory for %zu tables of %zu columns", who, p->tables, p->columns);
}

gt_status gt_fbp_plan_new(const char *who, const gt_grid *grid, const gt_scan *scan, const gt_fbp_options *o, gt_pool *pool,
                          gt_fbp_plan **out)
{
	gt_status st = GT_OK;
	gt_angular_coverage coverage = { .scan = NULL };
	gt_fbp_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a plan", who);
	struct making m = { p, { .coverage = &coverage } };
	*p = (gt_fbp_plan){ .shape = scan->shape,
		            .views = scan->views,
		            .rows = scan->rows,
		            .columns = scan->columns,
		            .row_pitch = scan->row_pitch,
		            .grid = *grid,
		            .clamp_rows = o->rows == GT_ROWS_CLAMP,
		            .kernel = o->kernel };
	GT_TRY(gt_fbp_launch(who, o, &p->launch));
	GT_TRY(gt_angular_coverage_new(who, scan, &coverage));
	p->tilted = coverage.tilted;
	GT_TRY(choose_redundancy(who, &coverage, o, &m.preweights));
	const int is_offset = m.preweights.redundancy == GT_OFFSET_DETECTOR;
	plan_row(&coverage, o, is_offset, &p->row);
	GT_TRY(check_length(who, p));
	m.preweights.tilted = p->tilted;
	p->tables = gt_preweights_equal(&m.preweights) ? 1 : p->views;
	GT_TRY(allocate(who, p));
	GT_TRY(plan_response(scan, o, p));
	GT_TRY(plan_tails(scan, o, p));
	p->center[0] = coverage.center[0];
	p->center[1] = coverage.center[1];
	p->radius = mask_radius(&coverage, o, is_offset);
	gt_parallel(pool, scan->views, 0, make_views, &m);
	*out = p;
done:
	gt_angular_coverage_free(&coverage);
	if (st != GT_OK)
		gt_fbp_plan_free(p);
	return st;
}

gt_status gt_fbp_plan_filter(const char *who, size_t views, size_t tables, size_t rows, size_t columns, double column_pitch,
                             double row_pitch, const gt_fbp_options *o, gt_fbp_plan **out)
{
	gt_status st = GT_OK;
	const gt_scan scan = { .shape = GT_PARALLEL, .views = views, .rows = rows, .columns = columns, .column_pitch = column_pitch };
	const gt_angular_coverage coverage = { .scan = &scan };
	gt_fbp_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a plan", who);
	*p = (gt_fbp_plan){
		.shape = GT_PARALLEL, .views = views, .tables = tables, .rows = rows, .columns = columns, .row_pitch = row_pitch
	};
	plan_row(&coverage, o, 0, &p->row);
	GT_TRY(check_length(who, p));
	GT_TRY(allocate(who, p));
	GT_TRY(plan_response(&scan, o, p));
	GT_TRY(plan_tails(&scan, o, p));
	*out = p;
done:
	if (st != GT_OK)
		gt_fbp_plan_free(p);
	return st;
}

void gt_fbp_plan_free(gt_fbp_plan *p)
{
	if (!p)
		return;
	free(p->gain);
	free(p->slope);
	free(p->view);
	free(p->response);
	free(p->tail[0]);
	free(p->tail[1]);
	free(p);
}
