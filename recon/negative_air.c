/* Negative air, from the means of blocks of adjacent pixels. Differences of adjacent pixels give the noise of a mean.
 * Edges of phase contrast, and a flat field of other brightness, cause such values. With x >= 0 an iterative method
 * cannot reproduce them, and lowers the object along the same rays instead. */
#include <math.h>
#include "geometry/projections.h"
#include "recon/negative_air.h"

/* Pixels of a block along a row, and the number of blocks that are sampled. */
enum { BLOCK = 16, MAX_BLOCKS = 1 << 18 };
/* Air is below the first fraction of the largest mean, negative air below the second one, with a minus. */
#define AIR 0.02
#define NEGATIVE 0.002
/* Standard errors of the mean that noise explains. */
#define MAX_DEVIATIONS 4
/* Scans without such air have at most 0.1 %: docs/regularizers.md, "The preset". */
#define MAX_PART 0.02
/* With less air among all blocks, negative values come from a part of the detector, not from the air. */
#define MIN_AIR 0.01

static double mean_of(const float *x, double *deviation)
{
	double sum = 0, square = 0;
	for (int i = 0; i < BLOCK; i++)
		sum += x[i];
	for (int i = 1; i < BLOCK; i++)
		square += ((double)x[i] - x[i - 1]) * ((double)x[i] - x[i - 1]);
	*deviation = sqrt(square / (2 * (BLOCK - 1)) / BLOCK);
	return sum / BLOCK;
}

/* Distance of the sampled rows. It has no factor in common with the rows of a view, so that all of them are sampled. */
static size_t step_of(const gt_scan *s, size_t in_row)
{
	size_t step = s->views * s->rows * in_row / MAX_BLOCKS, a, b;
	do {
		step++;
		for (a = step, b = s->rows; b > 0;) {
			const size_t rest = a % b;
			a = b;
			b = rest;
		}
	} while (a != 1);
	return step;
}

gt_negative_air gt_negative_air_of(const gt_projections *p)
{
	const size_t columns = p->scan->columns, in_row = columns / BLOCK, rows = p->scan->views * p->scan->rows;
	const size_t step = step_of(p->scan, in_row);
	double max = 0, deviation, sum = 0, all = 0, air = 0, negative = 0;
	for (size_t row = 0; p->data && row < rows; row += step)
		for (size_t k = 0; k < in_row; k++)
			max = fmax(max, mean_of(p->data + row * columns + k * BLOCK, &deviation));
	for (size_t row = 0; p->data && row < rows; row += step)
		for (size_t k = 0; k < in_row; k++) {
			const double mean = mean_of(p->data + row * columns + k * BLOCK, &deviation);
			const int is_negative = mean < -MAX_DEVIATIONS * deviation && mean < -NEGATIVE * max;
			all++;
			air += mean < AIR * max;
			negative += is_negative;
			sum += is_negative ? mean : 0;
		}
	return (gt_negative_air){ air > MIN_AIR * all ? negative / air : 0, negative > 0 ? sum / negative : 0 };
}

int gt_negative_air_matters(const gt_negative_air *a) { return a->part > MAX_PART; }
