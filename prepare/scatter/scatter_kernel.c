/* On a coarse view, as scatter is smooth: P begins as the light I that was measured, and is I less the scatter of P
 * until it stays. Beyond the edges a view goes on as it ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "prepare/scatter/scatter_kernel.h"

enum { COARSEST = 16, ROUNDS = 60, HALVINGS = 40, MOST_ROWS = 65536 };
/* Scatter is at most all but this part of the light. */
#define LEAST 0.05
/* Of white: where P stays. */
#define SETTLED 1e-6
#define MOST_AMPLITUDE 20.0
/* Of the fraction that is asked for: what is found may differ by. */
#define CLOSE 0.01

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
	/* A single row may be as thin as its maker likes. */
	if (!(sigma[1] < MOST_ROWS))
		return gt_fail(GT_ERR_ARG, "width=%g: expected less than %d rows of %g mm", width, (int)MOST_ROWS, scan->row_pitch);
	gt_status st = set_axis(k, 0, sigma[0], scan->columns);
	return st == GT_OK ? set_axis(k, 1, sigma[1], scan->rows) : st;
}

void gt_scatter_kernel_free(gt_scatter_kernel *k)
{
	free(k->kernel[0]);
	free(k->kernel[1]);
	*k = (gt_scatter_kernel){ .rows = 0 };
}

/* Light, what was not scattered, scatter, and one array between blurs. */
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

/* Along an axis of in[y][x]. */
static void blur(const gt_scatter_kernel *k, int axis, const double *in, double *out)
{
	for (size_t y = 0; y < k->n[1]; y++)
		for (size_t x = 0; x < k->n[0]; x++) {
			double sum = 0;
			for (size_t i = 0; i <= 2 * k->reach[axis]; i++)
				sum += k->kernel[axis][i] * (axis ? in[inside(y, i, k->reach[1], k->n[1]) * k->n[0] + x]
				                                  : in[y * k->n[0] + inside(x, i, k->reach[0], k->n[0])]);
			out[y * k->n[0] + x] = sum;
		}
}

/* Half the way to what the scatter of before leaves, again and again. */
static void find_scatter(const gt_scatter_kernel *k, const double *light, double *primary, double *scatter, double *between)
{
	const size_t n = k->n[0] * k->n[1];
	double most = 1;
	memcpy(primary, light, n * sizeof *light);
	for (int round = 0; round < ROUNDS && most > SETTLED; round++) {
		for (size_t i = 0; i < n; i++)
			scatter[i] = k->amplitude * primary[i] * pow(fmax(0, -log(primary[i])), k->power);
		blur(k, 0, scatter, between);
		blur(k, 1, between, scatter);
		most = 0;
		for (size_t i = 0; i < n; i++) {
			const double now = (primary[i] + fmax(light[i] - scatter[i], LEAST * light[i])) / 2;
			most = fmax(most, fabs(now - primary[i]));
			primary[i] = now;
		}
	}
}

static void make_coarse(const gt_scatter_kernel *k, const float *p, double *light)
{
	for (size_t y = 0; y < k->n[1]; y++)
		for (size_t x = 0; x < k->n[0]; x++)
			light[y * k->n[0] + x] = fmax(mean_light(k, p, x, y), GT_LEAST_TRANSMISSION);
}

gt_status gt_scatter_kernel_fit(gt_scatter_kernel *k, const float *p, double fraction, double *scratch)
{
	const size_t n = k->n[0] * k->n[1];
	double *light = scratch, *primary = light + n, *scatter = primary + n, *between = scatter + n, low = 0, high = MOST_AMPLITUDE;
	size_t darkest = 0;
	make_coarse(k, p, light);
	for (size_t i = 1; i < n; i++)
		darkest = light[i] < light[darkest] ? i : darkest;
	if (!(light[darkest] < 0.9))
		return gt_fail(GT_ERR_FORMAT,
		               "the middle view has light of %.3g and more of white everywhere: no body whose scatter could be told",
		               light[darkest]);
	for (int i = 0; i < HALVINGS; i++) {
		k->amplitude = (low + high) / 2;
		find_scatter(k, light, primary, scatter, between);
		*(scatter[darkest] < fraction * light[darkest] ? &low : &high) = k->amplitude;
	}
	const double found = scatter[darkest] / light[darkest];
	return fabs(found - fraction) < CLOSE * fraction
	               ? GT_OK
	               : gt_fail(GT_ERR_ARG, "fraction=%g: by this width and power the light where the body is darkest has %.3g of scatter",
	                         fraction, found);
}

/* Of a coarse view at a pixel, linear between the middles. */
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
