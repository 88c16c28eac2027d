/* The plan of a filtered backprojection: what each cell counts, how rows are filtered, how voxels are seen.
 * For a fan of rays at angles g from the central ray, D from source to axis, L from source to voxel,
 *     f = 1/2 sum dtheta 1/L^2 sum dg h(g - g') D cos g' p(g')
 * (Kak, Slaney, section 3.4.1). It holds for any detector, as it speaks of rays only; cells in equal steps of u on a
 * plane at distance F turn it into weights F / (depth of the voxel)^2 and the equispaced kernel in u, wherever the foot
 * of the perpendicular lies. Feldkamp's rule adds the cosine of the cone angle. */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/preweights.h"
#include "core/try.h"

#define PI 3.14159265358979323846
#define DEGREES (180 / PI)

/* A shift of the detector up to this many cells only interleaves conjugate rays. */
#define FEW_CELLS 4.0
/* Lags of the equiangular kernel stay clear of pi. */
#define LARGEST_LAG 2.6

struct making {
	gt_fbp_plan *plan;
	gt_preweights cells;
};

/* What the range of angles allows -------------------------------------- */

static gt_status too_short(const char *who, const gt_angular_coverage *s, double needed)
{
	const double has = s->cover.range * DEGREES;
	if (s->scan->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: the %zu views cover %.2f degrees: expected 180; use an iterative solver such as os-sart", who,
		               s->scan->views, has);
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"%s: the %zu views cover %.2f degrees: expected at least %.2f (180 and the fan of %.2f), or 360; use an iterative solver such as os-sart",
		who, s->scan->views, has, needed * DEGREES, (needed - PI) * DEGREES);
}

static gt_status check_range(const char *who, const gt_angular_coverage *s)
{
	const int parallel = s->scan->shape == GT_PARALLEL;
	const double needed = parallel ? PI : PI + 2 * s->half_fan, slack = parallel ? 2 / DEGREES : s->cover.step;
	if (s->cover.full)
		return GT_OK;
	if (s->cover.range < needed - slack)
		return too_short(who, s, needed);
	if (s->cover.hole > fmax(10 * s->cover.step, 10 / DEGREES))
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: neighbouring views are up to %.2f degrees apart where most are %.2f: expected no such gap; use an iterative solver such as os-sart",
			who, s->cover.hole * DEGREES, s->cover.step * DEGREES);
	return GT_OK;
}

/* An offset detector sees one side of the object at a time: only a whole turn shows both. */
static gt_status try_offset(gt_angular_coverage *s, const gt_fbp_options *o, int *is_offset)
{
	gt_status st = GT_OK;
	*is_offset = 0;
	if (o->offset == GT_OFFSET_OFF || fabs(s->offset) <= FEW_CELLS)
		return st;
	if (s->scan->shape != GT_PARALLEL) {
		*is_offset = s->cover.full;
		return st;
	}
	GT_TRY(gt_angular_coverage_whole_turn(s));
	*is_offset = s->cover.full;
	if (!*is_offset)
		st = gt_directions_cover(s->direction, s->scan->views, PI, &s->cover, s->weight);
done:
	return st;
}

static gt_status choose_redundancy(const char *who, gt_angular_coverage *s, const gt_fbp_options *o, gt_preweights *c)
{
	const int parallel = s->scan->shape == GT_PARALLEL;
	int is_offset;
	gt_status st = GT_OK;
	GT_TRY(try_offset(s, o, &is_offset));
	if (o->short_scan == GT_SHORT_AUTO)
		GT_TRY(check_range(who, s));
	else if (!(s->cover.range > 0))
		return too_short(who, s, parallel ? PI : PI + 2 * s->half_fan);
	c->redundancy = GT_EACH_ONCE;
	/* Half of 2 pi for lines that are seen twice, whatever the sum of the views' weights. */
	c->norm = PI / s->cover.range;
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
	gt_angular_coverage stand;
	gt_preweights cells = { .stand = &stand };
	gt_status st = gt_angular_coverage_new(who, scan, &stand);
	if (st != GT_OK)
		return st;
	st = choose_redundancy(who, &stand, &gt_fbp_defaults, &cells);
	gt_angular_coverage_free(&stand);
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

/* Samples of a circular transform that holds every lag between a column, or the roll-off beside them, and a filtered column. The
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
	/* The axis is off to low columns: these are the short side. */
	const int low = s->offset < 0;
	r->columns = columns;
	r->lead = 1 + (low ? missing : 0);
	r->wide = columns + 2 + missing;
	const size_t extend = o->extend == GT_EXTEND_COSINE ? extension(s->scan, r->wide) : 0;
	r->before = is_offset && low ? 0 : extend;
	r->after = is_offset && !low ? 0 : extend;
	r->n = transform_size(r, 0, 0);
	/* Powers of two have a kernel of their own on CUDA, and cost little more elsewhere. */
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

/* The roll-off on one side (0: before, 1: after) of a row whose edge value is 1, filtered. */
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

/* Views ----------------------------------------------------------------- */

static double dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/* v: the vector that is multiplied with (x, y, 1) relative to `from`, as coefficients of (x, y, 1) itself. */
static void linear(const double *v, double scale, const double *from, double out[3])
{
	out[0] = v[0] * scale;
	out[1] = v[1] * scale;
	out[2] = -dot2(v, from) * scale;
}

void gt_fbp_set_rows(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	const double from = scan->shape == GT_PARALLEL ? w->detector[2] : w->source[2];
	b->z0 = from;
	b->flip_rows = w->row_axis[2] < 0;
	const double center = b->flip_rows ? (double)scan->rows - 1 - scan->row_center : scan->row_center;
	b->row0 = center - (w->detector[2] - from) / scan->row_pitch;
	b->per_row = 1 / scan->row_pitch;
	b->height = w->detector[2] - center * scan->row_pitch - w->source[2];
}

static void set_flat(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double n[2];
	const double distance = gt_preweights_plane2(w, n), to[2] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1] };
	linear(n, 1 / distance, w->source, b->depth);
	linear(w->column_axis, 1 / scan->column_pitch, w->source, b->across);
	b->column0 = scan->column_center - dot2(w->column_axis, to) / scan->column_pitch;
}

/* A row of the matrix: place x depth = foot x depth + axis . (x - source) / pitch. */
static void matrix_row(const double *depth, const gt_view *w, const double axis[3], double foot_at, double pitch, double *row)
{
	for (int a = 0; a < 3; a++)
		row[a] = foot_at * depth[a] + axis[a] / pitch;
	row[3] = foot_at * depth[3] - gt_dot3(axis, w->source) / pitch;
}

static void set_tilted(const gt_scan *scan, const gt_view *w, size_t lead, struct gt_back_view *b)
{
	double n[3], up[3], *depth = b->matrix + 8;
	const double distance = gt_preweights_plane3(w, n);
	b->flip_rows = w->row_axis[2] < 0;
	for (int a = 0; a < 3; a++) {
		depth[a] = n[a] / distance;
		up[a] = b->flip_rows ? -w->row_axis[a] : w->row_axis[a];
	}
	depth[3] = -gt_dot3(n, w->source) / distance;
	const double center = b->flip_rows ? (double)scan->rows - 1 - scan->row_center : scan->row_center;
	const double column = gt_preweights_foot(w, w->column_axis, scan->column_center, scan->column_pitch),
		     row = gt_preweights_foot(w, up, center, scan->row_pitch);
	matrix_row(depth, w, w->column_axis, column + (double)lead, scan->column_pitch, b->matrix);
	matrix_row(depth, w, up, row, scan->row_pitch, b->matrix + 4);
	b->height = -row * scan->row_pitch;
}

static void set_arc(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double arm[3];
	gt_arc_arm(w, arm);
	b->radius = sqrt(gt_dot3(arm, arm));
	const double unit[2] = { arm[0] / b->radius, arm[1] / b->radius };
	const double off[2] = { w->source[0] - w->arc_center[0], w->source[1] - w->arc_center[1] };
	linear(unit, 1, w->source, b->depth);
	linear(w->column_axis, 1, w->source, b->across);
	b->offset[0] = dot2(unit, off);
	b->offset[1] = dot2(w->column_axis, off);
	b->column0 = scan->column_center;
	b->per_column = b->radius / scan->column_pitch;
}

/* A point x moves along the ray e onto the plane of the detector: column axis . (x + t e - detector) with t such that
 * it meets the plane. */
static void set_parallel(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double n[2];
	const double along = gt_preweights_plane2(w, n), e[2] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1] };
	const double shear = dot2(w->column_axis, e) / along;
	const double across[2] = { w->column_axis[0] - shear * n[0], w->column_axis[1] - shear * n[1] };
	linear(across, 1 / scan->column_pitch, w->detector, b->across);
	b->column0 = scan->column_center;
}

static void set_view(const gt_scan *scan, int tilted, size_t v, size_t lead, struct gt_back_view *b)
{
	const gt_view *w = &scan->view[v];
	*b = (struct gt_back_view){ .z0 = 0 };
	if (tilted) {
		set_tilted(scan, w, lead, b);
		return;
	}
	switch (scan->shape) {
	case GT_FLAT:
		set_flat(scan, w, b);
		break;
	case GT_ARC:
		set_arc(scan, w, b);
		break;
	default:
		set_parallel(scan, w, b);
		break;
	}
	b->column0 += (double)lead;
	gt_fbp_set_rows(scan, w, b);
}

static void make_views(void *self, size_t v, size_t end, int worker)
{
	const struct making *m = self;
	gt_fbp_plan *p = m->plan;
	(void)worker;
	for (; v < end; v++) {
		set_view(m->cells.stand->scan, p->tilted, v, p->row.lead, &p->view[v]);
		p->view[v].table = (unsigned)(v < p->tables ? v : 0);
		if (v < p->tables)
			gt_preweights_set(&m->cells, v, p->gain + v * p->columns, p->slope + v * p->columns);
	}
}

/* The plan -------------------------------------------------------------- */

static double mask_radius(const gt_angular_coverage *s, const gt_fbp_options *o, int is_offset)
{
	const double fan = is_offset ? s->longer : s->shorter;
	if (o->mask == GT_MASK_NONE)
		return INFINITY;
	return s->scan->shape == GT_PARALLEL ? fan : s->distance * sin(fmin(fan, PI / 2));
}

#define MOST_SAMPLES ((size_t)1 << 30)

static gt_status check_length(const char *who, const gt_fbp_plan *p)
{
	if (p->row.n <= MOST_SAMPLES)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: rows of %zu columns are longer than a transform can be", who, p->columns);
}

static gt_status allocate(const char *who, gt_fbp_plan *p)
{
	const size_t cells = p->tables * p->columns;
	p->gain = malloc(cells * sizeof *p->gain);
	p->slope = malloc(cells * sizeof *p->slope);
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
	gt_angular_coverage stand = { .scan = NULL };
	gt_fbp_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a plan", who);
	struct making m = { p, { .stand = &stand } };
	*p = (gt_fbp_plan){ .shape = scan->shape,
		            .views = scan->views,
		            .rows = scan->rows,
		            .columns = scan->columns,
		            .row_pitch = scan->row_pitch,
		            .grid = *grid,
		            .clamp_rows = o->rows == GT_ROWS_CLAMP,
		            .kernel = o->kernel };
	GT_TRY(gt_fbp_launch(who, o, &p->launch));
	GT_TRY(gt_angular_coverage_new(who, scan, &stand));
	p->tilted = scan->shape == GT_FLAT && gt_scan_rows_along_z(scan, who) != GT_OK;
	GT_TRY(choose_redundancy(who, &stand, o, &m.cells));
	const int is_offset = m.cells.redundancy == GT_OFFSET_DETECTOR;
	plan_row(&stand, o, is_offset, &p->row);
	GT_TRY(check_length(who, p));
	m.cells.tilted = p->tilted;
	p->tables = gt_preweights_alike(&m.cells) ? 1 : p->views;
	GT_TRY(allocate(who, p));
	GT_TRY(plan_response(scan, o, p));
	GT_TRY(plan_tails(scan, o, p));
	p->center[0] = stand.center[0];
	p->center[1] = stand.center[1];
	p->radius = mask_radius(&stand, o, is_offset);
	gt_parallel(pool, scan->views, 0, make_views, &m);
	*out = p;
done:
	gt_angular_coverage_free(&stand);
	if (st != GT_OK)
		gt_fbp_plan_free(p);
	return st;
}

gt_status gt_fbp_plan_filter(const char *who, size_t views, size_t tables, size_t rows, size_t columns, double column_pitch,
                             double row_pitch, const gt_fbp_options *o, gt_fbp_plan **out)
{
	gt_status st = GT_OK;
	const gt_scan scan = { .shape = GT_PARALLEL, .views = views, .rows = rows, .columns = columns, .column_pitch = column_pitch };
	const gt_angular_coverage stand = { .scan = &scan };
	gt_fbp_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a plan", who);
	*p = (gt_fbp_plan){
		.shape = GT_PARALLEL, .views = views, .tables = tables, .rows = rows, .columns = columns, .row_pitch = row_pitch
	};
	plan_row(&stand, o, 0, &p->row);
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
