/* libgantry_rabbitct.so: images are uploaded while the device computes, collected, and backprojected some per pass. The runner
 * reads images into page-locked buffers of the module; a subset is uploaded when its last call returns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/array.h>
#include <gantry/analytic.h>
#include "apps/cli/try.h"
#include "apps/rabbitct/module.h"

static struct {
	gt_backend *be;
	gt_array *x;
	gt_backprojector *sum;
	float *images, **buffers; /* page-locked, and where each begins */
	size_t count, cells, batch;
} own;

static bool answer(const char *where, gt_status st)
{
	if (st != GT_OK)
		fprintf(stderr, "gantry: %s: %s\n", where, gt_error());
	return st == GT_OK;
}

static gt_status open_device(void)
{
	const char *name = getenv("GT_RABBITCT_BACKEND"), *batch = getenv("GT_RABBITCT_BATCH");
	char *end = NULL;
	own.batch = batch ? strtoul(batch, &end, 10) : 0;
	if (batch && (!own.batch || *end || own.batch > 4096))
		return gt_fail(GT_ERR_ARG, "GT_RABBITCT_BATCH=%s: expected a number from 1 to 4096", batch);
	return own.be ? GT_OK : gt_backend_open(name ? name : "auto", &own.be);
}

static gt_status check_head(const struct RabbitCtGlobalData *r)
{
	if (r->L && r->S_x && r->S_y && r->R_L > 0 && isfinite(r->R_L) && isfinite(r->O_L))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "L=%u, S_x=%u, S_y=%u, R_L=%g, O_L=%g: expected sizes and a voxel greater than 0", r->L, r->S_x, r->S_y,
	               (double)r->R_L, (double)r->O_L);
}

/* Offers page-locked buffers. Without them the runner uses its own. */
static void offer_buffers(struct RabbitCtGlobalData *r)
{
	own.cells = (size_t)r->S_x * r->S_y;
	own.count = r->adv_numProjBuffers;
	if (!own.count || r->adv_pProjBuffers || !(own.buffers = malloc(own.count * sizeof *own.buffers)))
		return;
	own.images = gt_locked_new(own.be, own.count * own.cells * sizeof *own.images, "images");
	for (size_t i = 0; i < own.count && own.images; i++)
		own.buffers[i] = own.images + i * own.cells;
	if (own.images)
		r->adv_pProjBuffers = own.buffers;
}

static gt_status load(struct RabbitCtGlobalData *r)
{
	const size_t n = (size_t)r->L * r->L * r->L;
	const double middle = (double)r->O_L + 0.5 * (double)r->R_L * ((double)r->L - 1), pitch = (double)r->R_L;
	const gt_grid grid = { { r->L, r->L, r->L }, { pitch, pitch, pitch }, { middle, middle, middle } };
	GT_OR_RETURN(check_head(r));
	GT_OR_RETURN(open_device());
	GT_OR_RETURN(gt_array_new(own.be, GT_F32, n, &own.x));
	GT_OR_RETURN(gt_backprojector_new(own.be, &grid, r->S_y, r->S_x, own.batch, own.x, &own.sum));
	if (!(r->f_L = gt_locked_new(own.be, n * sizeof *r->f_L, "the volume")))
		return GT_ERR_MEMORY;
	offer_buffers(r);
	return gt_backend_status(own.be);
}

static gt_status backproject(const struct RabbitCtGlobalData *r)
{
	double matrix[12];
	if (!own.sum)
		return gt_fail(GT_ERR_ARG, "called before RCTLoadAlgorithm");
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 4; k++)
			matrix[4 * i + k] = r->A_n[3 * k + i];
	const gt_status st = gt_backprojector_add(own.sum, matrix, r->I_n);
	const int ours = own.images && r->I_n >= own.images && r->I_n < own.images + own.count * own.cells;
	/* The runner changes its buffers after the last image of a subset. */
	const size_t place = ours ? (size_t)(r->I_n - own.images) / own.cells : 0;
	if (!ours || place + 1 >= r->adv_numAvailProjs)
		gt_backprojector_wait(own.sum);
	return st;
}

static gt_status finish(struct RabbitCtGlobalData *r)
{
	if (!own.sum)
		return gt_fail(GT_ERR_ARG, "called before RCTLoadAlgorithm");
	GT_OR_RETURN(gt_backprojector_finish(own.sum));
	gt_array_get(own.x, r->f_L);
	return gt_backend_status(own.be);
}

bool RCTPrepareAlgorithm(struct RabbitCtGlobalData *r)
{
	(void)r;
	return answer("RCTPrepareAlgorithm", open_device());
}

bool RCTLoadAlgorithm(struct RabbitCtGlobalData *r) { return answer("RCTLoadAlgorithm", load(r)); }

bool RCTAlgorithmBackprojection(struct RabbitCtGlobalData *r) { return answer("RCTAlgorithmBackprojection", backproject(r)); }

bool RCTFinishAlgorithm(struct RabbitCtGlobalData *r) { return answer("RCTFinishAlgorithm", finish(r)); }

bool RCTUnloadAlgorithm(struct RabbitCtGlobalData *r)
{
	gt_backprojector_free(own.sum);
	gt_array_free(own.x);
	if (own.be) {
		gt_locked_free(own.be, own.images);
		gt_locked_free(own.be, r->f_L);
	}
	gt_backend_close(own.be);
	free(own.buffers);
	if (r->adv_pProjBuffers == own.buffers)
		r->adv_pProjBuffers = NULL;
	r->f_L = NULL;
	own.be = NULL;
	own.x = NULL;
	own.sum = NULL;
	own.images = NULL;
	own.buffers = NULL;
	own.count = 0;
	return true;
}
