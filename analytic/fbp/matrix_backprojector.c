/* Sums filtered views through their matrices, by the backprojection of fbp.h for tilted detectors. A border of zeros
 * around the images makes clamping at the border equivalent to pixels of value 0 outside. */
#include <math.h>
#include <stdlib.h>
#include <gantry/analytic.h>
#include "analytic/fbp/fbp.h"
#include "core/arguments.h"
#include "core/device/upload.h"
#include "core/try.h"

enum { BATCH = 32 /* views at a time: enough for one pass over the volume, few enough to upload meanwhile */ };

#define SINGULAR 1e-9 /* relative to the product of the rows' lengths */

static const struct gt_fbp_impl *const impls[GT_NBACKENDS] = { &gt_fbp_cpu, GT_IF_CUDA(&gt_fbp_cuda) };

struct gt_backprojector {
	gt_backend *be;
	const struct gt_fbp_impl *impl;
	gt_fbp_plan plan; /* plan of the buffered views */
	gt_array *x;
	gt_upload *upload;
	void *state;
	size_t batch, added;
};

/* Matrices ---------------------------------------------------------------- */

static gt_status check_numbers(const double m[12])
{
	double volume = 0, length = 1;
	for (int i = 0; i < 12; i++)
		if (!isfinite(m[i]))
			return gt_fail(GT_ERR_FORMAT, "the matrix has %g in row %d, column %d: expected finite numbers", m[i], i / 4 + 1,
			               i % 4 + 1);
	for (int a = 0; a < 3; a++)
		volume += m[a] * (m[4 + (a + 1) % 3] * m[8 + (a + 2) % 3] - m[4 + (a + 2) % 3] * m[8 + (a + 1) % 3]);
	for (int r = 0; r < 3; r++)
		length *= sqrt(gt_dot3(m + 4 * r, m + 4 * r));
	if (!(fabs(volume) > SINGULAR * length))
		return gt_fail(GT_ERR_FORMAT,
		               "the matrix is singular: its determinant is %.3g of the product of its rows, expected more than %g",
		               length > 0 ? volume / length : 0., SINGULAR);
	return GT_OK;
}

static void corner(const gt_grid *g, int c, double at[3])
{
	for (int a = 0; a < 3; a++)
		at[a] = gt_grid_first(g, a) + (c >> a & 1 ? (double)(g->n[a] - 1) * g->pitch[a] : 0);
}

gt_status gt_matrix_check(const double m[12], const gt_grid *grid, size_t rows, size_t columns)
{
	GT_NEED(m);
	GT_NEED(grid);
	double w[2] = { INFINITY, -INFINITY }, seen[2][2] = { { INFINITY, -INFINITY }, { INFINITY, -INFINITY } };
	const gt_status st = check_numbers(m);
	if (st != GT_OK)
		return st;
	for (int c = 0; c < 8; c++) {
		double at[3];
		corner(grid, c, at);
		const double depth = gt_back_dot(m + 8, at[0], at[1], at[2]);
		w[0] = fmin(w[0], depth);
		w[1] = fmax(w[1], depth);
		for (int k = 0; k < 2; k++) {
			const double place = gt_back_dot(m + 4 * k, at[0], at[1], at[2]) / depth;
			seen[k][0] = fmin(seen[k][0], place);
			seen[k][1] = fmax(seen[k][1], place);
		}
	}
	if (!(w[0] * w[1] > 0))
		return gt_fail(GT_ERR_UNSUPPORTED, "the matrix does not see the whole volume: w is %.6g to %.6g there, expected one sign",
		               w[0], w[1]);
	if (!(seen[0][1] > -1 && seen[0][0] < (double)columns && seen[1][1] > -1 && seen[1][0] < (double)rows))
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"the matrix does not see the volume: it projects to columns %.6g to %.6g and rows %.6g to %.6g of an image of %zu x %zu",
			seen[0][0], seen[0][1], seen[1][0], seen[1][1], columns, rows);
	return GT_OK;
}

/* Positions within the border, w > 0. */
static void set_view(const double m[12], const gt_grid *grid, struct gt_back_view *v)
{
	double at[3];
	corner(grid, 0, at);
	const double sign = gt_back_dot(m + 8, at[0], at[1], at[2]) < 0 ? -1 : 1;
	*v = (struct gt_back_view){ .z0 = 0 };
	for (int i = 0; i < 12; i++)
		v->matrix[i] = sign * (m[i] + (i < 8 ? m[8 + i % 4] : 0));
}

/* Views ------------------------------------------------------------------- */

static size_t image_bytes(const gt_backprojector *b) { return (b->plan.rows - 2) * b->plan.columns * sizeof(float); }

/* The first buffered views determine the kernel. */
static gt_status flush(gt_backprojector *b)
{
	gt_status st = GT_OK;
	if (!b->plan.views)
		return GT_OK;
	if (!b->state) {
		gt_backend_lock(b->be);
		st = b->impl->open(b->be, &b->plan, gt_array_type(b->x), &b->batch, &b->state);
		gt_backend_unlock(b->be);
		GT_TRY(st);
	}
	if (gt_backend_begin(b->be)) {
		b->impl->place(b->state, b->plan.views, gt_upload_block(b->upload));
		gt_upload_turn(b->upload);
		b->impl->back(b->state, 0, b->plan.views, b->x->data);
		gt_backend_end(b->be);
	}
	b->plan.views = 0;
done:
	return st;
}

gt_status gt_backprojector_new(gt_backend *be, const gt_grid *grid, size_t rows, size_t columns, size_t batch, gt_array *x,
                               gt_backprojector **out)
{
	gt_status st = GT_OK;
	gt_backprojector *b = NULL;
	if (!rows || !columns || rows > 1u << 24 || columns > 1u << 24)
		return gt_fail(GT_ERR_ARG, "backprojection of images of %zu x %zu: expected 1 to 2^24 rows and columns", columns, rows);
	if (gt_array_size(x) != gt_grid_voxels(grid) || gt_array_backend(x) != be)
		return gt_fail(GT_ERR_ARG, "backprojection onto an array of %zu on %s: expected %zu voxels on %s", gt_array_size(x),
		               gt_backend_name(gt_array_backend(x)), gt_grid_voxels(grid), gt_backend_name(be));
	GT_TRY(gt_grid_check(grid, NULL));
	if (!(b = calloc(1, sizeof *b)))
		return gt_fail(GT_ERR_MEMORY, "no memory for a backprojection");
	b->be = gt_backend_hold(be);
	b->impl = impls[be->kind];
	b->x = x;
	b->batch = batch ? batch : BATCH;
	b->plan = (gt_fbp_plan){ .shape = GT_FLAT,
		                 .rows = rows + 2,
		                 .columns = columns,
		                 .row_pitch = 1,
		                 .grid = *grid,
		                 .tilted = 1,
		                 .clamp_rows = 1,
		                 .kernel = GT_KERNEL_AUTO,
		                 .radius = INFINITY,
		                 .row = { .columns = columns, .lead = 1, .wide = columns + 2 } };
	if (!(b->plan.view = malloc(b->batch * sizeof *b->plan.view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a backprojection of %zu views at a time", b->batch));
	GT_TRY(gt_upload_new(be, b->batch * image_bytes(b), &b->upload));
	gt_fill(0, x);
	*out = b;
done:
	if (st != GT_OK)
		gt_backprojector_free(b);
	return st;
}

gt_status gt_backprojector_add(gt_backprojector *b, const double matrix[12], const float *image)
{
	const gt_fbp_plan *p = &b->plan;
	const gt_status st = gt_matrix_check(matrix, &p->grid, p->rows - 2, p->columns);
	if (st != GT_OK)
		return gt_fail_in(st, "view %zu", b->added);
	set_view(matrix, &p->grid, &b->plan.view[p->views]);
	gt_upload_put(b->upload, image, p->views * image_bytes(b), image_bytes(b));
	b->plan.views++;
	b->added++;
	return p->views == b->batch ? flush(b) : GT_OK;
}

void gt_backprojector_wait(gt_backprojector *b) { gt_upload_wait(b->upload); }

gt_status gt_backprojector_finish(gt_backprojector *b)
{
	const gt_status st = flush(b);
	return st != GT_OK ? st : gt_backend_status(b->be);
}

void gt_backprojector_free(gt_backprojector *b)
{
	if (!b)
		return;
	gt_backend *be = b->be;
	gt_fbp_close(b->impl, be, b->state);
	gt_upload_free(b->upload);
	free(b->plan.view);
	free(b);
	gt_backend_let_go(be);
}
