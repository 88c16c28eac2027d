/* Fields on layers: box transforms, and matrix products at each frequency. */
#include "core/clones.h"
#include "recon/noise/layers.h"

void gt_layers_free(gt_layers *t)
{
	for (size_t l = 0; l < t->layers; l++)
		gt_fft_box_free(&t->b[l]);
	t->layers = 0;
}

gt_status gt_layers_new(const size_t n[3], size_t layers, gt_layers *t)
{
	gt_status st = GT_OK;
	for (t->layers = 0; t->layers < layers && st == GT_OK; t->layers++)
		st = gt_fft_box_new(n, &t->b[t->layers]);
	return st;
}

void gt_layers_transform(gt_layers *t, const double *z)
{
	for (size_t l = 0; l < t->layers; l++) {
		gt_fft_box *b = &t->b[l];
		for (size_t i = 0; i < b->size; i++) {
			b->value[i][0] = z[l * b->size + i];
			b->value[i][1] = 0;
		}
		gt_fft_box_forward(b);
	}
}

void gt_layers_multiply(gt_layers *t, size_t i, const double *first, const double *second)
{
	const size_t m = t->layers;
	double out[GT_SMALL_ROWS][2];
	for (size_t l = 0; l < m; l++) {
		out[l][0] = out[l][1] = 0;
		for (size_t j = 0; j < m; j++) {
			const double re = t->b[j].value[i][0], im = t->b[j].value[i][1];
			const double a = first[l * m + j], b = second ? second[l * m + j] : 0;
			out[l][0] += a * re - b * im;
			out[l][1] += a * im + b * re;
		}
	}
	for (size_t l = 0; l < m; l++) {
		t->b[l].value[i][0] = out[l][0];
		t->b[l].value[i][1] = out[l][1];
	}
}

void gt_layers_field(gt_layers *t, double *z)
{
	for (size_t l = 0; l < t->layers; l++) {
		gt_fft_box *b = &t->b[l];
		gt_fft_box_inverse(b);
		for (size_t i = 0; i < b->size; i++)
			z[l * b->size + i] = b->value[i][0];
	}
}

/* As gt_layers_multiply() for numbers, at all frequencies. */
GT_WIDER static void multiply_numbers(const double *restrict first, const double *restrict second, size_t n, double (*restrict value)[2])
{
	for (size_t i = 0; i < n; i++) {
		const double re = value[i][0], im = value[i][1];
		value[i][0] = first[i] * re - second[i] * im;
		value[i][1] = first[i] * im + second[i] * re;
	}
}

void gt_layers_apply_both(gt_layers *t, const double *first, const double *second, double *x, double *y)
{
	const size_t m = t->layers, box = t->b[0].size;
	if (m == 1)
		multiply_numbers(first, second, box, t->b[0].value);
	for (size_t i = 0; i < box && m > 1; i++)
		gt_layers_multiply(t, i, first + i * m * m, second + i * m * m);
	for (size_t l = 0; l < m; l++) {
		gt_fft_box_inverse(&t->b[l]);
		for (size_t i = 0; i < box; i++) {
			x[l * box + i] = t->b[l].value[i][0];
			y[l * box + i] = t->b[l].value[i][1];
		}
	}
}
