/* Bases of vectors on the CPU. The length is divided into PARTS, independent of the number of threads. Pieces of a part
 * stay in the cache for all vectors, so that V is read once. Host scratch: PARTS numbers for each vector. */
#include <stdlib.h>
#include <string.h>
#include "core/basis/basis_impl.h"
#include "core/clones.h"

enum { PARTS = 256, PIECE = 1024, LANES = 8 };

struct state {
	gt_basis_shape shape;
	double *part; /* [PARTS][max] */
};

struct basis_job {
	const struct state *s;
	size_t k;
	const void *V;
	void *w;
	const double *y;
};

/* LANES interleaved sums, added in pairs: the order depends on the length of the piece only. */
#define DOT(T)                                                                            \
	GT_CLONES static double dot_##T(const T *v, const T *w, size_t n)                 \
	{                                                                                 \
		double s[LANES] = { 0 };                                                  \
		size_t i = 0;                                                             \
		for (; i + LANES <= n; i += LANES)                                        \
			for (size_t l = 0; l < LANES; l++)                                \
				s[l] += (double)v[i + l] * (double)w[i + l];              \
		for (size_t l = 0; i + l < n; l++)                                        \
			s[l] += (double)v[i + l] * (double)w[i + l];                      \
		return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); \
	}
#define AXPY(T)                                                                     \
	GT_CLONES static void axpy_##T(double a, const T *v, size_t n, double *sum) \
	{                                                                           \
		for (size_t i = 0; i < n; i++)                                      \
			sum[i] += a * (double)v[i];                                 \
	}
/* Loops over parts, and over pieces of the length. */
#define LOOPS(T)                                                                                            \
	static void dots_##T(void *self, size_t part, size_t last, int worker)                              \
	{                                                                                                   \
		const struct basis_job *j = self;                                                           \
		const size_t n = j->s->shape.n, size = (n + PARTS - 1) / PARTS;                             \
		(void)worker;                                                                               \
		for (; part < last; part++) {                                                               \
			double *sum = j->s->part + part * j->s->shape.max;                                  \
			size_t i = part * size, end = i + size < n ? i + size : n;                          \
			memset(sum, 0, j->k * sizeof *sum);                                                 \
			for (; i < end; i += PIECE)                                                         \
				for (size_t c = 0; c < j->k; c++)                                           \
					sum[c] += dot_##T((const T *)j->V + c * n + i, (const T *)j->w + i, \
					                  end - i < PIECE ? end - i : PIECE);               \
		}                                                                                           \
	}                                                                                                   \
	static void add_##T(void *self, size_t piece, size_t last, int worker)                              \
	{                                                                                                   \
		const struct basis_job *j = self;                                                           \
		const size_t n = j->s->shape.n;                                                             \
		(void)worker;                                                                               \
		for (; piece < last; piece++) {                                                             \
			const size_t i = piece * PIECE, count = n - i < PIECE ? n - i : PIECE;              \
			double sum[PIECE] = { 0 };                                                          \
			T *w = (T *)j->w + i;                                                               \
			for (size_t c = 0; c < j->k; c++)                                                   \
				axpy_##T(j->y[c], (const T *)j->V + c * n + i, count, sum);                 \
			for (size_t l = 0; l < count; l++)                                                  \
				w[l] = (T)((double)w[l] + sum[l]);                                          \
		}                                                                                           \
	}
#define BOTH(T) DOT(T) AXPY(T) LOOPS(T)
BOTH(float)
BOTH(double)

static size_t bytes_(const gt_basis_shape *s)
{
	(void)s;
	return 0;
}

static gt_status open_(const gt_basis_shape *shape, void **state)
{
	struct state *s = malloc(sizeof *s);
	double *part = calloc(PARTS * (shape->max ? shape->max : 1), sizeof *part);
	if (!s || !part) {
		free(s);
		free(part);
		return gt_fail(GT_ERR_MEMORY, "no memory for sums of a basis of %zu vectors", shape->max);
	}
	*s = (struct state){ *shape, part };
	*state = s;
	return GT_OK;
}

static void close_(void *state)
{
	free(((struct state *)state)->part);
	free(state);
}

static void add_(void *state, size_t k, const void *V, const double *y, void *w)
{
	const struct state *s = state;
	struct basis_job j = { s, k, V, w, y };
	gt_parallel(s->shape.be->pool, (s->shape.n + PIECE - 1) / PIECE, 16, s->shape.type == GT_F32 ? add_float : add_double, &j);
}

static void dots_(void *state, size_t k, const void *V, void *w, int project, double *y)
{
	const struct state *s = state;
	struct basis_job j = { s, k, V, w, NULL };
	double minus[64];
	s->shape.be->count.waits++;
	gt_parallel(s->shape.be->pool, PARTS, 1, s->shape.type == GT_F32 ? dots_float : dots_double, &j);
	for (size_t c = 0; c < k; c++) {
		y[c] = 0;
		for (size_t part = 0; part < PARTS; part++)
			y[c] += s->part[part * s->shape.max + c];
	}
	for (size_t first = 0; project && first < k; first += 64) {
		const size_t some = k - first < 64 ? k - first : 64;
		for (size_t c = 0; c < some; c++)
			minus[c] = -y[first + c];
		add_(state, some, (const char *)V + first * s->shape.n * gt_type_size(s->shape.type), minus, w);
	}
}

const struct gt_basis_impl gt_basis_cpu = { .bytes = bytes_, .open = open_, .dots = dots_, .add = add_, .close = close_ };
