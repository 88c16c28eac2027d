/* Times against the angle, the views per pass and the size. */
#include "apps/study/fdk/fdk.h"

enum { LAUNCHES = 48 /* views that the forms of 1, 4, 12 and 16 per launch take in whole launches */ };
#define DEGREE 0.017453292519943295

/* In single precision: that of the CPU differs by threads alone. */
static int sweeps(const fdk_way *w) { return w->form ? w->form->upright && !w->form->apart : w->type == GT_F32; }

/* Has the way a curve over the angles? With a GPU not the CPU, for which the cube is too large. */
static int turns(const study *s, const fdk_way *w) { return sweeps(w) && (w->gpu || !s->gpu[0]); }

/* Angles: figure 9 of Lu et al. ------------------------------------------------- */

static const double enough_of_angle = 0.1; /* s of a case: there are many */

static double angle_step(const study *s) { return s->quick ? 90 : s->gpu[0] ? 30 : 15; }

static size_t angle_count(const study *s) { return (size_t)((s->gpu[0] ? 360 : 180) / angle_step(s)) + 1; }

/* Views within four degrees around the angle. */
static gt_status one_angle(study *s, double degrees)
{
	gt_grid grid;
	gt_orbit o = fdk_cube(fdk_of(s)->cube, LAUNCHES, &grid);
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	o.start_angle = (degrees - 2) * DEGREE;
	o.turn = 4 * DEGREE;
	GT_TRY(gt_scan_orbit(&o, &scan));
	study_number(&s->table[STUDY_ANGLES], degrees);
	for (size_t i = 0; i < fdk_of(s)->ways; i++) {
		const fdk_case c = { &fdk_of(s)->way[i], scan, &grid, "short-scan=off", NULL, NULL, enough_of_angle };
		fdk_seconds t;
		if (!turns(s, c.way))
			continue;
		study_step(s, "angles: %g degrees: %s", degrees, c.way->label);
		GT_TRY(fdk_try(s, "angles", &c, &t));
		study_number(&s->table[STUDY_ANGLES], 1e3 * t.back / LAUNCHES);
	}
done:
	gt_scan_free(scan);
	return st;
}

gt_status fdk_angles(study *s)
{
	for (size_t i = 0; i < fdk_of(s)->ways; i++)
		if (turns(s, &fdk_of(s)->way[i]))
			study_head(&s->table[STUDY_ANGLES], "%s [ms per view]", fdk_of(s)->way[i].label);
	for (size_t i = 0; i < angle_count(s); i++)
		GT_OR_RETURN(one_angle(s, (double)i * angle_step(s)));
	return GT_OK;
}

/* Views per pass: figure 10 -------------------------------------------------------- */

static const size_t passes[] = { 1, 2, 4, 8, 12, 16, 32, 64 }, quick_passes[] = { 1, 4, 16 };
enum { PASS_VIEWS = 64 };

static size_t pass_count(const study *s) { return s->quick ? 3 : sizeof passes / sizeof *passes; }

/* Speed of the fastest form of the ladder with that number of views per launch. */
static double with_textures(const study *s, size_t views)
{
	double max = NAN;
	for (size_t i = 0; i < fdk_of(s)->ways; i++)
		if (fdk_of(s)->way[i].form && fdk_of(s)->way[i].form->views == (int)views)
			max = fmax(max, fdk_of(s)->way[i].rate / 1073741824);
	return max;
}

static gt_status matrices_of(const gt_scan *scan, double (*matrix)[12])
{
	gt_status st = GT_OK;
	for (size_t v = 0; v < scan->views && st == GT_OK; v++) {
		st = gt_matrix_from_view(scan, v, matrix[v]);
		for (int i = 0; i < 12; i++)
			matrix[v][i] /= scan->source_to_axis;
	}
	return st;
}

static gt_status pass_rows(study *s, const fdk_images *p, const fdk_taker *taker, size_t takers)
{
	study_table *t = &s->table[STUDY_PASSES];
	for (size_t k = 0; k < pass_count(s); k++) {
		const size_t n = s->quick ? quick_passes[k] : passes[k];
		study_number(t, (double)n);
		for (size_t i = 0; i < takers; i++) {
			double seconds;
			study_step(s, "views per pass: %zu: %s", n, taker[i].label);
			GT_OR_RETURN(fdk_images_run(p, taker[i].backend, GT_F32, n, NULL, &seconds));
			study_number(t, (double)p->views * (double)gt_grid_voxels(&p->grid) / 1073741824 / seconds);
		}
		if (s->gpu[0])
			study_number(t, with_textures(s, n));
		study_number(t, fdk_of(s)->bandwidth * (double)n / 8 / 1073741824);
	}
	return GT_OK;
}

gt_status fdk_passes(study *s)
{
	double matrix[PASS_VIEWS][12];
	fdk_images p = { .views = s->quick ? PASS_VIEWS / 4 : PASS_VIEWS, .matrix = (const double(*)[12])matrix };
	const gt_orbit o = fdk_cube(s->gpu[0] ? fdk_of(s)->cube : fdk_of(s)->cube / 2, p.views, &p.grid);
	fdk_taker taker[FDK_TAKERS];
	const size_t takers = fdk_takers(s, taker);
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < takers; i++)
		study_head(&s->table[STUDY_PASSES], "%s [GUPS]", taker[i].label);
	if (s->gpu[0])
		study_head(&s->table[STUDY_PASSES], "forms with textures [GUPS]");
	study_head(&s->table[STUDY_PASSES], "limit by the volume's traffic [GUPS]");
	GT_TRY(gt_scan_orbit(&o, &scan));
	GT_TRY(matrices_of(scan, matrix));
	p.rows = o.rows;
	p.columns = o.columns;
	GT_TRY(study_random(s, gt_scan_size(scan), &p.images));
	GT_TRY(pass_rows(s, &p, taker, takers));
done:
	gt_scan_free(scan);
	return st;
}

/* Sizes: tables 1 and 3 ---------------------------------------------------------------- */

enum { SIZES = 3, VIEWS = 1200 };
static const double enough = 2, too_long = 15; /* s that a case should take, and may take */

static size_t size_of(const study *s, int k)
{
	static const size_t gpu[] = { 512, 1024, 2048 }, cpu[] = { 64, 128, 256 }, quick[] = { 16, 24, 40 };
	return (s->quick ? quick : s->gpu[0] ? gpu : cpu)[k];
}

/* Number of views for that time, in whole launches of every form; few if its speed is unknown. */
static size_t views_of(const study *s, const fdk_way *w, double voxels)
{
	const double launches = enough * w->rate / voxels / LAUNCHES;
	if (!w->gpu)
		return s->quick ? 12 : 24;
	return s->quick || launches < 2 ? LAUNCHES : launches < (double)VIEWS / LAUNCHES ? (size_t)launches * LAUNCHES : VIEWS;
}

/* Extrapolates from some to all views; plans are made once. */
static fdk_seconds of_all(const fdk_seconds *t, double times)
{
	const double once = t->total - t->filter - t->back;
	return (fdk_seconds){ t->filter * times, t->back * times, once + (t->filter + t->back) * times };
}

static gt_status run_size(study *s, size_t n, const fdk_way *w, fdk_seconds *t)
{
	gt_grid grid;
	gt_scan *scan = NULL;
	const double voxels = (double)n * (double)n * (double)n;
	const gt_orbit o = fdk_cube(n, views_of(s, w, voxels), &grid);
	const double expected = voxels * (double)o.views / w->rate;
	gt_status st = GT_OK;
	*t = (fdk_seconds){ NAN, NAN, NAN };
	study_step(s, "sizes: %zu: %s", n, w->label);
	if (w->rate > 0 && expected > too_long) {
		study_leave_out_as(s, FORMAT("sizes: %zu^3", n), w->label, FORMAT("would take %.0f s", expected));
		return GT_OK;
	}
	GT_TRY(gt_scan_orbit(&o, &scan));
	GT_TRY(fdk_try(s, "sizes", &(fdk_case){ w, scan, &grid, NULL, NULL, NULL, 0 }, t));
	*t = of_all(t, (double)VIEWS / (double)o.views);
done:
	gt_scan_free(scan);
	return st;
}

static void add_size(study *s, size_t n, const fdk_way *w, const fdk_seconds *x, const fdk_seconds *baseline)
{
	const double updates = (double)n * (double)n * (double)n * VIEWS / x->back;
	const int main_device = w->gpu == (s->gpu[0] != 0) && fdk_of(s)->bandwidth > 0;
	study_row(&s->table[STUDY_FDK_SIZES], TXT(FORMAT("%d x %zu x %zu to %zu^3", VIEWS, n, n, n)), TXT(w->label), TXT(fdk_device(w)),
	          NUM(x->filter), NUM(x->back), NUM(x->total), NUM(updates / 1073741824), NUM(updates / 1e9),
	          NUM(main_device ? 100 * 4 * updates / fdk_of(s)->bandwidth : NAN), NUM(baseline->back / x->back),
	          NUM(baseline->total / x->total), NUM(n));
}

/* The baseline: the best form of the first paper; on the CPU one thread. E is against the main device's memory. */
static gt_status one_size(study *s, size_t n)
{
	const study_fdk *f = fdk_of(s);
	fdk_seconds t[FDK_MAX_WAYS];
	size_t baseline = 0;
	for (size_t i = 0; i < f->ways; i++) {
		if (!sweeps(&f->way[i]))
			continue;
		GT_OR_RETURN(run_size(s, n, &f->way[i], &t[i]));
		if (f->way[i].form && f->way[i].form->baseline)
			baseline = i;
	}
	for (size_t i = 0; i < f->ways; i++)
		if (sweeps(&f->way[i]) && !isnan(t[i].back))
			add_size(s, n, &f->way[i], &t[i], &t[baseline]);
	return GT_OK;
}

size_t fdk_sweeps_steps(const study *s)
{
	fdk_taker taker[FDK_TAKERS];
	size_t steps = pass_count(s) * fdk_takers(s, taker);
	for (size_t i = 0; i < fdk_of(s)->ways; i++)
		steps += angle_count(s) * (size_t)turns(s, &fdk_of(s)->way[i]) + SIZES * (size_t)sweeps(&fdk_of(s)->way[i]);
	return steps;
}

gt_status fdk_sizes(study *s)
{
	for (int k = 0; k < SIZES; k++)
		GT_OR_RETURN(one_size(s, size_of(s, k)));
	return GT_OK;
}
