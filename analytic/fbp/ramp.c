/* Ramp kernels, windows and their responses. Memory: one row in double. */
#include <fftw3.h>
#include <math.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/ramp.h"

const char *const gt_window_names[] = { "ram-lak", "shepp-logan", "cosine", "hann", "hamming", "parzen", "blackman", NULL };

double gt_ramp_kernel(const gt_ramp *r, size_t n)
{
	if (n == 0)
		return 1 / (4 * r->pitch * r->pitch);
	if (n % 2 == 0)
		return 0;
	const double lag = (double)n * r->pitch;
	if (!r->equiangular)
		return -1 / (GT_PI * lag * GT_PI * lag);
	return lag > 5 * GT_PI / 6 ? 0 : -1 / (GT_PI * sin(lag) * GT_PI * sin(lag));
}

double gt_window_value(gt_window w, double f)
{
	if (f > 1)
		return 0;
	switch (w) {
	case GT_SHEPP_LOGAN:
		return f > 0 ? sin(GT_PI * f / 2) / (GT_PI * f / 2) : 1;
	case GT_COSINE:
		return cos(GT_PI * f / 2);
	case GT_HANN:
		return 0.5 + 0.5 * cos(GT_PI * f);
	case GT_HAMMING:
		return 0.54 + 0.46 * cos(GT_PI * f);
	case GT_PARZEN:
		return f <= 0.5 ? 1 - 6 * f * f * (1 - f) : 2 * (1 - f) * (1 - f) * (1 - f);
	case GT_BLACKMAN:
		return 0.42 + 0.5 * cos(GT_PI * f) + 0.08 * cos(2 * GT_PI * f);
	default:
		return 1;
	}
}

gt_status gt_ramp_response(const gt_ramp *r, size_t n, double *response)
{
	double *space = fftw_malloc((n + 2) * sizeof *space);
	fftw_plan plan = NULL;
	if (space) {
		pthread_mutex_lock(&gt_fft_planner);
		plan = fftw_plan_dft_r2c_1d((int)n, space, (fftw_complex *)space, FFTW_ESTIMATE);
		pthread_mutex_unlock(&gt_fft_planner);
	}
	if (!plan) {
		fftw_free(space);
		return gt_fail(GT_ERR_MEMORY, "no memory for a filter of %zu samples", n);
	}
	for (size_t i = 0; i < n; i++)
		space[i] = gt_ramp_kernel(r, i <= n / 2 ? i : n - i);
	fftw_execute(plan);
	for (size_t k = 0; k <= n / 2; k++)
		response[k] = r->pitch * space[2 * k] * gt_window_value(r->window, (double)k / ((double)n / 2) / r->cutoff);
	pthread_mutex_lock(&gt_fft_planner);
	fftw_destroy_plan(plan);
	pthread_mutex_unlock(&gt_fft_planner);
	fftw_free(space);
	return GT_OK;
}

gt_status gt_filter_line(size_t n, const double *response, double *line)
{
	fftw_complex *spectrum = (fftw_complex *)line;
	pthread_mutex_lock(&gt_fft_planner);
	fftw_plan forth = fftw_plan_dft_r2c_1d((int)n, line, spectrum, FFTW_ESTIMATE | FFTW_UNALIGNED);
	fftw_plan back = fftw_plan_dft_c2r_1d((int)n, spectrum, line, FFTW_ESTIMATE | FFTW_UNALIGNED);
	pthread_mutex_unlock(&gt_fft_planner);
	if (forth && back) {
		fftw_execute(forth);
		for (size_t k = 0; k <= n / 2; k++) {
			spectrum[k][0] *= response[k];
			spectrum[k][1] *= response[k];
		}
		fftw_execute(back);
	}
	pthread_mutex_lock(&gt_fft_planner);
	fftw_destroy_plan(forth);
	fftw_destroy_plan(back);
	pthread_mutex_unlock(&gt_fft_planner);
	return forth && back ? GT_OK : gt_fail(GT_ERR_MEMORY, "no plan for a transform of %zu samples", n);
}
