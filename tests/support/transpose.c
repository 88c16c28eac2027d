/* Entries of one direction from unit vectors, and sums of few of them from the other direction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "tests/support/images.h"
#include "tests/support/support.h"
#include "tests/support/transpose.h"

/* Rounding grows with the number of entries in a sum; with 128 parts a row has few in each. */
enum { PARTS = 128 };

typedef void direction(const gt_linop *A, const gt_array *from, gt_array *to);

/* Unit vectors on the smaller side, with as few columns as possible. */
struct sides {
	const gt_linop *A;
	direction *there, *back;
	size_t columns, rows;
	gt_array *column, *row;
	float *in; /* as long as the longer side, zero between calls */
	unsigned char *part, *positive;
};

static double *apply(const struct sides *s, direction *of, gt_array *from, gt_array *to)
{
	gt_array_put_float(s->in, from);
	of(s->A, from, to);
	ck_ok(gt_backend_status(gt_linop_backend(s->A)));
	return gt_test_values(to);
}

/* Adds column j to the sums of each part, and counts nonzero entries: [part][column]. */
static void add_column(const struct sides *s, size_t j, double *sum, unsigned *entries, double *largest)
{
	s->in[j] = 1;
	double *entry = apply(s, s->there, s->column, s->row);
	s->in[j] = 0;
	for (size_t i = 0; i < s->rows; i++) {
		sum[s->part[i] * s->columns + j] += s->positive[i] ? entry[i] : -entry[i];
		entries[s->part[i] * s->columns + j] += entry[i] != 0;
		*largest = fmax(*largest, fabs(entry[i]));
	}
	free(entry);
}

static void set_part(const struct sides *s, size_t part)
{
	for (size_t i = 0; i < s->rows; i++)
		s->in[i] = s->part[i] == part ? s->positive[i] ? 1 : -1 : 0;
}

static struct sides sides_of(const gt_linop *A)
{
	const size_t nx = gt_linop_nx(A), ny = gt_linop_ny(A);
	const int few_voxels = nx <= ny;
	struct sides s = { A,
		           few_voxels ? gt_forward : gt_adjoint,
		           few_voxels ? gt_adjoint : gt_forward,
		           few_voxels ? nx : ny,
		           few_voxels ? ny : nx,
		           NULL,
		           NULL,
		           NULL,
		           NULL,
		           NULL };
	ck_ok(gt_array_new(gt_linop_backend(A), gt_linop_type(A), s.columns, &s.column));
	ck_ok(gt_array_new(gt_linop_backend(A), gt_linop_type(A), s.rows, &s.row));
	s.in = calloc(s.rows, sizeof *s.in);
	s.part = malloc(s.rows);
	s.positive = malloc(s.rows);
	ck_assert(s.in && s.part && s.positive);
	for (size_t i = 0; i < s.rows; i++) {
		uint32_t w[4];
		gt_philox(77, i, 3, w);
		s.part[i] = (unsigned char)(w[0] % PARTS);
		s.positive[i] = (unsigned char)(w[1] & 1);
	}
	return s;
}

void gt_test_transpose(const gt_linop *A, double *difference, double *largest)
{
	struct sides s = sides_of(A);
	double *sum = calloc(PARTS * s.columns, sizeof *sum);
	unsigned *entries = calloc(PARTS * s.columns, sizeof *entries);
	ck_assert(sum && entries);
	*difference = *largest = 0;
	for (size_t j = 0; j < s.columns; j++)
		add_column(&s, j, sum, entries, largest);
	for (size_t part = 0; part < PARTS; part++) {
		set_part(&s, part);
		double *values = apply(&s, s.back, s.row, s.column);
		for (size_t j = 0; j < s.columns; j++) {
			const size_t at = part * s.columns + j;
			const double off = fabs(values[j] - sum[at]) / sqrt(fmax(entries[at], 1));
			if (!(off <= *difference) && !isnan(*difference)) /* keeps a NaN */
				*difference = off;
		}
		free(values);
	}
	gt_array_free(s.column);
	gt_array_free(s.row);
	free(s.in);
	free(s.part);
	free(s.positive);
	free(sum);
	free(entries);
}
