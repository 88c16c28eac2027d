/* Sharpness and texture at equal noise: the response to a small disc in the object, the noise power spectrum, and the
 * uniformity of the noise. Edge-preserving methods are not linear: the results hold for this disc
 * at this position. */
#include "apps/study/quality/quality.h"

/* Contrast of the disc over the noise; its radius over the radius of the round region of tissue. */
#define CONTRAST 10
#define OF_PIECE 0.4
/* Side of the squares of the spectrum over that radius. Squares begin at multiples of half their side, so one of
 * 0.94 radii may not fit. */
#define OF_SQUARE 0.6
#define MAX_OF_SQUARE 0.9
enum { MIN_SQUARE = 8, MIN_DISC = 3, FIRST_SEED = 100 };
#define MAX_UNEVEN 0.1

/* Returns 1 if all voxels within the radius are soft tissue. */
static int fits(const quality_scene *c, long x, long y, long radius)
{
	const long wide = (long)c->grid.n[0], high = (long)c->grid.n[1];
	const unsigned char *kind = c->kind + c->grid.n[2] / 2 * c->grid.n[0] * c->grid.n[1];
	if (x < radius || y < radius || x + radius >= wide || y + radius >= high)
		return 0;
	for (long j = -radius; j <= radius; j++)
		for (long i = -radius; i <= radius; i++)
			if (i * i + j * j <= radius * radius && kind[x + i + wide * (y + j)] != QUALITY_SOFT)
				return 0;
	return 1;
}

/* Finds the largest round region of soft tissue in the central slice; radius in voxels. */
static long find_piece(const quality_scene *c, double center[2])
{
	long radius = 0;
	for (long y = 0; y < (long)c->grid.n[1]; y++)
		for (long x = 0; x < (long)c->grid.n[0]; x++)
			while (fits(c, x, y, radius + 1)) {
				radius++;
				center[0] = gt_grid_first(&c->grid, 0) + (double)x * c->grid.pitch[0];
				center[1] = gt_grid_first(&c->grid, 1) + (double)y * c->grid.pitch[1];
			}
	return radius;
}

static gt_status add_disc(study *s, const quality_scene *c, const gt_disc *disc, gt_projections **out)
{
	gt_phantom_options o = gt_phantom_defaults;
	float *lines = NULL;
	gt_status st = GT_OK;
	o.water = c->of->water;
	o.scale = 1;
	const char *text = FORMAT("cylinder center=%.9g,%.9g,0 radius=%.9g length=%.9g density=%.9g\n", disc->center[0], disc->center[1],
	                          disc->radius, 1e4, CONTRAST * c->of->noise / 1000);
	GT_TRY(study_simulate(s, &(study_object){ "disc", text, &o }, c->scan, quality_rays(c->of), &lines, NULL, NULL));
	GT_TRY(gt_projections_new(c->scan, out));
	GT_TRY(gt_projections_set_water(*out, c->of->water));
	for (size_t i = 0; i < gt_scan_size(c->scan); i++)
		gt_projections_data(*out)[i] = gt_projections_data(c->p[0])[i] + lines[i];
done:
	free(lines);
	return st;
}

/* Measures the response to the disc alone, in the picture's unit. */
static gt_status sharpness(study *s, const quality_scene *c, const quality_candidate *by, const quality_result *r, const gt_disc *disc,
                           quality_texture *t)
{
	quality_scene with = *c;
	gt_volume *v = NULL;
	gt_mtf m = { .f50 = NAN };
	double strength = r->strength;
	gt_status st = GT_OK;
	with.p[0] = NULL;
	GT_TRY(add_disc(s, c, disc, &with.p[0]));
	GT_TRY(quality_reconstruct(s, &with, by, 0, c->of->noise, &strength, &v));
	float *x = gt_volume_data(v);
	for (size_t i = 0; i < c->count[QUALITY_ALL]; i++)
		x[i] -= r->x[i];
	if (gt_mtf_of_disc(&c->grid, x, disc, &m) == GT_OK) {
		t->f50 = m.f50;
		t->f10 = m.f10;
		t->width = m.width;
		t->height = (m.inside - m.outside) / (CONTRAST * c->of->noise / 1000 * c->of->water);
		t->mtf = m.mtf;
		m.mtf = (gt_curve){ NULL, NULL, 0 };
	}
	gt_curve_free(&m.mtf);
done:
	gt_projections_free(with.p[0]);
	gt_volume_free(v);
	return st;
}

static gt_status spectrum(study *s, const quality_scene *c, const quality_candidate *by, const quality_result *r, const gt_roi *piece,
                          size_t side, quality_texture *t)
{
	gt_volume *v = NULL;
	gt_nps nps = { .squares = 0 };
	double strength = r->strength;
	gt_status st = GT_OK;
	GT_TRY(quality_reconstruct(s, c, by, 1, c->of->noise, &strength, &v));
	if (gt_nps_measure(&c->grid, r->x, gt_volume_data(v), piece, side, &nps) == GT_OK) {
		t->peak = nps.peak;
		t->mean = nps.mean;
		t->nps = nps.radial;
		nps.radial = (gt_curve){ NULL, NULL, 0 };
	}
	for (size_t i = 0; i < t->nps.n; i++)
		t->nps.value[i] *= pow(1000 / c->of->water, 2);
	gt_curve_free(&nps.radial);
done:
	gt_volume_free(v);
	return st;
}

gt_status quality_texture_of(study *s, const quality_scene *c, const quality_candidate *by, const quality_result *r, quality_texture *t)
{
	gt_disc disc = { .first = c->grid.n[2] / 2, .slices = 1 };
	*t = (quality_texture){ NAN, NAN, NAN, NAN, NAN, NAN, { NULL, NULL, 0 }, { NULL, NULL, 0 } };
	const long radius = find_piece(c, disc.center);
	const size_t side = (size_t)fmax(MIN_SQUARE, OF_SQUARE * (double)radius);
	const gt_roi piece = { { disc.center[0], disc.center[1], c->grid.center[2] }, (double)radius * c->grid.pitch[0], 0 };
	disc.radius = OF_PIECE * piece.radius;
	if (OF_PIECE * (double)radius >= MIN_DISC)
		GT_OR_RETURN(sharpness(s, c, by, r, &disc, t));
	if ((double)side <= MAX_OF_SQUARE * (double)radius)
		GT_OR_RETURN(spectrum(s, c, by, r, &piece, side, t));
	return GT_OK;
}

void quality_texture_free(quality_texture *t)
{
	gt_curve_free(&t->mtf);
	gt_curve_free(&t->nps);
}

/* Sums of two halves of the draws over each voxel. */
typedef struct {
	double *sum[2], *square[2];
	size_t patch, wide, high; /* voxels along the side of a patch; patches */
} moments;

/* Mean variance of a patch over a half of the draws, HU^2; NAN: not all of it is soft tissue. */
static double patch_variance(const quality_scene *c, const moments *m, int half, size_t at, double draws)
{
	const size_t x = at % m->wide * m->patch, y = at / m->wide * m->patch, wide = c->grid.n[0], n = m->patch * m->patch;
	const size_t first = c->grid.n[2] / 2 * wide * c->grid.n[1];
	double variance = 0;
	for (size_t k = 0; k < n; k++) {
		const size_t i = first + x + k % m->patch + wide * (y + k / m->patch);
		if (c->kind[i] != QUALITY_SOFT)
			return NAN;
		variance += (m->square[half][i] - m->sum[half][i] * m->sum[half][i] / draws) / (draws - 1) / (double)n;
	}
	return variance;
}

/* Returns the common spread: the root of the covariance. */
static double spread_of(const double *x, const double *y, size_t n)
{
	double a = 0, b = 0, both = 0;
	for (size_t i = 0; i < n; i++) {
		a += x[i] / (double)n;
		b += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		both += (x[i] - a) * (y[i] - b) / (double)n;
	return sqrt(fmax(0, both));
}

/* Fraction of a normal distribution below x. */
static double below(double x, double mean, double spread) { return 0.5 * erfc((mean - x) / (spread * sqrt(2))); }

/* The errors of two halves of the draws are independent, so the covariance of their logarithms is the variance of
 * the noise level. A normal distribution of that mean and spread gives the fraction within a tenth of the target. */
static gt_status judge_patches(const quality_scene *c, const moments *m, double draws, quality_even *e)
{
	const size_t n = m->wide * m->high;
	const double asked = pow(c->of->noise, 2);
	double *a, squares = 0;
	e->wide = m->wide;
	e->high = m->high;
	GT_OR_RETURN(study_new(n, sizeof *e->ratio, &e->ratio));
	GT_OR_RETURN(study_new(2 * n, sizeof *a, &a));
	double *const b = a + n;
	for (size_t at = 0; at < n; at++) {
		const double one = patch_variance(c, m, 0, at, draws), other = patch_variance(c, m, 1, at, draws);
		e->ratio[at] = one > 0 && other > 0 ? sqrt((one + other) / 2 / asked) : NAN;
		if (isnan(e->ratio[at]))
			continue;
		a[e->patches] = log(one / asked) / 2;
		b[e->patches++] = log(other / asked) / 2;
		e->counted += fabs(e->ratio[at] - 1) <= MAX_UNEVEN;
		squares += pow(e->ratio[at], 2);
	}
	e->counted /= (double)e->patches;
	e->spread = spread_of(a, b, e->patches);
	e->mean = sqrt(squares / (double)e->patches);
	/* With few draws the mean of logarithms is biased low. The logarithm of the RMS is not; it is higher by the
	 * square of the spread. */
	const double mean = log(e->mean) - e->spread * e->spread;
	e->within = below(log(1 + MAX_UNEVEN), mean, e->spread) - below(log(1 - MAX_UNEVEN), mean, e->spread);
	free(a);
	return GT_OK;
}

void quality_even_free(quality_even *e)
{
	free(e->ratio);
	e->ratio = NULL;
}

static gt_status add_draw(study *s, const quality_scene *c, const quality_candidate *by, double strength, int draw, moments *m)
{
	quality_scene own = *c;
	gt_volume *v = NULL;
	const double hu = 1000 / c->of->water;
	gt_status st = quality_draw(s, c, FIRST_SEED + draw, &own.p[0]);
	if (st == GT_OK)
		st = quality_reconstruct(s, &own, by, 0, c->of->noise, &strength, &v);
	for (size_t i = 0; st == GT_OK && i < c->count[QUALITY_ALL]; i++) {
		const double off = hu * ((double)gt_volume_data(v)[i] - c->truth[i]);
		m->sum[draw & 1][i] += off;
		m->square[draw & 1][i] += off * off;
	}
	gt_projections_free(own.p[0]);
	gt_volume_free(v);
	return st;
}

static size_t patch_side(quality_size size) { return size == QUALITY_FULL ? 8 : 2; }

size_t quality_patches(const study *s, const quality_case *c, int axis)
{
	return quality_side(s, c, axis) / patch_side(quality_found(s)->size);
}

gt_status quality_even_of(study *s, const quality_scene *c, const quality_candidate *by, const quality_result *r, int draws,
                          quality_even *e)
{
	const size_t n = c->count[QUALITY_ALL], patch = patch_side(c->size);
	double *all;
	gt_status st = GT_OK;
	*e = (quality_even){ .patches = 0 };
	GT_OR_RETURN(study_new(4 * n, sizeof *all, &all));
	moments m = { { all, all + n }, { all + 2 * n, all + 3 * n }, patch, c->grid.n[0] / patch, c->grid.n[1] / patch };
	for (int d = 0; d < draws && st == GT_OK; d++)
		st = add_draw(s, c, by, r->strength, d, &m);
	if (st == GT_OK)
		st = judge_patches(c, &m, draws / 2, e);
	for (size_t i = 0; i < n && st == GT_OK; i++)
		all[i] = c->truth[i] + (m.sum[0][i] + m.sum[1][i]) / draws * c->of->water / 1000;
	if (st == GT_OK)
		st = quality_overshoot(c, all, &e->overshoot, &e->at_steps);
	free(all);
	return st;
}
