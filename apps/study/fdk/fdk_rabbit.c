/* The steps of Rapid Rabbit on a synthetic data set of the benchmark RabbitCT: a C-arm that shakes, images filtered
 * beforehand. */
#include <gantry/array.h>
#include <gantry/analytic.h>
#include "apps/study/fdk/fdk.h"
#include "geometry/scan.h"
#include "io/rabbitct/rabbitct.h"

/* Table I (GeForce GTX 680, 512^3, 496 views, wall clock). */
static const struct {
	const char *step, *form;
	double seconds, gups;
} steps[] = {
	{ "baseline: 12 views, 1/w divided", "ahead", 2.2, 30.3 },
	{ "+ rsqrt", "rsqrt", 1.01, 65.9 },
	{ "+ transpose", "transposed", 0.967, 68.8 },
	{ "+ atomics", "atomic", 0.921, 72.3 },
	{ "no texture", "plain", NAN, NAN },
	{ "tiles in shared memory", "tilted", NAN, NAN },
};
enum { STEPS = sizeof steps / sizeof *steps };

/* Images one by one ---------------------------------------------------------- */

static gt_status backproject(const fdk_images *p, gt_backend *be, gt_array *x, size_t batch, double *seconds)
{
	const size_t cells = p->rows * p->columns;
	gt_backprojector *b = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backprojector_new(be, &p->grid, p->rows, p->columns, batch, x, &b));
	gt_backend_wait(be);
	const double start = app_seconds();
	for (size_t v = 0; v < p->views; v++)
		GT_TRY(gt_backprojector_add(b, p->matrix[v], p->images + v * cells));
	GT_TRY(gt_backprojector_finish(b));
	gt_backend_wait(be);
	*seconds = app_seconds() - start;
done:
	gt_backprojector_free(b);
	return st;
}

/* Copies images to page-locked memory, as the benchmark's module receives them. */
static gt_status lock_images(const fdk_images *p, gt_backend *be, float **locked)
{
	const size_t bytes = p->views * p->rows * p->columns * sizeof **locked;
	if (!(*locked = gt_locked_new(be, bytes, "images in page-locked memory")))
		return GT_ERR_MEMORY;
	memcpy(*locked, p->images, bytes);
	return GT_OK;
}

gt_status fdk_images_run(const fdk_images *p, const char *backend, gt_type type, size_t batch, float *x, double *seconds)
{
	const double short_run = 0.5;
	fdk_images images = *p;
	gt_backend *be = NULL;
	gt_array *sum = NULL;
	float *locked = NULL;
	double again;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_array_new(be, type, gt_grid_voxels(&p->grid), &sum));
	if (gt_backend_is_gpu(be)) {
		GT_TRY(lock_images(p, be, &locked));
		images.images = locked;
	}
	GT_TRY(backproject(&images, be, sum, batch, seconds));
	for (int i = 0; i < 2 && *seconds < short_run; i++) {
		GT_TRY(backproject(&images, be, sum, batch, &again));
		*seconds = fmin(*seconds, again);
	}
	if (x)
		gt_array_get_float(sum, x);
	GT_TRY(gt_backend_status(be));
done:
	if (be)
		gt_locked_free(be, locked);
	gt_array_free(sum);
	gt_backend_close(be);
	return st;
}

size_t fdk_takers(const study *s, fdk_taker taker[FDK_TAKERS])
{
	size_t n = 0;
	if (s->gpu[0])
		taker[n++] = (fdk_taker){ s->gpu, "GPU, with uploads", 1 };
	for (size_t i = 0; i < fdk_of(s)->ways && !s->gpu[0]; i++)
		if (fdk_of(s)->way[i].type == GT_F32)
			taker[n++] = (fdk_taker){ fdk_of(s)->way[i].backend, fdk_of(s)->way[i].label, 0 };
	return n;
}

/* The data set ----------------------------------------------------------------- */

/* lines: integrals, images: filtered. HU are of the slices that are judged: result, and references in double, by fdk
 * and from images. */
typedef struct {
	gt_scan *scan;
	fdk_images p;
	gt_grid judged;
	size_t first, hus; /* voxels before those slices, and of them */
	double (*matrix)[12];
	float *lines, *images, *x;
	uint16_t *hu, *from_fdk, *from_images;
	size_t voxels;
} rabbit;

static void free_rabbit(rabbit *r)
{
	gt_scan_free(r->scan);
	free(r->matrix);
	free(r->lines);
	free(r->images);
	free(r->x);
	free(r->hu);
	free(r->from_fdk);
	free(r->from_images);
}

static gt_status allocate(rabbit *r)
{
	const size_t cells = gt_scan_size(r->scan);
	GT_OR_RETURN(study_host_floats(cells, "filtered images", &r->images));
	GT_OR_RETURN(study_host_floats(r->voxels, "the volume", &r->x));
	GT_OR_RETURN(gt_host_has_memory(6.0 * (double)r->hus, "slices of HU"));
	GT_OR_RETURN(study_new(r->scan->views, sizeof *r->matrix, &r->matrix));
	GT_OR_RETURN(study_new(r->hus, sizeof *r->hu, &r->hu));
	GT_OR_RETURN(study_new(r->hus, sizeof *r->hu, &r->from_fdk));
	return study_new(r->hus, sizeof *r->hu, &r->from_images);
}

static void to_hu(const rabbit *r, const float *x, uint16_t *hu)
{
	const float scale[2] = { (float)(1000 / gt_phantom_defaults.water), 0 };
	for (size_t i = 0; i < r->hus; i++)
		hu[i] = gt_rabbitct_hu(x[i], scale);
}

static gt_status simulate(study *s, rabbit *r)
{
	gt_backend *cpu = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_simulate(s, &(study_object){ .name = "forbild-head" }, r->scan, 1, &r->lines, NULL, NULL));
	GT_TRY(gt_backend_open(s->cpu, &cpu));
	GT_TRY(gt_fdk_filtered(cpu, r->scan, NULL, r->lines, r->matrix, r->images));
done:
	gt_backend_close(cpu);
	return st;
}

/* The CPU computes references of all slices; with a GPU, which has larger volumes, of some at a quarter of the
 * height. */
static void choose_slices(const study *s, rabbit *r)
{
	const size_t n = r->p.grid.n[2], slices = s->gpu[0] ? (n + 15) / 16 : n, before = s->gpu[0] ? n / 4 : 0;
	r->judged = r->p.grid;
	r->judged.n[2] = slices;
	r->judged.center[2] += ((double)before + (double)slices / 2 - (double)n / 2) * r->judged.pitch[2];
	r->first = before * n * n;
	r->hus = slices * n * n;
}

static gt_status make_references(study *s, rabbit *r)
{
	fdk_way w = { .type = GT_F64 };
	fdk_images p = r->p;
	fdk_seconds t;
	double seconds;
	study_step(s, "rabbitct: references in double");
	snprintf(w.backend, sizeof w.backend, "%s", s->cpu);
	GT_OR_RETURN(fdk_run(s, &(fdk_case){ &w, r->scan, &r->judged, NULL, r->lines, r->x, 0 }, &t));
	to_hu(r, r->x, r->from_fdk);
	p.grid = r->judged;
	GT_OR_RETURN(fdk_images_run(&p, s->cpu, GT_F64, 0, r->x, &seconds));
	to_hu(r, r->x, r->from_images);
	return GT_OK;
}

/* Displaced by up to 2 mm and turned by up to 6 milliradians. */
static gt_status new_rabbit(study *s, rabbit *r)
{
	const size_t by = s->quick ? 16 : s->gpu[0] ? 1 : 4;
	gt_orbit o = gt_scanner_find("c-arm")->orbit;
	study_step(s, "rabbitct: images of a C-arm");
	gt_orbit_reduce(&o, by);
	GT_OR_RETURN(gt_scan_orbit(&o, &r->scan));
	GT_OR_RETURN(gt_scan_perturb(r->scan, 2, 6e-3, 1));
	gt_rabbitct_grid(512 / by, &r->p.grid);
	r->voxels = gt_grid_voxels(&r->p.grid);
	choose_slices(s, r);
	GT_OR_RETURN(allocate(r));
	GT_OR_RETURN(simulate(s, r));
	r->p = (fdk_images){ r->p.grid, r->scan->views, r->scan->rows, r->scan->columns, (const double(*)[12])r->matrix, r->images };
	return make_references(s, r);
}

/* Lines of the table ------------------------------------------------------------- */

/* A row but for the columns of the paper; score NULL: not measured. */
static void add_row(study *s, const rabbit *r, const char *const text[3], int views, double seconds, const gt_rabbitct_score *score)
{
	const double updates = (double)r->voxels * (double)r->scan->views / seconds;
	study_row(&s->table[STUDY_RABBITCT], TXT(text[0]), TXT(text[1]), TXT(text[2]), NUM(views ? views : NAN), NUM(seconds),
	          NUM(updates / 1073741824), NUM(updates / 1e9), NUM(score ? score->rmse : NAN), NUM(score ? score->max : NAN),
	          NUM(score && isfinite(score->psnr) ? score->psnr : NAN));
}

static gt_status run_form(study *s, rabbit *r, int k)
{
	const fdk_way *w = fdk_way_of(s, steps[k].form);
	const char *const text[] = { steps[k].step, steps[k].form, w ? "GPU" : "needs CUDA" };
	gt_rabbitct_score score;
	fdk_seconds t = { NAN, NAN, NAN };
	study_step(s, "rabbitct: %s", steps[k].step);
	if (w)
		GT_OR_RETURN(fdk_try(s, "rabbitct", &(fdk_case){ w, r->scan, &r->p.grid, NULL, r->lines, r->x, 0 }, &t));
	if (!isnan(t.back)) {
		to_hu(r, r->x + r->first, r->hu);
		score = gt_rabbitct_judge(r->hu, r->from_fdk, r->hus);
	}
	add_row(s, r, text, fdk_form_find(steps[k].form)->views, t.back, isnan(t.back) ? NULL : &score);
	study_row(&s->table[STUDY_RABBITCT], NUM(steps[k].seconds), NUM(steps[k].gups));
	return GT_OK;
}

/* Times what the benchmark counts: uploads of images, and the whole volume. */
static gt_status run_images(study *s, rabbit *r, const fdk_taker *taker)
{
	const char *const text[] = { taker->gpu ? "uploads during the computation" : taker->label, "chosen", taker->gpu ? "GPU" : "CPU" };
	double seconds;
	study_step(s, "rabbitct: images one by one: %s", taker->label);
	GT_OR_RETURN(fdk_images_run(&r->p, taker->backend, GT_F32, 0, r->x, &seconds));
	to_hu(r, r->x + r->first, r->hu);
	const gt_rabbitct_score score = gt_rabbitct_judge(r->hu, r->from_images, r->hus);
	add_row(s, r, text, 32, seconds, &score);
	study_row(&s->table[STUDY_RABBITCT], NUM(taker->gpu ? 0.951 : NAN), NUM(taker->gpu ? 70.2 : NAN));
	return GT_OK;
}

size_t fdk_rabbit_steps(const study *s)
{
	fdk_taker taker[FDK_TAKERS];
	return 2 + STEPS + fdk_takers(s, taker);
}

gt_status fdk_rabbit(study *s)
{
	fdk_taker taker[FDK_TAKERS];
	const size_t takers = fdk_takers(s, taker);
	rabbit r = { .scan = NULL };
	gt_status st = GT_OK;
	GT_TRY(new_rabbit(s, &r));
	for (size_t i = 0; i < takers; i++)
		GT_TRY(run_images(s, &r, &taker[i]));
	for (int k = 0; k < STEPS; k++)
		GT_TRY(run_form(s, &r, k));
done:
	free_rabbit(&r);
	return st;
}
