#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "recon/spectrum.h"

#define PI 3.14159265358979323846

/* Lines that are transformed side by side. */
enum { LINES = 16 };
typedef double lines[LINES];

int gt_box_new(const size_t n[3], gt_box *b)
{
	memcpy(b->n, n, sizeof b->n);
	b->re = calloc(gt_box_size(b), sizeof *b->re);
	b->im = calloc(gt_box_size(b), sizeof *b->im);
	for (int i = 0; i < 2; i++)
		b->room[i] = calloc(gt_box_size(b), sizeof *b->room[i]);
	return b->re && b->im && b->room[0] && b->room[1];
}

void gt_box_free(gt_box *b)
{
	free(b->re);
	free(b->im);
	free(b->room[0]);
	free(b->room[1]);
	*b = (gt_box){ { 0, 0, 0 }, NULL, NULL, { NULL, NULL } };
}

size_t gt_box_size(const gt_box *b) { return b->n[0] * b->n[1] * b->n[2]; }

static size_t reversed(size_t i, size_t n)
{
	size_t r = 0;
	for (size_t bit = 1; bit < n; bit *= 2, i /= 2)
		r = 2 * r + i % 2;
	return r;
}

/* Cooley and Tukey, Math. Comput. 19 (1965) 297, by halves, of numbers in reversed order. turn: cos and sin of 2 pi k/n. */
GT_INLINE void transform_lines(size_t n, const double (*turn)[2], double sign, lines *re, lines *im)
{
	for (size_t half = 1; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t k = 0; k < half; k++) {
				const double c = turn[k * (n / half / 2)][0], s = sign * turn[k * (n / half / 2)][1];
				double *ur = re[from + k], *ui = im[from + k], *vr = re[from + k + half], *vi = im[from + k + half];
				for (int l = 0; l < LINES; l++) {
					const double a = c * vr[l] - s * vi[l], b = s * vr[l] + c * vi[l];
					vr[l] = ur[l] - a;
					vi[l] = ui[l] - b;
					ur[l] += a;
					ui[l] += b;
				}
			}
}

/* Transforms the slowest axis, of n numbers, which becomes the fastest: after three of these all are back in their places. */
GT_CLONES static void transform_slowest(size_t n, size_t rest, double sign, double *const from[2], double *const to[2])
{
	double turn[GT_BOX_MOST][2];
	lines re[GT_BOX_MOST], im[GT_BOX_MOST];
	memset(re, 0, sizeof re);
	memset(im, 0, sizeof im);
	for (size_t k = 0; k < n; k++) {
		turn[k][0] = cos(2 * PI * (double)k / (double)n);
		turn[k][1] = sin(2 * PI * (double)k / (double)n);
	}
	for (size_t first = 0; first < rest; first += LINES) {
		const size_t count = rest - first < LINES ? rest - first : LINES;
		for (size_t i = 0; i < n; i++) {
			const size_t at = reversed(i, n);
			memcpy(re[at], from[0] + i * rest + first, count * sizeof(double));
			memcpy(im[at], from[1] + i * rest + first, count * sizeof(double));
		}
		transform_lines(n, (const double(*)[2])turn, sign, re, im);
		for (size_t l = 0; l < count; l++)
			for (size_t i = 0; i < n; i++) {
				to[0][(first + l) * n + i] = re[i][l];
				to[1][(first + l) * n + i] = im[i][l];
			}
	}
}

void gt_box_transform(gt_box *b, int inverse)
{
	const size_t size = gt_box_size(b);
	for (int axis = 2; axis >= 0; axis--) {
		double *const from[2] = { b->re, b->im }, *const to[2] = { b->room[0], b->room[1] };
		transform_slowest(b->n[axis], size / b->n[axis], inverse ? 1 : -1, from, to);
		b->re = to[0];
		b->im = to[1];
		b->room[0] = from[0];
		b->room[1] = from[1];
	}
	for (size_t i = 0; inverse && i < size; i++) {
		b->re[i] /= (double)size;
		b->im[i] /= (double)size;
	}
}

int gt_box_spectrum(const size_t n[3], const float *response, int taper, double *spectrum)
{
	gt_box b;
	if (!gt_box_new(n, &b)) {
		gt_box_free(&b);
		return 0;
	}
	const size_t size = gt_box_size(&b);
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
	gt_box_transform(&b, 0);
	memcpy(spectrum, b.re, size * sizeof *spectrum);
	gt_box_free(&b);
	return 1;
}
