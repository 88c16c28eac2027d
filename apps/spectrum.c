#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/spectrum.h"

#define PI 3.14159265358979323846

int app_box_new(const size_t n[3], app_box *b)
{
	memcpy(b->n, n, sizeof b->n);
	b->re = calloc(app_box_size(b), sizeof *b->re);
	b->im = calloc(app_box_size(b), sizeof *b->im);
	return b->re && b->im;
}

void app_box_free(app_box *b)
{
	free(b->re);
	free(b->im);
	*b = (app_box){ { 0, 0, 0 }, NULL, NULL };
}

size_t app_box_size(const app_box *b) { return b->n[0] * b->n[1] * b->n[2]; }

/* One line of n numbers, `step` apart: Cooley and Tukey, Math. Comput. 19 (1965) 297, by halves. turn: cos and sin of 2 pi k/n. */
static void transform_line(double *re, double *im, size_t n, size_t step, const double (*turn)[2], double sign)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			const double a = re[i * step], b = im[i * step];
			re[i * step] = re[j * step];
			im[i * step] = im[j * step];
			re[j * step] = a;
			im[j * step] = b;
		}
	}
	for (size_t half = 1; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t k = 0; k < half; k++) {
				const size_t u = (from + k) * step, v = u + half * step;
				const double c = turn[k * (n / half / 2)][0], s = sign * turn[k * (n / half / 2)][1];
				const double a = c * re[v] - s * im[v], b = s * re[v] + c * im[v];
				re[v] = re[u] - a;
				im[v] = im[u] - b;
				re[u] += a;
				im[u] += b;
			}
}

void app_box_transform(app_box *b, int inverse)
{
	const size_t step[3] = { 1, b->n[0], b->n[0] * b->n[1] }, size = app_box_size(b);
	double turn[APP_BOX_MOST][2];
	for (int axis = 0; axis < 3; axis++) {
		const size_t n = b->n[axis];
		for (size_t k = 0; k < n; k++) {
			turn[k][0] = cos(2 * PI * (double)k / (double)n);
			turn[k][1] = sin(2 * PI * (double)k / (double)n);
		}
		for (size_t i = 0; i < size; i++)
			if (i / step[axis] % n == 0)
				transform_line(b->re + i, b->im + i, n, step[axis], (const double(*)[2])turn, inverse ? 1 : -1);
	}
	for (size_t i = 0; inverse && i < size; i++) {
		b->re[i] /= (double)size;
		b->im[i] /= (double)size;
	}
}

int app_box_spectrum(const size_t n[3], const float *response, int taper, double *spectrum)
{
	app_box b;
	if (!app_box_new(n, &b)) {
		app_box_free(&b);
		return 0;
	}
	const size_t size = app_box_size(&b);
	for (size_t i = 0; i < size; i++) {
		const size_t at[3] = { i % n[0], i / n[0] % n[1], i / n[0] / n[1] };
		size_t to[3], opposite[3];
		double value = 1;
		for (int a = 0; a < 3; a++) {
			const size_t h = n[a] / 2, far = at[a] > h ? at[a] - h : h - at[a];
			opposite[a] = (2 * h + n[a] - at[a]) % n[a];
			to[a] = (at[a] + n[a] - h) % n[a];
			value *= taper && h ? 1 - (double)far / (double)h : 1;
		}
		value *= ((double)response[i] + response[opposite[0] + n[0] * (opposite[1] + n[1] * opposite[2])]) / 2;
		b.re[to[0] + n[0] * (to[1] + n[1] * to[2])] = value;
	}
	app_box_transform(&b, 0);
	memcpy(spectrum, b.re, size * sizeof *spectrum);
	app_box_free(&b);
	return 1;
}

void app_box_filter(app_box *b, const double *spectrum)
{
	app_box_transform(b, 0);
	for (size_t i = 0; i < app_box_size(b); i++) {
		b->re[i] *= spectrum[i];
		b->im[i] *= spectrum[i];
	}
	app_box_transform(b, 1);
}
