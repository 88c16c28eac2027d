/* Fixed-point iteration for the primary intensity P, on a coarse view because scatter is smooth. P starts as the
 * measured intensity I; each step sets P to I minus the scatter of P. Views are continued by their edge values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/try.h"
#include "prepare/scatter/scatter_kernel.h"

enum { COARSEST = 16, ROUNDS = 60, TRIES = 40, MAX_ROWS = 65536 };
/* Minimum primary fraction of the intensity. */
#define LEAST 0.05
/* Relative to white: change of P at convergence. */
#define SETTLED 1e-6
#define MAX_AMPLITUDE 20.0
/* Tolerance relative to the requested fraction, and limits of the search. */
#define CLOSE 0.01
#define FOUND 1e-5
/* First amplitude of the search, and the factor by which it grows until the scatter is too large. */
#define FIRST_AMPLITUDE 0.05
#define GROWS 4

static gt_status set_axis(gt_scatter_kernel *k, int axis, double sigma, size_t pixels)
{
	const double by = floor(sigma / 4);
	k->by[axis] = by < 1 ? 1 : by > COARSEST ? COARSEST : (size_t)by;
	k->n[axis] = (pixels + k->by[axis] - 1) / k->by[axis];
	sigma /= (double)k->by[axis];
	k->reach[axis] = (size_t)ceil(4 * sigma);
	double sum = 0, *kernel = k->kernel[axis] = malloc((2 * k->reach[axis] + 1) * sizeof *kernel);
	if (!kernel)
		return gt_fail(GT_ERR_MEMORY, "scatter: out of memory");
	for (size_t i = 0; i <= 2 * k->reach[axis]; i++) {
		const double x = ((double)i - (double)k->reach[axis]) / sigma;
		sum += kernel[i] = exp(-x * x / 2);
	}
	for (size_t i = 0; i <= 2 * k->reach[axis]; i++)
		kernel[i] /= sum;
	return GT_OK;
}

gt_status gt_scatter_kernel_new(const gt_scan *scan, double width, double power, gt_scatter_kernel *k)
{
	const double sigma[2] = { width / scan->column_pitch, width / scan->row_pitch };
	*k = (gt_scatter_kernel){ .rows = scan->rows, .columns = scan->columns, .power = power };
	if (!(sigma[0] >= 1) || !(sigma[0] < 4 * (double)scan->columns))
		return gt_fail(GT_ERR_ARG, "width=%g: expected a pixel of %g mm at least, and less than four times the detector's %g mm",
		               width, scan->column_pitch, scan->column_pitch * (double)scan->columns);
	/* A single row can be arbitrarily thin. */
	if (!(sigma[1] < MAX_ROWS))
		return gt_fail(GT_ERR_ARG, "width=%g: expected less than %d rows of %g mm", width, (int)MAX_ROWS, scan->row_pitch);
	gt_status st = set_axis(k, 0, sigma[0], scan->columns);
	return st == GT_OK ? set_axis(k, 1, sigma[1], scan->rows) : st;
}

void gt_scatter_kernel_free(gt_scatter_kernel *k)
{
	free(k->kernel[0]);
	free(k->kernel[1]);
	*k = (gt_scatter_kernel){ .rows = 0 };
}

/* Intensity, primary, scatter, and one array between blurs. */
size_t gt_scatter_kernel_scratch(const gt_scatter_kernel *k) { return 4 * k->n[0] * k->n[1]; }

static double mean_light(const gt_scatter_kernel *k, const float *p, size_t x, size_t y)
{
	const size_t bottom = (y + 1) * k->by[1] < k->rows ? (y + 1) * k->by[1] : k->rows,
		     right = (x + 1) * k->by[0] < k->columns ? (x + 1) * k->by[0] : k->columns;
	double sum = 0;
	for (size_t r = y * k->by[1]; r < bottom; r++)
		for (size_t c = x * k->by[0]; c < right; c++)
			sum += exp(-(double)p[r * k->columns + c]);
	return sum / (double)((bottom - y * k->by[1]) * (right - x * k->by[0]));
}

static size_t inside(size_t at, size_t add, size_t reach, size_t n)
{
	return at + add < reach ? 0 : at + add - reach < n ? at + add - reach : n - 1;
}

static GT_CLONES void add_times(double by, const double *restrict in, size_t n, double *restrict out)
{
	for (size_t x = 0; x < n; x++)
		out[x] += by * in[x];
}

/* Blurs a line that its edge values continue, one tap at a time, so that it vectorises. */
static void blur_line(const double *kernel, size_t reach, const double *in, size_t n, double *out)
{
	memset(out, 0, n * sizeof *out);
	for (size_t i = 0; i <= 2 * reach; i++) {
		const size_t first = i < reach ? reach - i : 0, behind = i > reach ? n - (i - reach < n ? i - reach : n) : n;
		for (size_t x = 0; x < first && x < n; x++)
			out[x] += kernel[i] * in[0];
		if (first < behind)
			add_times(kernel[i], in + first + i - reach, behind - first, out + first);
		for (size_t x = behind; x < n; x++)
			out[x] += kernel[i] * in[n - 1];
	}
}

/* Blurs along an axis of in[y][x]. */
static void blur(const gt_scatter_kernel *k, int axis, const double *in, double *out)
{
	const size_t nx = k->n[0], ny = k->n[1], reach = k->reach[axis];
	const double *kernel = k->kernel[axis];
	for (size_t y = 0; y < ny; y++) {
		if (axis == 0) {
			blur_line(kernel, reach, in + y * nx, nx, out + y * nx);
			continue;
		}
		memset(out + y * nx, 0, nx * sizeof *out);
		for (size_t i = 0; i <= 2 * reach; i++)
			add_times(kernel[i], in + inside(y, i, reach, ny) * nx, nx, out + y * nx);
	}
}

/* power is usually 1. */
static double scattered(const gt_scatter_kernel *k, double primary)
{
	const double through = fmax(0, -log(primary));
	return k->amplitude * primary * (k->power == 1 ? through : pow(through, k->power));
}

/* Damped iteration: each step goes half of the way to the intensity without the previous scatter. */
static void find_scatter(const gt_scatter_kernel *k, const double *light, double *primary, double *scatter, double *between)
{
	const size_t n = k->n[0] * k->n[1];
	double max = 1;
	memcpy(primary, light, n * sizeof *light);
	for (int round = 0; round < ROUNDS && max > SETTLED; round++) {
		for (size_t i = 0; i < n; i++)
			scatter[i] = scattered(k, primary[i]);
		blur(k, 0, scatter, between);
		blur(k, 1, between, scatter);
		max = 0;
		for (size_t i = 0; i < n; i++) {
			const double now = (primary[i] + fmax(light[i] - scatter[i], LEAST * light[i])) / 2;
			max = fmax(max, fabs(now - primary[i]));
			primary[i] = now;
		}
	}
}

static void make_coarse(const gt_scatter_kernel *k, const float *p, double *light)
{
	for (size_t y = 0; y < k->n[1]; y++)
		for (size_t x = 0; x < k->n[0]; x++)
			light[y * k->n[0] + x] = fmax(mean_light(k, p, x, y), GT_MIN_TRANSMISSION);
}

/* A view whose scatter at its darkest pixel is compared with the requested fraction. */
typedef struct {
	gt_scatter_kernel *k;
	double *light, *primary, *scatter, *between, fraction;
	size_t darkest;
} fitting;

/* Returns the relative excess of the scatter over the requested fraction. */
static double too_much(const fitting *f, double amplitude)
{
	f->k->amplitude = amplitude;
	find_scatter(f->k, f->light, f->primary, f->scatter, f->between);
	return f->scatter[f->darkest] / (f->fraction * f->light[f->darkest]) - 1;
}

/* Finds the amplitude by false position, because scatter grows with it. An end that stays gets half weight (the
 * Illinois rule, Dowell, Jarratt, BIT 11 (1971) 168). Returns the remaining excess. */
static double find_amplitude(const fitting *f)
{
	double low = 0, at_low = -1, high = FIRST_AMPLITUDE, at_high = too_much(f, high), at = at_high;
	while (at_high < 0 && high < MAX_AMPLITUDE) {
		low = high;
		at_low = at_high;
		high = fmin(GROWS * high, MAX_AMPLITUDE);
		at = at_high = too_much(f, high);
	}
	for (int i = 0, side = 0; at_high > 0 && i < TRIES && fabs(at) > FOUND && high - low > FOUND * FOUND * high; i++) {
		const double amplitude = low + (high - low) * at_low / (at_low - at_high);
		at = too_much(f, amplitude);
		const int now = at < 0 ? -1 : 1;
		if (now < 0) {
			low = amplitude;
			at_low = at;
			at_high *= side == now ? 0.5 : 1;
		} else {
			high = amplitude;
			at_high = at;
			at_low *= side == now ? 0.5 : 1;
		}
		side = now;
	}
	return at;
}

gt_status gt_scatter_kernel_fit(gt_scatter_kernel *k, const float *p, double fraction, double *scratch)
{
	const size_t n = k->n[0] * k->n[1];
	fitting f = { k, scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, fraction, 0 };
	make_coarse(k, p, f.light);
	for (size_t i = 1; i < n; i++)
		f.darkest = f.light[i] < f.light[f.darkest] ? i : f.darkest;
	if (!(f.light[f.darkest] < 0.9))
		return gt_fail(GT_ERR_FORMAT, "the central view transmits %.3g of white or more everywhere: found no object that scatters",
		               f.light[f.darkest]);
	return fabs(find_amplitude(&f)) < CLOSE
	               ? GT_OK
	               : gt_fail(GT_ERR_ARG, "fraction=%g: this width and power give a scatter fraction of %.3g at the darkest pixel",
	                         fraction, f.scatter[f.darkest] / f.light[f.darkest]);
}

/* Interpolates a coarse view linearly at a pixel. */
static double at_pixel(const gt_scatter_kernel *k, const double *coarse, size_t row, size_t column)
{
	const double at[2] = { ((double)column + 0.5) / (double)k->by[0] - 0.5, ((double)row + 0.5) / (double)k->by[1] - 0.5 };
	size_t first[2];
	double part[2];
	for (int a = 0; a < 2; a++) {
		const double x = fmax(0, fmin(at[a], (double)(k->n[a] - 1)));
		first[a] = (size_t)x;
		part[a] = x - (double)first[a];
	}
	const size_t right = first[0] + (first[0] + 1 < k->n[0]), below = first[1] + (first[1] + 1 < k->n[1]);
	const double *top = coarse + first[1] * k->n[0], *bottom = coarse + below * k->n[0];
	return (1 - part[1]) * ((1 - part[0]) * top[first[0]] + part[0] * top[right]) +
	       part[1] * ((1 - part[0]) * bottom[first[0]] + part[0] * bottom[right]);
}

size_t gt_scatter_kernel_take_off(const gt_scatter_kernel *k, float *p, double *scratch)
{
	const size_t n = k->n[0] * k->n[1];
	double *light = scratch, *primary = light + n, *scatter = primary + n, *between = scatter + n;
	size_t limited = 0;
	make_coarse(k, p, light);
	find_scatter(k, light, primary, scatter, between);
	for (size_t r = 0; r < k->rows; r++)
		for (size_t c = 0; c < k->columns; c++) {
			float *value = p + r * k->columns + c;
			const double t = exp(-(double)*value), left = t - at_pixel(k, scatter, r, c);
			limited += left < LEAST * t;
			*value = (float)-log(fmax(left, LEAST * t));
		}
	return limited;
}
