/* Linear operators: common checks, counters and calls. Memory: one record for each operator. */
#include <math.h>
#include <stdlib.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/linop.h"
#include "core/vectors/linop_step.h"
#include "core/poll.h"
#include "core/random.h"
#include "core/try.h"

struct gt_linop {
	gt_tag tag;
	const struct gt_linop_ops *ops;
	void *self;
	gt_backend *be;
	gt_type type;
	size_t nx, ny;
	gt_roofline_of roofline; /* NULL: unknown */
	gt_adjoint_step_of step; /* NULL: adjoint, then step */
	int takes_shared;        /* 1: accepts arrays shared by a team */
	int lets_wait;           /* 1: see gt_linop_lets_wait() */
};

gt_status gt_linop_new(const struct gt_linop_ops *ops, void *self, gt_backend *be, gt_type type, size_t nx, size_t ny, gt_linop **out)
{
	GT_NEED(ops);
	if (!be || be->tag != GT_IS_BACKEND) {
		if (ops->free)
			ops->free(self);
		return gt_fail(GT_ERR_ARG, "operator '%s': expected a backend, found %s", ops->name, be ? "something else" : "NULL");
	}
	gt_linop *A = malloc(sizeof *A);
	if (!A) {
		if (ops->free)
			ops->free(self);
		return gt_fail(GT_ERR_MEMORY, "no memory for operator '%s'", ops->name);
	}
	*A = (gt_linop){ GT_IS_LINOP, ops, self, gt_backend_hold(be), type, nx, ny, NULL, NULL, 0, 0 };
	*out = A;
	return GT_OK;
}

static int is_linop(const gt_linop *A) { return A && A->tag == GT_IS_LINOP; }

void gt_linop_free(gt_linop *A)
{
	if (!is_linop(A))
		return;
	gt_backend *be = A->be;
	gt_backend_lock(be);
	if (A->ops->free)
		A->ops->free(A->self);
	gt_backend_unlock(be);
	A->tag = GT_FREED;
	free(A);
	gt_backend_let_go(be);
}

size_t gt_linop_nx(const gt_linop *A) { return is_linop(A) ? A->nx : 0; }
size_t gt_linop_ny(const gt_linop *A) { return is_linop(A) ? A->ny : 0; }
gt_type gt_linop_type(const gt_linop *A) { return is_linop(A) ? A->type : GT_F32; }
const char *gt_linop_name(const gt_linop *A) { return is_linop(A) ? A->ops->name : "no operator"; }
gt_backend *gt_linop_backend(const gt_linop *A) { return is_linop(A) ? A->be : NULL; }

void gt_linop_take_shared(gt_linop *A) { A->takes_shared = 1; }
void gt_linop_lets_wait(gt_linop *A) { A->lets_wait = 1; }

void gt_linop_set_step(gt_linop *A, gt_adjoint_step_of step) { A->step = step; }
void gt_linop_set_roofline(gt_linop *A, gt_roofline_of roofline) { A->roofline = roofline; }

double gt_linop_min_seconds(const gt_linop *A, int adjoint, const char **bound)
{
	gt_roofline min;
	*bound = "";
	if (!A->roofline || !A->roofline(A->self, adjoint, &min))
		return 0;
	const double rate = gt_backend_rate(A->be, min.bound);
	*bound = gt_resource_name(min.bound);
	return rate > 0 ? min.amount / rate : 0;
}

/* Checks that operator and arrays match. A mismatch becomes a failure of the operator's backend, or of the first valid
 * array's. */
static int fits(const gt_linop *A, const gt_array *x, const gt_array *y)
{
	gt_backend *be = is_linop(A) ? A->be : gt_array_backend(x) ? gt_array_backend(x) : gt_array_backend(y);
	if (!is_linop(A) || !gt_array_backend(x) || !gt_array_backend(y)) {
		const gt_status st = gt_fail(GT_ERR_ARG, "%s: expected an operator and two arrays, found %s and %s", gt_linop_name(A),
		                             gt_array_backend(x) ? "an array" : "none", gt_array_backend(y) ? "an array" : "none");
		if (be)
			gt_backend_fail(be, st);
		return 0;
	}
	if (x->be != A->be || y->be != A->be || x->type != A->type || y->type != A->type || x->all != A->nx || y->all != A->ny ||
	    ((x->shared || y->shared) && !A->takes_shared))
		gt_backend_fail(A->be, gt_fail(GT_ERR_ARG, "%s maps %zu to %zu %s values on %s, not %zu (%s, %s) to %zu (%s, %s)",
		                               A->ops->name, A->nx, A->ny, gt_type_name(A->type), A->be->name, x->all,
		                               gt_type_name(x->type), x->be->name, y->all, gt_type_name(y->type), y->be->name));
	else
		return 1;
	return 0;
}

/* Counts the memory traffic: the output is read and written, because operators add to it. Then locks the backend. */
static int begins(const gt_linop *A, const gt_array *from, const gt_array *to)
{
	gt_backend_moves(A->be, (double)gt_array_bytes(from) + 2 * (double)gt_array_bytes(to));
	return A->lets_wait ? gt_backend_begin_with(A->be, from, to) : gt_backend_begin(A->be);
}

void gt_forward(const gt_linop *A, const gt_array *x, gt_array *y)
{
	if (fits(A, x, y) && begins(A, x, y)) {
		gt_poll_pass_begins();
		A->ops->forward(A->self, x, y);
		gt_poll_pass_ends();
		gt_backend_end(A->be);
	}
}

void gt_adjoint(const gt_linop *A, const gt_array *y, gt_array *x)
{
	if (fits(A, x, y) && begins(A, y, x)) {
		gt_poll_pass_begins();
		A->ops->adjoint(A->self, y, x);
		gt_poll_pass_ends();
		gt_backend_end(A->be);
	}
}

void gt_take_step(const gt_step *s, const gt_array *g, gt_array *x)
{
	if (s->from != x)
		gt_copy(s->from, x);
	gt_add_scaled_clamped(s->a, g, s->w, s->lo, s->hi, x);
}

/* Volumes as x, in one run of memory. */
static int is_plain(const gt_array *a, const gt_array *x)
{
	return gt_array_backend(a) == x->be && a->type == x->type && a->n == x->n && !a->shared && !a->runs;
}

static int can_step(const gt_linop *A, const gt_step *s, const gt_array *x)
{
	return A->step && is_plain(x, x) && is_plain(s->w, x) && is_plain(s->from, x);
}

void gt_adjoint_step(const gt_linop *A, const gt_array *y, const gt_step *s, gt_array *g, gt_array *x)
{
	if (!fits(A, x, y))
		return;
	if (!can_step(A, s, x)) {
		gt_adjoint(A, y, g);
		gt_take_step(s, g, x);
		return;
	}
	gt_backend_moves(A->be, (double)gt_array_bytes(s->w) + (double)gt_array_bytes(s->from));
	if (begins(A, y, x)) {
		gt_poll_pass_begins();
		A->step(A->self, y, s, x);
		gt_poll_pass_ends();
		gt_backend_end(A->be);
	}
}

struct fill {
	float *x;
	uint64_t seed;
};

static void fill_range(void *self, size_t begin, size_t end, int worker)
{
	const struct fill *f = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		uint32_t w[4];
		gt_philox(f->seed, i, 1, w);
		f->x[i] = (float)((double)w[0] / 2147483648.0 - 1);
	}
}

static gt_status random_array(const gt_linop *A, size_t n, uint64_t seed, gt_array **a)
{
	struct fill f = { NULL, seed };
	gt_status st = gt_host_has_memory((double)n * sizeof *f.x, "random numbers");
	GT_TRY(st);
	if (!(f.x = malloc((n ? n : 1) * sizeof *f.x)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for %zu random numbers", n));
	gt_parallel(gt_backend_pool(A->be), n, 0, fill_range, &f);
	GT_TRY(gt_array_new(A->be, A->type, n, a));
	gt_array_put_float(f.x, *a);
	gt_backend_wait(A->be);
done:
	free(f.x);
	return st;
}

gt_status gt_linop_mismatch(const gt_linop *A, uint64_t seed, double *mismatch)
{
	GT_NEED(mismatch);
	gt_status st = GT_OK;
	gt_array *x = NULL, *y = NULL, *Ax = NULL, *Aty = NULL;
	GT_TRY(random_array(A, A->nx, 2 * seed, &x));
	GT_TRY(random_array(A, A->ny, 2 * seed + 1, &y));
	GT_TRY(gt_array_like(x, &Aty));
	GT_TRY(gt_array_like(y, &Ax));
	gt_forward(A, x, Ax);
	gt_adjoint(A, y, Aty);
	const double size = sqrt(gt_dot(Ax, Ax) * gt_dot(y, y));
	*mismatch = fabs(gt_dot(Ax, y) - gt_dot(x, Aty)) / size;
	st = gt_backend_status(A->be);
	if (st == GT_OK && !(size > 0))
		st = gt_fail(GT_ERR_UNSUPPORTED,
		             "%s: the forward projection is zero: no ray intersects the volume; check grid and geometry", A->ops->name);
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(Ax);
	gt_array_free(Aty);
	return st;
}

/* Buffers for the elementwise comparison: host copies in single precision, if that is the type, and in double. */
struct vector {
	gt_array *a;
	float *single;
	double *value;
};

static gt_status vector_new(const gt_linop *A, size_t n, struct vector *v)
{
	v->single = calloc(n ? n : 1, sizeof *v->single);
	v->value = calloc(n ? n : 1, sizeof *v->value);
	return v->single && v->value ? gt_array_new(A->be, A->type, n, &v->a) : gt_fail(GT_ERR_MEMORY, "no memory for %zu elements", n);
}

static void vector_free(struct vector *v)
{
	gt_array_free(v->a);
	free(v->single);
	free(v->value);
}

static void put_unit(struct vector *v, size_t at, double value)
{
	v->value[at] = value;
	v->single[at] = (float)value;
	if (v->a->type == GT_F32)
		gt_array_put(v->single, v->a);
	else
		gt_array_put(v->value, v->a);
}

static gt_status get_values(struct vector *v)
{
	if (v->a->type == GT_F64) {
		gt_array_get(v->a, v->value);
	} else {
		gt_array_get(v->a, v->single);
		for (size_t i = 0; i < v->a->n; i++)
			v->value[i] = v->single[i];
	}
	return gt_backend_status(v->a->be);
}

gt_status gt_linop_mismatch_elements(const gt_linop *A, double *difference, double *largest)
{
	GT_NEED(difference);
	GT_NEED(largest);
	gt_status st = GT_OK;
	const size_t nx = A->nx, ny = A->ny;
	struct vector unit_x = { 0 }, unit_y = { 0 }, x = { 0 }, y = { 0 };
	double *matrix = nx && ny <= SIZE_MAX / sizeof *matrix / nx ? malloc(nx * ny * sizeof *matrix) : NULL;
	*difference = *largest = 0;
	if (!matrix) {
		st = gt_fail(GT_ERR_MEMORY, "%s: no memory for a matrix of %zu x %zu elements", A->ops->name, ny, nx);
		goto done;
	}
	GT_TRY(vector_new(A, nx, &unit_x));
	GT_TRY(vector_new(A, nx, &x));
	GT_TRY(vector_new(A, ny, &unit_y));
	GT_TRY(vector_new(A, ny, &y));
	for (size_t j = 0; j < nx; j++) {
		put_unit(&unit_x, j, 1);
		gt_forward(A, unit_x.a, y.a);
		GT_TRY(get_values(&y));
		unit_x.value[j] = unit_x.single[j] = 0;
		for (size_t i = 0; i < ny; i++)
			matrix[i * nx + j] = y.value[i];
	}
	for (size_t i = 0; i < ny; i++) {
		put_unit(&unit_y, i, 1);
		gt_adjoint(A, unit_y.a, x.a);
		GT_TRY(get_values(&x));
		unit_y.value[i] = unit_y.single[i] = 0;
		for (size_t j = 0; j < nx; j++) {
			const double a = matrix[i * nx + j], d = fabs(a - x.value[j]);
			*largest = fmax(*largest, fabs(a));
			if (!(d <= *difference) && !isnan(*difference)) /* keeps a NaN */
				*difference = d;
		}
	}
	if (!(*largest > 0))
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: all elements are zero: no ray intersects the volume; check grid and geometry",
		             A->ops->name);
done:
	vector_free(&unit_x);
	vector_free(&unit_y);
	vector_free(&x);
	vector_free(&y);
	free(matrix);
	return st;
}
