/* Filters of undecimated wavelet transforms: Daubechies, Ten Lectures on Wavelets, SIAM 1992, tables 6.1 and 6.3.
 * Norms along an axis by power iterations on the host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "regularizers/wavelet/wavelet_filters.h"

const char *const gt_wavelet_names[] = { "haar", "db2", "db3", "db4", "sym4", NULL };

/* Orthonormal filters. */
static const double haar[] = { 0.70710678118654752, 0.70710678118654752 };
static const double db2[] = { 0.48296291314453414, 0.83651630373780790, 0.22414386804201338, -0.12940952255126038 };
static const double db3[] = { 0.33267055295008263,  0.80689150931109255,  0.45987750211849154,
	                      -0.13501102001025458, -0.08544127388202666, 0.03522629188570953 };
static const double db4[] = { 0.23037781330889650,  0.71484657055291565, 0.63088076792985890, -0.02798376941685985,
	                      -0.18703481171909309, 0.03084138183556076, 0.03288301166688520, -0.01059740178506903 };
static const double sym4[] = { 0.03222310060405147, -0.01260396726203130, -0.09921954357663353, 0.29785779560530605,
	                       0.80373875180513208, 0.49761866763277499,  -0.02963552764600249, -0.07576571478950221 };

int gt_wavelet_filter(int filter, double low[GT_WAVELET_TAPS])
{
	static const struct {
		int taps;
		const double *h;
	} all[] = { { 2, haar }, { 4, db2 }, { 6, db3 }, { 8, db4 }, { 8, sym4 } };
	const int taps = all[filter].taps;
	for (int k = 0; k < taps; k++)
		low[k] = all[filter].h[k] * sqrt(0.5);
	return taps;
}

/* A line of n voxels; the taps are `apart` voxels apart. */
struct line {
	size_t n;
	ptrdiff_t apart;
	int taps;
	double low[GT_WAVELET_TAPS];
};

static size_t mirrored(const struct line *l, size_t i, int k)
{
	const ptrdiff_t n = (ptrdiff_t)l->n, m = ((ptrdiff_t)i + (k - l->taps / 2 + 1) * l->apart) % (2 * n), from = m < 0 ? m + 2 * n : m;
	return (size_t)(from < n ? from : 2 * n - 1 - from);
}

/* y = B'B x with B the low pass and, if `both`, the high pass below it. */
static void normal(const struct line *l, int both, const double *x, double *y)
{
	memset(y, 0, l->n * sizeof *y);
	for (size_t i = 0; i < l->n; i++)
		for (int pass = 0; pass <= both; pass++) {
			double h[GT_WAVELET_TAPS], sum = 0;
			for (int k = 0; k < l->taps; k++) {
				h[k] = pass ? (k % 2 ? -1 : 1) * l->low[l->taps - 1 - k] : l->low[k];
				sum += h[k] * x[mirrored(l, i, k)];
			}
			for (int k = 0; k < l->taps; k++)
				y[mirrored(l, i, k)] += h[k] * sum;
		}
}

/* room: scratch of two lines. */
static double largest(const struct line *l, int both, double *room)
{
	double *x = room, *y = room + l->n, norm2 = 1;
	for (size_t i = 0; i < l->n; i++)
		x[i] = 1 + 0.3 * sin((double)(i * i));
	for (int turn = 0; turn < 60; turn++) {
		double xx = 0, yy = 0;
		normal(l, both, x, y);
		for (size_t i = 0; i < l->n; i++) {
			xx += x[i] * x[i];
			yy += y[i] * y[i];
		}
		norm2 = sqrt(yy / xx);
		for (size_t i = 0; i < l->n; i++)
			x[i] = y[i] / sqrt(yy);
	}
	return fmax(1, norm2 * 1.01);
}

gt_status gt_wavelet_norm2(int filter, int levels, const size_t n[3], double *norm2)
{
	double all = 1, lows = 1;
	for (int level = 0; level < levels; level++) {
		double whole = 1, low = 1;
		for (int a = 0; a < 3; a++) {
			struct line l = { .n = n[a], .apart = (ptrdiff_t)1 << level };
			/* Effects of a border end within its reach. */
			const size_t enough = 4 * (size_t)l.apart * GT_WAVELET_TAPS;
			l.n = l.n < enough ? l.n : enough;
			l.taps = gt_wavelet_filter(filter, l.low);
			double *room = malloc(2 * l.n * sizeof *room);
			if (!room)
				return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'wavelet'");
			whole *= l.n > 1 ? largest(&l, 1, room) : 1;
			low *= l.n > 1 ? largest(&l, 0, room) : 1;
			free(room);
		}
		all += (whole - 1) * lows;
		lows *= low;
	}
	*norm2 = all;
	return GT_OK;
}
