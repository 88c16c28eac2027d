/* Chooses slabs and batches: as few slabs as fit, tested by making the operators without computing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/stream/stream_impl.h"
#include "recon/team/team_model.h"

#define BYTES(n) gt_bytes_text((double)(n), (char[GT_BYTES_TEXT]){ 0 })
#define BATCH_BYTES ((size_t)512 << 20)
enum { MIN_VIEWS = 16 }; /* per batch, before slabs become thinner */
/* From this number of slices on, half of them are transferred during the computation of the others. */
enum { THICK = 512 };
static const double of_free = 0.95, of_host = 0.2; /* of_host: if the device's memory is the host's */

const char *gt_stream_device(const char *backend)
{
	if (!backend || strncmp(backend, "stream", 6) || (backend[6] && backend[6] != ':'))
		return NULL;
	return backend[6] && backend[7] ? backend + 7 : "auto";
}

void gt_stream_free(gt_stream *s)
{
	if (!s || --s->users)
		return;
	if (s->device)
		gt_stream_buffers_free(s);
	gt_backend_close(s->device);
	gt_backend_free(s->host, s->stands_for, s->beside);
	free(s->projector);
	free(s);
}

static void set_cut(gt_stream *s, const gt_stream_problem *q, size_t slabs, size_t views)
{
	const size_t each = gt_type_size(q->type), nz = q->grid->n[2];
	s->cut.slices = (nz + slabs - 1) / slabs;
	s->cut.slabs = (nz + s->cut.slices - 1) / s->cut.slices;
	s->cut.views = views;
	s->slab = s->cut.slices * q->grid->n[0] * q->grid->n[1] * each;
	s->batch = views * q->scan->rows * q->scan->columns * each;
}

static gt_status open_(const gt_stream_problem *q, int dry, gt_stream **out)
{
	gt_status st = GT_OK;
	gt_stream *s = calloc(1, sizeof *s);
	if (!s || !(s->projector = strdup(q->projector))) {
		free(s);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	s->users = 1;
	s->host = q->host;
	s->log = q->log;
	s->type = q->type;
	s->grid = *q->grid;
	GT_TRY(gt_backend_open(q->device, &s->device));
	if (dry)
		GT_TRY(gt_backend_dry_run(s->device));
	*out = s;
	return GT_OK;
done:
	gt_stream_free(s);
	return st;
}

static gt_status new_operators(gt_stream *s, const gt_stream_problem *q, gt_linop **A)
{
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	for (size_t k = 0; k < q->subsets; k++) {
		GT_TRY(gt_scan_subset(q->scan, k, q->subsets, &part));
		GT_TRY(gt_stream_operator(s, part, &A[k]));
		gt_scan_free(part);
		part = NULL;
	}
done:
	gt_scan_free(part);
	return st;
}

/* Measures the peak on the device by a dry run. */
static gt_status dry_run(const gt_stream_problem *q, size_t slabs, size_t views, gt_stream_cut *cut)
{
	gt_stream *s = NULL;
	gt_counters count;
	gt_status st = GT_OK;
	gt_linop **A = calloc(q->subsets, sizeof *A);
	if (!A)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(open_(q, 1, &s));
	set_cut(s, q, slabs, views);
	GT_TRY(gt_stream_buffers_new(s));
	GT_TRY(new_operators(s, q, A));
	GT_TRY(gt_backend_counters(s->device, &count));
	*cut = s->cut;
	cut->bytes = (double)count.peak_bytes;
done:
	for (size_t k = 0; k < q->subsets; k++)
		gt_linop_free(A[k]);
	gt_stream_free(s);
	free(A);
	return st;
}

/* Bytes of the buffers alone: no operators are made if these are too large. */
static double buffer_bytes(const gt_stream_problem *q, size_t slabs, size_t views)
{
	gt_stream s = { .cut = { 0 } };
	set_cut(&s, q, slabs, views);
	return (double)((2 + gt_stream_sums(&s)) * s.slab + 3 * s.batch + (s.slab > s.batch ? s.slab : s.batch));
}

static gt_status find_cut(const gt_stream_problem *q, double limit, gt_stream_cut *cut)
{
	const size_t nz = q->grid->n[2], view = q->scan->rows * q->scan->columns * gt_type_size(q->type),
		     all = (q->scan->views + q->subsets - 1) / q->subsets, some = BATCH_BYTES / view ? BATCH_BYTES / view : 1;
	size_t views = all < some ? all : some, slabs = nz < THICK ? 1 : 2;
	double min = INFINITY;
	gt_status st = GT_OK;
	if (q->slices && q->views)
		return dry_run(q, (nz + q->slices - 1) / q->slices, q->views, cut);
	for (;;) {
		cut->bytes = buffer_bytes(q, slabs, views);
		if (cut->bytes <= limit) {
			GT_TRY(dry_run(q, slabs, views, cut));
			if (cut->bytes <= limit)
				return GT_OK;
		}
		/* More parts have more tables, which finally take more memory in all. */
		if ((slabs == nz && views == 1) || cut->bytes > 2 * min)
			break;
		min = fmin(min, cut->bytes);
		/* Reduces the larger one. */
		const int batches = slabs == nz || (views > MIN_VIEWS && (double)view * (double)views > buffer_bytes(q, slabs, 0) / 4);
		if (batches)
			views = (views + 1) / 2;
		else
			slabs = slabs + slabs / 2 + 1 < nz ? slabs + slabs / 2 + (slabs < 2) : nz;
	}
	return gt_fail(GT_ERR_MEMORY, "%s: slabs of the volume and batches of views need at least %s: %s available", q->device,
	               BYTES(fmin(min, cut->bytes)), BYTES(limit));
done:
	return st;
}

static gt_status free_there(const gt_stream_problem *q, double *limit)
{
	gt_backend *be = NULL;
	size_t available = 0, total = 0;
	const gt_status st = gt_backend_open(q->device, &be);
	if (st != GT_OK)
		return st;
	gt_backend_memory(be, &available, &total);
	*limit = (gt_backend_is_gpu(be) || q->limit > 0 ? of_free : of_host) * (double)available;
	gt_backend_close(be);
	if (q->limit > 0 && q->limit < *limit)
		*limit = q->limit;
	return GT_OK;
}

/* Host memory in addition to arrays: page-locked memory, and the device if it is the host. */
static gt_status count_host(gt_stream *s)
{
	if (!gt_backend_is_dry_run(s->host))
		return GT_OK;
	s->beside = GT_STREAM_TURNS * (s->piece + s->batch) + (gt_backend_is_gpu(s->device) ? 0 : (size_t)s->cut.bytes);
	s->stands_for = gt_backend_alloc(s->host, s->beside, "slabs and views in transfer");
	return s->stands_for ? GT_OK : GT_ERR_MEMORY;
}

gt_status gt_stream_new(const gt_stream_problem *q, gt_stream **out)
{
	gt_stream_cut cut = { 0 };
	gt_stream *s = NULL;
	double limit = 0;
	gt_status st = GT_OK;
	GT_TRY(free_there(q, &limit));
	GT_TRY(find_cut(q, limit, &cut));
	GT_TRY(open_(q, gt_backend_is_dry_run(q->host), &s));
	set_cut(s, q, (q->grid->n[2] + cut.slices - 1) / cut.slices, cut.views);
	s->cut = cut;
	GT_TRY(gt_stream_buffers_new(s));
	GT_TRY(count_host(s));
	GT_TRY(gt_backend_gather(s->host)); /* solvers on the host are limited by its memory bandwidth */
	gt_notify(q->log, GT_INFO, GT_ABOUT_CHOICE, "%s computes for host arrays: %zu slab%s of %zu slices, %zu views at a time, %s there",
	          gt_backend_name(s->device), cut.slabs, cut.slabs == 1 ? "" : "s", cut.slices, cut.views, BYTES(cut.bytes));
	*out = s;
	return GT_OK;
done:
	gt_stream_free(s);
	return st;
}

/* Bytes per second between page-locked memory of the host and a GPU (docs/measurements.md, gantry devices --links). */
static const double link = 55e9;
static const double max_ratio = 4;

gt_status gt_stream_is_worth(const gt_stream_problem *q)
{
	const int on_cpu = !strncmp(q->device, "cpu", 3) || !gt_device_count();
	const gt_model_case c = { q->grid, q->scan, q->subsets, NULL, 0, on_cpu, 1, gt_type_size(q->type), 0 };
	const double volume = (double)gt_grid_voxels(q->grid) * (double)c.element, data = (double)gt_scan_size(q->scan) * (double)c.element;
	gt_model_times t;
	if (on_cpu)
		return GT_OK;
	gt_model(&c, 1, 1, &t);
	const double moving = (2 * (double)q->subsets * volume + 2 * data) / link;
	if (moving <= max_ratio * t.operators)
		return GT_OK;
	return gt_fail(
		GT_ERR_ARG,
		"%zu subsets: transfers of the volume to and from %s would take %.3g s per iteration, its projections %.3g s: expected "
		"fewer subsets, or a run entirely on a device",
		q->subsets, q->device, moving, t.operators);
}
