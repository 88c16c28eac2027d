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

/* One line of n numbers, `step` apart. turn: cos and sin of 2 pi k/n. */
static void transform_line(double *re, double *im, size_t n, size_t step, const double (*turn)[2], double sign, double *line)
{
	for (size_t k = 0; k < n; k++) {
		double a = 0, b = 0;
		for (size_t i = 0; i < n; i++) {
			const double c = turn[k * i % n][0], s = sign * turn[k * i % n][1];
			a += c * re[i * step] - s * im[i * step];
			b += s * re[i * step] + c * im[i * step];
		}
		line[2 * k] = a;
		line[2 * k + 1] = b;
	}
	for (size_t k = 0; k < n; k++) {
		re[k * step] = line[2 * k];
		im[k * step] = line[2 * k + 1];
	}
}

enum { MOST = 64 }; /* along an axis */

void app_box_transform(app_box *b, int inverse)
{
	const size_t step[3] = { 1, b->n[0], b->n[0] * b->n[1] }, size = app_box_size(b);
	double turn[MOST][2], line[2 * MOST];
	for (int axis = 0; axis < 3; axis++) {
		const size_t n = b->n[axis];
		for (size_t k = 0; k < n; k++) {
			turn[k][0] = cos(2 * PI * (double)k / (double)n);
			turn[k][1] = sin(2 * PI * (double)k / (double)n);
		}
		for (size_t i = 0; i < size; i++)
			if (i / step[axis] % n == 0)
				transform_line(b->re + i, b->im + i, n, step[axis], (const double(*)[2])turn, inverse ? 1 : -1, line);
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
		double value = ((double)response[i] + response[size - 1 - i]) / 2;
		size_t to[3];
		for (int a = 0; a < 3; a++) {
			const size_t h = n[a] / 2, far = at[a] > h ? at[a] - h : h - at[a];
			to[a] = (at[a] + n[a] - h) % n[a];
			value *= taper ? 1 - (double)far / (double)(h + 1) : 1;
		}
		b.re[to[0] + n[0] * (to[1] + n[1] * to[2])] = value;
	}
	app_box_transform(&b, 0);
	memcpy(spectrum, b.re, size * sizeof *spectrum);
	app_box_free(&b);
	return 1;
}
