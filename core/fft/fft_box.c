/* Transforms of boxes by FFTW: M. Frigo, S. G. Johnson, Proc. IEEE 93 (2005) 216. A box takes 16 bytes for each number.
 * Plans are estimated, not measured, so that results are bit-identical. */
#include <fftw3.h>
#include <limits.h>
#include <string.h>
#include "core/fft/fft.h"
#include "core/fft/fft_box.h"
#include "core/try.h"

static fftw_plan plan_of(const gt_fft_box *b, int sign)
{
	const int n[3] = { (int)b->n[2], (int)b->n[1], (int)b->n[0] };
	return fftw_plan_dft(3, n, b->value, b->value, sign, FFTW_ESTIMATE);
}

gt_status gt_fft_box_new(const size_t n[3], gt_fft_box *b)
{
	*b = (gt_fft_box){ .n = { n[0], n[1], n[2] }, .size = n[0] * n[1] * n[2] };
	if (b->size > INT_MAX)
		return gt_fail(GT_ERR_UNSUPPORTED, "a transform of %zu numbers: expected at most %d", b->size, INT_MAX);
	if (!(b->value = fftw_malloc(b->size * sizeof *b->value)))
		return gt_fail(GT_ERR_MEMORY, "no memory for a box of %zu voxels", b->size);
	pthread_mutex_lock(&gt_fft_planner);
	b->forward = plan_of(b, FFTW_FORWARD);
	b->inverse = plan_of(b, FFTW_BACKWARD);
	pthread_mutex_unlock(&gt_fft_planner);
	memset(b->value, 0, b->size * sizeof *b->value);
	return b->forward && b->inverse ? GT_OK : gt_fail(GT_ERR_MEMORY, "no plan for a transform of %zu voxels", b->size);
}

void gt_fft_box_free(gt_fft_box *b)
{
	pthread_mutex_lock(&gt_fft_planner);
	fftw_destroy_plan(b->forward);
	fftw_destroy_plan(b->inverse);
	pthread_mutex_unlock(&gt_fft_planner);
	fftw_free(b->value);
	*b = (gt_fft_box){ .value = NULL };
}

void gt_fft_box_forward(gt_fft_box *b) { fftw_execute(b->forward); }

void gt_fft_box_inverse(gt_fft_box *b)
{
	const double factor = 1 / (double)b->size;
	fftw_execute(b->inverse);
	for (size_t i = 0; i < b->size; i++) {
		b->value[i][0] *= factor;
		b->value[i][1] *= factor;
	}
}

/* Stores the response with its centre at voxel 0. */
static void place_response(const double *response, int taper, gt_fft_box *b)
{
	const size_t *n = b->n;
	for (size_t i = 0; i < b->size; i++) {
		const size_t at[3] = { i % n[0], i / n[0] % n[1], i / n[0] / n[1] };
		size_t to[3], mirror[3];
		double value = 1;
		for (int a = 0; a < 3; a++) {
			const size_t middle = n[a] / 2, off = at[a] > middle ? at[a] - middle : middle - at[a];
			mirror[a] = (2 * middle + n[a] - at[a]) % n[a];
			to[a] = (at[a] + n[a] - middle) % n[a];
			value *= taper && middle ? 1 - (double)off / (double)middle : 1;
		}
		value *= (response[i] + response[mirror[0] + n[0] * (mirror[1] + n[1] * mirror[2])]) / 2;
		b->value[to[0] + n[0] * (to[1] + n[1] * to[2])][0] = value;
	}
}

gt_status gt_fft_box_spectrum(const size_t n[3], const double *response, int taper, double *spectrum)
{
	gt_fft_box b;
	gt_status st = GT_OK;
	GT_TRY(gt_fft_box_new(n, &b));
	place_response(response, taper, &b);
	gt_fft_box_forward(&b);
	for (size_t i = 0; i < b.size; i++)
		spectrum[i] = b.value[i][0];
done:
	gt_fft_box_free(&b);
	return st;
}
