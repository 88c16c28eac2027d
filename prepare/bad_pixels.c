/* Finds bad pixels. Dark fields show hot pixels; flat fields show dead, weak, bright or noisy ones, all beyond 6
 * robust standard deviations of the others. Without fields, pixels are bad whose mean over the views differs from
 * their neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "prepare/bad_pixels.h"
#include "prepare/step.h"

enum { AUTO, FIELDS, VIEWS };
struct options {
	int method;
	double tolerance;
};
static const struct options defaults = { AUTO, 0.1 };
static const char *const methods[] = { "auto", "fields", "views", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "fields: by flat and dark fields; views: by the mean of all views; auto: fields if there are any",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "tolerance",
	  .help = "views: allowed relative deviation of a pixel's transmission from its neighbours",
	  .kind = GT_REAL,
	  .at = AT(tolerance),
	  .min = 1e-4,
	  .max = 10 },
	{ .key = NULL },
};
#define DEVIATIONS 6
#define DEAD 0.1

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "bad pixels: out of memory"); }

static gt_status mark_beyond(const float *x, size_t n, double deviations, unsigned char *bad)
{
	double median, deviation;
	gt_status st = gt_robust_spread(x, n, &median, &deviation);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; i < n; i++)
		bad[i] |= fabs(x[i] - median) > deviations * deviation;
	return GT_OK;
}

typedef struct {
	const gt_field_images *f;
	size_t n;
	float *mean, *spread; /* spread NULL: not computed */
} mean_call;

static void means_loop(void *self, size_t begin, size_t end, int worker)
{
	const mean_call *m = self;
	const gt_field_images *f = m->f;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		double sum = 0, squares = 0;
		for (size_t k = 0; k < f->images; k++)
			sum += f->data[k * m->n + i];
		const double mean = sum / (double)f->images;
		for (size_t k = 0; k < f->images; k++)
			squares += (f->data[k * m->n + i] - mean) * (f->data[k * m->n + i] - mean);
		m->mean[i] = (float)mean;
		if (m->spread)
			m->spread[i] = f->images > 1 ? (float)sqrt(squares / (double)(f->images - 1)) : 0;
	}
}

static void mean_and_spread(gt_pool *pool, const gt_field_images *f, size_t n, float *mean, float *spread)
{
	mean_call m = { f, n, mean, spread };
	gt_parallel(pool, n, 1 << 14, means_loop, &m);
}

typedef struct {
	const gt_field_images *flats, *darks;
	size_t rows, columns;
	gt_pool *pool;
} fields;

/* flat: mean flat field minus the dark one; spread: standard deviation of the flat fields. work: n more. */
static gt_status mark_by_flats(const fields *of, float *flat, float *spread, float *work, unsigned char *bad)
{
	const size_t n = of->rows * of->columns, images = of->flats->images;
	double median, deviation;
	gt_status st = GT_OK;
	GT_TRY(gt_robust_spread(flat, n, &median, &deviation));
	if (!(median > 0))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "flat fields: found a median of %.3g counts above the dark field, expected more than 0",
		               median));
	gt_local_medians(flat, of->rows, of->columns, of->pool, work);
	for (size_t i = 0; i < n; i++) {
		bad[i] |= !(flat[i] > DEAD * median);
		work[i] = work[i] > 0 ? flat[i] / work[i] : 0;
	}
	GT_TRY(mark_beyond(work, n, DEVIATIONS, bad));
	/* With fewer than 5 flat fields, a normal pixel's sample deviation often exceeds 6 robust deviations. */
	for (size_t i = 0; i < n && images >= 5; i++)
		work[i] = flat[i] > 0 ? spread[i] / sqrtf(flat[i]) : 0;
	if (images >= 5)
		GT_TRY(mark_beyond(work, n, DEVIATIONS, bad));
done:
	return st;
}

static gt_status by_fields(const fields *of, unsigned char *bad)
{
	const gt_field_images *flats = of->flats, *darks = of->darks;
	const size_t n = of->rows * of->columns;
	const int light = flats && flats->images, none = darks && darks->images;
	float *memory = malloc(4 * n * sizeof *memory), *dark = memory, *flat = memory + n, *spread = flat + n, *work = spread + n;
	gt_status st = GT_OK;
	if (!memory)
		return out_of_memory();
	if (!light && !none)
		GT_TRY(gt_fail(GT_ERR_ARG, "neither flat nor dark fields: expected some of them"));
	if (none)
		GT_TRY(gt_prepare_fields_finite(darks, "dark", n));
	if (light)
		GT_TRY(gt_prepare_fields_finite(flats, "flat", n));
	memset(bad, 0, n);
	memset(dark, 0, n * sizeof *dark);
	if (none) {
		mean_and_spread(of->pool, darks, n, dark, NULL);
		GT_TRY(mark_beyond(dark, n, DEVIATIONS, bad));
	}
	if (light) {
		mean_and_spread(of->pool, flats, n, flat, spread);
		for (size_t i = 0; i < n; i++)
			flat[i] -= dark[i];
		GT_TRY(mark_by_flats(of, flat, spread, work, bad));
	}
done:
	free(memory);
	return st;
}

static size_t count_of(const unsigned char *bad, size_t n)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += bad[i];
	return found;
}

gt_status gt_bad_pixels_of_fields(const gt_field_images *flats, const gt_field_images *darks, size_t rows, size_t columns,
                                  unsigned char *bad, size_t *found)
{
	const gt_status st = by_fields(&(fields){ flats, darks, rows, columns, NULL }, bad);
	if (st == GT_OK && found)
		*found = count_of(bad, rows * columns);
	return st;
}

enum { BATCH = 8 };
typedef struct {
	const float *views, *first; /* [views][pixels] */
	size_t n, pixels;
	double *sum;
	unsigned char *changes;
} sum_call;

static void add_views(void *self, size_t begin, size_t end, int worker)
{
	const sum_call *s = self;
	(void)worker;
	for (size_t v = 0; v < s->n; v++)
		for (size_t i = begin; i < end; i++) {
			s->sum[i] += expf(-s->views[v * s->pixels + i]);
			s->changes[i] |= s->views[v * s->pixels + i] != s->first[i];
		}
}

/* Marks pixels that never change. Air without noise never changes either. Then, or with more than this fraction of
 * constant pixels, a constant pixel is bad if most pixels around it change. work: 2 x pixels. */
#define MAX_CONSTANT 0.1

static void mark_constant(const gt_prepare_call *c, const unsigned char *changed, int is_noisy, float *work, unsigned char *bad)
{
	const gt_scan *scan = c->source.scan;
	const size_t n = scan->rows * scan->columns;
	size_t constant = 0;
	for (size_t i = 0; i < n; i++) {
		work[i] = changed[i];
		constant += !changed[i];
	}
	const int all = is_noisy && (double)constant <= MAX_CONSTANT * (double)n;
	gt_local_medians(work, scan->rows, scan->columns, c->pool, work + n);
	for (size_t i = 0; i < n; i++)
		bad[i] = !changed[i] && (all || work[n + i] > 0);
}

/* Slopes and curves of the object also deviate: a bad pixel exceeds this number of local deviations. */
#define LOCAL_DEVIATIONS 4

/* Returns the median of |x - median| over the 5 x 5 pixels around pixel i, fewer at edges. */
static double local_deviation(const float *x, const gt_scan *scan, size_t i, double median)
{
	const size_t row = i / scan->columns, column = i % scan->columns;
	float off[25];
	size_t n = 0;
	for (size_t r = row < 2 ? 0 : row - 2; r <= row + 2 && r < scan->rows; r++)
		for (size_t c = column < 2 ? 0 : column - 2; c <= column + 2 && c < scan->columns; c++)
			off[n++] = (float)fabs(x[r * scan->columns + c] - median);
	return gt_median_few(off, n);
}

/* Marks pixels by their mean transmission over all views, and pixels that never change. */
static gt_status by_views(const gt_prepare_call *c, double tolerance, unsigned char *bad)
{
	const gt_scan *scan = c->source.scan;
	double photons;
	const size_t views = scan->views, n = scan->rows * scan->columns;
	float *memory = malloc((BATCH + 1) * n * sizeof *memory), *first = memory + BATCH * n, *mean = memory, *around = mean + n;
	double *sum = calloc(n, sizeof *sum);
	unsigned char *changed = calloc(n, 1);
	gt_status st = GT_OK;
	if (!memory || !sum || !changed)
		GT_TRY(out_of_memory());
	memset(bad, 0, n);
	GT_TRY(gt_prepare_photons(c, &photons));
	for (size_t v = 0; v < views; v += BATCH) {
		sum_call s = { memory, first, views - v < BATCH ? views - v : BATCH, n, sum, changed };
		GT_TRY(c->source.read(c->source.self, v, s.n, memory));
		if (!v)
			memcpy(first, memory, n * sizeof *first);
		gt_parallel(c->pool, n, 1 << 14, add_views, &s);
	}
	if (views > 1)
		mark_constant(c, changed, photons > 0 && photons < GT_MAX_PHOTONS, memory, bad);
	for (size_t i = 0; i < n; i++)
		mean[i] = (float)(sum[i] / (double)views);
	gt_local_medians(mean, scan->rows, scan->columns, c->pool, around);
	for (size_t i = 0; i < n; i++) {
		const double noise = photons > 0 ? sqrt(around[i] / (photons * (double)views)) : 0;
		const double off = fabs(mean[i] - around[i]);
		bad[i] |= off > fmax(tolerance * around[i], DEVIATIONS * noise) &&
		          off > LOCAL_DEVIATIONS * local_deviation(mean, scan, i, around[i]);
	}
done:
	free(changed);
	free(memory);
	free(sum);
	return st;
}

static gt_status find(gt_prepare_call *c, const struct options *o, unsigned char *bad)
{
	const gt_scan *s = c->source.scan;
	const int given = c->o->flats.images + c->o->darks.images > 0;
	if (o->method == FIELDS && !given)
		return gt_fail(GT_ERR_ARG, "method=fields: there are neither flat nor dark fields");
	return given && o->method != VIEWS ? by_fields(&(fields){ &c->o->flats, &c->o->darks, s->rows, s->columns, c->pool }, bad)
	                                   : by_views(c, o->tolerance, bad);
}

typedef struct {
	size_t found, pixels;
	unsigned char bad[];
} bad_known;

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const size_t n = c->source.scan->rows * c->source.scan->columns;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_known(c, sizeof(bad_known) + n));
	bad_known *known = c->known;
	known->pixels = n;
	GT_TRY(find(c, options, known->bad));
	known->found = count_of(known->bad, n);
	if (2 * known->found > n)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%zu of %zu pixels are bad, expected at most half; use a larger tolerance", known->found, n));
done:
	return st;
}

static int weighs(const void *known) { return ((const bad_known *)known)->found > 0; }

static gt_status run(gt_prepare_call *c, const void *options)
{
	const bad_known *known = c->known;
	(void)options;
	return known->found ? gt_prepare_fill(c, known->bad) : GT_OK;
}

static void report(gt_prepare_call *c)
{
	const bad_known *known = c->known;
	gt_prepare_note(c, "%zu of %zu pixels are bad: interpolated, with weight 0 for iterative methods", known->found, known->pixels);
}

static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	const size_t n = (*c->p)->scan->rows * (*c->p)->scan->columns;
	unsigned char *bad = calloc(n, 1);
	if (!bad)
		return out_of_memory();
	const gt_status st = find(c, &defaults, bad);
	const size_t found = count_of(bad, n);
	snprintf(why, size, "%zu of %zu pixels deviate from their neighbours", found, n);
	if (found && 50 * found < n)
		snprintf(spec, size, "bad-pixels");
	free(bad);
	return st;
}

const gt_preparation gt_preparation_bad_pixels = {
	.name = "bad-pixels",
	.about = "dead, hot, weak or noisy pixels: interpolates them, with weight 0 for iterative methods",
	GT_STEP_MEMBERS,
	.advise = advise,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
	.weighs = weighs,
};

gt_status gt_detector_gain(const gt_field_images *flats, const gt_field_images *darks, size_t pixels, double *gain, double *photons)
{
	double mean = 0, dark = 0, variance = 0;
	if (flats->images < 2)
		return gt_fail(GT_ERR_ARG, "%zu flat fields: the gain of the detector takes 2", flats->images);
	gt_status st = gt_prepare_fields_finite(flats, "flat", pixels);
	if (st == GT_OK)
		st = gt_prepare_fields_finite(darks, "dark", pixels);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; i < pixels * darks->images; i++)
		dark += darks->data[i] / ((double)pixels * (double)darks->images);
	for (int kind = 0; kind < 2; kind++) {
		const gt_field_images *f = kind ? darks : flats;
		double squares = 0;
		for (size_t k = 0; k + 1 < f->images; k++) {
			const float *a = f->data + k * pixels, *b = a + pixels;
			double level[2] = { 0, 0 };
			for (size_t i = 0; i < pixels; i++) {
				level[0] += (a[i] - dark) / (double)pixels;
				level[1] += (b[i] - dark) / (double)pixels;
			}
			const double common = (level[0] + level[1]) / 2, of_a = kind ? 1 : common / level[0],
				     of_b = kind ? 1 : common / level[1];
			for (size_t i = 0; i < pixels; i++) {
				const double off = (a[i] - dark) * of_a - (b[i] - dark) * of_b;
				squares += off * off / (double)pixels / (double)(f->images - 1);
			}
			mean += kind ? 0 : common / (double)(f->images - 1);
		}
		variance += (kind ? -0.5 : 0.5) * squares;
	}
	if (!(mean > 0) || !(variance > 0))
		return gt_fail(GT_ERR_FORMAT, "flat fields: mean %.3g above the dark ones, variance %.3g: expected both above 0", mean,
		               variance);
	*gain = variance / mean;
	if (photons)
		*photons = mean / *gain;
	return GT_OK;
}
