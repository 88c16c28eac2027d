/* Normal equations of the step, and standard errors from parts of the scan. */
#include <math.h>
#include <stdlib.h>
#include "calibration/errors.h"
#include "core/basis/symmetric.h"
#include "core/try.h"

enum { N = GT_CALIBRATE_PARAMETERS, RUNS = 24, BLOCKS = 8 };

int gt_calibrate_invert(int n, double m[N][N], double inverse[N][N])
{
	double a[N * N];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] = m[i][j];
	if (!gt_symmetric_invert((size_t)n, 1e-8, a))
		return 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			inverse[i][j] = a[i * n + j];
	return 1;
}

static size_t part(size_t i, size_t n, size_t parts) { return n < parts ? i : i * parts / n; }

/* Adds the variances estimated from the sums of `parts` parts. */
static void add_parts(int n, double inverse[N][N], const double (*sum)[N], size_t parts, double *variance)
{
	for (int i = 0; i < n; i++) {
		double squares = 0;
		for (size_t p = 0; p < parts; p++) {
			double pull = 0;
			for (int j = 0; j < n; j++)
				pull += inverse[i][j] * sum[p][j];
			squares += pull * pull;
		}
		variance[i] += parts > 1 ? squares * (double)parts / (double)(parts - 1) : 0;
	}
}

gt_status gt_calibrate_errors(const gt_scan *s, const gt_array *left, gt_array *const J[N], int n, const int *index, double inverse[N][N],
                              double error[2][N])
{
	const size_t size = gt_array_size(left), runs = s->views < RUNS ? s->views : RUNS;
	const size_t wide = s->columns < BLOCKS ? s->columns : BLOCKS, high = s->rows < BLOCKS ? s->rows : BLOCKS;
	double(*run)[N] = calloc(runs, sizeof *run), (*block)[N] = calloc(wide * high, sizeof *block), squares = 0, variance[N] = { 0 };
	float *r = malloc(size * sizeof *r), *change = malloc(size * sizeof *change);
	gt_status st = run && block && r && change ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	gt_array_get_float(left, r);
	for (int j = 0; j < n; j++) {
		gt_array_get_float(J[index[j]], change);
		for (size_t v = 0, i = 0; v < s->views; v++)
			for (size_t l = 0; l < s->rows; l++)
				for (size_t k = 0; k < s->columns; k++, i++) {
					const double pull = (double)change[i] * r[i];
					run[part(v, s->views, runs)][j] += pull;
					block[part(l, s->rows, high) * wide + part(k, s->columns, wide)][j] += pull;
				}
	}
	for (size_t i = 0; i < size; i++)
		squares += (double)r[i] * r[i];
	add_parts(n, inverse, (const double(*)[N])run, runs, variance);
	add_parts(n, inverse, (const double(*)[N])block, wide * high, variance);
	for (int i = 0; i < n; i++) {
		error[1][index[i]] = sqrt(fmax(0, squares / (double)size * inverse[i][i]));
		error[0][index[i]] = fmax(sqrt(variance[i]), error[1][index[i]]);
	}
done:
	free(run);
	free(block);
	free(r);
	free(change);
	return st;
}
