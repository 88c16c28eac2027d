/* Accuracy against exact values: a bar in parallel beams at the angles of figure 15, the FORBILD head in voxels, and
 * the interpolation between two texels. */
#include <gantry/author/constants.h>
#include "apps/study/accuracy/accuracy.h"

/* The bar: voxels of 1 mm along x, pixels of the paper, mm -------------------------------- */

const double study_bar_angle[3] = { 30, 45, 179.5 };
enum { ANGLES = 3, CHANNELS = 41, VOXELS = 25, RAYS = 64 };
static const double channel = 1.41, row = 0.71;

/* The three angles of a scan with half a degree between views. */
static gt_status bar_scan(gt_scan **scan)
{
	const gt_orbit o = {
		.shape = GT_PARALLEL, .views = 360, .rows = 1, .columns = CHANNELS, .column_pitch = channel, .row_pitch = row, .turn = GT_PI
	};
	gt_scan *all = NULL;
	size_t view[ANGLES];
	gt_status st = GT_OK;
	for (int i = 0; i < ANGLES; i++)
		view[i] = (size_t)lround(2 * study_bar_angle[i]);
	GT_TRY(gt_scan_orbit(&o, &all));
	GT_TRY(study_pick(all, view, ANGLES, scan));
done:
	gt_scan_free(all);
	return st;
}

/* The same bar as a phantom: exact means over pixels. */
static gt_status exact_lines(study *s, const gt_scan *scan, double exact[ANGLES * CHANNELS])
{
	const study_object bar = { "bar", FORMAT("unit mm-1\nbox size=%d,1,1 density=1\n", VOXELS), NULL };
	float *lines = NULL;
	const gt_status st = study_simulate(s, &bar, scan, RAYS, &lines, NULL, NULL);
	for (int i = 0; st == GT_OK && i < ANGLES * CHANNELS; i++)
		exact[i] = lines[i];
	free(lines);
	return st;
}

/* The largest difference as a percentage of the largest value of the reference. */
static double off(const double *x, const double *from)
{
	const study_error e = study_compare(x, from, CHANNELS);
	return 100 * e.largest / e.peak;
}

static void add_profiles(study *s, const study_results *r, const double *exact, int a)
{
	study_table *t = &s->table[STUDY_BAR + a], *d = &s->table[STUDY_BAR_DIFFERENCES + a];
	for (const study_outputs *x = r->of; x < r->end; x++) {
		study_head(t, "%s [mm]", x->variant->label);
		study_head(d, "%s [%% of the largest]", x->variant->label);
	}
	for (int c = 0; c < CHANNELS; c++) {
		const int at = a * CHANNELS + c;
		const double u = (c - (CHANNELS - 1) / 2.0) * channel;
		study_row(t, NUM(u), NUM(exact[at]));
		study_row(d, NUM(u));
		for (const study_outputs *x = r->of; x < r->end; x++) {
			const double *from = x->from->forward,
				     peak = study_compare(x->forward + a * CHANNELS, from + a * CHANNELS, CHANNELS).peak;
			study_number(t, x->forward[at]);
			study_number(d, 100 * (x->forward[at] - from[at]) / peak);
		}
	}
}

gt_status study_bar(study *s)
{
	const gt_grid grid = { { VOXELS, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	double exact[ANGLES * CHANNELS];
	float ones[VOXELS];
	gt_scan *scan = NULL;
	study_results r = { .of = NULL };
	gt_status st = GT_OK;
	for (int i = 0; i < VOXELS; i++)
		ones[i] = 1;
	GT_TRY(bar_scan(&scan));
	GT_TRY(exact_lines(s, scan, exact));
	GT_TRY(study_compute(s, &(study_experiment){ .part = "bar", .grid = &grid, .forward = scan, .volume = ones }, &r));
	for (int a = 0; a < ANGLES; a++)
		add_profiles(s, &r, exact, a);
	for (const study_outputs *x = r.of; x < r.end; x++) {
		study_text(&s->table[STUDY_BAR_ERRORS], "%s", x->variant->label);
		for (int a = 0; a < 2 * ANGLES; a++) {
			const double *from = a < ANGLES ? x->from->forward : exact;
			study_number(&s->table[STUDY_BAR_ERRORS], off(x->forward + a % ANGLES * CHANNELS, from + a % ANGLES * CHANNELS));
		}
	}
done:
	study_results_free(&r);
	gt_scan_free(scan);
	return st;
}

/* The head ----------------------------------------------------------------------------------- */

enum { HEAD_VIEWS = 24, HEAD_RAYS = 4 };

/* Reduces the head to the field of view; the grid of the study's voxels then holds it and the rays' cone. */
static gt_status fit_head(const gt_scan *scan, gt_grid *grid, gt_phantom_options *o)
{
	const double radius = gt_scan_field_of_view(scan, NULL, NULL);
	double size;
	size_t below;
	GT_OR_RETURN(study_phantom_radius("forbild-head", &size));
	for (int a = 0; a < 3; a++)
		o->shift[a] = grid->center[a];
	o->scale = radius > 0 && size > 0.95 * radius ? 0.95 * radius / size : 1;
	for (int a = 0; a < 2; a++)
		grid->n[a] = (size_t)ceil(2 * o->scale * size / grid->pitch[a]);
	study_add_margin(grid, scan, &below);
	return GT_OK;
}

static void add_head(study *s, const study_results *r, const double *exact, size_t n)
{
	for (const study_outputs *x = r->of; x < r->end; x++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += x->forward[i] - exact[i];
		const study_error e = study_compare(x->forward, exact, n);
		study_row(&s->table[STUDY_HEAD], TXT(x->variant->label), NUM(e.rmse), NUM(e.relative), NUM(e.largest),
		          NUM(sum / (double)n));
	}
}

gt_status study_head_error(study *s)
{
	gt_grid grid = s->grid;
	gt_phantom_options o = gt_phantom_defaults;
	gt_scan *scan = NULL;
	float *volume = NULL, *lines = NULL;
	double *exact = NULL;
	study_results r = { .of = NULL };
	gt_status st = GT_OK;
	study_step(s, "head: voxels and exact lines");
	GT_TRY(study_spread(s->scan, s->scan->views < HEAD_VIEWS ? s->scan->views : HEAD_VIEWS, &scan));
	const size_t n = gt_scan_size(scan);
	GT_TRY(fit_head(scan, &grid, &o));
	GT_TRY(study_new(n, sizeof *exact, &exact));
	GT_TRY(study_simulate(s, &(study_object){ "forbild-head", NULL, &o }, scan, HEAD_RAYS, &lines, &grid, &volume));
	for (size_t i = 0; i < n; i++)
		exact[i] = lines[i];
	const study_experiment e = { .part = "head", .grid = &grid, .forward = scan, .volume = volume, .no_reference = 1 };
	GT_TRY(study_compute(s, &e, &r));
	add_head(s, &r, exact, n);
done:
	study_results_free(&r);
	gt_scan_free(scan);
	free(volume);
	free(lines);
	free(exact);
	return st;
}

/* Interpolation ------------------------------------------------------------------------------- */

/* Figure 11 of the paper. The integral image of a single voxel rises linearly across it. Pixels much narrower than the
 * voxel see its increments, so their running sum is the interpolated value. */

/* Positions between the texels, of which the first are shown, as in the paper; levels of the texture unit. */
enum { BETWEEN = 32768, POINTS = 1024, LEVELS = 256 };

static gt_status narrow_pixels(gt_scan **scan)
{
	const gt_orbit o = { .shape = GT_PARALLEL,
		             .views = 1,
		             .rows = 1,
		             .columns = POINTS,
		             .column_pitch = 1. / BETWEEN,
		             .row_pitch = 1,
		             .turn = GT_PI,
		             .column_offset = (BETWEEN - POINTS) / 2. }; /* the first begins at the edge of the voxel */
	return gt_scan_orbit(&o, scan);
}

static int is_shown(const study *s, const study_outputs *x) { return !strcmp(study_model(x->variant), accuracy_of(s)->reference->name); }

static void fill(study *s, const study_results *r)
{
	study_table *t = &s->table[STUDY_INTERPOLATION];
	for (const study_outputs *x = r->of; x < r->end; x++)
		if (is_shown(s, x))
			study_head(t, "%s", x->variant->label);
	for (int i = 0; i < POINTS; i++) {
		const double at = (i + 1.) / BETWEEN;
		study_row(t, NUM(at), NUM(at), NUM(floor(at * LEVELS + 0.5) / LEVELS));
		for (const study_outputs *x = r->of; x < r->end; x++) {
			double sum = 0;
			for (int k = 0; k <= i; k++)
				sum += x->forward[k] / BETWEEN;
			if (is_shown(s, x))
				study_number(t, sum);
		}
	}
}

gt_status study_interpolation(study *s)
{
	const gt_grid grid = { { 3, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	const float voxel[] = { 0, 1, 0 };
	gt_scan *scan = NULL;
	study_results r = { .of = NULL };
	gt_status st = GT_OK;
	GT_TRY(narrow_pixels(&scan));
	GT_TRY(study_compute(s, &(study_experiment){ .part = "interpolation", .grid = &grid, .forward = scan, .volume = voxel }, &r));
	fill(s, &r);
done:
	study_results_free(&r);
	gt_scan_free(scan);
	return st;
}
