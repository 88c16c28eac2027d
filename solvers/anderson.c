/* Anderson acceleration: difference vectors on the device, the small least-squares problem on the host. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "core/basis/symmetric.h"
#include "core/try.h"
#include "solvers/anderson.h"
#include "solvers/numbers.h"

static const double grown = 2; /* a step grown by this factor marks a bad point */

static gt_status check_room(const char *solver, const gt_array *x, size_t depth)
{
	gt_backend *be = gt_array_backend(x);
	size_t available, total, fit = depth;
	if (gt_backend_is_dry_run(be))
		return GT_OK;
	gt_backend_memory(be, &available, &total);
	while (fit > 0 && 2 * gt_basis_bytes(x, fit) + gt_array_bytes(x) > available)
		fit--;
	return fit == depth ? GT_OK
	                    : gt_fail(GT_ERR_MEMORY,
	                              "solver '%s': anderson=%zu keeps %zu volumes of %.4g MiB, and %.4g MiB are left on %s: "
	                              "expected %zu at most",
	                              solver, depth, 2 * depth + 1, (double)gt_array_bytes(x) / (1 << 20), (double)available / (1 << 20),
	                              gt_backend_name(be), fit);
}

gt_status gt_anderson_new(const char *solver, const gt_array *x, int depth, gt_anderson *a)
{
	const size_t n = (size_t)depth;
	gt_status st = GT_OK;
	*a = (gt_anderson){ .depth = n, .size = -1 };
	if (!n)
		return GT_OK;
	GT_TRY(check_room(solver, x, n));
	GT_TRY(gt_basis_new(solver, x, n, &a->F));
	GT_TRY(gt_basis_new(solver, x, n, &a->T));
	GT_TRY(gt_array_like(x, &a->f));
	GT_TRY(gt_array_new(gt_array_backend(x), GT_F64, n * n + 3, &a->numbers));
	gt_fill(0, a->numbers);
	a->gram = calloc(n * n + 3, sizeof *a->gram);
	a->factor = calloc(n * n, sizeof *a->factor);
	a->y = calloc(n, sizeof *a->y);
	if (!a->gram || !a->factor || !a->y)
		st = gt_fail(GT_ERR_MEMORY, "solver '%s': no memory for the products of %zu volumes", solver, n);
done:
	return st;
}

void gt_anderson_free(gt_anderson *a)
{
	gt_basis_free(a->F);
	gt_basis_free(a->T);
	gt_array_free(a->f);
	gt_array_free(a->numbers);
	free(a->gram);
	free(a->factor);
	free(a->y);
}

/* Turns the stored f and T of the last point into differences and computes their products with the others. */
static void add_difference(gt_anderson *a, const gt_array *next)
{
	const size_t n = a->depth, at = (size_t)a->next;
	gt_array *f = gt_basis_vector(a->F, at);
	gt_xpay(a->f, -1, f);
	gt_xpay(next, -1, gt_basis_vector(a->T, at));
	if (a->columns < (double)n)
		a->columns++;
	a->next = (double)((at + 1) % n);
	gt_basis_dots(a->F, (size_t)a->columns, f, a->y);
	for (size_t i = 0; i < (size_t)a->columns; i++) {
		a->gram[at * n + i] = a->gram[i * n + at] = a->y[i];
		gt_number_put(a->numbers, at * n + i, a->y[i]);
		gt_number_put(a->numbers, i * n + at, a->y[i]);
	}
}

/* Replaces y by -(gram + damping)^-1 y. Columns are scaled to norm 1; a zero column gets the coefficient 0. */
static void solve(gt_anderson *a, gt_type type)
{
	const size_t n = a->depth, k = (size_t)a->columns;
	const double damping = 64 * (type == GT_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
	double *L = a->factor, scale[GT_ANDERSON_DEEPEST];
	for (size_t i = 0; i < k; i++)
		scale[i] = a->gram[i * n + i] > 0 ? 1 / sqrt(a->gram[i * n + i]) : 0;
	for (size_t i = 0; i < k; i++) {
		a->y[i] *= scale[i];
		for (size_t j = 0; j <= i; j++)
			L[i * k + j] = i == j ? 1 + damping : scale[i] * scale[j] * a->gram[i * n + j];
	}
	gt_cholesky(k, damping / 2, L);
	gt_cholesky_solve(k, L, a->y);
	for (size_t i = 0; i < k; i++)
		a->y[i] *= -scale[i];
}

static void keep_numbers(gt_anderson *a)
{
	const size_t at = a->depth * a->depth;
	gt_number_put(a->numbers, at, a->columns);
	gt_number_put(a->numbers, at + 1, a->next);
	gt_number_put(a->numbers, at + 2, a->size);
}

/* Mixes in next; f is in a->f. */
static void mix(gt_anderson *a, double size, double lo, double hi, gt_array *next)
{
	if (a->size >= 0)
		add_difference(a, next);
	const size_t k = (size_t)a->columns, at = (size_t)a->next;
	gt_basis_dots(a->F, k, a->f, a->y);
	solve(a, gt_array_type(next));
	gt_copy(a->f, gt_basis_vector(a->F, at));
	gt_copy(next, a->f);
	gt_basis_add(a->T, k, a->y, next);
	gt_copy(a->f, gt_basis_vector(a->T, at)); /* after the sum, which used the overwritten oldest column */
	gt_clamp(lo, hi, next);
	a->size = size;
	keep_numbers(a);
}

static double residual(gt_anderson *a, const gt_array *x, const gt_array *next)
{
	gt_copy(next, a->f);
	gt_axpy(-1, x, a->f);
	return sqrt(gt_dot(a->f, a->f));
}

void gt_anderson_mix(gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next)
{
	const double size = residual(a, x, next);
	mix(a, size, lo, hi, next);
}

void gt_anderson_undo(gt_anderson *a, gt_array *next)
{
	const size_t at = (size_t)a->next;
	gt_copy(gt_basis_vector(a->T, at), next);
	if (at > 0) {
		gt_copy(gt_basis_vector(a->T, at), gt_basis_vector(a->T, 0));
		gt_copy(gt_basis_vector(a->F, at), gt_basis_vector(a->F, 0));
	}
	a->columns = a->next = 0;
	keep_numbers(a);
}

void gt_anderson_guarded(gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next)
{
	const double size = residual(a, x, next);
	if (a->columns > 0 && size > grown * a->size) {
		gt_anderson_undo(a, next);
		return;
	}
	if (a->size >= 0 && size > a->size) {
		a->columns = a->next = 0;
		a->size = -1;
	}
	mix(a, size, lo, hi, next);
}

size_t gt_anderson_kept(const gt_anderson *a, gt_state_entry *list)
{
	if (!a->depth)
		return 0;
	list[0] = (gt_state_entry){ "residuals", gt_basis_whole(a->F), NULL };
	list[1] = (gt_state_entry){ "maps", gt_basis_whole(a->T), NULL };
	list[2] = (gt_state_entry){ "numbers", a->numbers, NULL };
	return GT_ANDERSON_KEPT;
}

void gt_anderson_resume(gt_anderson *a)
{
	const size_t at = a->depth * a->depth;
	if (!a->depth)
		return;
	gt_array_get(a->numbers, a->gram);
	a->columns = fmin(floor(fabs(a->gram[at])), (double)a->depth);
	a->next = fmin(floor(fabs(a->gram[at + 1])), (double)(a->depth - 1));
	a->size = a->gram[at + 2];
}
